//! Service files: named sets of parameters that stand between the connection string and the environment.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};

use super::conninfo::is_blank;
use super::environment::Environment;
use super::keyword::{find, looks_like_a_keyword, suggestion};
use super::values::{Source, Value, Values};

/// Fills what the explicit settings leave open from the service they, or `PGSERVICE`, name.
///
/// # Errors
/// A file that is named and missing, a service in no file, and a line libpq would refuse.
pub(super) fn fill(values: &mut Values, environment: &Environment) -> anyhow::Result<()> {
    let named = values
        .filled_text("service")
        .or(environment.filled("PGSERVICE"));
    let Some(service) = named.map(str::to_owned) else {
        return Ok(());
    };
    ensure!(
        !service.contains("://"),
        "`PGSERVICE` holds a URL; give a URL with --dbname or in `LOCKAUDIT_DSN`"
    );
    let files = files(values, environment)?;
    for path in &files {
        if read_section(path, &service, values, environment)? {
            return Ok(());
        }
    }
    bail!(
        "service `{service}` is in no service file; {}",
        looked_at(&files)
    )
}

fn looked_at(files: &[PathBuf]) -> String {
    let paths: Vec<String> = files
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    match paths.is_empty() {
        true => "there is none: write ~/.pg_service.conf or set PGSERVICEFILE".to_owned(),
        false => format!("looked at {}", paths.join(", ")),
    }
}

/// The user's own file, then the system's.
fn files(values: &Values, environment: &Environment) -> anyhow::Result<Vec<PathBuf>> {
    let own = own_file(values, environment)?;
    let directories = match environment.filled("PGSYSCONFDIR") {
        Some(directory) => vec![PathBuf::from(directory)],
        None => environment.service_directories.clone(),
    };
    let system = directories
        .into_iter()
        .map(|directory| directory.join("pg_service.conf"));
    let present = system.filter(|path| environment.exists(path));
    Ok(own.into_iter().chain(present).collect())
}

/// A file that was asked for must be there; `~/.pg_service.conf` need not.
fn own_file(values: &Values, environment: &Environment) -> anyhow::Result<Option<PathBuf>> {
    let explicit = values
        .filled_text("servicefile")
        .or(environment.filled("PGSERVICEFILE"));
    if let Some(path) = explicit {
        ensure!(
            environment.exists(Path::new(path)),
            "service file {path} is missing; correct PGSERVICEFILE"
        );
        return Ok(Some(PathBuf::from(path)));
    }
    let default = environment.home().map(|home| home.join(".pg_service.conf"));
    Ok(default.filter(|path| environment.exists(path)))
}

/// Whether the file has the section. The first section of that name counts, and in it the first value.
fn read_section(
    path: &Path,
    service: &str,
    values: &mut Values,
    environment: &Environment,
) -> anyhow::Result<bool> {
    let bytes = environment.machine.read(path);
    let bytes = bytes.with_context(|| format!("could not read service file {}", path.display()))?;
    let text = String::from_utf8(bytes)
        .with_context(|| format!("service file {} is not UTF-8", path.display()))?;
    let mut inside = false;
    for (index, line) in text.lines().enumerate() {
        let line = line.trim_matches(is_blank);
        match line.chars().next() {
            None | Some('#') => {}
            Some('[') if inside => return Ok(true),
            Some('[') => inside = opens(line, service),
            Some(_) if inside => store(line, &place(path, index), values)?,
            Some(_) => {}
        }
    }
    Ok(inside)
}

fn place(path: &Path, index: usize) -> Source {
    Source::ServiceFile {
        path: path.to_owned(),
        line: index + 1,
    }
}

fn opens(line: &str, service: &str) -> bool {
    let after = line
        .strip_prefix('[')
        .and_then(|rest| rest.strip_prefix(service));
    after.is_some_and(|rest| rest.starts_with(']'))
}

fn store(line: &str, source: &Source, values: &mut Values) -> anyhow::Result<()> {
    ensure!(
        !line.starts_with("ldap://"),
        "{source}: lockaudit does not look services up in LDAP"
    );
    let Some((name, text)) = line.split_once('=') else {
        bail!("{source}: no `=`; a line of a service is key=value");
    };
    ensure!(
        !name.ends_with(is_blank),
        "{source}: blanks before `=` are not allowed in a service file"
    );
    ensure!(
        !matches!(name, "service" | "servicefile"),
        "{source}: a service can't name another service"
    );
    match find(name) {
        Some(keyword) => values.set_if_absent(keyword, Value::new(text, source)),
        None if looks_like_a_keyword(name) => {
            bail!("{source}: unknown parameter `{name}`{}", suggestion(name))
        }
        None => bail!("{source}: what stands before `=` is no parameter's name"),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::scripted::environment;
    use super::*;

    fn service(file: &str) -> anyhow::Result<Values> {
        let mut values = Values::default();
        let machine = environment(&[("HOME", "/home/a"), ("PGSERVICE", "app")]);
        fill(
            &mut values,
            &machine
                .with_file("/home/a/.pg_service.conf", 0o644, file)
                .build(),
        )?;
        Ok(values)
    }

    #[test]
    fn reads_the_first_section_and_its_first_values() {
        let file =
            "# c\n[other]\nhost=o\n[app]\n  host=h \nhost=later\npassword='q'\n[app]\nport=1\n";
        let values = service(file).expect("a valid file");
        assert_eq!(values.filled_text("host"), Some("h"));
        assert_eq!(values.filled_text("password"), Some("'q'"));
        assert!(values.get("port").is_none());
    }

    #[test]
    fn names_file_and_line() {
        let refusal = |file| service(file).expect_err("invalid").to_string();
        let at = "/home/a/.pg_service.conf, line 2:";
        assert_eq!(
            refusal("[app]\nhost = h"),
            format!("{at} blanks before `=` are not allowed in a service file")
        );
        assert_eq!(
            refusal("[app]\nhots=h"),
            format!("{at} unknown parameter `hots`; did you mean `host`?")
        );
        assert_eq!(
            refusal("[app]\nservice=x"),
            format!("{at} a service can't name another service")
        );
        assert_eq!(
            refusal("[b]"),
            "service `app` is in no service file; looked at /home/a/.pg_service.conf"
        );
    }

    #[test]
    fn looks_at_the_system_s_file_after_the_user_s() {
        let mut values = Values::default();
        let scripted = environment(&[
            ("HOME", "/home/a"),
            ("PGSERVICE", "app"),
            ("PGSYSCONFDIR", "/etc/x"),
        ])
        .with_file("/home/a/.pg_service.conf", 0o644, "[other]\nhost=o")
        .with_file("/etc/x/pg_service.conf", 0o644, "[app]\nhost=h");
        fill(&mut values, &scripted.build()).expect("found");
        assert_eq!(values.filled_text("host"), Some("h"));
    }

    #[test]
    fn refuses_a_missing_file_that_was_asked_for() {
        let scripted = environment(&[("PGSERVICE", "app"), ("PGSERVICEFILE", "/gone")]);
        let refusal = fill(&mut Values::default(), &scripted.build()).expect_err("missing");
        assert_eq!(
            refusal.to_string(),
            "service file /gone is missing; correct PGSERVICEFILE"
        );
    }
}
