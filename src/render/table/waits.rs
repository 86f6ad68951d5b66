//! The wait tree: roots first, who waits under them.

use std::collections::HashSet;
use std::io::{self, Write};

use super::prose::paragraph;
use crate::describe;
use crate::picture::Picture;
use crate::render::style::Style;
use crate::snapshot::Owner;
use crate::text::printable;
use crate::waits::{Wait, WaitSource};
use crate::words;

/// Lines of the tree; the longest queues are cut first.
const SHOWN: usize = 40;

/// Waiters drawn under one owner.
const QUEUE_SHOWN: usize = 6;

pub(super) fn write(picture: &Picture<'_>, style: Style, out: &mut impl Write) -> io::Result<()> {
    if picture.waits.waits().is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    writeln!(out, "{}", style.heading("Who waits for whom"))?;
    let lines = Tree::of(picture).lines;
    for (depth, line) in lines.iter().take(SHOWN) {
        let indent = format!("{:1$}", "", depth * 3);
        paragraph(style, (&indent, depth * 3), &printable(line), out)?;
    }
    if let Some(more @ 1..) = lines.len().checked_sub(SHOWN) {
        writeln!(out, "and {}", words::count(more, "more line"))?;
    }
    Ok(())
}

struct Tree<'b, 'a> {
    picture: &'b Picture<'a>,
    drawn: HashSet<i32>,
    lines: Vec<(usize, String)>,
}

impl<'b, 'a> Tree<'b, 'a> {
    fn of(picture: &'b Picture<'a>) -> Self {
        let mut tree = Self {
            picture,
            drawn: HashSet::new(),
            lines: Vec::new(),
        };
        for root in picture.waits.roots() {
            tree.lines.push((0, describe::owner(picture, root)));
            tree.below(root, 1);
        }
        for wait in picture.waits.in_a_circle() {
            if tree.drawn.insert(wait.pid) {
                let line = tree.waiter(wait);
                tree.lines.push((0, line));
                tree.below(Owner::Session(wait.pid), 1);
            }
        }
        tree
    }

    fn below(&mut self, owner: Owner, depth: usize) {
        let mut waits: Vec<&Wait<'a>> = self
            .picture
            .waits
            .directly_behind(owner)
            .filter(|wait| belongs_under(wait, owner) && !self.drawn.contains(&wait.pid))
            .collect();
        waits.sort_by_key(|wait| (wait.queue_position, wait.pid));
        for wait in waits.iter().take(QUEUE_SHOWN) {
            if self.drawn.insert(wait.pid) {
                let line = self.waiter(wait);
                self.lines.push((depth, line));
                self.below(Owner::Session(wait.pid), depth + 1);
            }
        }
        if let Some(more @ 1..) = waits.len().checked_sub(QUEUE_SHOWN) {
            self.drawn.extend(waits.iter().map(|wait| wait.pid));
            self.lines.push((
                depth,
                format!("<- and {}", words::count(more, "more session")),
            ));
        }
    }

    fn waiter(&self, wait: &Wait<'_>) -> String {
        let who = describe::short(self.picture, Owner::Session(wait.pid));
        let what = describe::target(self.picture, &wait.lock.target);
        let time = match (wait.waiting, wait.source) {
            (Some(time), WaitSource::WaitStart) => format!(" {}", words::duration(time)),
            (Some(time), _) => format!(" {} at most", words::duration(time)),
            (None, _) => String::new(),
        };
        let place = match (wait.blockers.is_empty(), wait.queue_position) {
            (true, _) => ", blocked by the queue only".to_owned(),
            (false, 1) => String::new(),
            (false, position) => format!(", number {position} in the queue"),
        };
        format!("<- {who} waits{time}{place}: {what}")
    }
}

/// A waiter is drawn under a holder that blocks it; under the waiter ahead only when no holder does.
fn belongs_under(wait: &Wait<'_>, owner: Owner) -> bool {
    wait.blockers.contains(&owner) || wait.blockers.is_empty()
}
