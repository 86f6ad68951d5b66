//! `erlang:phash2` for the few terms that lock keys are made of: atoms, binaries and a tuple of them.
//!
//! Source of the rules: `make_hash2` in the Erlang runtime, Bob Jenkins' hash of 1996 with a
//! constant a kind of term; checked against OTP 25 and the integration test of ecto_sql.

/// The golden ratio; a multiple of it marks each kind of term.
const GOLDEN: u32 = 0x9e37_79b9;
const ATOM: u32 = 3;
const TUPLE: u32 = 9;
const BINARY: u32 = 13;

/// The default range of `phash2`: 27 bits.
const RANGE: u32 = (1 << 27) - 1;

/// Bytes that are taken in at a time.
const BLOCK: usize = 12;

/// `phash2` of the tuple that Ecto's migration lock is named by: `{ecto, prefix, repo}`, where no
/// prefix is the atom `nil`, and `repo` is a module as Elixir writes it: `MyApp.Repo`.
pub fn ecto_migration_lock(prefix: Option<&str>, repo: &str) -> u32 {
    let tuple = join(0, 3, TUPLE);
    let ecto = atom_within(tuple, "ecto");
    let prefixed = match prefix {
        None => atom_within(ecto, "nil"),
        Some(prefix) => binary(ecto, prefix.as_bytes()),
    };
    atom_within(prefixed, &format!("Elixir.{repo}")) & RANGE
}

/// `phash2` of a binary by itself.
pub fn phash2_of_binary(text: &str) -> u32 {
    binary(0, text.as_bytes()) & RANGE
}

fn marker(kind: u32) -> u32 {
    GOLDEN.wrapping_mul(kind)
}

/// Mixes one number of the given kind into the hash so far.
fn join(hash: u32, number: u32, kind: u32) -> u32 {
    mixed([marker(kind).wrapping_add(number), marker(kind), hash])[2]
}

fn atom_within(hash: u32, name: &str) -> u32 {
    join(hash, elf_hash(name), ATOM)
}

/// Atoms are kept by P. J. Weinberger's hash of their names.
fn elf_hash(name: &str) -> u32 {
    name.bytes().fold(0, |hash: u32, byte| {
        let hash = (hash << 4).wrapping_add(u32::from(byte));
        let top = hash & 0xf000_0000;
        (hash ^ (top >> 24)) & !top
    })
}

fn binary(hash: u32, bytes: &[u8]) -> u32 {
    let start = marker(BINARY).wrapping_add(hash);
    if bytes.is_empty() {
        return start;
    }
    let mut words = [GOLDEN, GOLDEN, start];
    let mut blocks = bytes.chunks_exact(BLOCK);
    for block in &mut blocks {
        words = mixed(added(words, [&block[..4], &block[4..8], &block[8..]], 0));
    }
    let tail = blocks.remainder();
    let part = |from: usize, to: usize| tail.get(from..to.min(tail.len())).unwrap_or_default();
    words[2] = words[2].wrapping_add(bytes.len() as u32);
    // The third word's lowest byte belongs to the length.
    mixed(added(words, [part(0, 4), part(4, 8), part(8, 12)], 8))[2]
}

fn added(mut words: [u32; 3], parts: [&[u8]; 3], shift_of_third: u32) -> [u32; 3] {
    let little = |bytes: &[u8]| {
        let push = |word, byte: &u8| (word << 8) | u32::from(*byte);
        bytes.iter().rev().fold(0_u32, push)
    };
    words[0] = words[0].wrapping_add(little(parts[0]));
    words[1] = words[1].wrapping_add(little(parts[1]));
    words[2] = words[2].wrapping_add(little(parts[2]) << shift_of_third);
    words
}

/// Nine equal steps, the words changing places after each.
fn mixed([mut x, mut y, mut z]: [u32; 3]) -> [u32; 3] {
    const STEPS: [i32; 9] = [-13, 8, -13, -12, 16, -5, -3, 10, -15];
    for step in STEPS {
        let shifted = match step {
            left @ 1.. => z << left,
            right => z >> -right,
        };
        let changed = x.wrapping_sub(y).wrapping_sub(z) ^ shifted;
        (x, y, z) = (y, z, changed);
    }
    [x, y, z]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first is upstream's own test; the others are of OTP 25.
    #[test]
    fn ecto_s_migration_lock_is_erlang_s() {
        let key = ecto_migration_lock;
        assert_eq!(
            key(None, "Ecto.Integration.AdvisoryLockPoolRepo"),
            129_653_361
        );
        assert_eq!(key(None, "MyApp.Repo"), 41_811_489);
        assert_eq!(key(None, "App.Repo"), 29_521_664);
        assert_eq!(key(Some("tenant"), "MyApp.Repo"), 63_179_839);
    }

    #[test]
    fn a_binary_alone_is_erlang_s() {
        assert_eq!(phash2_of_binary("public"), 46_515_530);
    }
}
