//! Pools of poolers: rows and columns of every table of them.

use super::column::Column;
use crate::snapshot::{Pooler, Queue, is_console};
use crate::words;

pub(super) type Row<'a> = (&'a Pooler, &'a Queue);

/// All but the console's own, the longest queue first.
pub(super) fn all(poolers: &[Pooler]) -> Vec<Row<'_>> {
    let pools = poolers
        .iter()
        .flat_map(|pooler| pooler.queues.iter().map(move |queue| (pooler, queue)));
    let mut rows: Vec<Row<'_>> = pools
        .filter(|(_, queue)| !is_console(&queue.alias))
        .collect();
    rows.sort_by_key(|(_, queue)| std::cmp::Reverse((queue.clients_waiting, queue.longest_wait)));
    rows
}

pub(super) fn columns<'a>() -> [Column<Row<'a>>; 8] {
    [
        Column::left("CONSOLE", |(pooler, _)| pooler.console.clone()),
        Column::left("POOL", |(_, queue)| {
            format!("{} ({})", queue.alias, queue.user)
        }),
        Column::left("MODE", |(pooler, queue)| {
            pooler.mode(&queue.alias, &queue.user).as_str().to_owned()
        }),
        Column::right("SIZE", |(pooler, queue)| {
            let alias = pooler.alias(&queue.alias);
            alias.map_or("?".to_owned(), |alias| alias.pool_size.to_string())
        }),
        Column::right("OPEN", |(_, queue)| queue.servers.to_string()),
        Column::right("LENT", |(_, queue)| queue.servers_active.to_string()),
        Column::right("QUEUED", |(_, queue)| queue.clients_waiting.to_string()),
        Column::right("LONGEST", |(_, queue)| match queue.clients_waiting {
            0 => String::new(),
            _ => words::duration(queue.longest_wait),
        }),
    ]
}
