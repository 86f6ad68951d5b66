//! Each sign, and what they come to together.

use super::*;
use crate::planted::{Plant, quiet};
use crate::snapshot::SessionState::{Active, Idle};
use crate::snapshot::{ConnectionPath, PoolerSign, Session};

/// `api`, idle, with key 7 from pid 10.
fn holder() -> Snapshot {
    quiet().session(10, Idle).holds(10, 7)
}

fn seen(samples: &[Snapshot]) -> Option<Pooled> {
    let (last, earlier) = samples.split_last().expect("a sample");
    let history = History::of(earlier);
    let holds = Hold::all(last, &history);
    Pooled::all(last, &history, &holds).remove(&10)
}

/// How sure it is that the holder is pooled, and that it is shared; and what shows it.
fn weighed(samples: &[Snapshot]) -> (Option<Certainty>, Option<Certainty>, Vec<Kind>) {
    match seen(samples) {
        None => (None, None, Vec::new()),
        Some(pooled) => (
            Some(pooled.certainty),
            pooled.shared,
            pooled.signs.iter().map(|sign| sign.kind).collect(),
        ),
    }
}

trait Alter: Sized {
    fn with(self, pid: i32, change: impl Fn(&mut Session)) -> Self;

    fn says(self, pid: i32, statement: &str) -> Self {
        self.with(pid, |session| session.query = Some(statement.to_owned()))
    }

    fn from(self, pid: i32, address: &str) -> Self {
        self.with(pid, |session| {
            session.client_addr = Some(address.to_owned())
        })
    }
}

impl Alter for Snapshot {
    fn with(mut self, pid: i32, change: impl Fn(&mut Session)) -> Self {
        let mut sessions = self.sessions.iter_mut();
        let session = sessions.find(|session| session.pid == pid);
        change(session.expect("it was planted"));
        self
    }
}

/// Four more idle sessions of `names` from the holder's address.
fn among(snapshot: Snapshot, names: [&str; 4]) -> Snapshot {
    let pids = 20..;
    pids.zip(names).fold(snapshot, |snapshot, (pid, name)| {
        snapshot.session(pid, Idle).named(pid, name)
    })
}

const LIKELY: Option<Certainty> = Some(Certainty::Likely);
const POSSIBLE: Option<Certainty> = Some(Certainty::Possible);

#[test]
fn a_name_that_changes_under_the_lock_is_likely_a_shared_backend() {
    let samples = [
        holder()
            .says(10, "SELECT pg_advisory_lock(7)")
            .named(10, "a"),
        holder().named(10, "b"),
    ];
    assert_eq!(weighed(&samples), (LIKELY, LIKELY, vec![Kind::Renamed]));
}

#[test]
fn neighbours_that_change_their_names_too_leave_it_likely_as_a_pool_by_session_shows_the_same() {
    let at = |mine, other| {
        holder()
            .named(10, mine)
            .session(11, Idle)
            .named(11, other)
            .says(10, "SELECT pg_advisory_lock(7)")
    };
    let samples = [at("a", "b"), at("b", "a")];
    let signs = vec![Kind::Renamed, Kind::NeighboursRenamed];
    assert_eq!(weighed(&samples), (LIKELY, LIKELY, signs));
}

#[test]
fn a_program_that_renames_itself_is_possibly_shared_and_no_more() {
    for statement in [
        "SET application_name = 'step 2'",
        "SELECT set_config('application_name', 'step 2', false)",
    ] {
        let samples = [
            holder()
                .says(10, "SELECT pg_advisory_lock(7)")
                .named(10, "step 1"),
            holder().named(10, "step 2").says(10, statement),
        ];
        let (_, shared, signs) = weighed(&samples);
        assert_eq!((shared, &signs[..]), (POSSIBLE, &[Kind::RenamesItself][..]));
    }
}

/// As PgBouncer 1.18 sends it, logged by the server.
#[test]
fn the_name_that_pgbouncer_sets_is_not_the_programs_own_doing() {
    for statement in [
        "SET application_name='b';",
        "SET TimeZone='Asia/Tokyo';SET application_name='b';",
    ] {
        let samples = [
            holder().named(10, "a"),
            holder().named(10, "b").says(10, statement),
        ];
        assert_eq!(weighed(&samples).1, LIKELY, "{statement}");
    }
}

#[test]
fn the_name_of_a_poolers_own_connections_tells_the_pooler_and_its_way_of_sharing() {
    for (name, shared, product) in [
        ("Supavisor", LIKELY, Product::Supavisor),
        ("pgcat", LIKELY, Product::PgCat),
        ("PgDog", None, Product::PgDog),
        ("Supavisor - api", None, Product::Supavisor),
    ] {
        let found = seen(&[holder()
            .named(10, name)
            .says(10, "SELECT pg_advisory_lock(7)")]);
        let found = found.expect("a sign");
        assert_eq!((found.certainty, found.shared), (Certainty::Likely, shared));
        assert_eq!(found.product(), Some(product));
    }
}

#[test]
fn a_client_that_is_elsewhere_than_its_connection_is_behind_pgbouncer() {
    let named = |name| {
        holder()
            .named(10, name)
            .says(10, "SELECT pg_advisory_lock(7)")
    };
    let found = seen(&[named("svc - 10.0.0.9:48666")]).expect("a sign");
    assert_eq!((found.certainty, found.shared), (Certainty::Likely, None));
    assert_eq!(found.product(), Some(Product::PgBouncer));
    assert_eq!(
        seen(&[named("svc - 10.0.0.7:48666")]),
        None,
        "it is at home"
    );
}

#[test]
fn a_lock_that_survived_pgcats_reset_is_on_a_shared_backend() {
    let found = seen(&[holder().says(10, "RESET ROLE;RESET ALL;")]).expect("a sign");
    assert_eq!((found.certainty, found.shared), (Certainty::Likely, LIKELY));
    assert_eq!(found.product(), Some(Product::PgCat));
}

#[test]
fn a_scan_that_came_the_same_way_tells_a_pooler_but_not_its_mode() {
    let mut snapshot = holder()
        .says(10, "SELECT pg_advisory_lock(7)")
        .session(1, Active);
    snapshot.server.path = ConnectionPath::Pooler(PoolerSign::OlderBackend);
    assert_eq!(
        weighed(&[snapshot.clone()]),
        (LIKELY, None, vec![Kind::OurWay])
    );
    let elsewhere = snapshot.clone().from(10, "10.0.0.8");
    assert_eq!(seen(&[elsewhere]), None);
    let on_one_machine = snapshot.from(1, "127.0.0.1").from(10, "127.0.0.1");
    assert_eq!(
        seen(&[on_one_machine]),
        None,
        "direct clients come from there too"
    );
}

#[test]
fn a_crowd_and_other_work_are_likely_over_samples_and_possible_in_one() {
    let crowded = |statement| among(holder(), ["a", "b", "c", "d"]).says(10, statement);
    let samples = ["SELECT 1", "SELECT 2", "SELECT 3"].map(crowded);
    let alternating = vec![Kind::Crowd, Kind::OtherWork];
    assert_eq!(weighed(&samples), (LIKELY, LIKELY, alternating));
    let one = vec![Kind::Crowd, Kind::OtherStatement];
    assert_eq!(weighed(&samples[..1]), (LIKELY, POSSIBLE, one));
}

#[test]
fn a_crowd_on_the_servers_own_machine_or_of_one_program_is_none() {
    let pids = [10, 20, 21, 22, 23];
    for address in [Some("127.0.0.1".to_owned()), Some("::1".to_owned()), None] {
        let crowd = among(holder(), ["a", "b", "c", "d"]);
        let local = pids.iter().fold(crowd, |snapshot, pid| {
            snapshot.with(*pid, |session| session.client_addr.clone_from(&address))
        });
        assert_eq!(seen(&[local]), None);
    }
    assert_eq!(seen(&[among(holder(), ["api"; 4])]), None);
}

#[test]
fn resets_of_neighbours_are_a_drivers_pool_as_well() {
    let reset = |statement| {
        holder()
            .says(10, "SELECT pg_advisory_lock(7)")
            .session(20, Idle)
            .says(20, statement)
    };
    assert_eq!(seen(&[reset("DISCARD ALL")]), None, "one ordinary sign");
    let with_other_work = reset("DISCARD ALL").says(10, "SELECT 1");
    let signs = vec![Kind::NeighboursReset, Kind::OtherStatement];
    assert_eq!(weighed(&[with_other_work]), (POSSIBLE, None, signs));
}

#[test]
fn a_leader_that_works_on_its_locks_connection_is_no_sign() {
    let samples = ["SELECT 1", "SELECT 2", "SELECT 3", "SELECT 4"]
        .map(|statement| holder().says(10, statement));
    assert_eq!(seen(&samples), None);
}

#[test]
fn a_session_at_work_or_idle_since_its_lock_call_is_no_sign() {
    assert_eq!(
        seen(&[holder().says(10, "SELECT pg_advisory_lock(7)")]),
        None
    );
    assert_eq!(seen(&[quiet().session(10, Active).holds(10, 7)]), None);
}

#[test]
fn without_texts_and_starts_nothing_is_made_up() {
    let hidden = holder().masked(10);
    assert_eq!(
        seen(&[hidden.clone().named(10, "a"), hidden.named(10, "b")]),
        None
    );
}

#[test]
fn our_own_name_tells_the_pooler_that_we_came_through() {
    assert!(renamed_us("lockaudit", "Supavisor"));
    assert!(renamed_us("lockaudit", "lockaudit - 10.0.0.9:48666"));
    assert!(!renamed_us("lockaudit", "lockaudit"));
    assert!(!renamed_us("Supavisor", "Supavisor"), "we are called so");
    let mut through = quiet().session(1, Active).named(1, "Supavisor");
    assert_eq!(of_our_own_way(&through), None, "it is direct");
    through.server.path = ConnectionPath::PoolerOrNat;
    assert_eq!(of_our_own_way(&through), Some(Product::Supavisor));
}
