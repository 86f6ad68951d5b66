//! A scan of a server with 20,000 advisory locks, against psql and the join that people paste into it.

use anyhow::Result;

use crate::crowd::{Crowd, Waiting};
use crate::pairs::Comparison;
use crate::places::{Places, scan};
use crate::sheet::{self, Verdict};

const GOAL: f64 = 0.35;

pub fn measure(places: &Places) -> Result<()> {
    for (waiting, words) in [
        (Waiting::Apart, "each on a key of its own"),
        (Waiting::InOneQueue, "all on one key"),
    ] {
        let crowd = Crowd::gather(places, waiting)?;
        sheet::heading(&format!(
            "loaded: PostgreSQL {}, {}, the waiters {words}",
            places.installation.version,
            crowd.size()
        ))?;
        compare(places, &crowd.connection())?;
    }
    Ok(())
}

fn compare(places: &Places, connection: &str) -> Result<()> {
    sheet::comparison_heads("lockaudit", "psql, join")?;
    let join = places.common_join(connection);
    for format in ["table", "json"] {
        let found = Comparison::of(&scan(connection, format), &join)?;
        sheet::comparison(
            &format!("scan --format {format}"),
            &found,
            found.against(GOAL),
        )?;
    }
    let reads = Comparison::of(&places.three_reads(connection), &join)?;
    sheet::comparison("psql, three reads, for reference", &reads, Verdict::NoGoal)
}
