# Everything runs in .venv, which these rules make; nothing need be installed by hand but Python (3.11 or newer), git and make.
# All paths are relative, so a checkout may live in a folder with blanks in its name.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
SPARK := .venv/.spark

.PHONY: setup spark demo test test-fast soak check format bench bench-large bench-persons reproduce docs lock clean

setup: $(READY)

$(READY): requirements-dev.txt pyproject.toml
	$(PYTHON) -c "import sys; sys.exit('Discreet needs Python 3.11 or newer; this is ' + sys.version.split()[0] + '. Try: make PYTHON=python3.11 ' if sys.version_info < (3, 11) else 0)"
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install -qq --disable-pip-version-check --require-hashes --no-deps -r requirements-dev.txt
	$(BIN)/python -m pip install -qq --disable-pip-version-check --no-deps --no-build-isolation --editable .
	touch $(READY)

# PySpark with its half a gigabyte of archives, for the tests of that engine. They need Java (17 or newer) besides.
spark: $(SPARK)

$(SPARK): requirements-spark.txt $(READY)
	$(BIN)/python -m pip install -qq --disable-pip-version-check --require-hashes --no-deps --no-build-isolation -r requirements-spark.txt
	touch $(SPARK)

demo: setup
	$(BIN)/python examples/demo.py

test: setup
	$(BIN)/python -m pytest -n 2 --dist worksteal

test-fast: setup
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "not slow"

# 10,000 processes killed at random moments of a charge, on both back ends (about 20 minutes; needs PostgreSQL).
KILLS ?= 10000
soak: setup
	$(BIN)/python tests/curator/ledger/storm.py $(KILLS)

check: setup
	$(BIN)/python -m ruff format --check .
	$(BIN)/python -m ruff check .
	$(BIN)/python -m mypy
	$(BIN)/lint-imports --no-cache
	$(MAKE) docs

format: setup
	$(BIN)/python -m ruff format .
	$(BIN)/python -m ruff check --fix .

bench: setup
	$(BIN)/python benchmarks/run.py

# 165 million synthetic records, made once (70 MB).
bench-large: setup
	$(BIN)/python benchmarks/large.py

bench-persons: setup
	$(BIN)/python benchmarks/persons.py

# The papers' figures, reduced, into build/figures; with DATA=folder also those of tables that do not come with the package.
reproduce: setup
	$(BIN)/python -m discreet lab reproduce all --folder build/figures --workers -1 $(if $(DATA),--data "$(DATA)")

docs: setup
	$(BIN)/python -m sphinx -q -W --keep-going -b html docs build/docs

# The pinned versions and hashes, for every platform and Python version (needs uv: pip install uv). PySpark has its own file.
LOCK := uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-annotate --python-version 3.11 \
  --custom-compile-command "make lock"
lock:
	$(LOCK) pyproject.toml --extra all --group dev -o requirements-dev.txt
	$(LOCK) --group spark --constraint requirements-dev.txt -o requirements-spark.txt

clean:
	rm -rf .venv build .pytest_cache .mypy_cache .ruff_cache .hypothesis
