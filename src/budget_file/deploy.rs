//! `deploy = { strategy = "…" }`: which keys belong to which strategy, and what they may be.

use toml::de::DeValue;

use super::value::BudgetValues as _;
use crate::budget::deploy::{Deploy, Draining, Share, Strategy};
use crate::toml_file::{Section, Wrong};

/// The words for a strategy, and the keys that it reads.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Replace,
    Double,
    Rolling,
    Ecs,
    Canary,
    Batch,
    Factor,
}

const WORDS: [(&str, Kind); 11] = [
    ("double", Kind::Double),
    ("rolling", Kind::Rolling),
    ("none", Kind::Replace),
    ("recreate", Kind::Replace),
    ("in-place", Kind::Replace),
    ("blue-green", Kind::Double),
    ("preboot", Kind::Double),
    ("ecs", Kind::Ecs),
    ("canary", Kind::Canary),
    ("batch", Kind::Batch),
    ("factor", Kind::Factor),
];

/// The keys that belong to only some strategies.
const KEYS: [(&str, &[Kind]); 9] = [
    ("green", &[Kind::Double]),
    ("max_surge", &[Kind::Rolling]),
    ("max_unavailable", &[Kind::Rolling]),
    ("maximum_percent", &[Kind::Ecs]),
    ("canaries", &[Kind::Canary]),
    ("limit", &[Kind::Batch]),
    ("factor", &[Kind::Factor]),
    ("draining", DRAINING),
    ("rollouts", DRAINING),
];

/// Where what is shutting down is not counted by the platform.
const DRAINING: &[Kind] = &[Kind::Double, Kind::Rolling, Kind::Ecs];

const DEFAULT: &str = "deploy = { strategy = \"double\" }";

/// The deploy of a role or pooler; `usual` where nothing is said.
pub(super) fn read(owner: &Section<'_>, usual: Deploy) -> Deploy {
    let Some(value) = owner.value("deploy") else {
        return usual;
    };
    match value.get_ref() {
        DeValue::Table(_) => owner
            .section("deploy", &format!("{} deploy", owner.title()))
            .map_or(usual, of_section),
        _ => {
            let wrong = Wrong::saying("`deploy` must be a table");
            owner.refuse("deploy", wrong.write(DEFAULT));
            usual
        }
    }
}

fn of_section(section: Section<'_>) -> Deploy {
    if !section.has("strategy") {
        section.missing("strategy", "strategy = \"double\"");
    }
    let kind = section.word("strategy", &WORDS);
    if let Some(kind) = kind {
        refuse_foreign_keys(&section, kind);
    }
    let deploy = Deploy {
        strategy: strategy(&section, kind.unwrap_or(Kind::Double)),
        draining: match section.flag("draining") {
            Some(false) => Draining::Released,
            _ => Draining::Counted,
        },
        rollouts: section.count("rollouts", 1).unwrap_or(1),
    };
    for (key, _) in KEYS {
        section.value(key);
    }
    section.finish();
    deploy
}

fn refuse_foreign_keys(section: &Section<'_>, kind: Kind) {
    let written = word(kind);
    for (key, owners) in KEYS {
        if section.has(key) && !owners.contains(&kind) {
            let owners: Vec<String> = owners
                .iter()
                .map(|kind| format!("\"{}\"", word(*kind)))
                .collect();
            let message = format!(
                "`{key}` belongs to strategy {}, not \"{written}\"",
                owners.join(", ")
            );
            section.refuse(key, Wrong::saying(message));
        }
    }
}

/// Its first word.
fn word(kind: Kind) -> &'static str {
    WORDS
        .iter()
        .find(|(_, one)| *one == kind)
        .map_or("", |(word, _)| word)
}

fn strategy(section: &Section<'_>, kind: Kind) -> Strategy {
    let share = |key, usual| section.share(key).unwrap_or(usual);
    match kind {
        Kind::Replace => Strategy::Replace,
        Kind::Double => Strategy::Double {
            green: share("green", Share::Percent(100)),
        },
        Kind::Rolling => rolling(section),
        Kind::Ecs => Strategy::Ecs {
            maximum_percent: at_least_100(section, "maximum_percent", 200),
        },
        Kind::Canary => Strategy::Canary {
            canaries: share("canaries", Share::Count(1)),
        },
        Kind::Batch => Strategy::Batch {
            limit: share("limit", Share::Percent(100)),
        },
        Kind::Factor => factor(section),
    }
}

/// Kubernetes' defaults are a quarter each; 0 and 0 as written is what it rejects, while per cent
/// that round to nothing are legal.
fn rolling(section: &Section<'_>) -> Strategy {
    let quarter = Share::Percent(25);
    let max_surge = section.share("max_surge").unwrap_or(quarter);
    let max_unavailable = section.share("max_unavailable").unwrap_or(quarter);
    let is_nothing = |share| matches!(share, Share::Count(0) | Share::Percent(0));
    if is_nothing(max_surge) && is_nothing(max_unavailable) {
        let wrong =
            Wrong::saying("`max_surge` and `max_unavailable` are both 0, which Kubernetes rejects");
        section.refuse("max_surge", wrong.write("max_surge = 1"));
    }
    Strategy::Rolling {
        max_surge,
        max_unavailable,
    }
}

fn factor(section: &Section<'_>) -> Strategy {
    if !section.has("factor") {
        section.missing("factor", "factor = \"150%\"");
    }
    Strategy::Factor {
        percent: at_least_100(section, "factor", 200),
    }
}

fn at_least_100(section: &Section<'_>, key: &'static str, usual: u64) -> u64 {
    match section.percent(key) {
        Some(percent @ ..100) => {
            let wrong = Wrong::saying(format!("`{key}` must be at least 100%, not {percent}%"));
            section.refuse(key, wrong.write(format!("{key} = \"200%\"")));
            usual
        }
        Some(percent) => percent,
        None => usual,
    }
}
