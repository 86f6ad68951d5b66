//! The names that an application's own people gave their locks, and the keys that these names give.

mod derivation;

pub use derivation::{Cut, Derivation, Hash, Sign};

use super::AdvisoryKey;
use super::candidate::{Candidate, Origin};
use super::pattern::Pattern;
use crate::certainty::Certainty;

/// More names than this are a mistake, or a matter of minutes.
pub const MOST_NAMES: u64 = 1_000_000;

/// Names that make keys in one way.
#[derive(Debug, Clone)]
pub struct Entry {
    pub patterns: Vec<Pattern>,
    pub derivation: Derivation,
    /// Only in these databases; none: in all.
    pub databases: Vec<String>,
    pub purpose: Option<String>,
    /// `names.toml, line 3`
    pub place: String,
}

/// All names, found by their keys.
#[derive(Debug, Clone, Default)]
pub struct Names {
    entries: Vec<Entry>,
    /// Sorted; a name is kept as its entry and its number there, and spelled out when it is asked for.
    by_key: Vec<(AdvisoryKey, u32, u32)>,
}

/// Names that stand for more than [`MOST_NAMES`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooMany(pub u64);

impl Names {
    /// # Errors
    /// More than [`MOST_NAMES`] names in all.
    pub fn of(entries: Vec<Entry>) -> Result<Self, TooMany> {
        let count = entries
            .iter()
            .map(Entry::count)
            .fold(0, u64::saturating_add);
        if count > MOST_NAMES {
            return Err(TooMany(count));
        }
        let mut by_key: Vec<(AdvisoryKey, u32, u32)> = Vec::new();
        for (at, entry) in (0..).zip(&entries) {
            let keys = (0..).zip(entry.names());
            by_key.extend(
                keys.filter_map(|(number, name)| Some((entry.derivation.key(&name)?, at, number))),
            );
        }
        by_key.sort_unstable();
        Ok(Self { entries, by_key })
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether some entry gives this name.
    pub fn has(&self, name: &str) -> bool {
        let mut entries = self.entries.iter();
        entries.any(|entry| entry.names().any(|known| known == name))
    }

    /// The names that this key has in a database. Where several names give it none is more than possible.
    pub(super) fn candidates(&self, key: AdvisoryKey, database: Option<&str>) -> Vec<Candidate> {
        let start = self.by_key.partition_point(|(known, ..)| *known < key);
        let same = self.by_key[start..]
            .iter()
            .take_while(|(known, ..)| *known == key);
        let entries = same.map(|(_, entry, number)| (&self.entries[*entry as usize], *number));
        let mut found: Vec<Candidate> = entries
            .filter(|(entry, _)| entry.is_for(database))
            .map(|(entry, number)| entry.candidate(number))
            .collect();
        // The same name told twice is one.
        found.dedup_by(|one, other| one.id == other.id);
        if found.len() > 1 {
            for one in &mut found {
                one.certainty = Certainty::Possible;
            }
        }
        found
    }
}

impl Entry {
    pub fn count(&self) -> u64 {
        let counts = self.patterns.iter().map(Pattern::count);
        counts.fold(0, u64::saturating_add)
    }

    fn names(&self) -> impl Iterator<Item = String> {
        self.patterns.iter().flat_map(Pattern::names)
    }

    /// The name of this number, counted over all patterns.
    fn name(&self, mut number: u64) -> Option<String> {
        for pattern in &self.patterns {
            match number.checked_sub(pattern.count()) {
                Some(left) => number = left,
                None => return Some(pattern.name(number)),
            }
        }
        None
    }

    fn is_for(&self, database: Option<&str>) -> bool {
        match database {
            Some(name) if !self.databases.is_empty() => {
                self.databases.iter().any(|own| own == name)
            }
            _ => true,
        }
    }

    fn candidate(&self, number: u32) -> Candidate {
        let name = self.name(number.into()).unwrap_or_default();
        let mut candidate = Candidate::of_name(
            Origin::Names,
            &name,
            self.certainty(),
            self.derivation.basis(&name),
        );
        if let Some(purpose) = &self.purpose {
            candidate.purpose.clone_from(purpose);
        }
        candidate.source.clone_from(&self.place);
        candidate
    }

    /// Among many names one may meet 32 bits by chance.
    fn certainty(&self) -> Certainty {
        match self.derivation.bits() {
            64 => Certainty::Certain,
            _ if self.count() <= 1_000 => Certainty::Certain,
            _ => Certainty::Likely,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::scheme::scheme;
    use super::*;

    fn entry(patterns: &[&str], derivation: Derivation) -> Entry {
        let parse = |text: &&str| Pattern::parse(text).expect("it is a pattern");
        Entry {
            patterns: patterns.iter().map(parse).collect(),
            derivation,
            databases: Vec::new(),
            purpose: None,
            place: "names.toml, line 1".to_owned(),
        }
    }

    fn hashtext() -> Derivation {
        Derivation::Hashed {
            hash: Hash::Scheme(scheme("hashtext").expect("it is a scheme")),
            namespace: None,
        }
    }

    fn found(names: &Names, key: AdvisoryKey, database: Option<&str>) -> Vec<String> {
        let candidates = names.candidates(key, database);
        candidates.into_iter().map(|one| one.id).collect()
    }

    #[test]
    fn a_key_has_the_name_that_gives_it() {
        let names = Names::of(vec![entry(&["lock{audit,er}", "my-lock"], hashtext())]);
        let names = names.expect("they are few");
        let key = AdvisoryKey::Single(577_534_659);
        assert_eq!(found(&names, key, None), ["my-lock"]);
        assert_eq!(
            found(&names, AdvisoryKey::Single(-286_520_210), None),
            ["lockaudit"]
        );
        assert!(found(&names, AdvisoryKey::Single(1), None).is_empty());
    }

    #[test]
    fn an_entry_for_a_database_names_nothing_elsewhere() {
        let mut only = entry(&["my-lock"], hashtext());
        only.databases = vec!["app".to_owned()];
        let names = Names::of(vec![only]).expect("it is one");
        let key = AdvisoryKey::Single(577_534_659);
        assert_eq!(found(&names, key, Some("app")), ["my-lock"]);
        assert!(found(&names, key, Some("other")).is_empty());
    }

    #[test]
    fn two_names_of_one_key_are_both_possible() {
        let constant = || Derivation::Constant(AdvisoryKey::Single(7));
        let names = Names::of(vec![entry(&["a"], constant()), entry(&["b"], constant())]);
        let candidates = names
            .expect("they are two")
            .candidates(AdvisoryKey::Single(7), None);
        assert!(
            candidates
                .iter()
                .all(|one| one.certainty == Certainty::Possible)
        );
        assert_eq!(candidates.len(), 2);
    }

    #[test]
    fn a_name_told_twice_is_one() {
        let names = Names::of(vec![
            entry(&["my-lock"], hashtext()),
            entry(&["a", "my-lock"], hashtext()),
        ]);
        let key = AdvisoryKey::Single(577_534_659);
        let candidates = names.expect("they are few").candidates(key, None);
        assert_eq!(candidates.len(), 1);
        assert_eq!(candidates[0].certainty, Certainty::Certain);
    }

    #[test]
    fn too_many_names_are_refused_before_they_are_spelled_out() {
        let refused = Names::of(vec![entry(&["{1..9999999999}"], hashtext())]).err();
        assert_eq!(refused, Some(TooMany(9_999_999_999)));
    }
}
