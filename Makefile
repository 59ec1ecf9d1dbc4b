# The one list of commands, for people and for CI. `make help` prints it.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
DATA ?= $(HOME)/.omoide
RUST_SOURCES := $(shell find rust -name '*.rs' -o -path '*/src/*.txt' -o -name 'Cargo.toml') Cargo.toml Cargo.lock
# The tests of one file run in one process, as they share servers and stores.
AT_ONCE := --numprocesses auto --maxprocesses 4 --dist loadfile
export CARGO_TERM_COLOR ?= never

.DEFAULT_GOAL := help

help: ## Print this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-12s %s\n", $$1, $$2}'

run: build ## Serve http://127.0.0.1:8765/mcp (DATA=DIR chooses the store's folder)
	@$(BIN)/omoide serve --http --data "$(DATA)"

# Both at once, as pip leaves a processor to cargo while it unpacks. Cargo would take its processes out of make's two, did it know
# them from MAKEFLAGS.
test: ## Run every test, as many at once as there are processors (at most 4)
	@$(MAKE) --no-print-directory --jobs=2 build test-rust
	$(BIN)/pytest $(AT_ONCE)

test-rust: ## Run the tests of the engine that need no Python
	MAKEFLAGS= cargo test --workspace --exclude omoide-python --profile checked --locked --quiet

attack: build ## Run the reliability tests in full (ten minutes on two cores)
	$(BIN)/pytest $(AT_ONCE) tests/reliability --attacks=full

race: ## Run what threads share under the thread sanitizer (nightly Rust with its sources; ten minutes)
	OMOIDE_STRESS_GROUPS=6 RUSTFLAGS=-Zsanitizer=thread CARGO_TARGET_DIR=target/race cargo +nightly test -Zbuild-std \
	  --target $$(rustc -vV | sed -n 's/^host: //p') --release -p omoide-search --test all stress

miri: ## Run the tests that miri can interpret: arrays, codes, sets of documents, packed numbers (nightly Rust with miri)
	MIRIFLAGS=-Zmiri-disable-isolation cargo +nightly miri test -p omoide-index --lib -- column:: codes:: docset:: packing::

lint: build ## Run the linters and type checkers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/mypy bench
	MYPYPATH=python $(BIN)/stubtest omoide._engine
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --release --locked --quiet -- -D warnings

conformance: build ## Run the protocol's official suite against the server (needs the npm registry once)
	$(BIN)/python tests/conformance/run.py

format: $(VENV)/.installed ## Format Python and Rust
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .
	cargo fmt --all

# Byte-compiles as an installer does: where Python may not write its cache, every start would compile everything again.
build: $(VENV)/.built ## Set up .venv and build the extension
	@$(BIN)/python -m compileall -q python/omoide

$(VENV)/.installed: requirements/dev.lock
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("requirements/dev.lock needs Python 3.11 or later, and $(PYTHON) is %d.%d: write PYTHON=python3.11" % sys.version_info[:2])'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.lock
	@touch $@

$(VENV)/.built: $(VENV)/.installed pyproject.toml $(RUST_SOURCES)
	@touch $@.begun  # so that a source that changes during the build counts as newer than the result
	MAKEFLAGS= PIP_QUIET=1 VIRTUAL_ENV=$(CURDIR)/$(VENV) $(BIN)/maturin develop --release --locked --quiet
	@mv $@.begun $@

# Linked as in `build`, a wheel would need the glibc of this machine or a later one; zig links for one of 2018.
WHEEL_FLAGS := $(if $(filter Linux,$(shell uname -s)),--zig --compatibility manylinux_2_28)

wheel: $(VENV)/.installed ## Build a wheel into dist/, on Linux one for glibc 2.28 and later
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements/wheel.lock
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/maturin build --release --locked $(WHEEL_FLAGS) --out dist

lock: ## Renew the lock files of requirements/
	$(BIN)/pip-compile --quiet --strip-extras --generate-hashes --allow-unsafe --no-emit-index-url --no-emit-find-links --no-header \
	  --extra fugashi --extra onnx --extra dev -o requirements/dev.lock pyproject.toml
	$(BIN)/pip-compile --quiet --strip-extras --generate-hashes --allow-unsafe --no-emit-index-url --no-emit-find-links --no-header \
	  -o requirements/wheel.lock requirements/wheel.in

.PHONY: help run test test-rust attack race miri lint conformance format build wheel lock
