//! Waits that may close a circle through an application, where PostgreSQL can't see it: what
//! `hidden-deadlock` reports, and what other rules must not advise against.

use crate::picture::Picture;
use crate::snapshot::{Owner, Session};
use crate::waits::Wait;

/// A wait for an open transaction, and the idle root that keeps that transaction open.
pub(super) struct Circle<'b> {
    pub wait: &'b Wait<'b>,
    /// Sessions that wait for the root's advisory lock, or are the root itself.
    pub stand_in_the_way: Vec<i32>,
    pub root: &'b Session,
}

impl<'b> Circle<'b> {
    /// One for each wait that may close one.
    pub fn all(picture: &'b Picture<'b>) -> Vec<Self> {
        let roots: Vec<Owner> = picture
            .waits
            .roots()
            .into_iter()
            .filter(|root| is_at_rest(picture, *root))
            .collect();
        let waits = picture.waits.waits().iter();
        waits
            .filter(|wait| is_for_a_transaction(wait))
            .filter_map(|wait| Self::of(picture, wait, &roots))
            .collect()
    }

    fn of(picture: &'b Picture<'b>, wait: &'b Wait<'b>, roots: &[Owner]) -> Option<Self> {
        let root = *roots.iter().find(|root| leads_to(picture, **root, wait))?;
        let root_pid = root.pid()?;
        let mut stand_in_the_way: Vec<i32> = picture
            .waits
            .all_behind(root)
            .iter()
            .filter(|behind| behind.lock.target.advisory().is_some())
            .map(|behind| behind.pid)
            .filter(|pid| *pid != wait.pid)
            .collect();
        if wait.blockers.contains(&root) {
            stand_in_the_way = vec![root_pid];
        }
        (!stand_in_the_way.is_empty()).then_some(Self {
            wait,
            stand_in_the_way,
            root: picture.snapshot.session(root_pid)?,
        })
    }

    pub fn may_be_one_program(&self, picture: &Picture<'_>) -> bool {
        let waiter = picture.snapshot.session(self.wait.pid);
        let named = self
            .root
            .application_name
            .as_ref()
            .filter(|name| !name.is_empty());
        waiter.is_some_and(|waiter| {
            waiter.usename == self.root.usename
                && named.is_some()
                && waiter.application_name.as_ref() == named
        })
    }
}

fn is_for_a_transaction(wait: &Wait<'_>) -> bool {
    matches!(wait.lock.target.locktype(), "virtualxid" | "transactionid")
}

fn leads_to(picture: &Picture<'_>, root: Owner, wait: &Wait<'_>) -> bool {
    let behind = picture.waits.all_behind(root);
    behind.iter().any(|behind| behind.pid == wait.pid)
}

/// Holds an advisory lock and does nothing.
fn is_at_rest(picture: &Picture<'_>, root: Owner) -> bool {
    let hold = picture.holds_of(root).next();
    hold.is_some_and(|hold| hold.doing().is_at_rest())
}
