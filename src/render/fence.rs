//! What happens at the fence, for people: a line an event.

use std::io::{self, Write};
use std::time::SystemTime;

use crate::cutover::fence::{Event, Fence, OldUser, Said};
use crate::lease::{Mode, Name, Standing};
use crate::text::printable;
use crate::words;

/// # Errors
/// What the writer says.
pub fn line(said: &Said<'_>, out: &mut impl Write) -> io::Result<()> {
    let at = said.at.map_or_else(|| "?".to_owned(), clock);
    writeln!(out, "{at}  {}", words_of(said))
}

fn words_of(said: &Said<'_>) -> String {
    match said.event {
        Event::Began { process, places } => format!(
            "{} begins: {} to hold, of {places} that it may; server process {process}",
            shown(said.fence),
            words::count(said.wanted, "key")
        ),
        Event::Held(name, key) => format!("{}: key {key} is held", shown(name)),
        Event::Whole => format!("all is held: {}", words::count(said.held, "key")),
        Event::Met(user) => met(user),
        Event::Gone(user) => format!("{}: {} is gone", shown(&user.name), who(user)),
        Event::GivenBack(name, Some(mode)) => given_back(name, *mode),
        Event::GivenBack(name, None) => {
            format!(
                "{}: given back, since it has no old key any more",
                shown(name)
            )
        }
        Event::OtherFence(fence) => format!(
            "{} is another fence: {}",
            shown(&fence.name),
            printable(fence.holder.as_str())
        ),
        Event::DeadFence(fence) => dead(fence),
        Event::NoPlace(names) => {
            let names: Vec<String> = names.iter().map(shown).collect();
            format!(
                "not fenced, for want of places: {}",
                words::some_of(&names, 5)
            )
        }
        Event::LeaseTakenAnew => format!(
            "{}: its own lease had ended, and was taken anew; the keys were held all the time",
            shown(said.fence)
        ),
        Event::Lost(words) => format!(
            "LOST: the session has ended{}, and {} with it: old code may work",
            words
                .as_deref()
                .map(|words| format!(" ({})", printable(words)))
                .unwrap_or_default(),
            words::count(said.held, "key")
        ),
        Event::Ended => format!(
            "{} ends: {} given back; old code was met {}",
            shown(said.fence),
            words::count(said.held, "key"),
            words::count(said.met, "time")
        ),
    }
}

fn met(user: &OldUser) -> String {
    let (name, who) = (shown(&user.name), who(user));
    let since = user.since.map(clock);
    match (user.granted, since) {
        (true, Some(since)) => {
            format!("{name}: OLD HOLDER {who}, whose session began {since}; the fence tries on")
        }
        (true, None) => format!("{name}: OLD HOLDER {who}; the fence tries on"),
        (false, since) => {
            let since = since.map(|since| format!(" since {since}"));
            format!(
                "{name}: OLD WAITER {who}{}; new code in mode `both` waits behind it: end it",
                since.unwrap_or_default()
            )
        }
    }
}

fn who(user: &OldUser) -> String {
    let named = user.application.as_deref().filter(|name| !name.is_empty());
    let named = named.map(|name| format!(" ({})", printable(name)));
    match user.pid {
        Some(pid) => format!("pid {pid}{}", named.unwrap_or_default()),
        None => "a prepared transaction".to_owned(),
    }
}

fn given_back(name: &Name, mode: Mode) -> String {
    format!(
        "{}: given back, since it is in mode `{}`",
        shown(name),
        mode.as_str()
    )
}

fn dead(fence: &Fence) -> String {
    let since = match fence.standing {
        Standing::Expired { since } => since,
        Standing::Valid { .. } => std::time::Duration::ZERO,
    };
    format!(
        "{} is DEAD: {} has not renewed it, and it ended {} ago",
        shown(&fence.name),
        printable(fence.holder.as_str()),
        words::duration(since)
    )
}

fn shown(name: &Name) -> String {
    printable(name.as_str())
}

fn clock(time: SystemTime) -> String {
    match time.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(_) => humantime::format_rfc3339_seconds(time).to_string(),
        Err(_) => "before 1970".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::AdvisoryKey;
    use crate::lease::Holder;
    use std::time::Duration;

    #[test]
    fn each_event_is_one_printable_line() {
        let name: Name = "swe\u{1b}[2Jep".parse().expect("a name");
        let fence: Name = "fence:orders:1".parse().expect("a name");
        let user = |granted, pid| OldUser {
            name: name.clone(),
            pid,
            application: Some("old\u{1b}\nworker".to_owned()),
            granted,
            since: Some(SystemTime::UNIX_EPOCH + Duration::from_secs(60)),
        };
        let other = Fence {
            name: fence.clone(),
            holder: Holder::of("host", 7, 1),
            standing: Standing::Expired {
                since: Duration::from_secs(12),
            },
        };
        let events = [
            Event::Began {
                process: 42,
                places: 640,
            },
            Event::Held(name.clone(), AdvisoryKey::Pair(-7, 42)),
            Event::Met(user(true, Some(991))),
            Event::Met(user(false, Some(992))),
            Event::Gone(user(true, None)),
            Event::Whole,
            Event::GivenBack(name.clone(), Some(Mode::Advisory)),
            Event::GivenBack(name.clone(), None),
            Event::OtherFence(other.clone()),
            Event::DeadFence(other),
            Event::NoPlace(vec![name.clone()]),
            Event::LeaseTakenAnew,
            Event::Lost(Some("FATAL: \u{1b}bye".to_owned())),
            Event::Ended,
        ];
        let mut out = Vec::new();
        for event in &events {
            let said = Said {
                at: Some(SystemTime::UNIX_EPOCH),
                fence: &fence,
                held: 1,
                wanted: 3,
                met: 2,
                event,
            };
            line(&said, &mut out).expect("a vector takes it");
        }
        let text = String::from_utf8(out).expect("it is UTF-8");
        assert_eq!(text.lines().count(), events.len());
        assert!(!text.contains('\u{1b}'));
        insta::assert_snapshot!(text);
    }
}
