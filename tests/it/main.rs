//! One test binary: the harness and a file for each subject.

mod apart;
mod certificates;
mod client_certificates;
mod command_line;
mod connecting;
mod destination;
mod harness;
mod harness_works;
mod imposter;
mod libpq_oracle;
mod nothing_stays_behind;
mod output_file;
mod output_hostile;
mod output_size;
mod output_width;
mod refusals;
mod sample_blindness;
mod sample_encodings;
mod sample_footprint;
mod sample_lock_table_full;
mod sample_questions;
mod strangers;
mod supply_chain;
mod tls;
mod tls_matrix;
mod vanished_session;
