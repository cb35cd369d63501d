# Each target sets up what it needs in .venv, once. `make review` is the place to start.

PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	command -v $$p >/dev/null 2>&1 && $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	&& { echo $$p; break; }; done)
VENV := .venv
BIN := $(VENV)/bin
STUDY ?= build/bank.study
SAMPLE := sample_data/relevance
WORKERS ?= 2
export PIP_DISABLE_PIP_VERSION_CHECK = 1
export PIP_ROOT_USER_ACTION = ignore

.DEFAULT_GOAL := help
.PHONY: help review lab test lint bench bench-coverage pictures format clean

help:  ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' $(MAKEFILE_LIST) | expand -t 26

review: $(VENV)/.app $(STUDY)  ## open the review app on the sample data
	@$(BIN)/labkit review $(STUDY) $(ARGS)

lab: $(VENV)/.app $(STUDY)  ## open JupyterLab on the notebooks, with the sample study
	@$(BIN)/labkit lab $(STUDY) $(ARGS)

$(STUDY): | $(VENV)/.app
	@mkdir -p build
	@$(BIN)/labkit init $(SAMPLE)/predictions.csv --study $(STUDY) --source $(SAMPLE)/src/test/java >&2

lint: $(VENV)/.dev  ## style, types and import rules
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@PYTHONPATH=.:widgets $(BIN)/lint-imports --no-cache

test: lint  ## everything: lint, JavaScript, Python, browser
	@bash scripts/services.sh $(BIN)/python
	@if ! command -v node >/dev/null 2>&1; then echo "node is not installed: the JavaScript unit tests are left out"; \
	elif ls tests/js/*.test.*js >/dev/null 2>&1; then node --test --test-reporter=dot tests/js/*.test.*js; fi
	@. build/services.env && $(BIN)/python -m pytest -q -n $(WORKERS) --dist loadgroup --durations=10 $(ARGS)

bench: $(VENV)/.dev  ## how fast it is: keys, first paint, scoring, imports
	@bash scripts/services.sh $(BIN)/python
	@. build/services.env && $(BIN)/python -m tests.bench $(ARGS)

bench-coverage: $(VENV)/.dev  ## how often the intervals hold; writes docs/coverage.md
	@PYTHONPATH=.:widgets $(BIN)/python -m tests.bench.coverage $(ARGS)

pictures: $(VENV)/.dev  ## README's pictures, taken from the running app
	@bash scripts/services.sh $(BIN)/python
	@. build/services.env && $(BIN)/python scripts/pictures.py $(ARGS)

format: $(VENV)/.dev  ## lay the code out
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

clean:  ## forget .venv and everything built; studies under build/ too
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis

$(VENV)/bin/python:
	@test -n "$(PYTHON)" || { echo "labkit needs Python 3.11 or newer; install it, or name it: make PYTHON=/path/to/python3.12"; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); bash scripts/venv.sh $(PYTHON) $(VENV); }

# two stamps, so that a reviewer need not wait for the tools of a developer
$(VENV)/.app: pyproject.toml | $(VENV)/bin/python
	@echo "setting up $(VENV) (once; about a minute)"
	@$(BIN)/python -m pip install -qq -e '.[app]'
	@touch $@

$(VENV)/.dev: pyproject.toml | $(VENV)/bin/python
	@echo "setting up $(VENV) with the developers' tools (once; a few minutes)"
	@$(BIN)/python -m pip install -qq -e '.[dev]'
	@touch $@ $(VENV)/.app
