//! The admin console of a PgBouncer: asked over the simple protocol, one command at a time, and decoded
//! by the names of the columns. It knows no advisory lock and judges nothing.

mod answer;
mod decode;
mod open;
#[cfg(test)]
mod shapes;

pub(super) use open::OpenConsoles;
