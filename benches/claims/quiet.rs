//! A scan of a server on which nothing happens, against psql and the join that people paste into it.

use anyhow::Result;
use lockaudit::throwaway::ClusterOptions;

use crate::pairs::Comparison;
use crate::places::{Places, connection_to, scan};
use crate::sheet;

const GOAL: f64 = 0.6;

pub fn measure(places: &Places) -> Result<()> {
    let cluster = places.start(&ClusterOptions::default())?;
    let connection = connection_to(&cluster);
    sheet::heading(&format!(
        "quiet: PostgreSQL {} without a session",
        places.installation.version
    ))?;
    sheet::comparison_heads("lockaudit", "psql, join")?;
    for format in ["table", "json"] {
        let found = Comparison::of(&scan(&connection, format), &places.common_join(&connection))?;
        sheet::comparison(
            &format!("scan --format {format}"),
            &found,
            found.against(GOAL),
        )?;
    }
    Ok(())
}
