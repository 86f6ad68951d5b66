//! `standby-lock`: granted on a standby, whatever the primary holds.

use crate::harness::{Scan, Server, Session, fast_options};

#[test]
fn a_lock_on_a_standby_fires_and_the_same_lock_on_the_primary_does_not() {
    let installation = Server::any().cluster().installation();
    let mut primary = Server::private(installation, fast_options()).into_cluster();
    let standby = Server::around(primary.standby().expect("a standby can be made"));
    let primary = Server::around(primary);
    let on = |server: &Server| Session::open(&server.address(), "sweep");
    let (here, there) = (on(&standby), on(&primary));

    let quiet = Scan::of(&standby.address().url(), &[]).exits_with(0);
    quiet.is_silent_on("standby-lock");
    here.idle_with(42);
    there.idle_with(42);

    let scan = Scan::of(&standby.address().url(), &[]).exits_with(1);
    scan.finds("standby-lock")
        .is("warning", "certain")
        .names(&[&here]);
    assert_eq!(scan.blind_spots(), ["standby"], "{scan}");
    assert_eq!(scan.document["server"]["in_recovery"], true, "{scan}");

    let scan = Scan::of(&primary.address().url(), &[]);
    scan.is_silent_on("standby-lock");
    scan.finds("idle-holder").names(&[&there]);
    // The standby must go first, or it retries its lost connection.
    drop((here, standby));
}
