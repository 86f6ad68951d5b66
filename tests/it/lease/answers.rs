//! A network that loses answers, resets, and delivers late: what was done stays done, once.

use std::time::Duration;

use super::words::{Held, Leasing, database, release_sql, renew_many_sql, renew_sql, take_sql};
use crate::harness::{Database, Network, Proxy, Server, Session, lockaudit, wait_for};

/// A session behind a proxy, and one that is not.
struct Scene<'a> {
    proxy: Proxy,
    far: Session,
    near: Session,
    db: Database<'a>,
}

impl<'a> Scene<'a> {
    fn on(server: &'a Server, name: &str) -> Self {
        let db = database(server, name);
        let proxy = Proxy::to(server.cluster().port());
        let far = Session::open(&proxy.address_of(&db.address()), "far");
        let near = db.session("near");
        Self {
            proxy,
            far,
            near,
            db,
        }
    }

    /// A new connection, once the network is well again.
    fn reconnects(&mut self) {
        self.proxy.becomes(Network::Passes);
        self.far = Session::open(&self.proxy.address_of(&self.db.address()), "far");
    }

    fn events(&self, token: i64) -> Option<String> {
        self.near.value(&format!(
            "SELECT string_agg(event, ' ' ORDER BY id) FROM lockaudit_lease_log WHERE token = {token}"
        ))
    }
}

#[test]
fn a_take_whose_answer_was_cut_off_is_asked_again_for_the_same_token() {
    Server::each(|server| {
        let mut scene = Scene::on(server, "cut_take");
        scene.proxy.becomes(Network::CutsAtTheAnswer);
        let refusal = scene.far.tries_to_take("sweep", "one", 60.0);
        assert!(refusal.expect_err("it is not known").code().is_none());
        assert_eq!(
            scene.near.takes("sweep", "two", 60.0),
            None,
            "it was granted"
        );
        scene.reconnects();
        let held = scene.far.has_taken("sweep", "one", 60.0);
        assert_eq!(scene.events(held.token).as_deref(), Some("granted"));
        assert_eq!(grants(&scene), 1);
    });
}

#[test]
fn a_renewal_and_a_release_whose_answers_were_cut_off_are_asked_again() {
    Server::each(|server| {
        let mut scene = Scene::on(server, "cut_renewal");
        let held = scene.near.has_taken("sweep", "one", 5.0);
        for sql in [
            renew_sql(&held, 60.0),
            renew_many_sql(std::slice::from_ref(&held), 60.0),
        ] {
            scene.near.renews(&held, 5.0);
            scene.proxy.becomes(Network::CutsAtTheAnswer);
            assert!(scene.far.tries(&sql).is_err());
            assert!(scene.near.seconds_left("sweep") > 30.0, "it was renewed");
            scene.reconnects();
            assert!(scene.far.renews(&held, 60.0));
        }
        scene.proxy.becomes(Network::CutsAtTheAnswer);
        assert!(scene.far.tries(&release_sql(&held)).is_err());
        scene.reconnects();
        let next = scene.near.has_taken("sweep", "two", 60.0);
        assert!(
            !scene.far.releases(&held),
            "again, after somebody else has it"
        );
        assert!(scene.near.renews(&next, 60.0));
        assert_eq!(
            scene.events(held.token).as_deref(),
            Some("granted released")
        );
    });
}

#[test]
fn an_answer_that_vanishes_without_a_word_leaves_the_same_grant() {
    let mut scene = Scene::on(Server::any(), "vanished");
    scene.proxy.becomes(Network::LosesAnswers);
    scene.far.starts(&take_sql("sweep", "one", 60.0));
    wait_for("the answer to be lost", || scene.proxy.lost_answers() > 0);
    scene.reconnects();
    scene.far.has_taken("sweep", "one", 60.0);
    assert_eq!(grants(&scene), 1);
}

/// Whoever sent it has given up: the lease has ended, and somebody else has it.
#[test]
fn what_comes_out_of_a_black_hole_too_late_changes_nothing() {
    Server::each(|server| {
        let late: [fn(&Held) -> String; 4] = [
            |held| renew_sql(held, 60.0),
            |held| renew_many_sql(std::slice::from_ref(held), 60.0),
            release_sql,
            |held| take_sql(&held.name, &held.holder, 60.0),
        ];
        for sql in late {
            let mut scene = Scene::on(server, "black_hole");
            let held = scene.near.has_taken("sweep", "one", 0.1);
            scene.proxy.becomes(Network::Holds);
            let pid = scene.far.pid();
            scene.far.starts(&sql(&held));
            scene.near.sees_the_end_of("sweep");
            let next = scene.near.has_taken("sweep", "two", 60.0);
            let before = scene.near.row_of("sweep");
            scene.proxy.becomes(Network::Passes);
            scene
                .far
                .is_seen("done at last", "state = 'idle' AND query LIKE 'WITH %'");
            assert_eq!(scene.near.row_of("sweep"), before);
            assert_eq!(scene.far.pid(), pid, "it came over the old connection");
            assert!(scene.near.renews(&next, 60.0));
            scene.reconnects();
        }
    });
}

/// What the model knows too: it costs one lease of time, and nobody works under it.
#[test]
fn a_late_take_of_a_holder_that_has_gone_ends_by_itself() {
    let scene = Scene::on(Server::any(), "late_take");
    let held = scene.near.has_taken("sweep", "one", 60.0);
    scene.proxy.becomes(Network::Holds);
    scene.far.starts(&take_sql("sweep", "one", 0.3));
    assert!(scene.near.releases(&held));
    scene.proxy.becomes(Network::Passes);
    scene
        .far
        .is_seen("done at last", "state = 'idle' AND query LIKE 'WITH %'");
    scene.near.sees_the_end_of("sweep");
    let next = scene.near.has_taken("sweep", "two", 60.0);
    assert_eq!(next.token, held.token + 2);
}

#[test]
fn a_connection_reset_while_the_statement_waits_leaves_it_done_or_undone_but_never_twice() {
    Server::each(|server| {
        let mut scene = Scene::on(server, "reset");
        scene.near.has_taken("sweep", "earlier", 0.01);
        scene.near.sees_the_end_of("sweep");
        scene
            .near
            .runs("BEGIN")
            .runs("SELECT FROM lockaudit_lease FOR UPDATE");
        let backend = scene.far.pid();
        scene.far.is_blocked_in(&take_sql("sweep", "one", 60.0));
        scene.proxy.resets();
        scene.reconnects();
        scene.near.runs("COMMIT");
        Session::elsewhere(&scene.db.address(), "far", backend).is_gone();
        let held = scene.far.has_taken("sweep", "one", 60.0);
        assert_eq!(scene.events(held.token).as_deref(), Some("granted"));
        assert_eq!(grants(&scene), 2);
    });
}

/// A lease of a second over a network that takes one and a half to answer.
#[test]
fn an_answer_that_takes_longer_than_the_lease_is_not_taken_for_one() {
    let scene = Scene::on(Server::any(), "slow");
    let held = scene.near.has_taken("renewed", "one", 60.0);
    let url = scene.proxy.address_of(&scene.db.address()).url();
    let token = held.token.to_string();
    scene
        .proxy
        .becomes(Network::Slow(Duration::from_millis(750)));
    lockaudit(&["lease", "take", "sweep", "--ttl", "1s", "-d", &url]).exits_with(1);
    assert_eq!(grants(&scene), 2, "the server did grant it");
    let renewal = ["renew", "renewed", "--holder", "one", "--token", &token];
    lockaudit(&[&["lease"], &renewal[..], &["--ttl", "1s", "-d", &url]].concat())
        .exits_with(2)
        .complains("the answer took longer than it lasts");
    scene.near.has_taken("checked", "one", 1.2);
    lockaudit(&["lease", "check", "checked", "-d", &url]).exits_with(1);

    scene
        .proxy
        .becomes(Network::Slow(Duration::from_millis(50)));
    let taken = ["take", "quick", "--ttl", "20s", "--format", "json"];
    let taken = lockaudit(&[&["lease"], &taken[..], &["-d", &url]].concat()).succeeds();
    let left = taken.json()["lease"]["remaining_seconds"].as_f64();
    assert!(
        left.is_some_and(|left| left <= 19.9),
        "counted from the answer: {left:?}"
    );
}

fn grants(scene: &Scene<'_>) -> i32 {
    scene
        .near
        .number("SELECT count(*) FROM lockaudit_lease_log WHERE event = 'granted'")
}
