# Every target creates what it needs; nothing has to be installed first but Python, git and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
NODE_MODULES := frontend/node_modules/.package-lock.json

.DEFAULT_GOAL := help
.PHONY: help demo test check format docs transcripts hot-path bench bench-recall bench-memory bench-prompts soak e2e clean frontend check-frontend compare-frontend pictures

help: ## List the targets
	@grep -hE '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-14s %s\n", $$1, $$2}'

$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed; set PYTHON=/path/to/python3.11"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@

# Two hosts that sync over ssh are two hosts with a real server: the tests start one on loopback.
$(VENV)/.sshd: $(STAMP)
	@if command -v sshd >/dev/null || test -x /usr/sbin/sshd; then touch $@; \
	elif test "$$(id -u)" = 0 && command -v apt-get >/dev/null; then \
	  apt-get update --quiet >/dev/null && apt-get install --yes --quiet --no-install-recommends openssh-server >/dev/null && touch $@; \
	else echo "openssh-server is missing: install it, or the tests that sync over ssh will fail"; fi

demo: $(STAMP) ## Run the main job on a throw-away store and print what happened
	@$(BIN)/python -m demo

test: $(STAMP) $(VENV)/.sshd ## Run all tests but the long ones
	$(BIN)/python tests/browser/ensure_chromium.py
	$(BIN)/python -m pytest

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

# They shall look alike whoever writes them, so they need the typeface that the dashboard prefers.
$(VENV)/.fonts: $(STAMP)
	@if fc-list | grep -q Inter; then touch $@; \
	elif test "$$(id -u)" = 0 && command -v apt-get >/dev/null; then \
	  apt-get update --quiet >/dev/null && apt-get install --yes --quiet --no-install-recommends fonts-inter >/dev/null && touch $@; \
	else echo "The typeface Inter is missing: install it first"; exit 1; fi

pictures: $(STAMP) $(VENV)/.fonts ## Write the pictures of the documentation
	$(BIN)/python -m tests.browser.screenshots

check: $(STAMP) check-frontend ## Formatter, linter, types, layers, size ceiling, docs
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
	$(BIN)/python -m anamnesis.mcp.reference > docs/reference/mcp-tools.md

transcripts: $(STAMP) ## Write what the program prints now into the transcript tests
	$(BIN)/python tests/support/transcripts.py

hot-path: $(STAMP) ## Write the list of modules that hooks and the server load
	HOT_PATH=write $(BIN)/python -m pytest -q -n 0 tests/test_hot_path.py -k anew

bench: $(STAMP) ## Print the performance table (some minutes)
	$(BIN)/python -m benchmarks.performance

bench-recall: $(STAMP) ## Print how often recall finds what was meant, and what it costs
	$(BIN)/python -m benchmarks.recall

bench-memory: $(STAMP) ## Print what session notes keep, beside the plain method
	$(BIN)/python -m benchmarks.memory

bench-prompts: $(STAMP) ## Print how often the hook at the prompt is right, and how often it speaks in vain
	$(BIN)/python -m benchmarks.prompts

soak: $(STAMP) $(VENV)/.sshd ## The long fault and load runs
	$(BIN)/python -m pytest -m soak

e2e: $(STAMP) ## The real clients, offline against a scripted model (downloads them once by npm)
	$(BIN)/python tests/clients/run.py

clean: ## Remove what the targets created
	rm -rf frontend/node_modules .cache $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .benchmarks
