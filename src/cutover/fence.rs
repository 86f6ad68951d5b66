//! The fence: the old keys in one hand, shared, so that a forgotten old process can't work and is seen.
//!
//! It decides which keys are to be held and what is to be said; it holds none itself. It proves nothing
//! alone: the end of its one session frees all keys at once.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, SystemTime};

use crate::key::AdvisoryKey;
use crate::lease::{Holder, Mode, Name, Standing};
use crate::words;

/// The part of the server's lock table that a fence may fill: when it is full, nobody can even connect.
const SHARE: usize = 10;

/// How many fences of a database are told apart.
const SLOTS: u32 = 9;

/// A name, as its row has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fenceable {
    pub name: Name,
    pub mode: Mode,
    /// Nothing once its migration is finished, and where it had none.
    pub key: Option<AdvisoryKey>,
}

/// Old code: it has an old key exclusively, or waits for it so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OldUser {
    pub name: Name,
    /// `None`: a prepared transaction.
    pub pid: Option<i32>,
    pub application: Option<String>,
    pub granted: bool,
    /// Of a holder the start of its session, of a waiter that of its statement; `None`: hidden from our role.
    pub since: Option<SystemTime>,
}

/// A fence of the same database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fence {
    pub name: Name,
    pub holder: Holder,
    pub standing: Standing,
}

/// What is worth a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// By this server process; it may hold so many keys.
    Began {
        process: i32,
        places: usize,
    },
    Held(Name, AdvisoryKey),
    /// It is not to be fenced any more.
    GivenBack(Name, Option<Mode>),
    /// All keys are held that are to be.
    Whole,
    /// Old code was met.
    Met(OldUser),
    /// It is not there any more.
    Gone(OldUser),
    OtherFence(Fence),
    DeadFence(Fence),
    /// Names that came later, and have no place.
    NoPlace(Vec<Name>),
    /// The fence's own lease had run out, or was broken, and was taken anew: the keys were held all the time.
    LeaseTakenAnew,
    /// The session has ended, and the keys with it: old code may work.
    Lost(Option<String>),
    /// All keys and the lease were given back.
    Ended,
}

/// A line: what happened, when by the server's clock, and how the fence stands.
#[derive(Debug, Clone, Copy)]
pub struct Said<'a> {
    /// Nothing where the server could not say.
    pub at: Option<SystemTime>,
    pub fence: &'a Name,
    pub held: usize,
    pub wanted: usize,
    /// Old holders and waiters so far.
    pub met: usize,
    pub event: &'a Event,
}

/// The names that fences of a database have. The first that nobody has is taken, so a dead one's place is
/// taken by the next, and no more rows are left than fences ran at once.
pub fn slots(database: &str) -> Vec<Name> {
    let names = (1..=SLOTS).map(|slot| format!("fence:{database}:{slot}").parse());
    names.filter_map(Result::ok).collect()
}

/// How many keys one fence may hold.
pub fn places(lock_table: i64) -> usize {
    usize::try_from(lock_table).unwrap_or(0) / SHARE
}

/// The names whose keys are to be held: of those that are asked for, or of all.
///
/// # Errors
/// Why one that is asked for can't be fenced.
pub fn chosen(rows: &[Fenceable], only: &[Name]) -> Result<BTreeMap<Name, AdvisoryKey>, String> {
    for name in only {
        let row = rows.iter().find(|row| row.name == *name);
        if let Some(why) = why_not(name, row) {
            return Err(why);
        }
    }
    Ok(still_chosen(rows, only))
}

/// As [`chosen`], later: a name that can't be fenced any more is left out.
pub fn still_chosen(rows: &[Fenceable], only: &[Name]) -> BTreeMap<Name, AdvisoryKey> {
    let asked = rows
        .iter()
        .filter(|row| only.is_empty() || only.contains(&row.name));
    let fit = asked.filter(|row| row.mode != Mode::Advisory);
    fit.filter_map(|row| Some((row.name.clone(), row.key?)))
        .collect()
}

fn why_not(name: &Name, row: Option<&Fenceable>) -> Option<String> {
    Some(match row {
        None => format!("there is no name {name}"),
        Some(row) if row.key.is_none() => format!("{name} has no old key"),
        Some(row) if row.mode == Mode::Advisory => format!(
            "{name} is in mode `advisory`, where new code works by the old key too: the fence would keep it out"
        ),
        Some(_) => return None,
    })
}

/// What a fence holds, and what it has seen.
#[derive(Debug, Default)]
pub struct Watch {
    held: BTreeMap<Name, AdvisoryKey>,
    users: Vec<OldUser>,
    fences: Vec<Fence>,
    left_out: Vec<Name>,
    said_whole: bool,
    met: BTreeSet<(Name, Option<i32>, bool)>,
}

impl Watch {
    pub fn held(&self) -> &BTreeMap<Name, AdvisoryKey> {
        &self.held
    }

    /// How many locks the server must count for this session: two names may have one key.
    pub fn locks(&self) -> usize {
        let keys = self.held.values().collect::<BTreeSet<_>>();
        keys.len()
    }

    /// How many old holders and waiters were met so far.
    pub fn met(&self) -> usize {
        self.met.len()
    }

    /// What is wanted, cut to its places: what is held stays.
    pub fn fitting(
        &mut self,
        mut wanted: BTreeMap<Name, AdvisoryKey>,
        places: usize,
    ) -> (BTreeMap<Name, AdvisoryKey>, Option<Event>) {
        let mut left_out = Vec::new();
        let mut room = places.saturating_sub(self.held.len());
        wanted.retain(|name, _| {
            let fits = self.held.contains_key(name) || room > 0;
            match fits {
                true if !self.held.contains_key(name) => room -= 1,
                true => {}
                false => left_out.push(name.clone()),
            }
            fits
        });
        let is_news = left_out != self.left_out && !left_out.is_empty();
        self.left_out.clone_from(&left_out);
        (wanted, is_news.then_some(Event::NoPlace(left_out)))
    }

    /// Held, and not wanted any more: under this key.
    pub fn to_give_back(
        &self,
        wanted: &BTreeMap<Name, AdvisoryKey>,
    ) -> BTreeMap<Name, AdvisoryKey> {
        let held = self.held.iter();
        let gone = held.filter(|(name, key)| wanted.get(*name) != Some(*key));
        gone.map(|(name, key)| (name.clone(), *key)).collect()
    }

    pub fn to_try(&self, wanted: &BTreeMap<Name, AdvisoryKey>) -> BTreeMap<Name, AdvisoryKey> {
        let missing = wanted
            .iter()
            .filter(|(name, _)| !self.held.contains_key(*name));
        missing.map(|(name, key)| (name.clone(), *key)).collect()
    }

    pub fn gave_back(&mut self, name: Name, mode: Option<Mode>) -> Event {
        self.held.remove(&name);
        self.said_whole = false;
        Event::GivenBack(name, mode)
    }

    pub fn got(&mut self, name: Name, key: AdvisoryKey) -> Event {
        self.held.insert(name.clone(), key);
        self.said_whole = false;
        Event::Held(name, key)
    }

    /// Said once, until something changes.
    pub fn whole(&mut self, wanted: &BTreeMap<Name, AdvisoryKey>) -> Option<Event> {
        let whole = !wanted.is_empty() && self.to_try(wanted).is_empty();
        (whole && !std::mem::replace(&mut self.said_whole, whole)).then_some(Event::Whole)
    }

    /// Each is said when it is met first, and when it is gone.
    pub fn saw_users(&mut self, now: Vec<OldUser>) -> Vec<Event> {
        let is = |one: &OldUser, other: &OldUser| {
            (&one.name, one.pid, one.granted) == (&other.name, other.pid, other.granted)
        };
        let gone = self.users.iter();
        let gone = gone.filter(|before| !now.iter().any(|user| is(before, user)));
        let gone: Vec<Event> = gone.cloned().map(Event::Gone).collect();
        let met = now.iter();
        let met = met.filter(|user| !self.users.iter().any(|before| is(before, user)));
        let met: Vec<Event> = met.cloned().map(Event::Met).collect();
        for user in &now {
            self.met.insert((user.name.clone(), user.pid, user.granted));
        }
        self.users = now;
        gone.into_iter().chain(met).collect()
    }

    /// Each is said when it is seen first, and when its lease has run out.
    pub fn saw_fences(&mut self, now: Vec<Fence>) -> Vec<Event> {
        let is_dead = |fence: &Fence| matches!(fence.standing, Standing::Expired { .. });
        let was_so = |fence: &&Fence| {
            let mut before = self.fences.iter();
            before.any(|before| {
                (&before.name, &before.holder) == (&fence.name, &fence.holder)
                    && is_dead(before) == is_dead(fence)
            })
        };
        let news = now.iter().filter(|fence| !was_so(fence)).cloned();
        let events = news.map(|fence| match is_dead(&fence) {
            true => Event::DeadFence(fence),
            false => Event::OtherFence(fence),
        });
        let events = events.collect();
        self.fences = now;
        events
    }
}

/// What must be known of a fence before it is relied on.
pub const ALONE_IT_PROVES_NOTHING: &str = "the fence is a tripwire and proves nothing alone: its keys are free the moment its one session ends, and old code works from then on. \
What keeps old and new code apart is mode `both`, where new code holds the key itself. Run a second fence on another host";

/// Why so many can't be fenced.
pub fn too_many(names: usize, places: usize) -> String {
    format!(
        "{} would fill more than a tenth of the server's lock table, which has places for {places} then: when it is full, nobody can take a lock or connect",
        words::count(names, "key")
    )
}

/// For how long a fence's lease runs without a renewal.
pub const DEFAULT_TTL: Duration = Duration::from_secs(30);

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> Name {
        text.parse().expect("a name")
    }

    fn row(text: &str, mode: Mode, key: Option<i64>) -> Fenceable {
        Fenceable {
            name: name(text),
            mode,
            key: key.map(AdvisoryKey::Single),
        }
    }

    fn rows() -> Vec<Fenceable> {
        vec![
            row("a", Mode::Both, Some(1)),
            row("b", Mode::Lease, Some(2)),
            row("old", Mode::Advisory, Some(3)),
            row("plain", Mode::Lease, None),
        ]
    }

    #[test]
    fn only_names_that_new_code_holds_by_a_lease_are_fenced() {
        let all = chosen(&rows(), &[]).expect("they can");
        assert_eq!(all.into_keys().collect::<Vec<_>>(), [name("a"), name("b")]);
        let why = |text: &str| chosen(&rows(), &[name("a"), name(text)]).expect_err(text);
        assert!(why("old").contains("mode `advisory`"));
        assert_eq!(why("plain"), "plain has no old key");
        assert_eq!(why("nobody"), "there is no name nobody");
        let one = chosen(&rows(), &[name("b")]).expect("it can");
        assert_eq!(one.into_keys().collect::<Vec<_>>(), [name("b")]);
    }

    #[test]
    fn a_name_that_goes_back_to_its_key_is_given_back() {
        let mut watch = Watch::default();
        let wanted = still_chosen(&rows(), &[]);
        for (name, key) in watch.to_try(&wanted) {
            watch.got(name, key);
        }
        assert_eq!(watch.whole(&wanted), Some(Event::Whole));
        assert_eq!(watch.whole(&wanted), None, "said once");
        let mut later = rows();
        later[0].mode = Mode::Advisory;
        let wanted = still_chosen(&later, &[]);
        let back = watch.to_give_back(&wanted);
        assert_eq!(back.into_keys().collect::<Vec<_>>(), [name("a")]);
        assert!(watch.to_try(&wanted).is_empty());
    }

    #[test]
    fn a_tenth_of_the_lock_table_is_all_it_takes() {
        assert_eq!(places(6_400), 640);
        assert_eq!((places(9), places(-1)), (0, 0));
        let mut watch = Watch::default();
        let wanted = still_chosen(&rows(), &[]);
        watch.got(name("b"), AdvisoryKey::Single(2));
        let (fits, event) = watch.fitting(wanted.clone(), 1);
        assert_eq!(
            fits.into_keys().collect::<Vec<_>>(),
            [name("b")],
            "what is held stays"
        );
        assert_eq!(event, Some(Event::NoPlace(vec![name("a")])));
        assert_eq!(watch.fitting(wanted, 1).1, None, "said once");
    }

    #[test]
    fn old_code_is_said_when_it_comes_and_when_it_goes() {
        let user = |pid, granted| OldUser {
            name: name("a"),
            pid: Some(pid),
            application: None,
            granted,
            since: None,
        };
        let mut watch = Watch::default();
        let both = vec![user(7, true), user(8, false)];
        assert_eq!(
            watch.saw_users(both.clone()),
            both.iter().cloned().map(Event::Met).collect::<Vec<_>>()
        );
        assert_eq!(watch.saw_users(both.clone()), []);
        let next = vec![user(8, true)];
        let expected = [
            Event::Gone(both[0].clone()),
            Event::Gone(both[1].clone()),
            Event::Met(next[0].clone()),
        ];
        assert_eq!(watch.saw_users(next), expected);
        assert_eq!(watch.met(), 3);
    }

    #[test]
    fn a_fence_that_dies_is_said_once_more() {
        let fence = |standing| Fence {
            name: slots("orders")[1].clone(),
            holder: Holder::of("host", 7, 1),
            standing,
        };
        let second = Duration::from_secs(1);
        let alive = fence(Standing::Valid { remaining: second });
        let dead = fence(Standing::Expired { since: second });
        let mut watch = Watch::default();
        assert_eq!(
            watch.saw_fences(vec![alive.clone()]),
            [Event::OtherFence(alive.clone())]
        );
        assert_eq!(watch.saw_fences(vec![alive]), []);
        assert_eq!(
            watch.saw_fences(vec![dead.clone()]),
            [Event::DeadFence(dead)]
        );
    }
}
