//! Workers that take two leases from each other while everything around them fails, for as long as one
//! likes: `make soak`. The tests run a short form of it.
#![expect(
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "how long it runs is told by the environment, and what it counted is its answer"
)]

mod chance;
mod faults;
mod worker;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use tempfile::TempDir;

use super::record::{Record, Work, overlaps, tokens_rise};
use super::words::create_tables;
use crate::harness::{Proxy, Server, Session, fast_options, now};
use chance::Chance;
use faults::Faults;
use worker::{Counts, Worker};

const WORKERS: u64 = 10;
const NAMES: [&str; 2] = ["sweep", "mail"];
const TTL: Duration = Duration::from_millis(400);
const SHORT: Duration = Duration::from_secs(10);

#[test]
fn leases_are_never_held_twice_while_backends_networks_and_the_server_fail() {
    let cluster =
        Server::private(Server::any().cluster().installation(), fast_options()).into_cluster();
    create_tables(&Server::session_on(&cluster, "owner"));
    let folder = TempDir::new().expect("a folder can be made");
    let record = Record::in_folder(folder.path());
    let proxy = Proxy::to(cluster.port());
    let over = AtomicBool::new(false);
    let (counts, faults, cluster) = thread::scope(|scope| {
        let workers: Vec<_> = (0..WORKERS)
            .map(|number| Worker::new(number, proxy.port(), record.pen()))
            .map(|worker| scope.spawn(|| worker.works_until(&over)))
            .collect();
        let mut faults = Faults::new(cluster, &proxy);
        let end = now() + length();
        while now() < end {
            faults.happen();
        }
        over.store(true, Ordering::Relaxed);
        let (made, cluster) = faults.end();
        let counts = workers.into_iter().map(|worker| worker.join());
        let counts = counts.map(|counts| counts.expect("a worker does not fail"));
        (counts.sum::<Counts>(), made, cluster)
    });
    let observer = Server::session_on(&cluster, "observer");
    let takeovers =
        observer.number("SELECT count(*) FROM lockaudit_lease_log WHERE event = 'expired'");
    let work = record.work();
    let twice: usize = work.values().map(|work| overlaps(work).len()).sum();
    eprintln!("{counts}; {takeovers} takeovers after an expiry; {faults}; overlaps: {twice}");

    for (name, work) in &work {
        assert_eq!(overlaps(work), [], "{name}");
        assert!(tokens_rise(work), "{name}: {work:?}");
    }
    let unseen = log_of_all(&observer, &work);
    assert!(unseen <= faults.stops, "{unseen} ends are not in the log");
    assert_eq!(
        counts.losses, 0,
        "a deadline was later than the lease's end"
    );
    assert!(faults.each_happened(), "little went wrong");
    assert!(
        counts.grants > 10 && counts.renewals > 10 && takeovers > 0,
        "little was tried"
    );
}

/// I1 to I3 by the server's own log: a name's tokens rise, and each ends once, before the next is granted;
/// and nobody worked under a token that was not granted. Gives the number of ends that are missing: a
/// take that waited longer than a lease for a stopped backend did not see what it ended.
fn log_of_all(observer: &Session, work: &BTreeMap<String, Vec<Work>>) -> u64 {
    let mut unseen = 0;
    for (name, work) in work {
        let events = observer.rows(&format!(
            "SELECT event, token FROM lockaudit_lease_log WHERE name = '{name}' ORDER BY id"
        ));
        let events: Vec<(&str, i64)> = events
            .iter()
            .map(|row| {
                let word = |at: usize| row[at].as_deref().expect("it is not NULL");
                (word(0), word(1).parse().expect("a token is a number"))
            })
            .collect();
        let (mut open, mut highest) = (None, 0);
        for (event, token) in &events {
            match *event {
                "granted" => {
                    unseen += u64::from(open.is_some());
                    assert!(*token > highest, "{name}: {token} after {highest}");
                    (open, highest) = (Some(*token), *token);
                }
                _ => assert_eq!(open.take(), Some(*token), "{name}: {event}"),
            }
        }
        let granted = |work: &Work| events.contains(&("granted", work.token));
        assert!(work.iter().all(granted), "{name}");
    }
    unseen
}

fn length() -> Duration {
    let told = std::env::var("LOCKAUDIT_SOAK_SECONDS").ok();
    told.map_or(SHORT, |seconds| {
        Duration::from_secs(seconds.parse().expect("LOCKAUDIT_SOAK_SECONDS is a number"))
    })
}
