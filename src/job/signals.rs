//! The signals that a job gets through us.

use std::future::poll_fn;
use std::task::Poll;

use anyhow::{Context, Result};
use rustix::process::Signal;
use tokio::signal::unix::{self, SignalKind, signal};

/// What is passed on. What a terminal sends goes to its foreground group by itself.
const PASSED_ON: [Signal; 7] = [
    Signal::TERM,
    Signal::INT,
    Signal::HUP,
    Signal::QUIT,
    Signal::USR1,
    Signal::USR2,
    Signal::WINCH,
];

/// Signals that were sent to us, from when this is made: none of them ends us any more.
pub struct Signals(Vec<(Signal, unix::Signal)>);

impl Signals {
    /// What was ignored when we began stays ignored, for the job too: so `nohup` works.
    ///
    /// # Errors
    /// When the system does not tell about signals.
    pub fn listen() -> Result<Self> {
        let ignored = ignored();
        let heeded = PASSED_ON
            .into_iter()
            .filter(|signal| ignored & (1 << (signal.as_raw() - 1)) == 0);
        let listened = heeded.map(|number| {
            let stream = signal(SignalKind::from_raw(number.as_raw()))
                .context("could not listen for signals")?;
            Ok((number, stream))
        });
        listened.collect::<Result<_>>().map(Self)
    }

    pub async fn next(&mut self) -> Signal {
        poll_fn(|context| {
            let came = self.0.iter_mut().find_map(|(number, stream)| {
                let came = stream.poll_recv(context);
                matches!(came, Poll::Ready(Some(()))).then_some(*number)
            });
            came.map_or(Poll::Pending, Poll::Ready)
        })
        .await
    }

    /// The next one that ends a program which does not heed it.
    pub async fn next_that_ends(&mut self) -> Signal {
        loop {
            let signal = self.next().await;
            if signal != Signal::WINCH {
                return signal;
            }
        }
    }
}

/// The signals that this process ignores, as a set of bits.
fn ignored() -> u64 {
    std::fs::read_to_string("/proc/self/status").map_or(0, |status| ignored_in(&status))
}

fn ignored_in(status: &str) -> u64 {
    let set = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    set.and_then(|set| u64::from_str_radix(set.trim(), 16).ok())
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_set_of_ignored_signals_is_read() {
        let status = "Name:\tcat\nSigBlk:\t0000000000000000\nSigIgn:\t0000000000001001\n";
        assert_eq!(ignored_in(status), 1 << 12 | 1);
        assert_eq!(ignored_in("Name:\tcat\n"), 0);
    }
}
