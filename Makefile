# Run `make test` first: it gets the PostgreSQL servers that the tests, the demo and the benchmarks use.

.PHONY: test demo bench check servers

test: servers
	cargo test

demo: servers
	cargo run --release -- lab run pool-of-four

bench: servers
	cargo bench

check:
	cargo fmt --check
	cargo clippy --all-targets -- -D warnings

servers:
	@command -v cargo >/dev/null || { echo 'cargo is missing: install Rust first' >&2; exit 1; }
	@tests/system-packages
	@tests/fetch-postgres
