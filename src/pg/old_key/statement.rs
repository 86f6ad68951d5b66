//! The files of `sql/old_key`.

use tokio_postgres::types::Type;

use crate::pg::lease::statement::Statement;

macro_rules! statement {
    ($name:ident, $file:literal, $purpose:literal, [$($type:ident),*]) => {
        pub const $name: Statement = Statement {
            file: concat!("old_key/", $file),
            sql: include_str!(concat!("../../../sql/old_key/", $file)),
            purpose: $purpose,
            parameters: &[$(Type::$type),*],
        };
    };
}

statement!(LOCK, "lock.sql", "get the old key", [INT8, INT4, INT4]);
statement!(
    LOCK_SHARED,
    "lock_shared.sql",
    "get the old key",
    [INT8, INT4, INT4]
);
statement!(UNLOCK, "unlock.sql", "give the old key back", []);
statement!(
    SESSION,
    "session.sql",
    "ask which process serves the session",
    []
);
statement!(OF_NAME, "of_name.sql", "read the name's old key", [TEXT]);

/// Every file of `sql/old_key`, so that a test can put each one to every major.
pub const ALL: [Statement; 5] = [LOCK, LOCK_SHARED, UNLOCK, SESSION, OF_NAME];
