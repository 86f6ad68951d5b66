//! What holds of every file of `sql/`: it is known, and its head says what it is.

use std::collections::BTreeSet;
use std::fs;

use tokio_postgres::types::Type;

/// The files below these folders of `sql/`, by their names below it.
pub fn sql_files(folders: &[&str]) -> BTreeSet<String> {
    let files = folders.iter().flat_map(|folder| {
        let files = fs::read_dir(format!("sql/{folder}")).expect("they have a folder");
        files.map(move |file| {
            let name = file.expect("it can be listed").file_name();
            format!("{folder}/{}", name.into_string().expect("ASCII"))
        })
    });
    files.collect()
}

/// The head says what a row is, each parameter, and the oldest server in these words.
#[track_caller]
pub fn says_what_it_is(file: &str, sql: &str, parameters: &[Type], oldest: &[&str]) {
    let lines = sql.lines();
    let head: String = lines.map_while(|line| line.strip_prefix("--")).collect();
    let says = |what: &str| assert!(head.contains(what), "{file}: {what:?}?");
    says(" row");
    oldest.iter().for_each(|word| says(word));
    match parameters {
        [] => says("o parameters"),
        many => (1..=many.len()).for_each(|number| says(&format!("${number} "))),
    }
    assert!(sql.is_ascii(), "{file}");
}
