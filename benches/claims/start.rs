//! How long the program needs to start, whatever it is asked.

use anyhow::Result;

use crate::pairs::Comparison;
use crate::places::{Places, lockaudit};
use crate::sheet::{self, Verdict};

pub fn measure(places: &Places) -> Result<()> {
    sheet::heading("start: `--version` of both")?;
    sheet::comparison_heads("lockaudit", "psql")?;
    let found = Comparison::of(&lockaudit(&["--version"]), &places.psql(&["--version"]))?;
    sheet::comparison("--version", &found, Verdict::NoGoal)
}
