//! A lease is not held twice, whatever happens: on real servers, one file a kind of trouble.

mod guards;
mod takers;
mod words;
