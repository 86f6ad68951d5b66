//! What a screen for people need not say twice.

use crate::finding::{Finding, Severity};

/// A remark, or one more view of sessions that an earlier finding told to act on, needs no more
/// than its sentence; JSON has the rest.
pub(super) fn is_said_already(finding: &Finding, earlier: &[Finding]) -> bool {
    let covers = |other: &Finding| finding.pids.iter().all(|pid| other.pids.contains(pid));
    let repeats = finding.harms == 0 && !finding.pids.is_empty() && earlier.iter().any(covers);
    finding.severity == Severity::Info || repeats
}
