//! One column of a table: its heading and its cell in one value, for whoever draws tables.

/// A column over rows of type `T`. Its cells are raw: whoever draws them makes them safe.
pub(super) struct Column<T> {
    pub heading: &'static str,
    pub cell: fn(&T) -> String,
    pub align: Align,
    /// The number behind the cell, to sort by; `None` for a column of words.
    pub measure: Option<Measure<T>>,
}

/// The number behind a cell; `None` where it is not known.
pub(super) type Measure<T> = fn(&T) -> Option<f64>;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Align {
    Left,
    Right,
}

impl<T> Column<T> {
    pub(super) fn left(heading: &'static str, cell: fn(&T) -> String) -> Self {
        Self {
            heading,
            cell,
            align: Align::Left,
            measure: None,
        }
    }

    pub(super) fn right(heading: &'static str, cell: fn(&T) -> String) -> Self {
        Self {
            align: Align::Right,
            ..Self::left(heading, cell)
        }
    }

    pub(super) fn measured(self, measure: Measure<T>) -> Self {
        Self {
            measure: Some(measure),
            ..self
        }
    }
}
