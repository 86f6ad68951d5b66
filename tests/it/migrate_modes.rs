//! The modes of a name on real servers: what each step's statement does is what the core says, whatever
//! the row, its lease and its old key are like; and workers that follow the modes are never two at work.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use lockaudit::cutover::gate::{Moment, shut_now};
use lockaudit::cutover::look::{Verdict, once_the_key_is_held};
use lockaudit::cutover::readiness::is_ready_for;
use lockaudit::cutover::seed::Seed;
use lockaudit::cutover::{Calls, Direction, Position, Step};
use lockaudit::key::AdvisoryKey;
use lockaudit::lease::{Bridge, Holder, Mode, Name, TableName, Term, Token, Wanted};
use lockaudit::pg::connect::Connection;
use lockaudit::pg::cutover::{Cutover, Stepped, Watcher, Wish};
use lockaudit::pg::lease::Leases;
use tokio::runtime::Runtime;

use crate::destination::{Destination, runtime};
use crate::harness::{Database, PgBouncer, Pooling, Server, Session};
use crate::lease_statements::{direct, open};

const TTL: Duration = Duration::from_secs(60);
const MODES: [Mode; 3] = [Mode::Advisory, Mode::Both, Mode::Lease];
const KEYS: [(&str, AdvisoryKey); 2] = [
    ("single", AdvisoryKey::Single(-42)),
    ("pair", AdvisoryKey::Pair(-7, 42)),
];
const WHO: (&str, Option<&str>) = ("tester", None);

fn name(text: &str) -> Name {
    text.parse().expect("a name")
}

fn seeds() -> [Seed; 2] {
    KEYS.map(|(text, key)| Seed {
        name: name(text),
        key,
    })
}

async fn begin(connection: &Connection, table: &TableName) {
    let wish = Wish {
        seeds: &seeds(),
        who: "tester",
        functions: false,
    };
    let applied = Cutover::of(connection, table).apply(wish).await;
    let applied = applied.unwrap_or_else(|error| panic!("{error:#}"));
    assert_eq!((applied.tables, applied.seeded.len()), (true, 2));
}

/// Who leads the migration of two names, which has just begun.
struct Lead {
    runtime: Runtime,
    connection: Connection,
    table: TableName,
}

impl Lead {
    fn of(way: &Destination) -> Self {
        let (runtime, table) = (runtime(), TableName::default());
        let connection = runtime.block_on(async {
            let connection = open(way, "postgres").await;
            begin(&connection, &table).await;
            connection
        });
        Self {
            runtime,
            connection,
            table,
        }
    }

    fn cutover(&self) -> Cutover<'_> {
        Cutover::of(&self.connection, &self.table)
    }

    fn leases(&self) -> Leases<'_> {
        Leases::of(&self.connection, &self.table)
    }

    #[track_caller]
    fn hears<T>(&self, answer: impl Future<Output = anyhow::Result<T>>) -> T {
        let answer = self.runtime.block_on(answer);
        answer.unwrap_or_else(|error| panic!("{error:#}"))
    }

    fn steps(&self, text: &str, step: Step) -> Option<Stepped> {
        self.hears(self.cutover().step(&name(text), step, WHO))
    }

    fn watches(&self, watcher: Watcher<'_>, calls: &Calls) -> Vec<Name> {
        self.hears(self.cutover().watch(watcher, calls))
    }

    fn sees(&self, text: &str) -> Position {
        let name = name(text);
        let mut positions = self.hears(self.cutover().positions(Some(&name)));
        positions.pop().expect("it is there")
    }

    fn takes(&self, text: &str, bridge: Bridge) -> Option<Term> {
        let (name, holder) = (name(text), Holder::of("host", 7, 1));
        let wanted = Wanted {
            name: &name,
            holder: &holder,
            ttl: TTL,
            bridge,
            reason: None,
        };
        let (grant, _) = self.hears(self.leases().take(&wanted))?;
        Some(Term {
            token: grant.token,
            name,
            holder,
        })
    }
}

/// How the lease of a row is.
const LEASES: [(&str, bool); 4] = [
    (
        "holder = NULL, expires_at = '-infinity', bridged = false",
        true,
    ),
    (
        "holder = 'h', expires_at = '3000-01-01', bridged = false",
        false,
    ),
    (
        "holder = 'h', expires_at = '3000-01-01', bridged = true",
        true,
    ),
    (
        "holder = 'h', expires_at = now() - interval '1 ms', bridged = false",
        true,
    ),
];

/// What somebody does with the old key, and whether that shuts the gate.
const USES: [(&str, bool); 6] = [
    ("nobody", true),
    ("shared", true),
    ("exclusive", false),
    ("waiting", false),
    ("in a transaction", false),
    ("prepared", false),
];

fn uses(db: &Database<'_>, how: &str, key: AdvisoryKey) -> Vec<Session> {
    let [one, other] = [db.session("old one"), db.session("old other")];
    let arguments = key.arguments();
    match how {
        "shared" => drop(one.runs(&format!("SELECT pg_advisory_lock_shared({arguments})"))),
        "exclusive" => drop(one.runs(&format!("SELECT pg_advisory_lock({arguments})"))),
        "waiting" => {
            one.runs(&format!("SELECT pg_advisory_lock_shared({arguments})"));
            other.is_blocked_in(&format!("SELECT pg_advisory_lock({arguments})"));
        }
        "in a transaction" => drop(
            one.runs("BEGIN")
                .runs(&format!("SELECT pg_advisory_xact_lock({arguments})")),
        ),
        "prepared" => drop(
            one.runs("BEGIN")
                .runs(&format!("SELECT pg_advisory_xact_lock({arguments})"))
                .runs(&format!("PREPARE TRANSACTION '{}'", db.name())),
        ),
        _ => {}
    }
    vec![one, other]
}

#[test]
fn the_statement_of_a_step_does_what_the_core_says_on_every_major() {
    Server::each(|server| {
        let db = server.database("steps");
        let lead = Lead::of(&direct(&db));
        let owner = db.session("owner");
        for (text, key) in KEYS {
            for (how, key_free) in USES {
                let sessions = uses(&db, how, key);
                for (lease, bridged) in LEASES {
                    let expected = Moment {
                        key_known: true,
                        key_free,
                        bridged,
                    };
                    for modes in all_modes() {
                        owner.runs(&format!(
                            "UPDATE lockaudit_lease SET mode = '{}', {lease} WHERE name = '{text}'",
                            modes.0.as_str()
                        ));
                        let said = format!("{text} {modes:?}, key {how}, lease {lease}");
                        step_is_as_expected(&lead, text, modes, (expected, &said));
                    }
                }
                sessions.into_iter().for_each(drop);
                if how == "prepared" {
                    owner.runs(&format!("ROLLBACK PREPARED '{}'", db.name()));
                }
            }
        }
    });
}

fn step_is_as_expected(
    lead: &Lead,
    text: &str,
    (is, from, to): (Mode, Mode, Mode),
    (expected, said): (Moment, &str),
) {
    let step = Step { from, to };
    let stepped = lead.steps(text, step).expect("the name is there");
    let is_one = [Direction::Advance, Direction::Rollback]
        .into_iter()
        .any(|way| Step::of(way, from) == Some(step));
    let wanted = is == from && is_one && shut_now(step, expected).is_empty();
    assert_eq!((stepped.was, stepped.moved), (is, wanted), "{said}");
    let now = if wanted { to } else { is };
    assert_eq!(lead.sees(text).mode, now, "{said}");
    if is == from && is_one {
        let shut = shut_now(step, stepped.moment);
        assert_eq!(shut, shut_now(step, expected), "{said}");
    }
}

fn all_modes() -> impl Iterator<Item = (Mode, Mode, Mode)> {
    MODES.into_iter().flat_map(|is| {
        MODES
            .into_iter()
            .flat_map(move |from| MODES.into_iter().map(move |to| (is, from, to)))
    })
}

#[test]
fn a_name_walks_the_whole_way_and_back_and_the_log_tells_it() {
    let server = Server::any();
    let db = server.database("walk");
    walks(&Lead::of(&direct(&db)));
    let log = "SELECT string_agg(reason, '; ' ORDER BY id) FROM lockaudit_lease_log WHERE name = 'pair' AND event = 'mode'";
    let told = db.session("reader").value(log);
    let wanted =
        "seeded: advisory; advisory to both; both to lease; lease to both; both to advisory";
    assert_eq!(told.as_deref(), Some(wanted));
}

#[test]
fn a_transaction_mode_pooler_is_no_hindrance_to_a_walk() {
    let server = Server::any();
    let db = server.database("pooled_walk");
    let Some(pooler) = PgBouncer::in_front_of(server, &Pooling::by_transaction(1)) else {
        return;
    };
    let way = Destination::localhost(pooler.port()).with(|it| it.dbname = db.name().to_owned());
    walks(&Lead::of(&way));
}

fn walks(lead: &Lead) {
    use Mode::{Advisory, Both, Lease};
    for (from, to) in [
        (Advisory, Both),
        (Both, Lease),
        (Lease, Both),
        (Both, Advisory),
    ] {
        let stepped = lead.steps("pair", Step { from, to });
        assert!(stepped.is_some_and(|stepped| stepped.moved), "{from:?}");
    }
    let step = Step {
        from: Both,
        to: Lease,
    };
    assert_eq!(lead.steps("nobody", step), None);
}

#[test]
fn a_lease_is_taken_in_the_modes_that_have_one_and_bridged_by_its_own_term() {
    Server::each(|server| {
        let db = server.database("bridge");
        let lead = Lead::of(&direct(&db));
        let owner = db.session("owner");
        for bridge in [Bridge::None, Bridge::Hold, Bridge::Probe] {
            assert_eq!(lead.takes("single", bridge), None, "in `advisory`");
        }
        owner.runs("UPDATE lockaudit_lease SET mode = 'both'");
        assert_eq!(lead.takes("single", Bridge::None), None);
        let probed = lead.takes("pair", Bridge::Probe).expect("the key is free");
        assert_eq!(
            lead.sees("pair").lease.map(|lease| lease.bridged),
            Some(true)
        );
        assert!(lead.hears(lead.leases().release(&probed, None)));
        let term = lead.takes("single", Bridge::Hold).expect("it is free");
        let stranger = Term {
            holder: Holder::of("host", 7, 2),
            ..term.clone()
        };
        let stale = Term {
            token: Token(term.token.0 - 1),
            ..term.clone()
        };
        for wrong in [stranger, stale] {
            assert!(!lead.hears(lead.leases().bridge(&wrong)));
        }
        let bridged = || lead.sees("single").lease.map(|lease| lease.bridged);
        assert_eq!(bridged(), Some(false));
        for _ in 0..2 {
            assert!(lead.hears(lead.leases().bridge(&term)));
        }
        lead.hears(lead.leases().renew(&term, TTL))
            .expect("it is ours");
        assert_eq!(bridged(), Some(true), "a renewal keeps it");
        owner.runs("UPDATE lockaudit_lease SET expires_at = clock_timestamp()");
        assert!(!lead.hears(lead.leases().bridge(&term)));
    });
}

#[test]
fn a_bridge_that_waited_for_the_row_past_the_end_of_its_lease_is_refused() {
    let server = Server::any();
    let db = server.database("late_bridge");
    let lead = Lead::of(&direct(&db));
    let owner = db.session("owner");
    owner.runs("UPDATE lockaudit_lease SET mode = 'both'");
    let term = lead.takes("single", Bridge::Hold).expect("it is free");
    // The lease ends while the row is locked, and not changed: nothing is worked out anew by itself.
    owner.runs("UPDATE lockaudit_lease SET expires_at = clock_timestamp() + interval '200 ms'");
    owner
        .runs("BEGIN")
        .runs("SELECT FROM lockaudit_lease FOR UPDATE");
    owner.starts("SELECT pg_sleep(0.4)");
    owner.starts("COMMIT");
    assert!(!lead.hears(lead.leases().bridge(&term)));
}

/// The shortest way to two at work that is found where new code does not look again.
#[test]
fn a_key_that_was_granted_after_its_name_went_on_is_given_back_by_whoever_looks() {
    let server = Server::any();
    let db = server.database("late_key");
    let lead = Lead::of(&direct(&db));
    let late = db.session("late");
    let read = lead.sees("single").mode;
    assert_eq!(read, Mode::Advisory, "so it is the key that it will take");
    for from in [Mode::Advisory, Mode::Both] {
        let step = Step::of(Direction::Advance, from).expect("there is a way");
        assert!(lead.steps("single", step).expect("it is there").moved);
    }
    lead.takes("single", Bridge::None)
        .expect("the lease is free");
    late.runs("SELECT pg_advisory_lock(-42)");
    let seen = lead.hears(lead.leases().probe(&name("single")));
    let verdict = once_the_key_is_held(seen.as_ref());
    assert_eq!(
        verdict,
        Verdict::ModeIs(Mode::Lease),
        "somebody works by the lease"
    );
}

#[test]
fn what_is_seen_of_old_code_is_written_down_on_every_major() {
    Server::each(|server| {
        let db = server.database("watch");
        let lead = Lead::of(&direct(&db));
        let owner = db.session("owner");
        let unseen = Calls::Unseen("not asked".to_owned());
        assert_eq!(
            lead.watches(Watcher::Status, &unseen),
            [],
            "none is in `both`"
        );
        owner.runs("UPDATE lockaudit_lease SET mode = 'both'");
        let old = uses(&db, "exclusive", KEYS[1].1);
        assert_eq!(lead.watches(Watcher::Status, &unseen), [name("pair")]);
        let pair = lead.sees("pair");
        assert_eq!((pair.key, pair.old_users().count()), (Some(KEYS[1].1), 1));
        let seen = |text| lead.sees(text).watched.expect("it was looked at");
        assert!(seen("pair").seen_ago.is_some() && seen("single").seen_ago.is_none());
        old.into_iter().for_each(Session::disconnect);
        assert_eq!(lead.watches(Watcher::Status, &unseen), []);
        assert!(seen("pair").quiet_for < seen("single").quiet_for);
        for calls in [7, 7, 8, 8] {
            let counted = Calls::Counted {
                calls,
                for_so_long: None,
            };
            let held = BTreeMap::from([(name("single"), KEYS[0].1)]);
            lead.watches(Watcher::Fence(&held), &counted);
        }
        let single = seen("single");
        assert!(single.fenced_ago.is_some());
        assert_eq!(seen("pair").fenced_ago, None, "no fence held its key");
        assert!(single.calls_quiet_for.expect("they were counted") < single.quiet_for);
        // Nobody looked for two minutes: what was quiet before proves nothing.
        owner.runs(
            "UPDATE lockaudit_lease_watch SET watched_at = watched_at - interval '2 min', quiet_since = quiet_since - interval '1 h'",
        );
        lead.watches(Watcher::Status, &unseen);
        assert!(seen("single").quiet_for < Duration::from_secs(60));
        assert_eq!(seen("single").calls_quiet_for, None);
    });
}

#[test]
fn old_keys_are_forgotten_only_when_every_name_has_its_lease_alone() {
    Server::each(|server| {
        let db = server.database("finish");
        let lead = Lead::of(&direct(&db));
        let owner = db.session("owner");
        let finish = |period| lead.hears(lead.cutover().finish(period, "tester"));
        owner.runs("UPDATE lockaudit_lease SET mode = 'lease' WHERE name = 'pair'");
        let (names, done) = finish(Duration::ZERO);
        assert!(!done && names.len() == 2);
        owner.runs("UPDATE lockaudit_lease SET mode = 'lease'");
        assert!(!finish(Duration::from_secs(3600)).1, "too soon");
        let old = uses(&db, "exclusive", KEYS[0].1);
        let (names, done) = finish(Duration::ZERO);
        let free: Vec<bool> = names.iter().map(|name| name.key_free).collect();
        assert_eq!((free.as_slice(), done), ([true, false].as_slice(), false));
        old.into_iter().for_each(Session::disconnect);
        let (names, done) = finish(Duration::ZERO);
        let keys: Vec<&str> = names.iter().map(|name| name.key.as_str()).collect();
        assert_eq!(
            (keys.as_slice(), done),
            (["(-7, 42)", "-42"].as_slice(), true)
        );
        let left = "SELECT count(*) || ' of ' || count(coalesce(key, key1)) || coalesce(to_regclass('lockaudit_lease_watch')::text, '; no watch') FROM lockaudit_lease";
        assert_eq!(owner.value(left).as_deref(), Some("2 of 0; no watch"));
        let archived = "SELECT reason FROM lockaudit_lease_log WHERE event = 'mode' AND name = 'pair' ORDER BY id DESC LIMIT 1";
        let wanted = "finished: lease; the old key was (-7, 42)";
        assert_eq!(owner.value(archived).as_deref(), Some(wanted));
    });
}

/// Counts who is at work.
#[derive(Default)]
struct Work {
    at_work: AtomicU32,
    done_by_old: AtomicU32,
    done_by_new: [AtomicU32; 3],
    over: AtomicBool,
    old_code_is_stopped: AtomicBool,
    old_code_at_it: AtomicU32,
}

impl Work {
    /// Long enough for another to come in.
    async fn is_done(&self, session: &Connection) {
        let before = self.at_work.fetch_add(1, Ordering::SeqCst);
        pause(session).await;
        let after = self.at_work.fetch_sub(1, Ordering::SeqCst);
        assert_eq!((before, after), (0, 1), "two were at work");
    }

    fn is_over(&self) -> bool {
        self.over.load(Ordering::SeqCst)
    }
}

async fn pause(session: &Connection) {
    let slept = session.client.batch_execute("SELECT pg_sleep(0.001)").await;
    slept.expect("it answers");
}

/// Tries again, with a pause, until it is so; a minute at most.
async fn until(what: &str, session: &Connection, mut so: impl AsyncFnMut() -> bool) {
    for _ in 0..30_000 {
        if so().await {
            return;
        }
        pause(session).await;
    }
    panic!("{what} did not come about");
}

#[test]
fn workers_that_follow_the_modes_are_never_two_at_work_while_a_name_walks_to_and_fro() {
    let server = Server::any();
    let db = server.database("to_and_fro");
    let table = TableName::default();
    let way = direct(&db);
    runtime().block_on(async { begin(&open(&way, "postgres").await, &table).await });
    let work = Work::default();
    thread::scope(|scope| {
        let (work, way, table) = (&work, &way, &table);
        for _ in 0..2 {
            scope.spawn(move || runtime().block_on(old_code(way, work)));
        }
        for chance in 0..2 {
            scope.spawn(move || runtime().block_on(new_code(way, table, chance, work)));
        }
        let walked = std::panic::catch_unwind(|| {
            runtime().block_on(walk_to_and_fro(way, table, work));
        });
        work.over.store(true, Ordering::SeqCst);
        assert!(walked.is_ok(), "it walks");
    });
    assert!(work.done_by_old.load(Ordering::SeqCst) > 0);
    for (mode, done) in MODES.iter().zip(&work.done_by_new) {
        assert!(
            done.load(Ordering::SeqCst) > 0,
            "new code worked in {mode:?}"
        );
    }
}

async fn old_code(way: &Destination, work: &Work) {
    let session = open(way, "postgres").await;
    while !work.is_over() {
        work.old_code_at_it.fetch_add(1, Ordering::SeqCst);
        if !work.old_code_is_stopped.load(Ordering::SeqCst) {
            old_work(&session, work).await;
        }
        work.old_code_at_it.fetch_sub(1, Ordering::SeqCst);
        pause(&session).await;
    }
}

async fn old_work(session: &Connection, work: &Work) {
    let lock = session.client.batch_execute("SELECT pg_advisory_lock(-42)");
    lock.await.expect("it is granted");
    work.is_done(session).await;
    work.done_by_old.fetch_add(1, Ordering::SeqCst);
    let unlock = session
        .client
        .batch_execute("SELECT pg_advisory_unlock(-42)");
    unlock.await.expect("it is ours");
}

/// Each attempt does what the mode asks for.
async fn new_code(way: &Destination, table: &TableName, mut chance: u64, work: &Work) {
    let [session, key_session] = [open(way, "postgres").await, open(way, "postgres").await];
    let leases = Leases::of(&session, table);
    while !work.is_over() {
        chance += 2;
        let seen = leases.probe(&name("single")).await.expect("it answers");
        let mode = seen.expect("it is there").mode;
        if chance.is_multiple_of(3) {
            // What it read is old by the time it acts.
            let slept = session.client.batch_execute("SELECT pg_sleep(0.15)").await;
            slept.expect("it answers");
        }
        let done = match mode {
            Mode::Advisory => by_key(&leases, &name("single"), &key_session, work).await,
            Mode::Both | Mode::Lease => by_lease(&leases, &key_session, chance, work).await,
        };
        if let Some(mode) = done {
            work.done_by_new[mode as usize].fetch_add(1, Ordering::SeqCst);
        }
    }
}

async fn by_key(
    leases: &Leases<'_>,
    name: &Name,
    session: &Connection,
    work: &Work,
) -> Option<Mode> {
    session
        .client
        .batch_execute("SELECT pg_advisory_lock(-42)")
        .await
        .expect("it is granted");
    let seen = leases.probe(name).await.expect("it answers");
    let verdict = once_the_key_is_held(seen.as_ref());
    if verdict == Verdict::Work {
        work.is_done(session).await;
    }
    session
        .client
        .batch_execute("SELECT pg_advisory_unlock(-42)")
        .await
        .expect("it is ours");
    (verdict == Verdict::Work).then_some(Mode::Advisory)
}

async fn by_lease(
    leases: &Leases<'_>,
    session: &Connection,
    chance: u64,
    work: &Work,
) -> Option<Mode> {
    let name = name("single");
    let holder = Holder::of("host", 7, chance);
    let wanted = Wanted {
        name: &name,
        holder: &holder,
        ttl: TTL,
        bridge: Bridge::Hold,
        reason: None,
    };
    let (grant, _) = leases.take(&wanted).await.expect("it answers")?;
    let term = Term {
        token: grant.token,
        name: name.clone(),
        holder: holder.clone(),
    };
    if grant.mode == Mode::Both {
        session
            .client
            .batch_execute("SELECT pg_advisory_lock_shared(-42)")
            .await
            .expect("it is granted");
        assert!(leases.bridge(&term).await.expect("it answers"));
    }
    work.is_done(session).await;
    assert!(leases.release(&term, None).await.expect("it answers"));
    if grant.mode == Mode::Both {
        session
            .client
            .batch_execute("SELECT pg_advisory_unlock_shared(-42)")
            .await
            .expect("it is ours");
    }
    Some(grant.mode)
}

/// To the lease and back, again and again: each step is asked for until its gates are open. Old code
/// is stopped before the lease counts alone, and starts once no lease lacks the key.
async fn walk_to_and_fro(way: &Destination, table: &TableName, work: &Work) {
    use Mode::{Advisory, Both, Lease};
    let session = open(way, "postgres").await;
    let cutover = Cutover::of(&session, table);
    let moves = async |from, to| {
        until("the step", &session, async || {
            let stepped = cutover.step(&name("single"), Step { from, to }, WHO).await;
            stepped.expect("it answers").expect("it is there").moved
        })
        .await;
        let done = || work.done_by_new[to as usize].load(Ordering::SeqCst);
        let before = done();
        until("work in the mode", &session, async || done() > before + 1).await;
    };
    for _ in 0..8 {
        moves(Advisory, Both).await;
        work.old_code_is_stopped.store(true, Ordering::SeqCst);
        let at_it = || work.old_code_at_it.load(Ordering::SeqCst);
        until("the end of old code", &session, async || at_it() == 0).await;
        moves(Both, Lease).await;
        moves(Lease, Both).await;
        until("bridges only", &session, async || {
            let positions = cutover.positions(Some(&name("single"))).await;
            is_ready_for(Both, &positions.expect("it answers")[0], Duration::ZERO)
        })
        .await;
        work.old_code_is_stopped.store(false, Ordering::SeqCst);
        let by_old = || work.done_by_old.load(Ordering::SeqCst);
        let before = by_old();
        until("work of old code", &session, async || by_old() > before).await;
        moves(Both, Advisory).await;
    }
}
