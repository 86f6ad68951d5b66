//! `[[expect]]`: who is meant to hold which lock, and for how long.

use anyhow::Result;
use serde::Deserialize;
use toml::Spanned;
use toml::Value;

use super::naming::key;
use super::place::Place;
use crate::expected::Rule;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenExpectation {
    key: Option<Spanned<Value>>,
    name: Option<String>,
    application_name: Option<String>,
    database: Option<String>,
    at_most: Option<Spanned<String>>,
    because: Option<String>,
}

pub(super) fn rule(written: Spanned<WrittenExpectation>, place: Place<'_>) -> Result<Rule> {
    let table = written.span();
    let written = written.into_inner();
    match (&written.key, &written.name, &written.application_name) {
        (Some(_), Some(_), _) => {
            return Err(place.refuse(&table, "`key` and `name` exclude each other"));
        }
        (None, None, None) => {
            let why = "an [[expect]] needs `key`, `name` or `application_name`";
            return Err(place.refuse(&table, why));
        }
        _ => (),
    }
    let at_most = written.at_most.map(|text| {
        let read = humantime::parse_duration(text.get_ref());
        read.map_err(|error| place.refuse(&text.span(), format!("{error}; write 30s, 5m or 2h")))
    });
    Ok(Rule {
        key: written.key.map(|value| key(&value, place)).transpose()?,
        name: written.name,
        application_name: written.application_name,
        database: written.database,
        at_most: at_most.transpose()?,
        because: written.because,
        place: place.line(&table),
    })
}
