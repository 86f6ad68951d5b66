//! A ConfigMap, from which a container may take a variable. Secrets are not read.

use std::collections::BTreeMap;

use super::mistake::Mistake;
use super::object::{Name, Object};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigMap {
    pub name: Name,
    pub data: BTreeMap<String, String>,
}

pub(super) fn read(object: &Object<'_>) -> Result<ConfigMap, Mistake> {
    let mut data = BTreeMap::new();
    if let Some(entries) = object.value.get("data")? {
        for (key, value) in entries.entries()? {
            data.insert(key.to_owned(), value.text()?.to_owned());
        }
    }
    Ok(ConfigMap {
        name: object.name.clone(),
        data,
    })
}
