//! The files of `sql/fence`.

use tokio_postgres::types::Type;

use crate::pg::lease::statement::Statement;

macro_rules! statement {
    ($name:ident, $file:literal, $purpose:literal, [$($type:ident),*]) => {
        pub const $name: Statement = Statement {
            file: concat!("fence/", $file),
            sql: include_str!(concat!("../../../sql/fence/", $file)),
            purpose: $purpose,
            parameters: &[$(Type::$type),*],
        };
    };
}

statement!(
    PLACES,
    "places.sql",
    "ask for the size of the lock table",
    []
);
statement!(
    HOLD,
    "hold.sql",
    "hold the old keys",
    [TEXT_ARRAY, INT8_ARRAY, INT4_ARRAY, INT4_ARRAY]
);
statement!(
    GIVE_BACK,
    "give_back.sql",
    "give old keys back",
    [TEXT_ARRAY, INT8_ARRAY, INT4_ARRAY, INT4_ARRAY]
);
statement!(
    RENEW,
    "renew.sql",
    "renew the fence's lease",
    [TEXT, TEXT, INT8, FLOAT8]
);
statement!(
    OLD_USERS,
    "old_users.sql",
    "look for old code",
    [TEXT_ARRAY]
);
statement!(FENCES, "fences.sql", "look for fences", [TEXT_ARRAY]);

/// Every file of `sql/fence`, so that a test can put each one to every major.
pub const ALL: [Statement; 6] = [PLACES, HOLD, GIVE_BACK, RENEW, OLD_USERS, FENCES];
