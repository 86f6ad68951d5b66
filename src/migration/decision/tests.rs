//! Which rule decides where several speak.

use super::planted::Planted;
use super::*;
use crate::migration::usage::Mode;

#[test]
fn an_idle_holder_becomes_a_lease() {
    let judged = Planted::key(-8_046_644_073_709_551_615)
        .idle_holder()
        .judged();
    assert_eq!(judged.decision, Decision::Lease);
    assert_eq!(judged.certainty, Certainty::Certain);
    assert_eq!((judged.reasons.len(), judged.remarks.len()), (1, 0));
}

#[test]
fn a_tool_s_lock_is_kept_in_however_many_databases() {
    let judged = Planted::key(72_707_369)
        .known_by_itself()
        .idle_holder()
        .in_databases(&["archive", "orders"])
        .judged();
    assert_eq!(judged.decision, Decision::Keep);
    assert!(judged.reasons[0].text.starts_with("Prisma Migrate"));
}

#[test]
fn all_that_speaks_for_a_refusal_is_said() {
    let judged = Planted::key(7)
        .idle_holder()
        .modes(&[Mode::Shared])
        .in_databases(&["archive", "orders"])
        .judged();
    assert_eq!(judged.decision, Decision::Refuse);
    assert_eq!(judged.reasons.len(), 2);
}

#[test]
fn every_decision_has_a_word_of_its_own() {
    for (word, decision) in Decision::WORDS {
        assert_eq!(decision.as_str(), word);
    }
}
