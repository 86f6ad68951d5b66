//! migration.toml: written for review, merged into, never damaged.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::{Folder, Planned};
use crate::harness::{Database, Server, Session, lockaudit};

struct Scene<'a> {
    db: Database<'a>,
    folder: Folder,
    holder: Session,
}

impl Scene<'_> {
    fn new(name: &str) -> Self {
        let db = Server::any().database(name);
        let holder = db.session("sweeper");
        holder.idle_with(42).idle_sharing(43);
        Self {
            db,
            folder: Folder::new(),
            holder,
        }
    }

    #[track_caller]
    fn plan(&self) -> Planned {
        Planned::of(&self.db, &["-o", &self.folder.file("migration.toml")])
    }

    fn text(&self) -> String {
        self.folder.read("migration.toml")
    }

    fn edit(&self, from: &str, to: &str) {
        let text = self.text();
        assert_eq!(text.matches(from).count(), 1, "{from} in {text}");
        self.folder.write("migration.toml", &text.replace(from, to));
    }
}

/// But for the times, by which the runs differ.
fn timeless(text: &str) -> String {
    let lines = text.lines();
    let kept = lines.filter(|line| !line.starts_with("last_seen") && !line.starts_with("held_at"));
    kept.collect::<Vec<_>>().join("\n")
}

#[test]
fn what_a_person_edits_stays_and_settles_the_refusal() {
    let scene = Scene::new("edited");
    scene.plan().exits_with(1);
    scene.edit("name = \"42\"", "name = \"night sweep\" # since 2019");
    scene.edit(
        "decision = \"refuse\"\ncertainty",
        "decision = \"keep\"\ncertainty",
    );
    scene.edit(
        "[[name]]\nname = \"43\"",
        "# Anna: readers, leave them\n[[name]]\nname = \"43\"",
    );
    let edited = scene.text();
    let planned = scene.plan().exits_with(0);
    assert_eq!(timeless(&scene.text()), timeless(&edited));
    let kept = planned.key("43");
    assert_eq!(kept.0["decided_by"], "person");
    assert_eq!(kept.0["judged"]["decision"], "refuse");
    assert_eq!(planned.key("42").name(), "night sweep");
    assert_eq!(planned.key("42").0["standing"], "seen");
}

#[test]
fn new_keys_come_at_the_end_and_old_ones_stay_with_a_note() {
    let scene = Scene::new("later");
    scene.plan().exits_with(1);
    let before = scene.text();
    scene
        .holder
        .runs("SELECT pg_advisory_unlock_all()")
        .idle_with(41);
    let planned = scene.plan().exits_with(1);
    let after = scene.text();
    let order: Vec<&str> = after
        .lines()
        .filter(|line| line.starts_with("key = "))
        .collect();
    assert_eq!(order, ["key = \"42\"", "key = \"43\"", "key = \"41\""]);
    assert_eq!(
        after
            .matches("note = \"not seen any more in 1 sample until ")
            .count(),
        2
    );
    assert_eq!(planned.key("42").0["standing"], "not_seen");
    planned.key("43").is("refuse", "certain");
    assert!(timeless(&after).starts_with(timeless(&before).lines().next().unwrap_or_default()));
}

#[test]
fn a_key_that_turns_out_to_be_shared_is_refused_after_all() {
    let scene = Scene::new("turns");
    scene.plan().key("42").is("lease", "certain");
    scene
        .holder
        .runs("SELECT pg_advisory_unlock_all()")
        .idle_sharing(42);
    scene.plan().exits_with(1).key("42").is("refuse", "certain");
    assert!(scene.text().contains("modes = [\"exclusive\", \"shared\"]"));
}

#[test]
fn a_damaged_file_is_told_with_its_place_and_left_as_it_is() {
    let scene = Scene::new("damaged");
    for (text, told) in [
        (
            "version = 1\n\n[[name]]\nname = \"x\"\nkey = [1,\n",
            "migration.toml:5:",
        ),
        (
            "[[name]]\nname = \"x\"\nkey = 1\nttl = 30\n",
            "migration.toml:4:7: [[name]] \"x\": `ttl` has no unit",
        ),
        (
            "[[name]]\nname = \"x\"\nkey = 1\ndecision = \"leese\"\n",
            "write decision = \"lease\"",
        ),
    ] {
        let file = scene.folder.write("migration.toml", text);
        // A long look would be for nothing.
        lockaudit(&[
            "migrate",
            "plan",
            &scene.db.url(),
            "--for",
            "10m",
            "-o",
            &file,
        ])
        .exits_with(2)
        .complains(told);
        assert_eq!(scene.text(), text);
    }
}

#[test]
fn hostile_names_are_shown_tame_and_written_whole() {
    let db = Server::any().database("hostile");
    let folder = Folder::new();
    let name = "a\"]\\ # [[name]] \u{202e}é";
    let holder = db.session("plain");
    holder
        .runs(&format!("SET application_name = '{name}'"))
        .idle_with(42);
    let (file, map) = (
        folder.file("migration.toml"),
        folder.write(
            "map.toml",
            "[[name]]\nname = \"\\u001B[2J'; DROP\\n\\u202E\"\nkey = 42\n",
        ),
    );
    let words = [
        "migrate",
        "plan",
        &db.url(),
        "--database",
        db.name(),
        "--map",
        &map,
        "-o",
        &file,
    ];
    lockaudit(&words).succeeds().tame().says("\\u{1b}[2J");
    let text = folder.read("migration.toml");
    let wild = text
        .chars()
        .find(|one| *one != '\n' && (one.is_control() || *one == '\u{202e}'));
    assert_eq!(wild, None, "{text:?}");
    let again = Planned::of(&db, &["-o", &file]).exits_with(0);
    let key = again.key("42");
    assert_eq!(key.name(), "\u{1b}[2J'; DROP\n\u{202e}");
    // The server keeps printable ASCII of an application_name, before 16 by question marks.
    let shown = key.0["seen"]["applications"].to_string();
    assert!(shown.contains("# [[name]]"), "{shown}");
}

#[test]
fn the_file_keeps_its_link_and_its_permissions() {
    let scene = Scene::new("linked");
    let real = scene.folder.write("real.toml", "");
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).expect("it is ours");
    std::os::unix::fs::symlink("real.toml", scene.folder.path("migration.toml"))
        .expect("a link can be made");
    scene.plan().exits_with(1);
    assert!(scene.folder.path("migration.toml").is_symlink());
    let mode = fs::metadata(&real)
        .expect("it is there")
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o640);
    assert!(
        scene
            .text()
            .starts_with("# The way from advisory keys to leases")
    );
}
