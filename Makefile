# Everything a newcomer needs is `make serve` and `make test`; `make help` lists the rest.
PYTHON ?= python3
VENV ?= .venv
FILES ?= S M M-scattered
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: help serve test check bench bench-board bench-ranks bench-check shots clean chromium

help:  ## list the commands
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/'

serve: $(VENV)/.runtime  ## start the app and print its address (PORT=7860)
	@exec $(BIN)/python app.py

test: $(VENV)/.tests chromium  ## install what the tests need and run them all
	$(BIN)/python -m pytest $(TESTS)

check: $(VENV)/.tests  ## format, lint, types and the fast tests
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -q -m "not browser and not processes"

bench: $(VENV)/.runtime $(VENV)-bench/.ready  ## read and score runs beside the field's programs (FILES="S M M-scattered")
	$(BIN)/python benchmarks/bench_runs.py --files $(FILES) --others $(VENV)-bench/bin/python --write docs/performance.md

bench-ranks: $(VENV)/.runtime $(VENV)-bench/.ready  ## time intervals and paired tests, and simulate what they claim
	$(VENV)-bench/bin/python -m benchmarks.bench_uncertainty

bench-board: $(VENV)/.tests chromium  ## first table beside gr.Dataframe, script time, answers a second, pages while runs are scored
	$(BIN)/python -m benchmarks.bench_board

bench-check: $(VENV)/.runtime  ## ask for a board while 300 MB are checked
	$(BIN)/python benchmarks/bench_page_during_check.py

shots: $(VENV)/.tests chromium  ## photograph every page into shots/ (SHOTS="--only irsc --langs fr")
	$(BIN)/python -m tests.shots $(SHOTS)

clean:  ## remove the virtual environment and caches
	rm -rf $(VENV) $(VENV)-bench .mypy_cache .ruff_cache .pytest_cache .hypothesis shots

$(VENV)/.runtime: requirements.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) --upgrade "pip>=25.1"
	$(PIP) -r requirements.txt
	@touch $@

$(VENV)/.tests: $(VENV)/.runtime pyproject.toml
	$(PIP) --group dev
	@touch $@

# The field's programs have their own environment: they may want other versions than the app.
$(VENV)-bench/.ready: pyproject.toml
	test -x $(VENV)-bench/bin/python || $(PYTHON) -m venv $(VENV)-bench
	$(VENV)-bench/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	$(VENV)-bench/bin/python -m pip install --quiet --group bench
	@touch $@

# Debian's browser where we may install it, Playwright's own elsewhere.
chromium: $(VENV)/.tests
	@if command -v chromium >/dev/null; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		apt-get update -qq && apt-get install -y -qq chromium fonts-noto-cjk >/dev/null; \
	else $(BIN)/python -m playwright install chromium; fi
