//! What is wrong with a plan, by codes that scripts can rely on.

use crate::place::Place;

/// How bad a finding is for a plan that is to be merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    Warning,
    Error,
}

impl Level {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

macro_rules! codes {
    ($($name:ident $code:literal $level:ident $title:literal)*) => {
        /// What kind of finding it is. The codes are fixed.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Code { $($name),* }

        impl Code {
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// `B100`
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$name => $code),* }
            }

            pub fn level(self) -> Level {
                match self { $(Self::$name => Level::$level),* }
            }

            /// What it finds, in a sentence without a full stop.
            pub fn title(self) -> &'static str {
                match self { $(Self::$name => $title),* }
            }
        }
    };
}

codes! {
    PeakTooHigh "B100" Error "a deploy may open more connections than the server has for ordinary roles"
    SteadyTooHigh "B101" Error "without any deploy more connections may be open than the server has for ordinary roles"
    NearlyFull "B102" Warning "the peak comes near to what is usable"
    TooFewFree "B103" Error "fewer slots stay free at the peak than min_free asks for"
    LimitExceeded "B110" Error "a user or a database may open more connections than its CONNECTION LIMIT"
    LimitOfNobody "B111" Warning "a limit is for a user or a database that nothing in the plan uses"
    TooManyClients "B120" Error "application pools may open more connections than the pooler takes"
    SessionLockThroughPooler "B121" Error "a session-level lock is taken through a pooler that changes the session"
    LooksLikeASlip "B130" Warning "a number is legal but looks like a slip"
    PoolDeadlock "B200" Error "holders can wait for each other's connections for ever"
    PoolPinned "B201" Error "holders can keep every connection of their pool"
    QueueGrows "B202" Warning "more work arrives than can be done, so that the queue grows for ever"
    WaitTooLong "B203" Error "the estimated wait is longer than max_wait"
    ServerDiffers "B301" Error "the file and the server disagree on a number"
    HiddenSessions "B302" Warning "other roles' sessions could not be seen"
    OverPlan "B303" Warning "more connections are open than the plan has for them"
    Unplanned "B304" Warning "connections are open that the plan does not know"
}

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    pub code: Code,
    /// The check that failed, for reports that count checks.
    pub check: String,
    pub place: Option<Place>,
    /// One sentence, without a full stop: the sum and the gap.
    pub message: String,
    /// How the sum is made, and a way out; one a line.
    pub details: Vec<String>,
}

impl Finding {
    pub fn level(&self) -> Level {
        self.code.level()
    }
}

/// Something worth knowing that is no finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    pub place: Option<Place>,
    pub text: String,
}
