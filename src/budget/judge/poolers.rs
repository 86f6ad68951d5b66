//! Whether a pooler takes all the clients that come to it.

use crate::budget::OutOfRange;
use crate::budget::assessment::Assessment;
use crate::budget::demand::{Connections, PartSource};
use crate::budget::finding::Code;
use crate::budget::plan::{Plan, Pooler};
use crate::budget::said::{self, Moment};

pub(super) fn check(plan: &Plan, assessment: &mut Assessment) -> Result<(), OutOfRange> {
    for pooler in &plan.poolers {
        clients(pooler, assessment)?;
    }
    Ok(())
}

fn clients(pooler: &Pooler, assessment: &mut Assessment) -> Result<(), OutOfRange> {
    let name = &pooler.name;
    let out_of_range = || OutOfRange::of(format!("pooler `{name}`"));
    let room = pooler
        .processes
        .checked_mul(pooler.max_client_conn)
        .ok_or_else(out_of_range)?;
    let parts: Vec<_> = assessment
        .parts
        .iter()
        .filter(|part| part.source == PartSource::Role && part.via.as_ref() == Some(name))
        .collect();
    let products: Vec<String> = parts
        .iter()
        .map(|part| said::product(part, Moment::Peak))
        .collect();
    let peaks = parts.iter().map(|part| part.connections);
    let peak = peak_of(peaks).ok_or_else(out_of_range)?;
    let mut check = assessment.check(format!("pooler {name}: clients fit"));
    let sum = format!(
        "{} x max_client_conn {} = {room}",
        said::count(pooler.processes, "pooler"),
        pooler.max_client_conn
    );
    if peak > room {
        let message = format!(
            "application pools may open {peak} connections to pooler `{name}`, which takes {room}: {} too many",
            peak - room
        );
        check.finds(
            Code::TooManyClients,
            pooler.place,
            message,
            vec![products.join(", "), sum],
        );
    } else {
        let text =
            format!("pooler `{name}`: {peak} of {room} client connections at the peak ({sum})");
        check.notes(pooler.place, text);
    }
    Ok(())
}

fn peak_of(mut connections: impl Iterator<Item = Connections>) -> Option<u64> {
    connections.try_fold(0_u64, |sum, one| sum.checked_add(one.peak))
}
