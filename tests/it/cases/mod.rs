//! What people ran into, rebuilt on a real server, and what a scan says of it. README.md lists the
//! cases that can't be rebuilt here, and why.

mod behind_a_pooler;
mod between_samples;
mod deadlocks;
mod in_an_application_pool;
mod index_builds;
mod keys;
mod leadership;
mod lock_calls_in_queries;
mod lock_table;
mod long_holders;
mod lost_clients;
mod nothing_to_see;
mod observability;
mod queues;
mod starved_pools;
