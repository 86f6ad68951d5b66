//! A lease is not held twice, whatever happens: on real servers, one file a kind of trouble.

mod answers;
mod clock;
mod cost;
mod failover;
mod guards;
mod outages;
mod record;
mod soak;
mod takers;
mod words;
