//! What new code looks at in mode `advisory`: lock first, then look.
//!
//! It takes the old key exclusively, as old code does, and *then* asks for the row of its name, by a
//! statement that begins after the key was granted, outside of any older snapshot, on the server that
//! granted it. The mode that it read before may have changed while it waited. Whoever moves the name
//! onwards asks for the key first, so a mode that is seen while the key is held stays until it is given back.

use crate::lease::{Mode, Seen, Standing};

/// What to do with the key that was just granted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It counts alone: work while it is held.
    Work,
    /// The name is in another mode now: give the key back, and do what that mode asks for.
    ModeIs(Mode),
    /// Somebody works by a lease that was taken before the name came back to its key: give the key
    /// back, and wait.
    Leased,
}

/// `None`: there is no such name.
pub fn once_the_key_is_held(seen: Option<&Seen>) -> Verdict {
    let Some(seen) = seen else {
        return Verdict::ModeIs(Mode::Lease);
    };
    let held = seen.held.as_ref().map(|held| held.standing);
    match (seen.mode, held) {
        (Mode::Advisory, Some(Standing::Valid { .. })) => Verdict::Leased,
        (Mode::Advisory, _) => Verdict::Work,
        (mode, _) => Verdict::ModeIs(mode),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::lease::{Held, Holder, Token};

    fn seen(mode: Mode, standing: Option<Standing>) -> Seen {
        Seen {
            held: standing.map(|standing| Held {
                holder: Holder::of("host", 7, 1),
                standing,
            }),
            token: Token(1),
            mode,
        }
    }

    #[test]
    fn the_key_counts_alone_in_its_own_mode_and_while_nobody_has_a_lease() {
        let verdict = |mode, standing| once_the_key_is_held(Some(&seen(mode, standing)));
        let valid = Standing::Valid {
            remaining: Duration::from_secs(1),
        };
        let expired = Standing::Expired {
            since: Duration::from_secs(1),
        };
        assert_eq!(verdict(Mode::Advisory, None), Verdict::Work);
        assert_eq!(verdict(Mode::Advisory, Some(expired)), Verdict::Work);
        assert_eq!(verdict(Mode::Advisory, Some(valid)), Verdict::Leased);
        assert_eq!(verdict(Mode::Both, None), Verdict::ModeIs(Mode::Both));
        assert_eq!(verdict(Mode::Lease, None), Verdict::ModeIs(Mode::Lease));
        assert_eq!(once_the_key_is_held(None), Verdict::ModeIs(Mode::Lease));
    }
}
