//! What the things of a picture are called, in findings and on every screen alike.
//!
//! The words are raw: whoever prints them makes them safe for where they go.

use crate::certainty::Certainty;
use crate::hold::{Hold, Holder, Scope, ScopeBasis};
use crate::key::Sharing;
use crate::key::naming::Candidate;
use crate::picture::{LockId, Picture};
use crate::pool::PoolKey;
use crate::snapshot::{LockMode, OtherTarget, Owner, PoolerClient, Session, Target};
use crate::words;

/// `pid 4711 (worker, app@orders, 10.0.0.7)`
pub fn session(session: &Session) -> String {
    let application = session
        .application_name
        .as_deref()
        .filter(|name| !name.is_empty());
    let place = match (&session.usename, &session.datname) {
        (Some(user), Some(database)) => Some(format!("{user}@{database}")),
        (user, database) => user.clone().or_else(|| database.clone()),
    };
    let parts: Vec<String> = [
        application.map(str::to_owned),
        place,
        session.client_addr.clone(),
        session
            .backend_type
            .clone()
            .filter(|backend_type| backend_type != "client backend"),
    ]
    .into_iter()
    .flatten()
    .collect();
    match parts.is_empty() {
        true => format!("pid {}", session.pid),
        false => format!("pid {} ({})", session.pid, parts.join(", ")),
    }
}

/// `billing at 10.0.0.9:41034 (app)`; over a Unix socket `billing at pid 4711 (app)`
pub fn pooler_client(client: &PoolerClient) -> String {
    let application = client.application_name.as_deref();
    let name = application.unwrap_or("(no application_name)");
    let at = match (client.addr.as_str(), client.port, client.remote_pid) {
        ("unix", _, Some(pid)) => format!("pid {pid}"),
        ("unix", ..) => "a Unix socket".to_owned(),
        (addr, Some(port), _) if addr.contains(':') => format!("[{addr}]:{port}"),
        (addr, Some(port), _) => format!("{addr}:{port}"),
        (addr, None, _) => addr.to_owned(),
    };
    format!("{name} at {at} ({})", client.user)
}

pub fn owner(picture: &Picture<'_>, owner: Owner) -> String {
    match owner {
        Owner::Session(pid) => match picture.snapshot.session(pid) {
            Some(found) => session(found),
            None => format!("pid {pid} (gone since)"),
        },
        Owner::Prepared(transaction) => match picture.prepared(owner) {
            Some(prepared) => format!("prepared transaction '{}'", prepared.gid),
            None => format!("an unlisted prepared transaction ({transaction})"),
        },
    }
}

/// `pid 4711 (worker)`, for lists.
pub fn short(picture: &Picture<'_>, one: Owner) -> String {
    let session = one.pid().and_then(|pid| picture.snapshot.session(pid));
    let name = session.and_then(|session| session.application_name.as_deref());
    match (one, name.filter(|name| !name.is_empty())) {
        (Owner::Session(pid), Some(name)) => format!("pid {pid} ({name})"),
        _ => owner(picture, one),
    }
}

/// `exclusive`, `shared`, or the catalog's word for a mode that SQL can't take.
pub fn mode(mode: &LockMode) -> &str {
    match mode.sharing() {
        Some(Sharing::Exclusive) => "exclusive",
        Some(Sharing::Shared) => "shared",
        None => mode.as_str(),
    }
}

/// `key 42 in orders`
pub fn key(picture: &Picture<'_>, id: LockId) -> String {
    let what = match id.tag.key() {
        Some(key) => format!("key {key}"),
        None => format!("extension lock {}", id.tag),
    };
    match picture.database_label(id.database) {
        Some(database) => format!("{what} in {database}"),
        None => what,
    }
}

/// `Prisma Migrate (…), likely; keep it, but …`, or the likeliest guesses.
pub fn whose(candidates: &[Candidate]) -> String {
    const GUESSES: usize = 3;
    match candidates {
        [sure, ..] if sure.certainty > Certainty::Possible => match &sure.advice {
            Some(advice) => format!("{}; {advice}", sure.sentence()),
            None => format!("{}: {}", sure.sentence(), sure.basis),
        },
        guesses => {
            let tools: Vec<String> = guesses
                .iter()
                .map(|guess| format!("{} ({})", guess.tool, guess.purpose))
                .collect();
            format!("possibly {}", words::some_of(&tools, GUESSES))
        }
    }
}

/// `api at 10.0.0.7 (app@orders)`, `api at 10.0.0.7 behind PgBouncer 10.0.0.5:6432 (app@orders)`
pub fn pool(key: &PoolKey) -> String {
    let nobody = match (&key.pooler, &key.client_addr) {
        (Some(_), None) => "(no client)",
        _ => "(no application_name)",
    };
    let name = key
        .application_name
        .as_deref()
        .filter(|name| !name.is_empty())
        .unwrap_or(nobody);
    let behind = key.pooler.as_ref().map_or(String::new(), |console| {
        format!(" behind PgBouncer {console}")
    });
    let at = key
        .client_addr
        .as_ref()
        .map_or(String::new(), |client| format!(" at {client}"));
    let user = key.usename.as_deref().unwrap_or("?");
    let database = key.datname.as_deref().unwrap_or("?");
    format!("{name}{at}{behind} ({user}@{database})")
}

/// `orders` or `key 42 in orders`: what somebody waits for.
pub fn target(picture: &Picture<'_>, target: &Target) -> String {
    match target {
        Target::Advisory { database, tag } => key(
            picture,
            LockId {
                database: *database,
                tag: *tag,
            },
        ),
        Target::Other(other) => other_target(picture, other),
    }
}

fn other_target(picture: &Picture<'_>, target: &OtherTarget) -> String {
    if let (Some(database), Some(relation)) = (target.database, target.relation) {
        let name = picture.snapshot.relations.get(&(database, relation));
        let name = name.cloned().unwrap_or_else(|| relation.to_string());
        return format!("{} {name}", target.locktype);
    }
    let what = target
        .transactionid
        .map(|xid| xid.to_string())
        .or_else(|| target.virtualxid.clone());
    match what {
        Some(what) => format!("{} {what}", target.locktype),
        None => target.locktype.clone(),
    }
}

/// The global id of a prepared holder that the server listed.
pub fn gid(hold: &Hold<'_>) -> Option<String> {
    match hold.holder {
        Holder::Prepared(prepared) => prepared.map(|prepared| format!("'{}'", prepared.gid)),
        _ => None,
    }
}

/// Our word for a scope, in JSON too.
pub fn scope(scope: Scope) -> &'static str {
    match scope {
        Scope::Session => "session",
        Scope::Transaction => "transaction",
        Scope::Unknown => "unknown",
    }
}

/// Our word for what proves it, in JSON too.
pub fn scope_basis(basis: ScopeBasis) -> &'static str {
    match basis {
        ScopeBasis::NotInTransaction => "not_in_transaction",
        ScopeBasis::SurvivedTransaction => "survived_transaction",
        ScopeBasis::Prepared => "prepared",
        ScopeBasis::None => "none",
    }
}
