//! Lists whose items are made one by one, as they are written: there can be a hundred thousand.

use serde::{Serialize, Serializer};

type Items<'a, T> = Box<dyn Iterator<Item = T> + 'a>;

/// In the document a list like any other.
pub(super) struct Listed<'a, T>(Box<dyn Fn() -> Items<'a, T> + 'a>);

impl<'a, T> Listed<'a, T> {
    pub fn of<I: Iterator<Item = T> + 'a>(items: impl Fn() -> I + 'a) -> Self {
        Self(Box::new(move || Box::new(items())))
    }
}

impl<T: Serialize> Serialize for Listed<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((self.0)())
    }
}

impl<'a, T> IntoIterator for Listed<'a, T> {
    type Item = T;
    type IntoIter = Items<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        (self.0)()
    }
}

#[cfg(test)]
impl<T: schemars::JsonSchema> schemars::JsonSchema for Listed<'_, T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        Vec::<T>::schema_name()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        Vec::<T>::json_schema(generator)
    }
}
