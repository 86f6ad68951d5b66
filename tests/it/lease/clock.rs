//! The server's clock is set while leases are held: it may end them early or late, but never gives one twice.

use super::words::{Held, Leasing, create_tables};
use crate::harness::{Clock, Server, Session, fast_options, installations};

/// A server of each major under a clock that can be set, with the tables.
fn under_a_clock(test: impl Fn(&Clock, &Session)) {
    for installation in installations() {
        let Some(clock) = Clock::new() else { return };
        let server = Server::private(installation, clock.over(fast_options()));
        let session = Session::open(&server.address(), "worker");
        create_tables(&session);
        test(&clock, &session);
    }
}

#[test]
fn a_clock_that_is_set_forward_ends_leases_early_and_their_holders_are_told() {
    under_a_clock(|clock, session| {
        let held = session.has_taken("sweep", "one", 60.0);
        assert_eq!(session.takes("sweep", "two", 60.0), None);
        clock.is_set_by(3600);
        assert!(
            session.seconds_left("sweep") < -3000.0,
            "the clock was not set"
        );
        assert!(!session.renews(&held, 60.0) && !session.passes_the_fence(&held));
        let next = session.has_taken("sweep", "two", 60.0);
        assert!(!session.renews(&held, 60.0) && !session.releases(&held));
        assert!(session.renews(&next, 60.0));
        rise_without_overlap(session);
    });
}

#[test]
fn a_clock_that_is_set_back_keeps_a_lease_for_longer_until_it_is_broken() {
    under_a_clock(|clock, session| {
        let held = session.has_taken("sweep", "one", 60.0);
        clock.is_set_by(-3600);
        assert!(
            session.seconds_left("sweep") > 3600.0,
            "the clock was not set"
        );
        assert_eq!(session.takes("sweep", "two", 60.0), None);
        assert!(session.passes_the_fence(&held));
        assert!(
            session.renews(&held, 60.0),
            "from then on it lasts as long as it should"
        );
        assert!(session.seconds_left("sweep") <= 60.0);
        clock.is_set_by(-7200);
        assert!(session.breaks("sweep"));
        let next = session.has_taken("sweep", "two", 60.0);
        assert!(next.token > held.token && !session.renews(&held, 60.0));
        rise_without_overlap(session);
    });
}

#[test]
fn a_clock_that_goes_to_and_fro_gives_each_token_once() {
    under_a_clock(|clock, session| {
        let mut granted: Vec<Held> = Vec::new();
        for round in 0..20 {
            clock.is_set_by(100 * round + [0, 600, -600, 30, -5][round as usize % 5]);
            let next = session.takes("sweep", &format!("one-{round}"), 20.0);
            if let (Some(last), Some(_)) = (granted.last(), &next) {
                assert!(!session.renews(last, 20.0));
            }
            granted.extend(next);
        }
        assert!(granted.len() > 3, "{granted:?}");
        assert!(granted.is_sorted_by(|one, next| one.token < next.token));
        rise_without_overlap(session);
    });
}

/// By the log: each token is above the one before, and ended before it, whatever the clock said.
#[track_caller]
fn rise_without_overlap(session: &Session) {
    let events = session
        .rows("SELECT event, token FROM lockaudit_lease_log WHERE name = 'sweep' ORDER BY id");
    let (mut open, mut highest) = (None, 0);
    for row in &events {
        let event = row[0].as_deref().expect("an event is not NULL");
        let token: i64 = row[1]
            .as_deref()
            .and_then(|token| token.parse().ok())
            .expect("a token");
        match event {
            "granted" => {
                assert!(open.is_none() && token > highest, "{events:?}");
                (open, highest) = (Some(token), token);
            }
            _ => assert_eq!(open.take(), Some(token), "{events:?}"),
        }
    }
}
