//! One test binary: the harness and a file for each subject.

mod harness;
mod harness_works;
mod nothing_stays_behind;
