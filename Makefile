# Every target creates what it needs; nothing has to be installed first but Python, git and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
STAMP := $(VENV)/.installed
NODE_MODULES := frontend/node_modules/.package-lock.json

# Tests start hundreds of programs, each of which would compile every module that it loads.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.PHONY: help demo test test-pythons check format docs docs-site transcripts hot-path bench bench-recall bench-memory bench-prompts bench-archive bench-public soak soak-all e2e clean frontend check-frontend compare-frontend pictures

help: ## List the targets
	@grep -hE '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-14s %s\n", $$1, $$2}'

$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed; set PYTHON=/path/to/python3.11"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@

# Tests start a real ssh server on loopback, try the completions in the shells that they are for, and read compressed transcripts.
$(VENV)/.programs: $(STAMP)
	@missing=; command -v sshd >/dev/null || test -x /usr/sbin/sshd || missing=openssh-server; \
	for program in zsh fish zstd; do command -v $$program >/dev/null || missing="$$missing $$program"; done; \
	if test -z "$$missing"; then touch $@; \
	elif test "$$(id -u)" = 0 && command -v apt-get >/dev/null; then \
	  apt-get update --quiet >/dev/null && apt-get install --yes --quiet --no-install-recommends $$missing >/dev/null && touch $@; \
	else echo "Missing: $$missing. Install them, or tests of ssh and zstd fail and those of completions are skipped."; fi

# Without the tools for development, the demo starts minutes earlier in a fresh checkout.
DEMO := $(if $(wildcard $(STAMP)),$(VENV),.cache/demo)
.cache/demo/.installed: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed; set PYTHON=/path/to/python3.11"; exit 1; }
	$(PYTHON) -m venv .cache/demo
	$(subst $(VENV),.cache/demo,$(BIN))/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e .
	@touch $@

demo: $(DEMO)/.installed ## Run the main job on a throw-away store and print what happened
	@$(subst $(VENV),$(DEMO),$(BIN))/python -m demo

test: $(STAMP) $(VENV)/.programs ## Run all tests but the long ones
	$(BIN)/python tests/browser/ensure_chromium.py
	$(BIN)/python -m pytest

# A Python that is not installed is named, so that nobody takes it for tested. Give TESTS=tests/unit for a quick look.
PYTHONS ?= 3.11 3.12 3.13 3.14
TESTS ?=
test-pythons: ## Run the tests with every supported Python that is installed (PYTHONS, TESTS)
	@failed=; for version in $(PYTHONS); do \
	  python=$$(command -v python$$version || ls -d "$${PYENV_ROOT:-$$HOME/.pyenv}"/versions/$$version.*/bin/python 2>/dev/null | tail -1); \
	  "$$python" -c '' 2>/dev/null || python=$$(ls -d "$${PYENV_ROOT:-$$HOME/.pyenv}"/versions/$$version.*/bin/python 2>/dev/null | tail -1); \
	  if test -z "$$python"; then echo "Python $$version is not installed: not tested"; continue; fi; \
	  echo "Python $$version: $$python"; venv=.cache/python-$$version; \
	  test -e $$venv/.installed || { "$$python" -m venv $$venv && \
	    $$venv/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]' && touch $$venv/.installed; } || exit 1; \
	  $$venv/bin/python -m pytest $(TESTS) || failed="$$failed $$version"; \
	done; test -z "$$failed" || { echo "Failed with Python$$failed"; exit 1; }

# The bundle is committed, so that nobody needs Node to use the dashboard; this proves that it is ours.
$(NODE_MODULES): frontend/package.json frontend/package-lock.json
	@command -v npm > /dev/null || { echo "Node.js 20 with npm is needed to check the dashboard's scripts"; exit 1; }
	cd frontend && npm ci --no-audit --no-fund --loglevel=error
	@touch $@

frontend: $(NODE_MODULES) ## Build the dashboard's scripts
	cd frontend && npm run --silent check && npm run --silent build

check-frontend: ## Types of the dashboard's scripts, and that the committed bundle is fresh
	@if command -v npm > /dev/null; then $(MAKE) --no-print-directory compare-frontend; \
	else echo "npm is missing: whether the dashboard's scripts are fresh was not checked"; fi

compare-frontend: $(NODE_MODULES)
	cd frontend && npm run --silent check && node build.mjs ../.cache/frontend
	for file in .cache/frontend/*; do cmp $$file src/anamnesis/web/static/$$(basename $$file) || exit 1; done

pictures: $(STAMP) ## Write the pictures of the documentation
	$(BIN)/python -m tests.browser.screenshots
	$(BIN)/python -m demo.picture

check: $(STAMP) check-frontend ## Formatter, linter, types, layers, docs
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest -n 0 tests/test_architecture.py tests/test_docs.py tests/test_documented_names.py

format: $(STAMP) ## Apply the formatter and the safe fixes
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

docs: $(STAMP) ## Write the generated reference pages
	$(BIN)/python -m anamnesis.cli.reference > docs/reference/cli.md
	$(BIN)/python -m anamnesis.cli.reference --man > docs/reference/anamnesis.1
	$(BIN)/python -m anamnesis.mcp.reference > docs/reference/mcp-tools.md

$(VENV)/.site: $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[docs]'
	@touch $@

docs-site: $(VENV)/.site ## Build the documentation as a site, every link checked
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet
	@echo "To read it:  python3 -m http.server --directory .cache/site --bind 127.0.0.1"

transcripts: $(STAMP) ## Write what the program prints now into the transcript tests
	PYTHONPATH=tests $(BIN)/python -m support.transcripts

hot-path: $(STAMP) ## Write the list of modules that hooks and the server load
	HOT_PATH=write $(BIN)/python -m pytest -q -n 0 tests/test_hot_path.py -k written_again

bench: $(STAMP) ## Print the performance tables (ten minutes); fails where a budget is missed
	$(BIN)/python -m benchmarks.performance

bench-recall: $(STAMP) ## Print how often recall finds what was meant, and what it costs
	$(BIN)/python -m benchmarks.recall

bench-memory: $(STAMP) ## Print what session notes keep and what is offered of them unasked
	$(BIN)/python -m benchmarks.memory
	$(BIN)/python -m benchmarks.questions
	$(BIN)/python -m benchmarks.prompts

bench-archive: $(STAMP) ## Print what keeping sessions word for word costs
	$(BIN)/python -m benchmarks.archive

bench-prompts: $(STAMP) ## Print how often the hook at the prompt is right, and how often it speaks in vain
	$(BIN)/python -m benchmarks.prompts

bench-public: $(STAMP) ## Print the tables of docs/results.md, or name the public data that are missing
	$(BIN)/python -m benchmarks.public
	$(BIN)/python -m benchmarks.memory

soak: $(STAMP) $(VENV)/.programs ## The long fault and load runs
	$(BIN)/python -m pytest -m soak
	PYTHONPATH=tests $(BIN)/python -m faults.table --soak --jobs 2

soak-all: $(STAMP) ## Every fault at every call of every command; prints the table (hours)
	PYTHONPATH=tests $(BIN)/python -m faults.table --jobs 2

e2e: $(STAMP) $(VENV)/.programs ## The real clients, offline against a scripted model (downloads them by npm; CLIENTS=known, newest or both)
	$(BIN)/python tests/clients/run.py

clean: ## Remove what the targets created
	rm -rf frontend/node_modules .cache $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .benchmarks
