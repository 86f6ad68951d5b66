//! Small pieces of English that several findings need: plurals, lists, durations.

use std::time::Duration;

/// `1 waiter`, `2 waiters`.
pub fn count(number: usize, noun: &str) -> String {
    let plural = match noun.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{stem}ies"),
        _ => format!("{noun}s"),
    };
    if number == 1 {
        format!("1 {noun}")
    } else {
        format!("{number} {plural}")
    }
}

/// `waits` for one, `wait` for several.
pub fn verb<'a>(number: usize, singular: &'a str, plural: &'a str) -> &'a str {
    if number == 1 { singular } else { plural }
}

/// `pid 7`, `pids 7, 8 and 3 more`.
pub fn pids(pids: &[i32]) -> String {
    let noun = verb(pids.len(), "pid", "pids");
    format!("{noun} {}", some_of(pids, 5))
}

/// The first `most` values, and how many were left out.
pub fn some_of<T: ToString>(values: &[T], most: usize) -> String {
    let shown: Vec<String> = values.iter().take(most).map(T::to_string).collect();
    match values.len().saturating_sub(most) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// A duration as people say it: two units at most, `840 ms` below a second.
pub fn duration(duration: Duration) -> String {
    const UNITS: [(u64, &str); 4] = [(86_400, "d"), (3_600, "h"), (60, "m"), (1, "s")];
    let seconds = duration.as_secs();
    if seconds == 0 {
        return format!("{} ms", duration.as_millis());
    }
    let largest = UNITS
        .iter()
        .position(|(unit, _)| seconds >= *unit)
        .expect("a second is a unit");
    let parts = UNITS
        .iter()
        .skip(largest)
        .take(2)
        .scan(seconds, |left, (unit, name)| {
            let whole = *left / unit;
            *left %= unit;
            Some((whole, name))
        });
    parts
        .filter(|(whole, _)| *whole > 0)
        .map(|(whole, name)| format!("{whole}{name}"))
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_agree_with_their_nouns() {
        assert_eq!(count(1, "waiter"), "1 waiter");
        assert_eq!(count(0, "waiter"), "0 waiters");
        assert_eq!(count(2, "key"), "2 keys");
        assert_eq!(count(2, "query"), "2 queries");
    }

    #[test]
    fn lists_say_what_they_leave_out() {
        assert_eq!(pids(&[7]), "pid 7");
        assert_eq!(
            pids(&[1, 2, 3, 4, 5, 6, 7]),
            "pids 1, 2, 3, 4, 5 and 2 more"
        );
    }

    #[test]
    fn durations_have_two_units_at_most() {
        let said = |ms| duration(Duration::from_millis(ms));
        assert_eq!(said(0), "0 ms");
        assert_eq!(said(999), "999 ms");
        assert_eq!(said(59_999), "59s");
        assert_eq!(said(61_000), "1m 1s");
        assert_eq!(said(3_600_000), "1h");
        assert_eq!(said(90_061_000), "1d 1h");
        assert_eq!(said(86_400_000 + 5_000), "1d");
    }
}
