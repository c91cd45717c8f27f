# The two commands of the README, and the longer ones for developers.
SHELL := /bin/bash
export CARGO_TERM_COLOR ?= auto
# The engine is an interpreter: everything that runs it uses an optimised build.
REJOIN := target/release/rejoin

.PHONY: demo test install build bench bench-full differential oracle soak teeth lint clean

demo: build
	@echo
	@echo '$$ rejoin run examples/parse.c'
	@rm -rf target/demo
	@$(REJOIN) run examples/parse.c --out target/demo; code=$$?; \
	  if [ $$code -ne 1 ]; then echo "expected to find an error (exit code 1), got $$code"; exit 1; fi
	@echo
	@echo '$$ rejoin replay target/demo'
	@$(REJOIN) replay target/demo

test: install lint
	scripts/test.sh

install:
	scripts/install.sh

build: install
	cargo build --release -p rejoin-cli

lint:
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --release -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --document-private-items --release

bench: build
	python3 bench/run.py
	python3 bench/memory.py
	python3 bench/merging.py --short
	python3 bench/multise.py
	python3 bench/regions.py
	bench/fetch-libraries
	bench/fetch busybox
	python3 bench/regions.py libraries --seconds 5 --modes 'none loops pattern'
	bench/fetch coreutils
	python3 bench/pldi.py

# Weeks of processor time: all tools that were built, an hour each, and sizes with two hours each; all subjects of
# libraries, an hour for each mode.
bench-full: build
	bench/fetch coreutils
	python3 bench/pldi.py sizes --sizes 2 3 4 5 6 --seconds 7200
	python3 bench/pldi.py budget fit qce --tools all --seconds 3600
	bench/fetch-libraries
	bench/fetch busybox
	python3 bench/regions.py libraries --seconds 3600
	python3 bench/regions.py capacities concrete search

# Real programs on concrete command lines, natively and in the engine.
differential: build
	bench/fetch
	python3 bench/differential.py

oracle: build
	cargo build --release -p rejoin-oracle
	target/release/rejoin-oracle run --count 500 --seed 1 --modes all --max-paths 60 --time 600 --rejoin $(REJOIN) --keep target/oracle --resume

soak: build
	cargo build --release -p rejoin-oracle
	target/release/rejoin-oracle csmith --count 1000 --seed 1 --rejoin $(REJOIN) --keep target/soak --resume
	cargo test --release -p rejoin-solver --test quantified -- --ignored

# Every planted fault of the engine must be caught by its program in crates/oracle/teeth.txt.
teeth: install
	scripts/teeth.sh

clean:
	cargo clean
