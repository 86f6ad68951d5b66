# `test` and `bench` get the PostgreSQL servers of all majors first, `demo` only one.

# `soak` takes leases from each other under faults, for LOCKAUDIT_SOAK_SECONDS, and counts overlaps.

.PHONY: test demo bench soak check servers cargo

test: servers
	cargo test

demo: cargo
	@tests/system-packages demo
	cargo run --release -- lab run pool-of-four

bench: servers
	cargo bench

soak: servers
	LOCKAUDIT_SOAK_SECONDS=$${LOCKAUDIT_SOAK_SECONDS:-120} cargo test --test it lease::soak -- --nocapture

check:
	cargo fmt --check
	cargo clippy --all-targets -- -D warnings

servers: cargo
	@tests/system-packages
	@tests/fetch-postgres

cargo:
	@command -v cargo >/dev/null || { echo 'cargo is missing: install Rust first' >&2; exit 1; }
