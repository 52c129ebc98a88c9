# Each target sets up what it needs, once.
SHELL := /bin/sh
.DEFAULT_GOAL := help

# The first interpreter that runs and is new enough; override with `make PYTHON=/path/to/python up`.
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11 python3.14; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 && { echo $$p; break; }; done)
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes
# Hundreds of tests start processes of the program: each would compile it again where bytecode is not kept.
COMPILED := env -u PYTHONDONTWRITEBYTECODE
RUNTIME := .venv/.runtime
DEV := .venv/.dev

.PHONY: help up test setup check bench fmt lock

help: ## show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## /{printf "  make %-7s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

up: $(RUNTIME) ## set up and run everything: worker, scheduler, web page; Ctrl-C stops it
	@$(BIN)/scoop up

test: $(DEV) ## set up and run all tests
	@$(COMPILED) $(BIN)/python -m pytest -n auto --dist worksteal

setup: $(RUNTIME) ## make .venv with `scoop` in its bin
	@echo "ready: $(BIN)/scoop"

check: $(DEV) ## lint, formatting, types, import contract, dead code, docs
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-cache
	@$(BIN)/python .ci/dead_code.py
	@$(BIN)/python docs/generate.py --check

bench: $(RUNTIME) ## measure: one JSON line per figure (minutes)
	@$(BIN)/python bench/pipeline.py
	@$(BIN)/python bench/poll.py
	@$(BIN)/python bench/teasers.py
	@$(BIN)/python bench/stories.py
	@$(BIN)/python bench/posting.py
	@OPENBLAS_NUM_THREADS=1 $(BIN)/python bench/extracts.py
	@$(BIN)/python bench/support.py
	@OPENBLAS_NUM_THREADS=1 $(BIN)/python bench/levels.py
	@OPENBLAS_NUM_THREADS=1 $(BIN)/python bench/audio.py
	@OMP_NUM_THREADS=1 $(BIN)/python bench/curators.py

fmt: $(DEV) ## format the code, regenerate the reference pages
	@$(BIN)/ruff check --fix --quiet . || true
	@$(BIN)/ruff format --quiet .
	@$(BIN)/python docs/generate.py

lock: $(DEV) ## pin the dependencies again
	@$(BIN)/python -m pip install --quiet uv
	@$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-header --no-annotate --python-version 3.11 \
		pyproject.toml requirements-build.in -o requirements.lock
	@$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-header --no-annotate --python-version 3.11 \
		--group dev -c requirements.lock -o requirements-dev.lock

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "Scoop needs Python 3.11 or newer; install it, or name it: make PYTHON=/path/to/python up" >&2; exit 1; }
	@$(PYTHON) -m venv .venv || { rm -rf .venv; echo "Python's venv module is incomplete; on Debian and Ubuntu: apt install python3-venv" >&2; exit 1; }

$(RUNTIME): requirements.lock pyproject.toml | $(BIN)/python
	@echo "setting up .venv, once (one to three minutes): downloading and installing pinned packages ..." >&2
	@$(PIP) -r requirements.lock
	@echo "installing scoop into .venv/bin ..." >&2
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

$(DEV): requirements-dev.lock $(RUNTIME)
	@echo "installing the tools for tests and checks, once ..." >&2
	@$(PIP) -r requirements-dev.lock
	@touch $@
