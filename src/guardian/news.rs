//! What a guardian is told, and what it says: a line each, of words and of nanoseconds on the clock that
//! both read.

use std::time::Duration;

use rustix::process::Pid;

/// Told to the guardian.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum News {
    /// Guard this process group.
    Watch { group: Pid, times: Times },
    /// A renewal was confirmed.
    Until(Times),
    /// The job stands on something that ends with the wrapper.
    EndsWithUs,
    /// The group has been told to stop.
    Stopping { kill_at: Duration },
    /// The group is empty.
    Over,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Times {
    pub(super) stop_at: Duration,
    pub(super) kill_at: Duration,
}

/// Said by the guardian.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Word {
    /// It is there, out of reach of the terminal.
    Ready,
    /// It guards the group.
    Watching,
    /// It has told the group to stop.
    Stopped,
}

impl News {
    pub(super) fn line(&self) -> String {
        match self {
            Self::Watch { group, times } => {
                format!("watch {} {}\n", group.as_raw_nonzero(), times.words())
            }
            Self::Until(times) => format!("until {}\n", times.words()),
            Self::EndsWithUs => "ends-with-us\n".to_owned(),
            Self::Stopping { kill_at } => format!("stopping {}\n", kill_at.as_nanos()),
            Self::Over => "over\n".to_owned(),
        }
    }

    /// A line without its end.
    pub(super) fn read(line: &str) -> Option<Self> {
        let words: Vec<&str> = line.split(' ').collect();
        match words[..] {
            ["watch", group, stop_at, kill_at] => Some(Self::Watch {
                group: Pid::from_raw(group.parse().ok()?)?,
                times: Times::read(stop_at, kill_at)?,
            }),
            ["until", stop_at, kill_at] => Times::read(stop_at, kill_at).map(Self::Until),
            ["stopping", kill_at] => moment(kill_at).map(|kill_at| Self::Stopping { kill_at }),
            ["ends-with-us"] => Some(Self::EndsWithUs),
            ["over"] => Some(Self::Over),
            _ => None,
        }
    }
}

impl Times {
    fn words(&self) -> String {
        format!("{} {}", self.stop_at.as_nanos(), self.kill_at.as_nanos())
    }

    fn read(stop_at: &str, kill_at: &str) -> Option<Self> {
        Some(Self {
            stop_at: moment(stop_at)?,
            kill_at: moment(kill_at)?,
        })
    }
}

fn moment(nanoseconds: &str) -> Option<Duration> {
    nanoseconds.parse().ok().map(Duration::from_nanos)
}

impl Word {
    const ALL: [Self; 3] = [Self::Ready, Self::Watching, Self::Stopped];

    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Ready => "ready",
            Self::Watching => "watching",
            Self::Stopped => "stopped",
        }
    }

    pub(super) fn read(line: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|word| word.as_str() == line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn news_are_read_as_they_were_told() {
        let times = Times {
            stop_at: Duration::new(7, 1),
            kill_at: Duration::from_secs(9),
        };
        let group = Pid::from_raw(4711).unwrap();
        for news in [
            News::Watch { group, times },
            News::Until(times),
            News::EndsWithUs,
            News::Stopping {
                kill_at: Duration::from_millis(5),
            },
            News::Over,
        ] {
            let line = news.line();
            assert_eq!(News::read(line.trim_end()), Some(news), "{line}");
        }
    }

    #[test]
    fn what_is_no_news_is_not_taken_for_any() {
        for line in [
            "",
            "watch",
            "watch 0 1 2",
            "watch -1x 1 2",
            "until 1",
            "over 1",
            "until -1 2",
        ] {
            assert_eq!(News::read(line), None, "{line}");
        }
    }
}
