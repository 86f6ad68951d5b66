//! The hash functions that applications turn a lock's name into a number with.
//!
//! Each is a function of text or bytes and nothing else. What is well kept as a crate comes from
//! there; what is written here is small, and no crate does it as PostgreSQL, Erlang, .NET or
//! JavaScript programs do.

mod digest;
mod erlang;
mod fnv;
mod postgres;
mod rolling;

pub use digest::{ByteOrder, Digest, hkdf_sha256};
pub use erlang::{ecto_migration_lock, phash2_of_binary};
pub use fnv::{fnv1_32, fnv1_64, fnv1a_32, fnv1a_64};
pub use postgres::{hashtext, hashtextextended};
pub use rolling::{dotnet_stable, infisical, java_hash_code, xor_times_33, xor_times_33_backwards};

/// CRC-32 as zlib, Ruby, PHP, Python and Go's IEEE table have it.
pub fn crc32(text: &str) -> u32 {
    crc32fast::hash(text.as_bytes())
}
