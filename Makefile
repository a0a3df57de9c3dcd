# One command each, the same on a desk and in CI. Uses the python of the active virtual environment.

PYTHON ?= python
SEED ?= $(shell $(PYTHON) -c "import secrets; print(secrets.randbelow(2**31))")
PYTEST = $(PYTHON) -m pytest

.PHONY: help check test statistics coverage-study docs coverage

help:
	@echo "make check       lint, format, types, import contracts"
	@echo "make test        every test but the long simulations, at seed 42"
	@echo "make statistics  the long simulations, at a fresh printed seed (or SEED=...)"
	@echo "make coverage-study DATA=FOLDER  writes docs/coverage.md from tables with known truth"
	@echo "make docs        runs the code of the documentation"
	@echo "make coverage    make test, with branch coverage"

check:
	$(PYTHON) -m ruff check .
	$(PYTHON) -m ruff format --check .
	$(PYTHON) -m mypy
	PYTHONPATH=src $(PYTHON) -c "from importlinter.cli import lint_imports_command as run; run()"

test:
	$(PYTEST) -m "not slow"

# The seed reaches the tests as ASSAY_TEST_SEED; repeat a failure with `make statistics SEED=<the printed one>`.
statistics: SEED := $(SEED)
statistics:
	@echo "seed $(SEED)"
	ASSAY_TEST_SEED=$(SEED) $(PYTEST) -m "slow or statistics" tests

coverage-study:
	$(PYTHON) -m benchmarks.coverage --data $(DATA) --reps 2000 --seed 42 --out docs/coverage.md

docs:
	$(PYTEST) tests/docs

coverage:
	$(PYTEST) -m "not slow" --cov --cov-report=term
