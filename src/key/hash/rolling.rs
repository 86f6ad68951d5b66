//! One-pass string hashes of Java, .NET and JavaScript programs: a multiplication and an addition
//! or exclusive-or a character, over UTF-16 units where the language's strings are made of them.

/// `String.hashCode()`.
pub fn java_hash_code(text: &str) -> i32 {
    let step = |hash: i32, unit: u16| hash.wrapping_mul(31).wrapping_add(i32::from(unit));
    text.encode_utf16().fold(0, step)
}

/// Bernstein's hash with exclusive-or, from the first UTF-16 unit to the last.
pub fn xor_times_33(text: &str) -> u32 {
    text.encode_utf16().fold(5381, xor_step)
}

/// The same from the last unit to the first.
pub fn xor_times_33_backwards(text: &str) -> u32 {
    let units: Vec<u16> = text.encode_utf16().collect();
    units.into_iter().rev().fold(5381, xor_step)
}

fn xor_step(hash: u32, unit: u16) -> u32 {
    hash.wrapping_mul(33) ^ u32::from(unit)
}

/// The hash that Infisical calls hashtext: it starts at 0, goes over bytes and drops the sign.
pub fn infisical(text: &str) -> u32 {
    let step = |hash: u32, byte: u8| hash.wrapping_mul(33) ^ u32::from(byte);
    let hash = text.bytes().fold(0, step);
    hash.cast_signed().unsigned_abs() % (1 << 31)
}

/// The stable string hash of the .NET "critter stack" (Marten, Wolverine): units at even places go
/// into one half, those at odd places into another, which are joined at the end.
pub fn dotnet_stable(text: &str) -> i32 {
    const START: u32 = (5381 << 16) + 5381;
    const JOIN: u32 = 1_566_083_941;
    let units: Vec<u16> = text.encode_utf16().collect();
    let half = |from: usize| {
        let own = units.iter().skip(from).step_by(2);
        own.fold(START, |hash, unit| xor_step(hash, *unit))
    };
    half(0)
        .wrapping_add(half(1).wrapping_mul(JOIN))
        .cast_signed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn java_s_is_that_of_the_flyway_history_table() {
        assert_eq!(
            java_hash_code("\"public\".\"flyway_schema_history\""),
            2_125_624_436
        );
        assert_eq!(java_hash_code("public"), -977_423_767);
    }

    #[test]
    fn bernstein_s_depends_on_the_direction() {
        assert_eq!(xor_times_33("event:upgrade-lock"), 2_726_110_501);
        assert_eq!(xor_times_33_backwards("cart_01"), 310_653_343);
    }

    #[test]
    fn infisical_s_has_no_sign() {
        assert_eq!(infisical("instance-relay-config-init"), 330_167_959);
        assert_eq!(infisical("org-email-domain-creation"), 1_218_391_406);
    }

    #[test]
    fn dotnet_s_joins_two_halves() {
        assert_eq!(dotnet_stable("wolverine"), 832_201_495);
        assert_eq!(dotnet_stable("public"), -956_706_791);
        assert_eq!(dotnet_stable("wolverine:scheduled-jobs"), -34_011_047);
    }
}
