//! How many server connections a PgBouncer may open: a pool for each pair of user and database,
//! under the caps of databases and users, for each of its processes.

use std::collections::BTreeSet;

use super::plan::Pooler;

/// Who is served: user and database.
pub type Pairs = BTreeSet<(String, String)>;

/// The most server connections of one process. The true maximum is at most this: the caps by
/// database and by user are each applied to the whole, and the smaller result is taken.
///
/// The clients' number is no bound: a server connection outlives its client by
/// `server_idle_timeout`.
pub fn of_one_process(pooler: &Pooler, pairs: &Pairs) -> Option<u64> {
    let mut most = all_pairs(pooler, pairs)?;
    let databases = pairs.iter().map(|(_, database)| database);
    let users = pairs.iter().map(|(user, _)| user);
    if let Some(cap) = pooler.max_db_connections {
        most = most.min(capped(pooler, databases, cap)?);
    }
    if let Some(cap) = pooler.max_user_connections {
        most = most.min(capped(pooler, users, cap)?);
    }
    Some(most)
}

/// The most that one process opens as `user`.
pub fn as_user(pooler: &Pooler, pairs: &Pairs, user: &str) -> Option<u64> {
    let mine = pairs.iter().filter(|(name, _)| name == user).count();
    under(pooler, mine, pooler.max_user_connections)
}

/// The most that one process opens to `database`.
pub fn to_database(pooler: &Pooler, pairs: &Pairs, database: &str) -> Option<u64> {
    let mine = pairs.iter().filter(|(_, name)| name == database).count();
    under(pooler, mine, pooler.max_db_connections)
}

/// Of one pair. The reserve pool obeys the same caps.
fn of_one_pair(pooler: &Pooler) -> Option<u64> {
    pooler.pool_size.checked_add(pooler.reserve_pool_size)
}

fn all_pairs(pooler: &Pooler, pairs: &Pairs) -> Option<u64> {
    let known = u64::try_from(pairs.len()).ok()?;
    let pairs = known.checked_add(pooler.other_pairs)?;
    pairs.max(1).checked_mul(of_one_pair(pooler)?)
}

/// The sum over all that the cap is for, each name once; the other pairs have names of their own.
fn capped<'a>(pooler: &Pooler, names: impl Iterator<Item = &'a String>, cap: u64) -> Option<u64> {
    let names: Vec<&String> = names.collect();
    let distinct: BTreeSet<&String> = names.iter().copied().collect();
    let lone = under(pooler, 1, Some(cap))?;
    let unnamed = pooler.other_pairs.max(u64::from(names.is_empty()));
    let mut sum = lone.checked_mul(unnamed)?;
    for name in distinct {
        let pairs = names.iter().filter(|one| **one == name).count();
        sum = sum.checked_add(under(pooler, pairs, Some(cap))?)?;
    }
    Some(sum)
}

fn under(pooler: &Pooler, pairs: usize, cap: Option<u64>) -> Option<u64> {
    let all = u64::try_from(pairs)
        .ok()?
        .checked_mul(of_one_pair(pooler)?)?;
    Some(all.min(cap.unwrap_or(u64::MAX)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::deploy::{Deploy, Strategy};
    use crate::budget::plan::PoolMode;

    fn pooler() -> Pooler {
        Pooler {
            name: "main".to_owned(),
            processes: 1,
            pool_size: 20,
            reserve_pool_size: 5,
            max_db_connections: None,
            max_user_connections: None,
            max_client_conn: 100,
            mode: PoolMode::Transaction,
            other_pairs: 0,
            deploy: Deploy::with(Strategy::Replace),
            place: None,
        }
    }

    /// Every user in every database.
    fn pairs(users: &[&str], databases: &[&str]) -> Pairs {
        users
            .iter()
            .flat_map(|user| {
                databases
                    .iter()
                    .map(|to| ((*user).to_owned(), (*to).to_owned()))
            })
            .collect()
    }

    #[test]
    fn every_pair_of_user_and_database_has_its_own_pool() {
        let pairs = pairs(&["a", "b", "c"], &["x", "y"]);
        assert_eq!(of_one_process(&pooler(), &pairs), Some(6 * 25));
        assert_eq!(as_user(&pooler(), &pairs, "a"), Some(2 * 25));
        assert_eq!(to_database(&pooler(), &pairs, "x"), Some(3 * 25));
    }

    #[test]
    fn the_caps_bound_each_database_and_each_user() {
        let pairs = pairs(&["a", "b", "c"], &["x", "y"]);
        let mut pooler = pooler();
        pooler.max_db_connections = Some(40);
        assert_eq!(of_one_process(&pooler, &pairs), Some(2 * 40));
        pooler.max_user_connections = Some(10);
        assert_eq!(of_one_process(&pooler, &pairs), Some(3 * 10));
        assert_eq!(as_user(&pooler, &pairs, "a"), Some(10));
        assert_eq!(to_database(&pooler, &pairs, "x"), Some(40));
    }

    #[test]
    fn pairs_that_no_role_stands_for_count_too() {
        let mut pooler = pooler();
        pooler.reserve_pool_size = 0;
        pooler.other_pairs = 300;
        assert_eq!(of_one_process(&pooler, &Pairs::new()), Some(6000));
        pooler.max_db_connections = Some(2);
        assert_eq!(of_one_process(&pooler, &Pairs::new()), Some(600));
        let mut with_named = pairs(&["a"], &["x"]);
        assert_eq!(of_one_process(&pooler, &with_named), Some(602));
        with_named.clear();
        pooler.other_pairs = 0;
        assert_eq!(of_one_process(&pooler, &with_named), Some(2));
    }
}
