//! Decoding of single columns: strict about what is there, lenient about the bytes of foreign text.
//!
//! A missing or mistyped column is an error that names it. A text in another encoding is not: one
//! LATIN1 session must not fail the scan of all others.

use anyhow::{Context, Result};
use tokio_postgres::Row;
use tokio_postgres::types::{FromSql, Type};

type BoxedError = Box<dyn std::error::Error + Sync + Send>;

pub(super) fn get<'a, T: FromSql<'a>>(row: &'a Row, column: &str) -> Result<T> {
    row.try_get(column)
        .with_context(|| format!("could not read column `{column}`"))
}

/// Where a column of this name stands, for [`at`]: to be asked once for many rows.
pub(super) fn position(row: &Row, column: &str) -> Result<usize> {
    let mut columns = row.columns().iter();
    columns
        .position(|known| known.name() == column)
        .with_context(|| format!("there is no column `{column}`"))
}

/// As [`get`], by the column's [`position`].
pub(super) fn at<'a, T: FromSql<'a>>(row: &'a Row, position: usize) -> Result<T> {
    row.try_get(position)
        .with_context(|| format!("could not read column `{}`", name(row, position)))
}

/// Text of whatever encoding; bytes that are no UTF-8 become U+FFFD.
pub(super) fn text(row: &Row, column: &str) -> Result<Option<String>> {
    Ok(get::<Option<Foreign>>(row, column)?.map(|text| text.0))
}

pub(super) fn text_at(row: &Row, position: usize) -> Result<Option<String>> {
    Ok(at::<Option<Foreign>>(row, position)?.map(|text| text.0))
}

pub(super) fn required_text_at(row: &Row, position: usize) -> Result<String> {
    text_at(row, position)?.with_context(|| format!("column `{}` is NULL", name(row, position)))
}

/// Text that the catalog never leaves out.
pub(super) fn required_text(row: &Row, column: &str) -> Result<String> {
    text(row, column)?.with_context(|| format!("column `{column}` is NULL"))
}

/// A transaction id, which tokio-postgres has no type for.
pub(super) fn xid(row: &Row, column: &str) -> Result<Option<u32>> {
    Ok(get::<Option<Xid>>(row, column)?.map(|xid| xid.0))
}

pub(super) fn xid_at(row: &Row, position: usize) -> Result<Option<u32>> {
    Ok(at::<Option<Xid>>(row, position)?.map(|xid| xid.0))
}

fn name(row: &Row, position: usize) -> &str {
    row.columns()
        .get(position)
        .map_or("?", |column| column.name())
}

struct Foreign(String);

impl<'a> FromSql<'a> for Foreign {
    fn from_sql(_: &Type, raw: &'a [u8]) -> Result<Self, BoxedError> {
        Ok(Self(String::from_utf8_lossy(raw).into_owned()))
    }

    fn accepts(ty: &Type) -> bool {
        matches!(*ty, Type::TEXT | Type::NAME | Type::VARCHAR | Type::BPCHAR)
    }
}

struct Xid(u32);

impl<'a> FromSql<'a> for Xid {
    fn from_sql(_: &Type, raw: &'a [u8]) -> Result<Self, BoxedError> {
        Ok(Self(u32::from_be_bytes(raw.try_into()?)))
    }

    fn accepts(ty: &Type) -> bool {
        *ty == Type::XID
    }
}
