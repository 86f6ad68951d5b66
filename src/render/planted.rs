//! Reports planted by the tests of the formats.

use std::collections::BTreeMap;
use std::io::{self, Write};

use crate::picture::Expectations;
use crate::planted::{Plant, now, quiet};
use crate::report::Report;
use crate::snapshot::SessionState::{Active, Idle};
use crate::snapshot::{Consoles, Refusal, RefusalKind, Snapshot, Source};

/// Text that tries to break out of every format at once.
pub(crate) const HOSTILE: &str = "=cmd|' /C calc'!A0 </title><script>document.title='owned'</script>\
<img src=x onerror=\"document.title='owned'\"> ``` `x` @channel [a](http://evil.example) |\n# \"; } \u{1b}[31m\u{202e}\\";

/// An idle holder with a queue of two behind it, of which one shares; a chain behind a prepared
/// transaction; a holder that nobody waits for.
pub(crate) fn incident() -> Snapshot {
    let mut snapshot = quiet()
        .session(10, Idle)
        .named(10, "worker")
        .holds(10, 7)
        .waits(11, 7, 95)
        .waits_to_share(12, 7, 40)
        .prepared("order-17", 736, -42)
        .session(13, Active)
        .waits(13, -42, 30)
        .holds_in_transaction(13, 99)
        .waits(14, 99, 3)
        .session(15, Idle)
        .holds(15, 1_000);
    for pid in [11, 12, 14] {
        snapshot = snapshot.session(pid, Active);
    }
    snapshot
}

/// Every text that a stranger can set holds [`HOSTILE`].
pub(crate) fn hostile() -> Snapshot {
    let mut snapshot = incident();
    for session in &mut snapshot.sessions {
        session.application_name = Some(HOSTILE.to_owned());
        session.usename = Some(HOSTILE.to_owned());
        session.datname = Some(HOSTILE.to_owned());
        session.query = Some(HOSTILE.to_owned());
        session.client_addr = Some(HOSTILE.to_owned());
    }
    for prepared in &mut snapshot.prepared {
        prepared.gid = HOSTILE.to_owned();
    }
    for database in snapshot.databases.values_mut() {
        database.name = HOSTILE.to_owned();
    }
    snapshot
}

/// `holders` idle sessions with a lock each, and as many that wait for the first one's.
pub(crate) fn crowd(holders: i32) -> Snapshot {
    let mut snapshot = quiet();
    for pid in 100..100 + holders {
        snapshot = snapshot.session(pid, Idle).holds(pid, i64::from(pid));
    }
    for pid in 10_000..10_000 + holders {
        let seconds = 20_000 - u64::from(pid.unsigned_abs());
        snapshot = snapshot.session(pid, Active).waits(pid, 100, seconds);
    }
    snapshot
}

/// Hands over the report of these samples, the pool `api` known to have four connections.
pub(crate) fn report(samples: &[Snapshot], look: impl FnOnce(&Report<'_>)) {
    let source = source();
    let expectations = Expectations {
        pool_sizes: BTreeMap::from([("api".to_owned(), 4)]),
        ..Expectations::default()
    };
    let report = Report::of_samples(&source, samples, &expectations, |_| true);
    look(&report.expect("there is a sample"));
}

/// Hands over the report of a server that had no room.
pub(crate) fn refused(look: impl FnOnce(&Report<'_>)) {
    let refusal = Refusal {
        kind: RefusalKind::AllSlotsTaken,
        sqlstate: "53300".to_owned(),
        message: "sorry, too many clients already".to_owned(),
    };
    let consoles = Consoles::default();
    look(&Report::of_refusal(&source(), &refusal, now(), &consoles));
}

fn source() -> Source {
    Source {
        host: "db1:5432".to_owned(),
        dbname: "orders".to_owned(),
        user: "auditor".to_owned(),
        file: None,
    }
}

/// What a renderer writes.
pub(crate) fn written(render: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> String {
    let mut out = Vec::new();
    render(&mut out).expect("a vector takes it");
    String::from_utf8(out).expect("formats are UTF-8")
}
