//! What a login says of the process that serves the session (BackendKeyData).
//!
//! A server names the process that every later statement runs in. A pooler hands sessions on, and makes a
//! number up: that tells the two apart where ports do not, over a Unix socket or address translation.

use std::sync::{Arc, OnceLock};

/// BackendKeyData and ReadyForQuery (protocol documentation, "Message Formats").
const KEY_DATA: u8 = b'K';
const READY: u8 = b'Z';
/// A tag and a length, which counts itself.
const HEADER: usize = 5;
const LENGTH: usize = 4;

/// Empty until the login has named it; a login need not.
#[derive(Debug, Clone, Default)]
pub(super) struct NamedProcess(Arc<OnceLock<i32>>);

impl NamedProcess {
    pub(super) fn get(&self) -> Option<i32> {
        self.0.get().copied()
    }
}

/// Reads along until the process is named, or the login is over.
#[derive(Debug, Default)]
pub(super) struct Greeting {
    process: NamedProcess,
    /// The start of a message, as far as it has come.
    start: Vec<u8>,
    /// Bytes of the message before that are still to come.
    skipped: usize,
    over: bool,
}

impl Greeting {
    pub(super) fn process(&self) -> NamedProcess {
        self.process.clone()
    }

    pub(super) fn read(&mut self, mut came: &[u8]) {
        while !self.over && !came.is_empty() {
            let skipped = self.skipped.min(came.len());
            self.skipped -= skipped;
            came = &came[skipped..];
            if let Some((byte, rest)) = came.split_first() {
                self.start.push(*byte);
                came = rest;
                self.heed();
            }
        }
    }

    fn heed(&mut self) {
        let (tag, length) = match *self.start.as_slice() {
            [READY, ..] => return self.over = true,
            [tag, a, b, c, d] => (tag, u32::from_be_bytes([a, b, c, d])),
            [KEY_DATA, _, _, _, _, a, b, c, d] => {
                // Only we set it, and only once.
                let _ = self.process.0.set(i32::from_be_bytes([a, b, c, d]));
                return self.over = true;
            }
            _ => return,
        };
        if tag != KEY_DATA {
            self.skipped =
                usize::try_from(length).map_or(0, |length| length.saturating_sub(LENGTH));
            self.start.clear();
        }
        debug_assert!(self.start.len() <= HEADER);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// AuthenticationOk, a parameter that looks like key data, key data, ready.
    const LOGIN: &[u8] = b"R\0\0\0\x08\0\0\0\0S\0\0\0\x0bKKKK\0K\0K\0\0\0\x0c\0\0\x10\x92\x01\x02\x03\x04Z\0\0\0\x05I";

    #[test]
    fn the_process_is_named_however_the_bytes_are_cut() {
        for length in 1..=LOGIN.len() {
            let mut greeting = Greeting::default();
            LOGIN.chunks(length).for_each(|came| greeting.read(came));
            assert_eq!(greeting.process().get(), Some(4242), "{length}");
        }
    }

    #[test]
    fn a_login_need_not_name_one_and_what_follows_it_is_not_read() {
        let mut greeting = Greeting::default();
        greeting.read(b"R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I");
        greeting.read(b"K\0\0\0\x0c\0\0\0\x01\x01\x02\x03\x04");
        assert_eq!(greeting.process().get(), None);
    }
}
