//! A variable of a container that holds a number, looked for where Kubernetes would take it from.
//!
//! A value is never repeated: whoever names the wrong variable must not find a password in a file.

use super::table::Figure;
use crate::manifest::{ConfigMap, Container, Manifests, Name, Says, Store};

/// What a container has under one of several names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Sighting {
    /// It has none of them.
    Absent,
    /// It may have one: all of a store that is not among the manifests becomes variables.
    Perhaps(Store),
    Found(Sourced),
}

/// A number with its source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sourced {
    pub figure: Figure,
    /// Where the number comes from, or why there is none.
    pub whence: String,
}

/// Whose variables they are.
pub(super) struct Place<'a> {
    pub manifests: &'a Manifests,
    /// The workload, for its namespace.
    pub owner: &'a Name,
    pub container: &'a Container,
}

impl Place<'_> {
    /// The first of `names` that the container has; a number of at least `least`.
    pub(super) fn look_for(&self, names: &[String], least: u64) -> Sighting {
        let mut perhaps = Sighting::Absent;
        for name in names {
            match self.look_for_one(name, least) {
                Sighting::Absent => {}
                Sighting::Perhaps(store) if perhaps == Sighting::Absent => {
                    perhaps = Sighting::Perhaps(store);
                }
                Sighting::Perhaps(_) => {}
                found => return found,
            }
        }
        perhaps
    }

    fn look_for_one(&self, name: &str, least: u64) -> Sighting {
        let mut variables = self.container.variables.iter().rev();
        match variables.find(|variable| variable.name == name) {
            Some(variable) => Sighting::Found(self.read(name, &variable.says, least)),
            None => self.look_in_stores(name, least),
        }
    }

    /// The later of two stores counts; one that can't be seen may hide any name.
    fn look_in_stores(&self, name: &str, least: u64) -> Sighting {
        for from in self.container.env_from.iter().rev() {
            let Some(key) = name.strip_prefix(from.prefix.as_str()) else {
                continue;
            };
            let Store::ConfigMap(map) = &from.store else {
                return Sighting::Perhaps(from.store.clone());
            };
            let Some(map) = self.config_map(map) else {
                return Sighting::Perhaps(from.store.clone());
            };
            if let Some(text) = map.data.get(key) {
                let whence = format!("{name}, of {}", from.store.said());
                return Sighting::Found(of_text(text, whence, least));
            }
        }
        Sighting::Absent
    }

    fn read(&self, name: &str, says: &Says, least: u64) -> Sourced {
        let (store, key) = match says {
            Says::Text(text) => return of_text(text, name.to_owned(), least),
            Says::WhenItRuns => return unknown(format!("{name} is set only when the pod runs")),
            Says::Stored { store, key } => (store, key),
        };
        let map = match store {
            Store::ConfigMap(map) => self.config_map(map),
            Store::Secret(_) => {
                return unknown(format!("{name} is in {}, which is not read", store.said()));
            }
        };
        let whence = format!("{name}, of {}", store.said());
        match map.map(|map| map.data.get(key)) {
            None => unknown(format!(
                "{name} is in {}, which is not among the manifests",
                store.said()
            )),
            Some(None) => unknown(format!("{whence}, which has no key `{key}`")),
            Some(Some(text)) => of_text(text, whence, least),
        }
    }

    /// The one of the workload's own namespace before one that may be in it.
    fn config_map(&self, name: &str) -> Option<&ConfigMap> {
        let maps = &self.manifests.config_maps;
        let named = || maps.iter().filter(|map| map.name.name == name);
        named()
            .find(|map| map.name.namespace == self.owner.namespace)
            .or_else(|| named().find(|map| map.name.may_share_namespace_with(self.owner)))
    }
}

fn unknown(whence: String) -> Sourced {
    Sourced {
        figure: Figure::Unknown,
        whence,
    }
}

fn of_text(text: &str, whence: String, least: u64) -> Sourced {
    let text = text.trim();
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
    match text.parse::<u32>().map(u64::from) {
        Ok(number) if is_plain && number >= least => Sourced {
            figure: Figure::Known(number),
            whence,
        },
        _ => unknown(format!("{whence}: {}", why_no_number(text, least))),
    }
}

fn why_no_number(text: &str, least: u64) -> String {
    match text {
        "" => "it is empty".to_owned(),
        "0" | "-1" => format!("{text} means \"no limit\" to some libraries: the real ceiling"),
        _ if text.contains("$(") => "it is made of other variables".to_owned(),
        _ => format!("it is no whole number of at least {least}"),
    }
}
