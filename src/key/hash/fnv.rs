//! FNV-1 and FNV-1a (Fowler, Noll, Vo): one multiplication and one exclusive-or a byte, in two orders.

const START_32: u32 = 0x811c_9dc5;
const PRIME_32: u32 = 0x0100_0193;
const START_64: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME_64: u64 = 0x0100_0000_01b3;

/// Multiplies first: Go's `fnv.New32`.
pub fn fnv1_32(text: &str) -> u32 {
    let step = |hash: u32, byte| hash.wrapping_mul(PRIME_32) ^ u32::from(byte);
    text.bytes().fold(START_32, step)
}

/// Multiplies last: Go's `fnv.New32a`.
pub fn fnv1a_32(text: &str) -> u32 {
    let step = |hash: u32, byte| (hash ^ u32::from(byte)).wrapping_mul(PRIME_32);
    text.bytes().fold(START_32, step)
}

/// Multiplies first: Go's `fnv.New64`.
pub fn fnv1_64(text: &str) -> u64 {
    let step = |hash: u64, byte| hash.wrapping_mul(PRIME_64) ^ u64::from(byte);
    text.bytes().fold(START_64, step)
}

/// Multiplies last: Go's `fnv.New64a`.
pub fn fnv1a_64(text: &str) -> u64 {
    let step = |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME_64);
    text.bytes().fold(START_64, step)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Published vectors of the algorithm's authors, and values of known tools.
    #[test]
    fn both_orders_in_both_widths() {
        assert_eq!(fnv1_32(""), START_32);
        assert_eq!(fnv1_32("a"), 0x050c_5d7e);
        assert_eq!(fnv1a_32("a"), 0xe40c_292c);
        assert_eq!(fnv1_64("a"), 0xaf63_bd4c_8601_b7be);
        assert_eq!(fnv1a_64("a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv1_32("atlas_migrate_execute"), 2_686_470_616);
        assert_eq!(fnv1_64("app").cast_signed(), -2_820_172_453_568_866_898);
    }
}
