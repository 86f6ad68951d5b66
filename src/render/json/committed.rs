//! The committed schemas are those of the structs: what all their tests share.

/// `LOCKAUDIT_WRITE_GENERATED=1 cargo test` writes the file anew.
#[track_caller]
pub(super) fn schema_is(schema: &schemars::Schema, file: &str, committed: &str) {
    let text = serde_json::to_string_pretty(schema).expect("a schema is JSON") + "\n";
    if std::option_env!("LOCKAUDIT_WRITE_GENERATED").is_some() {
        std::fs::write(file, &text).expect("the schema can be written");
    } else {
        assert_eq!(text, committed);
    }
}
