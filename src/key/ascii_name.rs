//! The key that is a name: DistributedLock for .NET packs up to nine ASCII characters into a
//! `bigint`, seven bits each from the top, then a 0, then ones to the end.

use super::AdvisoryKey;

const LONGEST: usize = 9;
const LONGEST_TOLD: usize = 7;
const BITS: usize = 7;
const EMPTY: u64 = 0x7f;

/// The key of a name; `None` for a longer one, or one that is not ASCII.
pub fn pack(name: &str) -> Option<AdvisoryKey> {
    if !name.is_ascii() || name.len() > LONGEST {
        return None;
    }
    let push = |key: u64, character: u64| (key << BITS) | character;
    let characters = name.bytes().map(u64::from).fold(0, push);
    let filled = (name.len()..LONGEST).fold(characters << 1, |key, _| push(key, EMPTY));
    Some(AdvisoryKey::Single(filled.cast_signed()))
}

/// The name in a key, where it is one that people would give: two to seven letters, digits and
/// the like. Longer ones leave too few bits to tell a packed name from any other number by.
pub fn unpack(key: i64) -> Option<String> {
    let key = key.cast_unsigned();
    let empty = key.trailing_ones() as usize / BITS;
    let length = LONGEST.checked_sub(empty)?;
    if !(2..=LONGEST_TOLD).contains(&length) {
        return None;
    }
    let below = 64 - BITS * length;
    let name: String = (0..length)
        .map(|at| ((key >> (64 - BITS * (at + 1))) & EMPTY) as u8 as char)
        .collect();
    let ends_as_packed = key & low_bits(below) == low_bits(below - 1);
    (ends_as_packed && name.chars().all(is_usual)).then_some(name)
}

fn is_usual(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '_' | '-' | '.' | ':')
}

fn low_bits(number: usize) -> u64 {
    (1 << number) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_name_survives_the_way_through_its_key() {
        assert_eq!(
            pack("app"),
            Some(AdvisoryKey::Single(-4_340_480_480_320_159_745))
        );
        assert_eq!(unpack(-4_340_480_480_320_159_745).as_deref(), Some("app"));
        for name in ["ab", "MyLock", "abcdefg", "job:12"] {
            let Some(AdvisoryKey::Single(key)) = pack(name) else {
                panic!("{name} is packed");
            };
            assert_eq!(unpack(key).as_deref(), Some(name));
        }
    }

    #[test]
    fn what_is_not_packed_names_nothing() {
        assert_eq!(pack("ten letters"), None);
        assert_eq!(pack("größe"), None);
        for key in [0, 1, -1, 42, i64::MAX, i64::MIN, 72_707_369] {
            assert_eq!(unpack(key), None, "{key}");
        }
    }
}
