//! Each pool as a bar: which of its connections are pinned, wait, serve, or are not open yet.

use std::io::{self, Write};

use super::escape::text;
use crate::describe;
use crate::picture::Picture;
use crate::pool::Pool;
use crate::render::pool_rows::{concerned, verdict};
use crate::words;

const SHOWN: usize = 40;

/// What a part of a bar stands for.
struct Part {
    class: &'static str,
    name: &'static str,
    connections: usize,
}

pub(super) fn write(picture: &Picture<'_>, out: &mut impl Write) -> io::Result<()> {
    let pools = concerned(picture);
    if pools.is_empty() {
        return Ok(());
    }
    writeln!(out, "<h2>Connection pools</h2>\n<div class=\"scroll\">")?;
    for pool in pools.iter().take(SHOWN) {
        bar(pool, out)?;
    }
    writeln!(out, "</div>")?;
    if let Some(more @ 1..) = pools.len().checked_sub(SHOWN) {
        let more = words::count(more, "more pool");
        writeln!(out, "<p class=\"muted\">and {more}, not on this page</p>")?;
    }
    writeln!(
        out,
        "<ul class=\"legend\"><li><i class=\"pinned\"></i>pinned: holds a lock and does nothing</li>\
         <li><i class=\"waiting\"></i>waiting for a lock</li><li><i class=\"serving\"></i>free or at work</li>\
         <li><i class=\"masked\"></i>hidden from the scanning role</li><li><i class=\"spare\"></i>not open yet</li></ul>"
    )
}

fn bar(pool: &Pool<'_>, out: &mut impl Write) -> io::Result<()> {
    let parts = parts(pool);
    let size = pool.size.map_or("size not known".to_owned(), |size| {
        format!("{} of {size} open", pool.sessions.len())
    });
    let said: Vec<String> = parts
        .iter()
        .map(|part| format!("{} {}", part.connections, part.name))
        .collect();
    let said = said.join(", ");
    writeln!(
        out,
        "<div class=\"pool\"><div>{}<br><small>{}; {size}</small></div>\
         <div><div class=\"bar\" role=\"img\" aria-label=\"{said}\">",
        text(&describe::pool(&pool.key)),
        verdict(pool),
    )?;
    for Part {
        class, connections, ..
    } in &parts
    {
        writeln!(
            out,
            "<span class=\"{class}\" style=\"flex-grow:{connections}\">{connections}</span>"
        )?;
    }
    writeln!(out, "</div><small>{said}</small></div></div>")
}

/// Those that are there, in the order of the bar.
fn parts(pool: &Pool<'_>) -> Vec<Part> {
    let hidden = pool.unseen.min(pool.serving());
    let size = pool.size.map_or(0, |size| size as usize);
    let part = |class, name, connections| Part {
        class,
        name,
        connections,
    };
    let mut parts = vec![
        part("pinned", "pinned", pool.pinned.len()),
        part("waiting", "waiting", pool.waiting.len()),
        part("serving", "free or at work", pool.serving() - hidden),
        part("masked", "hidden", hidden),
        part(
            "spare",
            "not open",
            size.saturating_sub(pool.sessions.len()),
        ),
    ];
    parts.retain(|part| part.connections > 0);
    parts
}
