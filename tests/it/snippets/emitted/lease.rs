// Before: an advisory key, held by a session for as long as the work lasts. After: a lease, a row
// that ends by itself.
//
// The lease is renewed every quarter of its time, on a connection of its own. An error is not a
// refusal: the renewal may have been done, so it is asked for again, on a new connection. The work
// is stopped at once when the lease is lost for certain, and when three quarters of its time have
// passed unconfirmed; it has the last quarter to stop in. A process that stood still for longer
// notices too late: what must never be written twice asks for the fence, in its own transaction,
// last before COMMIT.
//
// BRIDGE is what this code does about the old key while the name is in mode `both` of the
// migration. `hold`: it holds the key, shared, on the lease's connection, which must lead straight
// to the server, not through a transaction-mode pooler. `probe`: it asks for the key as it takes
// the lease, which is enough only where the old code looks for a lease once it has the key. `none`:
// it gets no lease in that mode. In mode `advisory` nobody gets one, and the old code works on.
//
// Needs tokio and tokio-postgres.
use std::error::Error;
use std::future::Future;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::Duration;

use tokio::time::{Instant, sleep, timeout, timeout_at};
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, NoTls, Transaction};

const NAME: &str = "sweep";
const BRIDGE: &str = "hold";
const TTL: Duration = Duration::from_millis(2000);

const LOCK: &str = "SELECT pg_advisory_lock(42)";
const UNLOCK: &str = "SELECT pg_advisory_unlock(42)";
const HOLD: &str = "SELECT set_config('lock_timeout', '2s', true), pg_advisory_lock_shared(42)";

const TAKE: &str = r#"
    WITH seen AS (
        SELECT
            l.holder AS holder,
            l.token AS token,
            l.mode AS mode,
            l.holder IS NULL OR l.holder = $2 OR l.expires_at <= pg_catalog.clock_timestamp() AS free,
            l.key AS key,
            l.key1 AS key1,
            l.key2 AS key2
        FROM lockaudit_lease AS l
        WHERE l.name = $1
    ), timeline AS (
        SELECT ('x' || pg_catalog.substr(pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_lsn()), 1, 8))
            ::pg_catalog.bit(32)::bigint << 40 AS floor
    ), open AS MATERIALIZED (
        SELECT
            s.holder AS holder,
            s.token AS token,
            coalesce(s.mode, 'lease') AS mode,
            t.floor AS floor,
            s.key AS key,
            s.key1 AS key1,
            s.key2 AS key2,
            pg_catalog.set_config('synchronous_commit', CASE pg_catalog.current_setting('synchronous_commit')
                WHEN 'off' THEN 'on' WHEN 'local' THEN 'on'
                ELSE pg_catalog.current_setting('synchronous_commit') END, true) AS durable
        FROM timeline AS t
        LEFT JOIN seen AS s ON true
        WHERE CASE
            WHEN NOT coalesce(s.free, true) THEN false
            WHEN coalesce(s.mode, 'lease') = 'lease' THEN true
            WHEN s.mode <> 'both' THEN false
            WHEN $4 = 'hold' THEN true
            WHEN $4 <> 'probe' THEN false
            WHEN s.key IS NOT NULL THEN pg_catalog.pg_try_advisory_xact_lock_shared(s.key)
            ELSE pg_catalog.pg_try_advisory_xact_lock_shared(s.key1, s.key2)
        END
    ), granted AS (
        INSERT INTO lockaudit_lease AS l (
            name, holder, token, taken_at, ttl, expires_at, mode, bridged, key, key1, key2
        )
        SELECT
            $1,
            $2,
            o.floor + 1,
            c.at,
            pg_catalog.make_interval(secs => $3),
            c.at + pg_catalog.make_interval(secs => $3),
            o.mode,
            o.mode = 'both' AND $4 = 'probe',
            o.key,
            o.key1,
            o.key2
        FROM open AS o
        CROSS JOIN (SELECT pg_catalog.clock_timestamp() AS at) AS c
        ON CONFLICT (name) DO UPDATE SET
            (holder, token, taken_at, ttl, expires_at, bridged) = (
                SELECT
                    excluded.holder,
                    CASE WHEN c.same THEN l.token ELSE greatest(l.token + 1, excluded.token) END,
                    CASE WHEN c.same THEN l.taken_at ELSE c.at END,
                    excluded.ttl,
                    c.at + excluded.ttl,
                    CASE WHEN c.same THEN l.bridged ELSE excluded.bridged END
                FROM (
                    SELECT n.at AS at, l.holder = excluded.holder AND l.expires_at > n.at AS same
                    FROM (SELECT pg_catalog.clock_timestamp() AS at) AS n
                ) AS c
            )
        WHERE l.mode = excluded.mode
            AND (l.holder IS NULL OR l.holder = excluded.holder OR l.expires_at <= pg_catalog.clock_timestamp())
        RETURNING l.token AS token, l.taken_at AS taken_at, l.expires_at AS expires_at, l.mode AS mode, l.bridged AS bridged
    ), logged AS (
        INSERT INTO lockaudit_lease_log (at, name, token, event, holder, reason)
        SELECT g.taken_at, $1, o.token, 'expired', o.holder, NULL::text
        FROM granted AS g
        CROSS JOIN open AS o
        WHERE o.holder IS NOT NULL AND g.token = greatest(o.token, o.floor) + 1
        UNION ALL
        SELECT g.taken_at, $1, g.token, 'granted', $2, $5
        FROM granted AS g
        ON CONFLICT DO NOTHING
    )
    SELECT
        g.token AS token,
        g.expires_at AS expires_at,
        extract(epoch FROM g.expires_at - pg_catalog.clock_timestamp())::float8 AS remaining_seconds,
        g.mode AS mode,
        g.bridged AS bridged
    FROM granted AS g
"#;

const RENEW: &str = r#"
    WITH mine AS MATERIALIZED (
        SELECT
            l.name AS name,
            l.expires_at AS expires_at,
            pg_catalog.set_config('synchronous_commit', CASE pg_catalog.current_setting('synchronous_commit')
                WHEN 'off' THEN 'on' WHEN 'local' THEN 'on'
                ELSE pg_catalog.current_setting('synchronous_commit') END, true) AS durable
        FROM lockaudit_lease AS l
        WHERE l.name = $1 AND l.holder = $2 AND l.token = $3
        FOR NO KEY UPDATE
    )
    UPDATE lockaudit_lease AS l SET
        ttl = pg_catalog.make_interval(secs => $4),
        expires_at = pg_catalog.clock_timestamp() + pg_catalog.make_interval(secs => $4)
    FROM mine AS m
    WHERE l.name = m.name AND m.expires_at > pg_catalog.clock_timestamp()
    RETURNING
        l.expires_at AS expires_at,
        extract(epoch FROM l.expires_at - pg_catalog.clock_timestamp())::float8 AS remaining_seconds,
        l.mode AS mode,
        l.bridged AS bridged
"#;

const RELEASE: &str = r#"
    WITH released AS (
        UPDATE lockaudit_lease AS l SET holder = NULL, expires_at = '-infinity', bridged = false
        WHERE l.name = $1 AND l.holder = $2 AND l.token = $3
        RETURNING
            l.token AS token,
            pg_catalog.set_config('synchronous_commit', CASE pg_catalog.current_setting('synchronous_commit')
                WHEN 'off' THEN 'on' WHEN 'local' THEN 'on'
                ELSE pg_catalog.current_setting('synchronous_commit') END, true) AS durable
    ), logged AS (
        INSERT INTO lockaudit_lease_log (name, token, event, holder, reason)
        SELECT $1, r.token, 'released', $2, $4
        FROM released AS r
        ON CONFLICT DO NOTHING
    )
    SELECT r.token AS token
    FROM released AS r
"#;

const BRIDGED: &str = r#"
    WITH mine AS MATERIALIZED (
        SELECT l.name AS name, l.expires_at AS expires_at
        FROM lockaudit_lease AS l
        WHERE l.name = $1 AND l.holder = $2 AND l.token = $3
        FOR NO KEY UPDATE
    )
    UPDATE lockaudit_lease AS l SET bridged = true
    FROM mine AS m
    WHERE l.name = m.name AND m.expires_at > pg_catalog.clock_timestamp()
    RETURNING l.bridged AS bridged
"#;

const FENCE: &str = r#"
    WITH mine AS MATERIALIZED (
        SELECT l.expires_at AS expires_at
        FROM lockaudit_lease AS l
        WHERE l.name = $1 AND l.holder = $2 AND l.token = $3
        FOR SHARE
    )
    SELECT
        m.expires_at AS expires_at,
        extract(epoch FROM m.expires_at - pg_catalog.clock_timestamp())::float8 AS remaining_seconds
    FROM mine AS m
    WHERE m.expires_at > pg_catalog.clock_timestamp()
"#;

pub type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

pub async fn before<T>(client: &Client, work: impl Future<Output = Outcome<T>>) -> Outcome<T> {
    client.batch_execute(LOCK).await?;
    let done = work.await;
    client.batch_execute(UNLOCK).await?;
    done
}

/// Runs `work` under the lease, and drops it when the lease is lost: what must not be cut off is a
/// transaction. `None`, at once, if the lease is not to be had.
pub async fn after<T, F: Future<Output = Outcome<T>>>(
    url: &str,
    work: impl FnOnce(Term) -> F,
) -> Outcome<Option<T>> {
    let mut session = connect(url).await?;
    let asked = Instant::now();
    let mut term = Term {
        holder: new_holder(),
        token: 0,
    };
    let seconds = TTL.as_secs_f64();
    let values: [&(dyn ToSql + Sync); 5] = [&NAME, &term.holder, &seconds, &BRIDGE, &None::<&str>];
    let Some(granted) = session.query_opt(TAKE, &values).await? else {
        return Ok(None);
    };
    term.token = granted.get("token");
    let holds = granted.get::<_, &str>("mode") == "both" && BRIDGE == "hold";
    let bridged = match holds {
        true => term.hold(&session).await,
        false => Ok(()),
    };
    let done = match bridged {
        Ok(()) => tokio::select! {
            done = work(term.clone()) => done.map(Some),
            () = term.keep(url, &mut session, asked, holds) => Err("the lease is lost".into()),
        },
        Err(error) => Err(error),
    };
    // If this fails, the lease ends by itself.
    let values: [&(dyn ToSql + Sync); 4] = [&NAME, &term.holder, &term.token, &None::<&str>];
    let _ = timeout(TTL / 16, session.execute(RELEASE, &values)).await;
    done
}

/// One grant.
#[derive(Debug, Clone)]
pub struct Term {
    pub holder: String,
    pub token: i64,
}

impl Term {
    /// Asked last before COMMIT, in the work's own transaction.
    pub async fn fence(&self, transaction: &Transaction<'_>) -> Outcome<()> {
        let ours = transaction
            .query_opt(FENCE, &[&NAME, &self.holder, &self.token])
            .await?;
        ours.map(drop).ok_or_else(|| "the lease is lost".into())
    }

    async fn hold(&self, session: &Client) -> Outcome<()> {
        session.batch_execute(HOLD).await?;
        let ours = session
            .query_opt(BRIDGED, &[&NAME, &self.holder, &self.token])
            .await?;
        ours.map(drop).ok_or_else(|| "the lease is lost".into())
    }

    /// Returns when the lease is lost.
    async fn keep(&self, url: &str, session: &mut Client, asked: Instant, holds: bool) {
        // Once the old key is held, the end of its session is the end of the lease: look often.
        let often = if holds { 1 } else { u64::MAX };
        let usual = (TTL / 4).min(Duration::from_secs(often));
        let mut until = asked + TTL * 3 / 4;
        let (mut pause, mut broken) = (usual, false);
        loop {
            sleep(pause.min(until - Instant::now())).await;
            let asked = Instant::now();
            let renewal = async {
                if broken {
                    *session = connect(url).await?;
                }
                self.renew(session).await
            };
            match timeout_at(until.min(asked + TTL / 16), renewal).await {
                Ok(Ok(true)) => {
                    until = asked + TTL * 3 / 4;
                    (pause, broken) = (usual, false);
                }
                Ok(Ok(false)) => return,
                _ if holds || Instant::now() >= until => return,
                _ => (pause, broken) = (TTL / 40, true),
            }
        }
    }

    async fn renew(&self, session: &Client) -> Outcome<bool> {
        let seconds = TTL.as_secs_f64();
        let values: [&(dyn ToSql + Sync); 4] = [&NAME, &self.holder, &self.token, &seconds];
        Ok(session.query_opt(RENEW, &values).await?.is_some())
    }
}

async fn connect(url: &str) -> Outcome<Client> {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
    tokio::spawn(connection);
    Ok(client)
}

fn new_holder() -> String {
    let host = std::fs::read_to_string("/etc/hostname").unwrap_or_else(|_| "rust".into());
    let chance = RandomState::new().build_hasher().finish();
    format!("{}:{}:{chance:016x}", host.trim(), std::process::id())
}
