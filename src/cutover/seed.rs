//! What stands in the way of a name that is to begin its migration.

use std::collections::HashMap;
use std::fmt;

use crate::key::AdvisoryKey;
use crate::lease::{Mode, Name};
use crate::text::printable;

/// A name, and the key that old code takes for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seed {
    pub name: Name,
    pub key: AdvisoryKey,
}

/// A row that is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    pub name: Name,
    pub mode: Mode,
    pub key: Option<AdvisoryKey>,
}

/// Why a name is left alone. Nothing that is there is ever changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Conflict {
    /// It is there under another key.
    OtherKey { seed: Seed, has: AdvisoryKey },
    /// It is there without a key: its lease is taken without one already.
    NoKey { seed: Seed },
    /// Two names of one key would be kept apart by the key, and not by their leases.
    SharedKey { seed: Seed, with: Name },
}

/// Those of the seeds, among themselves and with the rows.
pub fn conflicts(seeds: &[Seed], rows: &[Row]) -> Vec<Conflict> {
    let mut owners: HashMap<AdvisoryKey, Vec<&Name>> = HashMap::new();
    for row in rows {
        if let Some(key) = row.key {
            owners.entry(key).or_default().push(&row.name);
        }
    }
    let mut found = Vec::new();
    for seed in seeds {
        let row = rows.iter().find(|row| row.name == seed.name);
        let other = match row.map(|row| row.key) {
            None => None,
            Some(None) => Some(Conflict::NoKey { seed: seed.clone() }),
            Some(Some(has)) => (has != seed.key).then(|| Conflict::OtherKey {
                seed: seed.clone(),
                has,
            }),
        };
        // The seed itself may be among the rows by now.
        let owners = owners.entry(seed.key).or_default();
        let owner = owners.iter().find(|owner| ***owner != seed.name);
        let shared = owner.map(|owner| Conflict::SharedKey {
            seed: seed.clone(),
            with: Name::clone(owner),
        });
        owners.push(&seed.name);
        found.extend(other.into_iter().chain(shared));
    }
    found
}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |name: &Name| printable(name.as_str());
        match self {
            Self::OtherKey { seed, has } => write!(
                f,
                "`{}` is there with the old key {has}, and was to get {}",
                name(&seed.name),
                seed.key
            ),
            Self::NoKey { seed } => write!(
                f,
                "`{}` is there without an old key, and was to get {}: its lease is taken without a key already, or its migration was finished",
                name(&seed.name),
                seed.key
            ),
            Self::SharedKey { seed, with } => write!(
                f,
                "`{}` was to get {}, which is the old key of `{}`: their leases would not keep them apart",
                name(&seed.name),
                seed.key,
                name(with)
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seed(name: &str, key: i64) -> Seed {
        Seed {
            name: name.parse().expect("a name"),
            key: AdvisoryKey::Single(key),
        }
    }

    fn row(name: &str, key: Option<i64>) -> Row {
        Row {
            name: name.parse().expect("a name"),
            mode: Mode::Both,
            key: key.map(AdvisoryKey::Single),
        }
    }

    #[test]
    fn what_is_there_already_is_no_conflict_in_whatever_mode() {
        let rows = [row("sweep", Some(1)), row("mail", None)];
        assert_eq!(conflicts(&[seed("sweep", 1), seed("new", 2)], &rows), []);
    }

    #[test]
    fn a_key_is_shared_whichever_name_comes_first_and_whether_or_not_the_seed_is_a_row_by_now() {
        for name in ["before", "zebra"] {
            let late = seed(name, 1);
            let conflict = Conflict::SharedKey {
                seed: late.clone(),
                with: "sweep".parse().expect("a name"),
            };
            let mut rows = vec![row("sweep", Some(1))];
            let seeds = [late];
            assert_eq!(conflicts(&seeds, &rows), std::slice::from_ref(&conflict));
            rows.push(row(name, Some(1)));
            rows.sort_by(|one, other| one.name.cmp(&other.name));
            assert_eq!(conflicts(&seeds, &rows), [conflict]);
        }
    }

    #[test]
    fn each_conflict_names_both_sides() {
        let rows = [row("sweep", Some(1)), row("mail", None)];
        let seeds = [
            seed("sweep", 9),
            seed("mail", 2),
            seed("late", 1),
            seed("twin", 2),
        ];
        let said: Vec<String> = conflicts(&seeds, &rows)
            .iter()
            .map(Conflict::to_string)
            .collect();
        insta::assert_snapshot!(said.join("\n"), @r"
        `sweep` is there with the old key 1, and was to get 9
        `mail` is there without an old key, and was to get 2: its lease is taken without a key already, or its migration was finished
        `late` was to get 1, which is the old key of `sweep`: their leases would not keep them apart
        `twin` was to get 2, which is the old key of `mail`: their leases would not keep them apart
        ");
    }
}
