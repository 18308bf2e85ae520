# Two commands need nothing but Python 3.11+: `make run` and `make test`. Everything is installed into .venv.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
# pip is asked for the groups of pyproject.toml by name, so the list of tools stands in one place.
PIP    := $(BIN)/python -m pip --disable-pip-version-check --quiet

.DEFAULT_GOAL := help
.PHONY: help run paper test test-integrations test-slow coverage mutants lint format docs build bench bench-regret bench-tables clean

help: ## what can be made
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-10s %s\n", $$1, $$2}'

$(VENV)/pip.done:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "regretless needs Python 3.11 or newer; name one with: make $(MAKECMDGOALS) PYTHON=python3.11"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --upgrade 'pip>=25.1'
	@touch $@

$(VENV)/run.done: $(VENV)/pip.done pyproject.toml
	@echo "installing regretless ..."
	$(PIP) install --editable '.[plots]'
	@touch $@

$(VENV)/test.done: $(VENV)/pip.done pyproject.toml
	@echo "installing regretless and its test tools ..."
	$(PIP) install --editable '.[all]' --group dev
	@touch $@

$(VENV)/paper.done: $(VENV)/pip.done pyproject.toml
	@echo "installing regretless and what the paper's experiments need ..."
	$(PIP) install --editable '.[paper]'
	@touch $@

$(VENV)/docs.done: $(VENV)/pip.done pyproject.toml
	@echo "installing regretless and its documentation tools ..."
	$(PIP) install --editable '.[all,optuna,sklearn]' --group docs
	@touch $@

run: $(VENV)/run.done ## optimise the Holder table function and draw what happened
	@$(BIN)/python examples/holder_table.py

paper: $(VENV)/paper.done ## the paper's experiments, figures and claims (ARGS="--quick"; data: regretless data fetch)
	$(BIN)/regretless paper $(ARGS)

lint: $(VENV)/test.done ## ruff, mypy (strict) and the import ladder
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

test: lint browser ## everything that must hold: lint, doctests, README code, tests
	$(BIN)/python -m pytest -n 2 -m "not slow" --durations=15

# Notes the test of every line, which `make mutants` goes by, and tells the slowest tests.
coverage: $(VENV)/test.done browser ## which lines and branches the tests run, and the least covered modules
	@mkdir -p out
	$(BIN)/python -m pytest -n 2 -m "not slow" --cov --cov-context=test --cov-report= --durations=15 --junitxml=out/tests.xml
	$(BIN)/python -m coverage report --sort=cover --skip-covered --skip-empty > out/coverage.txt
	@head -12 out/coverage.txt; tail -3 out/coverage.txt; echo "All modules: out/coverage.txt"

mutants: $(VENV)/test.done ## of mistakes drawn at random, how many the tests notice; after `make coverage` (ARGS="--sample 300 --seed 1")
	$(BIN)/python -m tools.mutants $(ARGS)

test-integrations: .venv-torch/test.done .venv-ray/test.done ## the adapters of BoTorch, Ax and Ray, with real runs; ours beside GPSampler and BayesSearchCV
	.venv-torch/bin/python -c "import ax, botorch, optuna, skopt"  # else every test below would be skipped
	.venv-torch/bin/python -m pytest -W default tests/integrations/botorch tests/integrations/ax docs/howto/botorch.md docs/howto/ax.md \
	  tests/integrations/optuna/test_beside_gp.py tests/integrations/sklearn/test_beside_skopt.py
	.venv-ray/bin/python -c "import ray.tune"
	.venv-ray/bin/python -m pytest -W default tests/integrations/ray docs/howto/ray.md

.PHONY: browser
browser: ## chromium for the browser tests, where it may be installed; they are skipped where there is none
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || [ -n "$$REGRETLESS_CHROMIUM" ] || \
	  { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && echo "installing chromium ..." && \
	    apt-get update -qq >/dev/null && \
	    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium >/dev/null 2>&1; } || \
	  echo "There is no chromium here, and it may not be installed: the browser tests are skipped."

test-slow: $(VENV)/test.done ## the long checks
	$(BIN)/python -m pytest -n 2 -m slow

format: $(VENV)/test.done ## rewrite the code in the house style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(VENV)/docs.done ## build the documentation into docs/_build/html
	$(BIN)/python -m sphinx -W --keep-going -b html docs docs/_build/html

# The wheel as a stranger gets it: built from the sdist, checked, and installed without extras where nothing else is.
build: $(VENV)/pip.done ## build the sdist and the wheel, and try the wheel in a clean environment
	$(PIP) install --group build
	rm -rf dist
	$(BIN)/python -m build --quiet
	$(BIN)/python -m twine check --strict dist/*
	rm -rf .venv-wheel && $(PYTHON) -m venv .venv-wheel
	.venv-wheel/bin/python -m pip --disable-pip-version-check --quiet install dist/*.whl
	cd dist && ../.venv-wheel/bin/python -c "import regretless as r; print(r.maximize(lambda x: -x[0]**2, [(-1, 1)], 8, seed=1))"
	cd dist && ../.venv-wheel/bin/regretless --version
	rm -rf .venv-wheel

clean: ## remove what was installed and built
	rm -rf $(VENV) .venv-torch .venv-ray .venv-bench .venv-bench-hebo .venv-wheel docs/_build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis

# Heavy packages live in environments of their own, as the peers below. torch comes first and by its exact version: a
# looser requirement brings gigabytes of CUDA.
.venv-torch/test.done: pyproject.toml
	@echo "installing regretless with BoTorch and Ax ..."
	$(PYTHON) -m venv .venv-torch
	.venv-torch/bin/python -m pip --disable-pip-version-check --quiet install --upgrade 'pip>=25.1'
	.venv-torch/bin/python -m pip --disable-pip-version-check --quiet install torch==2.13.0
	.venv-torch/bin/python -m pip --disable-pip-version-check --quiet install --editable . --group torch
	@touch $@

.venv-ray/test.done: pyproject.toml
	@echo "installing regretless with Ray ..."
	$(PYTHON) -m venv .venv-ray
	.venv-ray/bin/python -m pip --disable-pip-version-check --quiet install --upgrade 'pip>=25.1'
	.venv-ray/bin/python -m pip --disable-pip-version-check --quiet install --editable . --group ray
	@touch $@

# The peers live in environments of their own. torch comes first and by its exact version: a looser requirement brings
# gigabytes of CUDA. HEBO needs an old numpy; where it cannot be installed, the benchmarks leave it out and say so.
.venv-bench/bench.done: pyproject.toml bench/requirements.txt
	@echo "installing regretless and its peers ..."
	$(PYTHON) -m venv .venv-bench
	.venv-bench/bin/python -m pip --disable-pip-version-check --quiet install torch==2.13.0
	.venv-bench/bin/python -m pip --disable-pip-version-check --quiet install --editable . -r bench/requirements.txt
	@touch $@

.venv-bench-hebo/bench.done: pyproject.toml bench/requirements-hebo.txt
	@echo "installing HEBO ..."
	@{ $(PYTHON) -m venv .venv-bench-hebo && \
	  .venv-bench-hebo/bin/python -m pip --disable-pip-version-check --quiet install --only-binary=:all: -r bench/requirements-hebo.txt && \
	  .venv-bench-hebo/bin/python -m pip --disable-pip-version-check --quiet install --no-deps HEBO==0.3.6 && \
	  .venv-bench-hebo/bin/python -m pip --disable-pip-version-check --quiet install --editable . && \
	  touch $@; } || echo "HEBO could not be installed: it is left out."

bench: .venv-bench/bench.done .venv-bench-hebo/bench.done ## what a suggestion costs beside the peers (ARGS="--quick")
	.venv-bench/bin/python -m bench cost $(ARGS)
	.venv-bench/bin/python -m bench storage $(filter --quick,$(ARGS))
	.venv-bench/bin/python -m bench workers $(filter --quick,$(ARGS))
	.venv-bench/bin/python -m bench large $(filter --quick,$(ARGS))

bench-tables: $(VENV)/test.done .venv-bench/bench.done ## tables of 1e7 and 1e8 rows beside recomputing and BoTorch (ARGS="--quick")
	$(BIN)/python -m bench tables --peer .venv-bench/bin/python $(ARGS)

bench-regret: .venv-bench/bench.done .venv-bench-hebo/bench.done ## how good it is beside the peers (ARGS="--set confirm --jobs 2")
	.venv-bench/bin/python -m bench regret $(ARGS)
