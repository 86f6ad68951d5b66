//! `[[name]]`: what locks are called, and how the application makes keys of the names.

use std::ops::Range;

use anyhow::Result;
use serde::Deserialize;
use toml::Spanned;
use toml::Value;

use super::place::Place;
use crate::key::AdvisoryKey;
use crate::key::hash::{ByteOrder, Digest};
use crate::key::names::{Cut, Derivation, Entry, Hash, Sign};
use crate::key::pattern::Pattern;
use crate::key::scheme::{scheme, schemes};

/// As written; what goes together is checked afterwards, where the file's words can be shown.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenName {
    name: Option<Spanned<String>>,
    names: Option<Vec<Spanned<String>>>,
    key: Option<Spanned<Value>>,
    hash: Option<Spanned<String>>,
    seed: Option<Spanned<i64>>,
    bytes: Option<Spanned<WrittenBytes>>,
    namespace: Option<Spanned<Value>>,
    database: Option<Spanned<Value>>,
    purpose: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenBytes {
    #[serde(default)]
    from: usize,
    take: usize,
    #[serde(default)]
    order: WrittenOrder,
    #[serde(default = "yes")]
    signed: bool,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "lowercase")]
enum WrittenOrder {
    #[default]
    Big,
    Little,
}

fn yes() -> bool {
    true
}

pub(super) fn entry(written: Spanned<WrittenName>, place: Place<'_>) -> Result<Entry> {
    let table = written.span();
    let written = written.into_inner();
    let derivation = derivation(&written, &table, place)?;
    let patterns = patterns(&written, &table, place)?;
    let entry = Entry {
        patterns,
        derivation,
        databases: databases(written.database.as_ref(), place)?,
        purpose: written.purpose,
        place: place.line(&table),
    };
    match entry.derivation {
        Derivation::Constant(_) if entry.count() != 1 => {
            Err(place.refuse(&table, "a key has one name: write a table for each"))
        }
        _ => Ok(entry),
    }
}

fn patterns(written: &WrittenName, table: &Range<usize>, place: Place<'_>) -> Result<Vec<Pattern>> {
    let texts = written.name.iter().chain(written.names.iter().flatten());
    let patterns: Vec<Pattern> = texts
        .map(|text| pattern(text, place))
        .collect::<Result<_>>()?;
    match (patterns.is_empty(), &written.name, &written.names) {
        (_, Some(_), Some(_)) => Err(place.refuse(table, "`name` and `names` exclude each other")),
        (true, ..) => Err(place.refuse(table, "a [[name]] needs `name` or `names`")),
        (false, ..) => Ok(patterns),
    }
}

fn pattern(text: &Spanned<String>, place: Place<'_>) -> Result<Pattern> {
    let refuse = |why: &dyn std::fmt::Display| place.refuse(&text.span(), why);
    let pattern = Pattern::parse(text.get_ref()).map_err(|error| refuse(&error))?;
    match pattern.has_slots() {
        true => Err(refuse(
            &"write ranges and lists between braces; \\{ is a brace",
        )),
        false => Ok(pattern),
    }
}

fn derivation(written: &WrittenName, table: &Range<usize>, place: Place<'_>) -> Result<Derivation> {
    match (&written.key, &written.hash) {
        (Some(found), None) => {
            no_key_has(written, place)?;
            Ok(Derivation::Constant(key(found, place)?))
        }
        (None, Some(name)) => hashed(written, name, place),
        (Some(_), Some(_)) => Err(place.refuse(table, "`key` and `hash` exclude each other")),
        (None, None) => Err(place.refuse(table, "a [[name]] needs `hash`, or its `key`")),
    }
}

/// What only goes with a hash.
fn no_key_has(written: &WrittenName, place: Place<'_>) -> Result<()> {
    let strays = [
        ("seed", written.seed.as_ref().map(Spanned::span)),
        ("bytes", written.bytes.as_ref().map(Spanned::span)),
        ("namespace", written.namespace.as_ref().map(Spanned::span)),
    ];
    for (name, span) in strays {
        if let Some(span) = span {
            return Err(place.refuse(&span, format!("`{name}` goes with `hash`, not with `key`")));
        }
    }
    Ok(())
}

fn hashed(written: &WrittenName, name: &Spanned<String>, place: Place<'_>) -> Result<Derivation> {
    let hash = hash(written, name, place)?;
    let namespace = written
        .namespace
        .as_ref()
        .map(|value| namespace(value, place));
    let namespace = namespace.transpose()?;
    if let Some(value) = written.namespace.as_ref().filter(|_| hash.bits() > 32) {
        return Err(place.refuse(
            &value.span(),
            format!(
                "`{}` gives more than the 32 bits of half a pair",
                name.get_ref()
            ),
        ));
    }
    Ok(Derivation::Hashed { hash, namespace })
}

fn hash(written: &WrittenName, name: &Spanned<String>, place: Place<'_>) -> Result<Hash> {
    let digest = digest(name.get_ref());
    let hash = match (&written.seed, &written.bytes, digest) {
        (Some(seed), None, _) if name.get_ref() == "hashtextextended" => {
            Hash::Seeded(*seed.get_ref())
        }
        (Some(seed), ..) => {
            return Err(place.refuse(&seed.span(), "`seed` goes with hash = \"hashtextextended\""));
        }
        (None, Some(bytes), Some(digest)) => Hash::Cut(digest, cut(bytes, digest, place)?),
        (None, Some(bytes), None) => {
            return Err(place.refuse(
                &bytes.span(),
                "`bytes` goes with md5, sha1, sha224 or sha256",
            ));
        }
        (None, None, _) => Hash::Scheme(
            scheme(name.get_ref()).ok_or_else(|| place.refuse(&name.span(), no_such_hash(name)))?,
        ),
    };
    Ok(hash)
}

fn no_such_hash(name: &Spanned<String>) -> String {
    let known: Vec<&str> = schemes().map(|scheme| scheme.name).collect();
    format!(
        "there is no hash `{}`; there is {}",
        name.get_ref(),
        known.join(", ")
    )
}

fn digest(name: &str) -> Option<Digest> {
    match name {
        "md5" => Some(Digest::Md5),
        "sha1" => Some(Digest::Sha1),
        "sha224" => Some(Digest::Sha224),
        "sha256" => Some(Digest::Sha256),
        _ => None,
    }
}

fn cut(bytes: &Spanned<WrittenBytes>, digest: Digest, place: Place<'_>) -> Result<Cut> {
    let WrittenBytes {
        from,
        take,
        order,
        signed,
    } = bytes.get_ref();
    let ends_within = from
        .checked_add(*take)
        .is_some_and(|end| end <= digest.length());
    if !(1..=8).contains(take) || !ends_within {
        let why = format!(
            "a key is made of 1 to 8 of the {} bytes of a digest",
            digest.length()
        );
        return Err(place.refuse(&bytes.span(), why));
    }
    Ok(Cut {
        from: *from,
        take: *take,
        order: match order {
            WrittenOrder::Big => ByteOrder::Big,
            WrittenOrder::Little => ByteOrder::Little,
        },
        sign: match signed {
            true => Sign::Signed,
            false => Sign::Unsigned,
        },
    })
}

/// `42`, `[7, -42]`, or a bigint beyond what TOML's integers hold, as a string.
pub(super) fn key(value: &Spanned<Value>, place: Place<'_>) -> Result<AdvisoryKey> {
    let read = match value.get_ref() {
        Value::Integer(key) => Some(AdvisoryKey::Single(*key)),
        Value::String(text) => text.parse().ok().map(AdvisoryKey::Single),
        Value::Array(halves) => match halves.as_slice() {
            [first, second] => half(first)
                .zip(half(second))
                .map(|(a, b)| AdvisoryKey::Pair(a, b)),
            _ => None,
        },
        _ => None,
    };
    read.ok_or_else(|| {
        place.refuse(
            &value.span(),
            "a key is a bigint such as 42, or two integers such as [7, -42]",
        )
    })
}

fn half(value: &Value) -> Option<i32> {
    value.as_integer()?.try_into().ok()
}

/// `7`, or `{ hash = "hashtext", of = "jobs" }`.
fn namespace(value: &Spanned<Value>, place: Place<'_>) -> Result<i32> {
    let read = match value.get_ref() {
        number @ Value::Integer(_) => half(number),
        Value::Table(table) if table.len() == 2 => {
            let text = |name: &str| table.get(name).and_then(Value::as_str);
            text("hash")
                .and_then(scheme)
                .zip(text("of"))
                .and_then(|(hash, of)| hash.half(of))
        }
        _ => None,
    };
    read.ok_or_else(|| {
        let why =
            "a namespace is an integer, or { hash = \"…\", of = \"…\" } with a hash of 32 bits";
        place.refuse(&value.span(), why)
    })
}

fn databases(value: Option<&Spanned<Value>>, place: Place<'_>) -> Result<Vec<String>> {
    let Some(value) = value else {
        return Ok(Vec::new());
    };
    let read = match value.get_ref() {
        Value::String(name) => Some(vec![name.clone()]),
        Value::Array(names) => names
            .iter()
            .map(|name| name.as_str().map(str::to_owned))
            .collect(),
        _ => None,
    };
    read.ok_or_else(|| place.refuse(&value.span(), "a database is a name, or a list of names"))
}
