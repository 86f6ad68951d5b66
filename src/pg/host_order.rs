//! libpq's `load_balance_hosts`: the order in which hosts, and the addresses of one, are tried.

use rustls::crypto::CryptoProvider;

use super::target::HostOrder;

/// Shuffles `items` if `order` says so, with the randomness of the TLS provider. Should that fail,
/// the order stays: it is a matter of load, not of safety.
pub(super) fn arrange<T>(items: &mut [T], order: HostOrder) {
    if order == HostOrder::AsGiven {
        return;
    }
    let provider = rustls::crypto::aws_lc_rs::default_provider();
    for last in (1..items.len()).rev() {
        let chosen = random(&provider).map_or(last, |number| number % (last + 1));
        items.swap(last, chosen);
    }
}

fn random(provider: &CryptoProvider) -> Option<usize> {
    let mut bytes = [0; 8];
    provider.secure_random.fill(&mut bytes).ok()?;
    usize::try_from(u64::from_ne_bytes(bytes) >> 32).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_given_order_unless_asked() {
        let mut items = [1, 2, 3];
        arrange(&mut items, HostOrder::AsGiven);
        assert_eq!(items, [1, 2, 3]);
    }

    #[test]
    fn loses_nobody_when_shuffling() {
        let mut items: Vec<u32> = (0..100).collect();
        arrange(&mut items, HostOrder::Random);
        assert_ne!(items, (0..100).collect::<Vec<_>>());
        items.sort();
        assert_eq!(items, (0..100).collect::<Vec<_>>());
    }
}
