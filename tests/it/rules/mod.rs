//! Every rule fires on a real server, and does not fire at its near miss.
//!
//! `starved-pool` and `pool-waits-on-itself` are judged in `pool_of_four.rs`.

mod connection_slots;
mod extension_lock;
mod false_exclusion;
mod hidden_deadlock;
mod holder_churn;
mod idle_holder;
mod idle_in_transaction_holder;
mod keys_alike;
mod limited_visibility;
mod lock_table_pressure;
mod many_locks_one_session;
mod no_slot_left;
mod prepared_holder;
mod standby_lock;
mod tangles;
mod time_limits;
mod waiter_holds_back_vacuum;
mod waiters;
mod zombie_holder;
