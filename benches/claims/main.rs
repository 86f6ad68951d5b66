//! What is claimed of speed and memory, measured: `make bench`, or a part of it by name
//! (`cargo bench -- quiet`).
//!
//! Whole processes are compared, in pairs that follow each other at once: whatever else the machine
//! does meanwhile hits both, so that their ratio holds where milliseconds do not.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a benchmark has a clock, a stdout, and sessions of its own on a server of its own"
)]

mod crowd;
mod foreign;
mod leases;
mod loaded;
mod memory;
mod pairs;
mod places;
mod program;
mod queue;
mod quiet;
mod sheet;
mod start;

use anyhow::Result;

use places::Places;

/// A part: its name, and what it does.
type Part = (&'static str, fn(&Places) -> Result<()>);

const PARTS: [Part; 7] = [
    ("start", start::measure),
    ("quiet", quiet::measure),
    ("loaded", loaded::measure),
    ("foreign", foreign::measure),
    ("memory", memory::measure),
    ("queue", queue::measure),
    ("leases", leases::measure),
];

fn main() -> Result<()> {
    let places = Places::find()?;
    for (name, measure) in PARTS {
        if is_wanted(name) {
            measure(&places)?;
        }
    }
    Ok(())
}

/// `cargo bench` hands over flags of its own.
fn is_wanted(part: &str) -> bool {
    let named: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with('-'))
        .collect();
    named.is_empty() || named.iter().any(|name| name == part)
}
