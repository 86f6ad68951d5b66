//! One test binary: the harness and a file for each subject.

mod advice;
mod certificates;
mod client_certificates;
mod connecting;
mod destination;
mod harness;
mod harness_works;
mod hold_bounds;
mod imposter;
mod lab;
mod libpq_oracle;
mod nothing_stays_behind;
mod pool_of_four;
mod refusals;
mod rules;
mod six_holders;
mod strangers;
mod supply_chain;
mod through_a_pooler;
mod tls;
mod tls_matrix;
