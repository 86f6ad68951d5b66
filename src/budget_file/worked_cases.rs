//! Cases that were worked out by hand, from incidents and platforms' own documentation: what the
//! file says, and what must come of it. The cases are data: `worked_cases.toml`.

use serde::Deserialize;

use super::{ServerFrom, read};
use crate::budget::{Assessment, Plan, assess, fit};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    case: Vec<Case>,
}

/// What is not said is not compared, but for findings: all must be as said.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    plan: String,
    usable: Option<u64>,
    steady: Option<u64>,
    live: Option<u64>,
    peak: Option<u64>,
    free: Option<i64>,
    #[serde(default)]
    findings: Vec<String>,
    largest_pool: Option<u64>,
    smallest_max_connections: Option<u64>,
    /// Of the one role that has locks.
    smallest_pool: Option<u64>,
    left: Option<u64>,
}

fn judged(case: &Case) -> (Plan, Assessment) {
    let text = format!("version = 1\n{}", case.plan);
    let draft = read(&case.name, &text, ServerFrom::File);
    let draft = draft.unwrap_or_else(|mistakes| panic!("{mistakes}"));
    let server = draft
        .numbers
        .server()
        .expect("the case says max_connections");
    let plan = draft.on(server);
    let assessment = assess(&plan).expect("the numbers fit");
    (plan, assessment)
}

fn compare(case: &Case) {
    let (plan, found) = judged(case);
    let same = |what: &str, wanted: Option<i128>, found: i128| {
        assert_eq!(wanted.unwrap_or(found), found, "{what} of {}", case.name);
    };
    let number = |wanted: Option<u64>| wanted.map(i128::from);
    same("usable", number(case.usable), found.usable().into());
    same("steady", number(case.steady), found.total.steady.into());
    same("live", number(case.live), found.total.live.into());
    same("peak", number(case.peak), found.total.peak.into());
    same("free", case.free.map(i128::from), found.free());
    let codes: Vec<&str> = found.findings.iter().map(|one| one.code.as_str()).collect();
    assert_eq!(case.findings, codes, "findings of {}", case.name);
    if let Some(wanted) = case.largest_pool {
        let pool = fit::largest_pool(&plan, fit::Whom::Everybody);
        assert_eq!(Some(wanted), pool, "largest pool of {}", case.name);
    }
    if let Some(wanted) = case.smallest_max_connections {
        let least = fit::smallest_max_connections(&plan, &found.total);
        assert_eq!(Some(wanted), least, "max_connections of {}", case.name);
    }
    let pool = found.pools.first().map(|(_, pool)| pool);
    if let Some(wanted) = case.smallest_pool {
        assert_eq!(
            Some(wanted),
            pool.map(|pool| pool.smallest_pool),
            "{}",
            case.name
        );
    }
    if let Some(wanted) = case.left {
        assert_eq!(Some(wanted), pool.map(|pool| pool.left()), "{}", case.name);
    }
}

#[test]
fn every_worked_case_comes_out_as_by_hand() {
    let file: File = toml::from_str(include_str!("worked_cases.toml")).expect("cases are TOML");
    assert!(file.case.len() >= 27 + 12);
    file.case.iter().for_each(compare);
}
