//! PostgreSQL's own string hashes, computed without a server.
//!
//! Source of the rules: `hash_bytes` and `hash_bytes_extended` in `src/common/hashfn.c`, Bob Jenkins'
//! lookup3 with two changes of PostgreSQL's own: a full block is always mixed in, the last one too,
//! and the lowest byte of the third word is left to the length, so that the tail starts one byte
//! up in it. Compared with every major on real servers by tests/it/keys_hashing.rs.
//!
//! The server hashes the bytes in the database's encoding, and a nondeterministic collation's sort
//! key in place of the text: there, and on big-endian machines, other values come out.

/// Where the three words start, before the length is added.
const START: u32 = 0x9e37_79b9_u32.wrapping_add(3_923_095);

/// Bytes that are taken in at a time: four to each word.
const BLOCK: usize = 12;

/// `hashtext(text)` of a UTF-8 database on a little-endian machine.
pub fn hashtext(text: &str) -> i32 {
    let mut words = Words::start(text.len());
    words.take_in(text.as_bytes());
    words.third.cast_signed()
}

/// `hashtextextended(text, seed)` of a UTF-8 database on a little-endian machine.
pub fn hashtextextended(text: &str, seed: i64) -> i64 {
    let mut words = Words::start(text.len());
    words.sow(seed.cast_unsigned());
    words.take_in(text.as_bytes());
    ((u64::from(words.second) << 32) | u64::from(words.third)).cast_signed()
}

struct Words {
    first: u32,
    second: u32,
    third: u32,
}

impl Words {
    fn start(length: usize) -> Self {
        // The server's lengths are 32-bit; a text is far from that.
        let word = START.wrapping_add(length as u32);
        Self {
            first: word,
            second: word,
            third: word,
        }
    }

    /// Seed 0 changes nothing, so that `hashtextextended(text, 0)` ends in `hashtext`'s bits.
    fn sow(&mut self, seed: u64) {
        if seed != 0 {
            self.first = self.first.wrapping_add((seed >> 32) as u32);
            self.second = self.second.wrapping_add(seed as u32);
            self.mix();
        }
    }

    fn take_in(&mut self, bytes: &[u8]) {
        let mut blocks = bytes.chunks_exact(BLOCK);
        for block in &mut blocks {
            self.add(word(&block[..4]), word(&block[4..8]), word(&block[8..]));
            self.mix();
        }
        self.add_tail(blocks.remainder());
        self.finish();
    }

    fn add_tail(&mut self, tail: &[u8]) {
        let part = |from: usize, to: usize| {
            let end = to.min(tail.len());
            word(tail.get(from..end).unwrap_or_default())
        };
        self.add(part(0, 4), part(4, 8), part(8, 11) << 8);
    }

    fn add(&mut self, first: u32, second: u32, third: u32) {
        self.first = self.first.wrapping_add(first);
        self.second = self.second.wrapping_add(second);
        self.third = self.third.wrapping_add(third);
    }

    /// Six equal steps, the words changing places after each; after six all are back in theirs.
    fn mix(&mut self) {
        for turn in [4, 6, 8, 16, 19, 4] {
            let changed = self.first.wrapping_sub(self.third) ^ self.third.rotate_left(turn);
            let grown = self.third.wrapping_add(self.second);
            (self.first, self.second, self.third) = (self.second, grown, changed);
        }
    }

    /// Seven equal steps: each changes a word by the one that was changed before it.
    fn finish(&mut self) {
        let (mut next, mut last, mut changing) = (self.first, self.second, self.third);
        for turn in [14, 11, 25, 16, 4, 14, 24] {
            changing = (changing ^ last).wrapping_sub(last.rotate_left(turn));
            (changing, next, last) = (next, last, changing);
        }
        // They change in the order third, first, second, and third is the last.
        (self.first, self.second, self.third) = (changing, next, last);
    }
}

/// Up to four bytes as a little-endian number.
fn word(bytes: &[u8]) -> u32 {
    bytes
        .iter()
        .rev()
        .fold(0, |word, byte| (word << 8) | u32::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of real servers, majors 13 to 18.
    #[test]
    fn hashtext_is_the_servers() {
        let known = [
            ("", -1_477_818_771),
            ("my-lock", 577_534_659),
            ("my_lock", 1_562_953_857),
            ("lockaudit", -286_520_210),
            ("alembic", -441_799_288),
            ("default", 822_708_183),
            ("pg_partman run_maintenance", -988_976_779),
            ("pg_partman run_maintenance procedure", -1_853_951_700),
        ];
        for (text, expected) in known {
            assert_eq!(hashtext(text), expected, "{text}");
        }
    }

    #[test]
    fn hashtextextended_is_the_servers() {
        let extended = hashtextextended;
        assert_eq!(extended("my-lock", 0), 7_574_172_786_964_069_059);
        assert_eq!(extended("my_lock", 0), -1_671_245_870_086_436_735);
        assert_eq!(extended("my-lock", 42), -5_891_037_799_910_581_900);
        assert_eq!(extended("g1", 0), 3_263_927_761_124_406_269);
    }

    #[test]
    fn without_a_seed_the_long_hash_ends_in_the_short_one() {
        for text in [
            "",
            "a",
            "eleven byte",
            "twelve bytes",
            "größer als ein Block",
        ] {
            assert_eq!(hashtextextended(text, 0) as i32, hashtext(text), "{text}");
        }
    }
}
