//! One test binary: the harness and a file for each subject.

mod libpq_oracle;
