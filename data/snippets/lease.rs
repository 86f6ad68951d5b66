// {{about}}
//
// Needs tokio and tokio-postgres.
use std::error::Error;
use std::future::Future;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::Duration;

use tokio::time::{Instant, sleep, timeout, timeout_at};
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, NoTls, Transaction};

const NAME: &str = "{{name}}";
const BRIDGE: &str = "{{bridge}}";
const TTL: Duration = Duration::from_millis("{{ttl_milliseconds}}");

const LOCK: &str = "{{lock}}";
const UNLOCK: &str = "{{unlock}}";
const HOLD: &str = "{{hold}}";

const TAKE: &str = "{{take.sql}}";

const RENEW: &str = "{{renew.sql}}";

const RELEASE: &str = "{{release.sql}}";

const BRIDGED: &str = "{{bridge.sql}}";

const FENCE: &str = "{{fence_check.sql}}";

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
