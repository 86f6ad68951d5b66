//! Where the nodes of a wait graph are drawn: roots on the left, who waits for them to the right of
//! them, an owner beside the first of its queue. The same graph is always drawn the same.

use crate::render::graph::Graph;

pub(super) struct Layout {
    /// In the order of the graph's nodes.
    pub cells: Vec<Cell>,
    /// Where it says how many more wait: behind which node, and in which cell.
    pub more: Vec<(usize, Cell)>,
    pub columns: usize,
    pub rows: usize,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Cell {
    pub column: usize,
    pub row: usize,
}

impl Layout {
    pub(super) fn of(graph: &Graph) -> Self {
        let mut children = vec![Vec::new(); graph.nodes.len()];
        for (at, node) in graph.nodes.iter().enumerate() {
            if let Some(parent) = node.parent {
                children[parent].push(at);
            }
        }
        let mut layout = Self {
            cells: vec![Cell::default(); graph.nodes.len()],
            more: Vec::new(),
            columns: 0,
            rows: 0,
        };
        for (at, node) in graph.nodes.iter().enumerate() {
            if node.parent.is_none() {
                let next = Cell {
                    column: 0,
                    row: layout.rows,
                };
                layout.rows = layout.place(graph, &children, at, next);
            }
        }
        layout
    }

    /// Returns the first row below the node and all that is behind it.
    fn place(&mut self, graph: &Graph, children: &[Vec<usize>], at: usize, cell: Cell) -> usize {
        self.cells[at] = cell;
        self.columns = self.columns.max(cell.column + 1);
        let column = cell.column + 1;
        let mut row = cell.row;
        for child in &children[at] {
            row = self.place(graph, children, *child, Cell { column, row });
        }
        if graph.nodes[at].more > 0 {
            self.more.push((at, Cell { column, row }));
            self.columns = self.columns.max(column + 1);
            row += 1;
        }
        row.max(cell.row + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::{Expectations, Picture};
    use crate::render::graph::Limits;
    use crate::render::planted::{crowd, incident};
    use crate::snapshot::Snapshot;

    fn layout(snapshot: &Snapshot, queue: usize) -> Layout {
        let expectations = Expectations::default();
        let picture = Picture::of(&[], snapshot, &expectations);
        let limits = Limits {
            nodes: 50,
            queue,
            lone: 0,
        };
        Layout::of(&Graph::of_waits(&picture, limits))
    }

    #[test]
    fn an_owner_stands_left_of_its_queue_and_beside_its_first() {
        let layout = layout(&incident(), 10);
        let cells: Vec<(usize, usize)> = layout
            .cells
            .iter()
            .map(|cell| (cell.column, cell.row))
            .collect();
        assert_eq!(cells, [(0, 0), (1, 0), (1, 1), (0, 2), (1, 2), (2, 2)]);
        assert_eq!((layout.columns, layout.rows), (3, 3));
    }

    #[test]
    fn no_two_nodes_share_a_cell() {
        let layout = layout(&crowd(30), 8);
        let mut cells: Vec<(usize, usize)> = layout
            .cells
            .iter()
            .chain(layout.more.iter().map(|(_, cell)| cell))
            .map(|cell| (cell.column, cell.row))
            .collect();
        let all = cells.len();
        cells.sort_unstable();
        cells.dedup();
        assert_eq!(cells.len(), all);
        assert_eq!(layout.more.len(), 1);
    }
}
