//! The `lockaudit` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    lockaudit::run().into()
}
