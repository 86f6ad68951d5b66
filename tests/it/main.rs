//! One test binary: the harness and a file for each subject.

mod certificates;
mod client_certificates;
mod connecting;
mod destination;
mod harness;
mod harness_works;
mod imposter;
mod lab;
mod libpq_oracle;
mod lock_table;
mod nothing_stays_behind;
mod refusals;
mod strangers;
mod supply_chain;
mod through_a_pooler;
mod tls;
mod tls_matrix;
