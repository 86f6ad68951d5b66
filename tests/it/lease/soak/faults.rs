//! What goes wrong around the workers, one thing after the other.

use std::fmt;
use std::thread;
use std::time::Duration;

use lockaudit::throwaway::{Cluster, Shutdown};

use super::Chance;
use crate::harness::{Network, Proxy, Server, Stopped};

/// A worker's backend, any of them.
const ONE_BACKEND: &str =
    "SELECT pid FROM pg_stat_activity WHERE application_name = 'soak' ORDER BY random() LIMIT 1";

pub struct Faults<'a> {
    cluster: Cluster,
    proxy: &'a Proxy,
    chance: Chance,
    turn: u64,
    made: Made,
}

/// How many of each.
#[derive(Debug, Clone, Copy, Default)]
pub struct Made {
    kills: u64,
    pub stops: u64,
    restarts: u64,
    resets: u64,
    slow: u64,
    black_holes: u64,
    lost_answers: u64,
}

impl<'a> Faults<'a> {
    pub fn new(cluster: Cluster, proxy: &'a Proxy) -> Self {
        Self {
            cluster,
            proxy,
            chance: Chance::of(4711),
            turn: 0,
            made: Made::default(),
        }
    }

    /// The next of them, and some time without.
    pub fn happen(&mut self) {
        match self.turn % 8 {
            0 => self.kills_a_backend(),
            1 => self.stops_a_backend(),
            2 => self.resets(),
            3 => self.network_is(Network::Slow(Duration::from_millis(90))),
            4 => self.network_is(Network::Holds),
            5 => self.network_is(Network::LosesAnswers),
            6 => self.network_is(Network::CutsAtTheAnswer),
            _ => self.restarts(),
        }
        self.turn += 1;
        let peace = self.chance.between(50, 400);
        thread::sleep(peace);
    }

    pub fn end(mut self) -> (Made, Cluster) {
        self.made.lost_answers = self.proxy.lost_answers();
        (self.made, self.cluster)
    }

    fn kills_a_backend(&mut self) {
        let killed = format!("SELECT pg_terminate_backend(pid) FROM ({ONE_BACKEND}) AS one");
        let killed = Server::session_on(&self.cluster, "faults").says(&killed);
        self.made.kills += u64::from(killed);
    }

    fn stops_a_backend(&mut self) {
        let pid = Server::session_on(&self.cluster, "faults").value(ONE_BACKEND);
        let pid = pid.and_then(|pid| pid.parse().ok());
        // It may have ended by itself meanwhile.
        if let Some(stopped) = pid.and_then(Stopped::if_it_runs) {
            self.made.stops += 1;
            thread::sleep(self.chance.between(50, 600));
            stopped.goes_on();
        }
    }

    fn restarts(&mut self) {
        self.made.restarts += 1;
        let restarted = self.cluster.restart(Shutdown::Immediate);
        restarted.expect("the server recovers");
    }

    fn resets(&mut self) {
        self.made.resets += 1;
        self.proxy.resets();
    }

    fn network_is(&mut self, network: Network) {
        match network {
            Network::Slow(_) => self.made.slow += 1,
            Network::Holds => self.made.black_holes += 1,
            _ => (),
        }
        self.proxy.becomes(network);
        thread::sleep(self.chance.between(50, 600));
        self.proxy.becomes(Network::Passes);
    }
}

impl Made {
    pub fn each_happened(&self) -> bool {
        self.all().iter().all(|(many, _)| *many > 0)
    }

    fn all(&self) -> [(u64, &'static str); 7] {
        [
            (self.kills, "backends killed"),
            (self.stops, "stopped"),
            (self.restarts, "crashes of the server"),
            (self.resets, "resets"),
            (self.slow, "slow networks"),
            (self.black_holes, "black holes"),
            (self.lost_answers, "answers lost"),
        ]
    }
}

impl fmt::Display for Made {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = self.all();
        let sum: u64 = all.iter().map(|(many, _)| many).sum();
        let each = all.map(|(many, what)| format!("{many} {what}"));
        write!(f, "{sum} faults ({})", each.join(", "))
    }
}
