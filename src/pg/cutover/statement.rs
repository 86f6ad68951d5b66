//! The files of `sql/cutover`, for a table of leases of any name.

use crate::pg::lease::statement::Statement;
use tokio_postgres::types::Type;

macro_rules! statement {
    ($name:ident, $file:literal, $purpose:literal, [$($type:ident),*]) => {
        pub const $name: Statement = Statement {
            file: concat!("cutover/", $file),
            sql: include_str!(concat!("../../../sql/cutover/", $file)),
            purpose: $purpose,
            parameters: &[$(Type::$type),*],
        };
    };
}

statement!(
    CREATE_WATCH,
    "create_watch.sql",
    "create the table of what is seen of old code",
    []
);
statement!(
    CREATE_LOG_OF_MODES,
    "create_log_of_modes.sql",
    "create the log's index of modes",
    []
);
statement!(
    DROP_WATCH,
    "drop_watch.sql",
    "remove the table of what was seen of old code",
    []
);
statement!(
    SEED,
    "seed.sql",
    "add the name under its old key",
    [TEXT, INT8, INT4, INT4, TEXT]
);
statement!(
    KEYS_OF_NAMES,
    "keys_of_names.sql",
    "read the old keys of the names",
    []
);
statement!(
    STEP,
    "step.sql",
    "change the name's mode",
    [TEXT, TEXT, TEXT, TEXT, TEXT]
);
statement!(
    POSITIONS,
    "positions.sql",
    "read where the names stand",
    [TEXT]
);
statement!(LOCKS, "locks.sql", "read the locks on the old keys", []);
statement!(
    WATCH,
    "watch.sql",
    "look for old code",
    [FLOAT8, INT8, TEXT_ARRAY]
);
statement!(FINISH, "finish.sql", "forget the old keys", [FLOAT8, TEXT]);
statement!(
    SCHEMA_OF_TABLE,
    "schema_of_table.sql",
    "find the schema of the table of leases",
    [TEXT]
);
statement!(
    FUNCTIONS,
    "functions.sql",
    "look for the functions",
    [TEXT, TEXT_ARRAY]
);
statement!(DATABASE, "database.sql", "ask which database this is", []);
statement!(
    TIMELINE,
    "timeline.sql",
    "ask for the server's timeline",
    []
);
statement!(
    STATEMENTS_EXTENSION,
    "statements_extension.sql",
    "look for pg_stat_statements",
    []
);
statement!(CALLS, "calls.sql", "count advisory calls", [TEXT]);
statement!(
    CALLS_SINCE,
    "calls_since.sql",
    "ask since when calls are counted",
    []
);

/// What makes the tables of a migration beside those of leases, in this order.
pub const CREATION: [Statement; 2] = [CREATE_WATCH, CREATE_LOG_OF_MODES];

/// Those that ask an extension, whose schema stands for `public` in them.
pub const OF_EXTENSION: [Statement; 2] = [CALLS, CALLS_SINCE];

/// Every other file of `sql/cutover`, so that a test can put each one to every major.
pub const ALL: [Statement; 13] = [
    SEED,
    KEYS_OF_NAMES,
    STEP,
    POSITIONS,
    LOCKS,
    WATCH,
    SCHEMA_OF_TABLE,
    FUNCTIONS,
    DATABASE,
    TIMELINE,
    STATEMENTS_EXTENSION,
    FINISH,
    DROP_WATCH,
];
