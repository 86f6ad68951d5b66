//! The wait tree: roots first, who waits under them.

use std::collections::HashSet;
use std::io::{self, Write};

use super::prose::paragraph;
use crate::describe;
use crate::picture::Picture;
use crate::render::graph::queue_behind;
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
    /// The next one is the last. No call within a call: a file can hold a chain of any length.
    todo: Vec<(usize, Part<'b, 'a>)>,
}

enum Part<'b, 'a> {
    /// Who waits, and what waits for it.
    Waiter(&'b Wait<'a>),
    /// The end of a queue that is cut; all of the queue.
    Rest(Vec<i32>),
}

impl<'b, 'a> Tree<'b, 'a> {
    fn of(picture: &'b Picture<'a>) -> Self {
        let mut tree = Self {
            picture,
            drawn: HashSet::new(),
            lines: Vec::new(),
            todo: Vec::new(),
        };
        for root in picture.waits.roots() {
            tree.lines.push((0, describe::owner(picture, root)));
            tree.plan_below(root, 1);
            tree.draw();
        }
        for wait in picture.waits.in_a_circle() {
            tree.todo.push((0, Part::Waiter(wait)));
            tree.draw();
        }
        tree
    }

    fn draw(&mut self) {
        while let Some((depth, part)) = self.todo.pop() {
            match part {
                Part::Waiter(wait) if self.drawn.insert(wait.pid) => {
                    self.lines.push((depth, self.waiter(wait)));
                    self.plan_below(Owner::Session(wait.pid), depth + 1);
                }
                Part::Waiter(_) => (),
                Part::Rest(queue) => {
                    let more = words::count(queue.len() - QUEUE_SHOWN, "more session");
                    self.lines.push((depth, format!("<- and {more}")));
                    self.drawn.extend(queue);
                }
            }
        }
    }

    fn plan_below(&mut self, owner: Owner, depth: usize) {
        let mut waits = queue_behind(self.picture, owner);
        waits.retain(|wait| !self.drawn.contains(&wait.pid));
        if waits.len() > QUEUE_SHOWN {
            let queue = waits.iter().map(|wait| wait.pid).collect();
            self.todo.push((depth, Part::Rest(queue)));
        }
        let shown = waits.into_iter().take(QUEUE_SHOWN).rev();
        self.todo
            .extend(shown.map(|wait| (depth, Part::Waiter(wait))));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::Expectations;
    use crate::planted::{Plant, quiet};

    #[test]
    fn a_chain_longer_than_any_stack_is_drawn_and_cut() {
        let chain = (1..20_000).fold(quiet().holds(1, 1), |snapshot, pid| {
            let (next, key) = (pid + 1, i64::from(pid));
            snapshot.waits(next, key, 5).holds(next, key + 1)
        });
        let expectations = Expectations::default();
        let picture = Picture::of(&[], &chain, &expectations);
        let tree = Tree::of(&picture);
        assert_eq!(tree.lines.len(), 20_000);
        let (depth, last) = &tree.lines[19_999];
        assert_eq!(*depth, 19_999);
        assert_eq!(
            last,
            "<- pid 20000 (gone since) waits 5s: key 19999 in orders"
        );
    }
}
