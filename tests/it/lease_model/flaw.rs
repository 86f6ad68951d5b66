//! Owns the protocol's guards, each as what goes wrong without it: a model that no removed guard
//! upsets would prove nothing.

use super::invariant::Invariant;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Flaw {
    None,
    TakeAsksNobody,
    TakeKeepsTheTokenOfAnExpiredLease,
    ExpiryCountsFromTheTransaction,
    RenewAsksForNoExpiry,
    RenewJudgesAtItsStart,
    RenewIsAnUpsert,
    ReleaseAsksForTheHolderOnly,
    ReleaseResetsTheToken,
    ReleaseDeletesTheRow,
    ReleaseGoesOutBeforeTheWorkEnds,
    AReleasedNameTakesAgain,
    DeadlineCountsFromTheAnswer,
    DeadlineStandsStillInSuspend,
    AnUnansweredRenewalCounts,
    ALostLeaseIsKeptUntilItsDeadline,
    CommitsAreLostByARestart,
    NoFloor,
}

/// Each flaw, and the invariant that the shortest trace to trouble breaks.
pub const FLAWS: [(Flaw, Invariant); 17] = [
    (Flaw::TakeAsksNobody, Invariant::OneHolder),
    (
        Flaw::TakeKeepsTheTokenOfAnExpiredLease,
        Invariant::TokensRise,
    ),
    (
        Flaw::ExpiryCountsFromTheTransaction,
        Invariant::DeadlineBeforeExpiry,
    ),
    (Flaw::RenewAsksForNoExpiry, Invariant::NoRevival),
    (Flaw::RenewJudgesAtItsStart, Invariant::NoRevival),
    (Flaw::RenewIsAnUpsert, Invariant::LateCallsChangeNothing),
    (
        Flaw::ReleaseAsksForTheHolderOnly,
        Invariant::LateCallsChangeNothing,
    ),
    (Flaw::ReleaseResetsTheToken, Invariant::TokensRise),
    (Flaw::ReleaseDeletesTheRow, Invariant::TokensRise),
    (
        Flaw::ReleaseGoesOutBeforeTheWorkEnds,
        Invariant::DeadlineBeforeExpiry,
    ),
    (
        Flaw::AReleasedNameTakesAgain,
        Invariant::DeadlineBeforeExpiry,
    ),
    (
        Flaw::DeadlineCountsFromTheAnswer,
        Invariant::DeadlineBeforeExpiry,
    ),
    (
        Flaw::DeadlineStandsStillInSuspend,
        Invariant::DeadlineBeforeExpiry,
    ),
    (
        Flaw::AnUnansweredRenewalCounts,
        Invariant::DeadlineBeforeExpiry,
    ),
    (
        Flaw::ALostLeaseIsKeptUntilItsDeadline,
        Invariant::DeadlineBeforeExpiry,
    ),
    (
        Flaw::CommitsAreLostByARestart,
        Invariant::DeadlineBeforeExpiry,
    ),
    (Flaw::NoFloor, Invariant::TokensRise),
];
