# Everything that is run, is run from here. `make help` lists it.
PYTHON ?= python3.11
# PyTorch's own CPU index, where the package index would bring a CUDA build of several GB.
TORCH_INDEX ?=
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
WORKERS ?= 2

.DEFAULT_GOAL := help
.PHONY: help venv demo serve watch test check lint types contracts coverage accept bench bench-table accept-crashes accept-crashes-postgres accept-troubles accept-rest accept-guest images clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

venv: $(VENV)/.tools ## make .venv with every extra, torch included; and bubblewrap, by apt where that may be

# demo and serve need no torch and no tools: a new machine tells the story within minutes.
$(VENV)/.runtime: pyproject.toml constraints.txt
	@command -v $(PYTHON) >/dev/null || { echo "$(PYTHON) is missing; name another: make PYTHON=python3" >&2; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "installing flake-triage into $(VENV) ..." >&2
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	@$(PIP) --editable .
	@touch $@

# torch goes in first and by its pinned version: a range would take the newest build for CUDA.
$(VENV)/.tools: $(VENV)/.runtime
	@echo "installing the tools and the replay extra into $(VENV) ..." >&2
	@$(PIP) $(if $(TORCH_INDEX),--index-url $(TORCH_INDEX)) "$$(grep '^torch==' constraints.txt)"
	@$(PIP) --editable '.[replay]' --group dev
	@.ci/bubblewrap
	@touch $@

demo: $(VENV)/.runtime ## play incident 1 against a stand-in GitHub and keep the dashboard up
	@$(BIN)/flake-triage demo $(ARGS)

serve: $(VENV)/.runtime ## run web and worker; settings come from FLAKE_TRIAGE_* variables
	@$(BIN)/flake-triage serve $(ARGS)

watch: $(VENV)/.runtime ## the whole service on this machine, asking GitHub itself: make watch ARGS=you/yours
	$(if $(strip $(ARGS)),,@echo "name a repository: make watch ARGS=you/yours" >&2; exit 2)
	@$(BIN)/flake-triage watch $(ARGS)

test: $(VENV)/.tools ## all tests, with coverage
	@rm -f .coverage .coverage.*
	$(BIN)/coverage run -m pytest -n $(WORKERS) --dist loadfile $(ARGS)
	@$(BIN)/coverage combine --quiet

check: lint types contracts coverage ## linters, types, import contracts, coverage

lint: $(VENV)/.tools
	$(BIN)/ruff format --check --quiet .
	$(BIN)/ruff check --quiet .
	$(BIN)/codespell app worker migrations tests README.md Makefile Dockerfile compose.yaml .ci
	$(BIN)/djlint --quiet --lint app/templates
	$(BIN)/shellcheck .ci/run .ci/images .ci/bubblewrap
	$(BIN)/hadolint Dockerfile
	@! grep -nE 'file:|\+cpu|^(-|https?:)' constraints.txt || { echo "constraints.txt names an index of one machine"; exit 1; }

types: $(VENV)/.tools
	$(BIN)/mypy

contracts: $(VENV)/.tools
	$(BIN)/lint-imports

coverage: test
	$(BIN)/coverage report --include='app/domain/*' --fail-under=100
	$(BIN)/coverage report --fail-under=90


# Each part takes less than ten minutes on two cores. A soak part goes on from the one before, in .soak/;
# SECONDS= makes it shorter, SEED= another one.
ACCEPT := crashes crashes-postgres troubles soak-1 soak-2 soak-3 rest guest \
  replay-rest replay-once replay-injected \
  $(addprefix replay-suspects-,1 2 3 4 5 6 7 8 9 10 11 12) $(addprefix replay-shared-,1 2 3 4 5 6 7) \
  $(addprefix replay-stable-,1 2 3 4) $(addprefix replay-rates-,1 2 3) \
  $(addprefix fuzz-,results logs explain zips) corpus
ACCEPTING := $(BIN)/python -m pytest -m accept -rP --timeout 580 $(ARGS)
CRASHES := tests/flow/crashes
INJECTED := $(addprefix tests/replay/incidents/test_injected_,matrix.py handoffs.py)

accept: $(VENV)/.tools ## what is too long for every change: all kills, soak, ...; ONLY= names one part of it
	@for part in $(or $(ONLY),$(ACCEPT)); do $(MAKE) --no-print-directory accept-$$part || exit 1; done

accept-crashes:
	$(ACCEPTING) -n $(WORKERS) --dist load $(CRASHES)/test_crashes.py $(CRASHES)/test_disk_full.py

accept-crashes-postgres:
	$(ACCEPTING) -n $(WORKERS) --dist load $(CRASHES)/test_crashes_postgres.py

accept-troubles:
	$(ACCEPTING) -n $(WORKERS) --dist load $(CRASHES)/test_github_troubles.py

accept-soak-%:
	$(ACCEPTING) tests/soak -k soak_$*

accept-rest:
	$(ACCEPTING) tests --ignore $(CRASHES) --ignore tests/soak --ignore tests/replay

accept-replay-rest:
	$(ACCEPTING) -n $(WORKERS) --dist load tests/replay --ignore tests/replay/guest --ignore tests/replay/suspects \
	  $(addprefix --ignore ,$(INJECTED))

# Each fault at each place, in ranks of every start method, and against incident 1's weak test and its twin.
accept-replay-injected:
	$(ACCEPTING) -n $(WORKERS) --dist load $(INJECTED)

# One trial of each suspect that is not in every change.
accept-replay-once:
	$(ACCEPTING) -n $(WORKERS) --dist load tests/replay/suspects -k once-

# Suspects of our own and others' under the full plan, stable tests, and the probe's effect on a rate.
accept-replay-suspects-%:
	$(ACCEPTING) tests/replay/suspects -k part-$*-

accept-replay-shared-%:
	$(ACCEPTING) tests/replay/suspects -k shared-$*-

accept-replay-stable-%:
	$(ACCEPTING) tests/replay/suspects -k stable-$*

accept-replay-rates-%:
	$(ACCEPTING) tests/replay/suspects -k rates-$*

# What reading makes of real files and logs, one by one, and of bugs that people met elsewhere.
accept-corpus:
	PYTHONPATH=tests:. $(BIN)/python tests/corpus $(ARGS)

# Nine minutes of ever new bytes for one reader; SECONDS= makes it shorter.
accept-fuzz-%: $(VENV)/.fuzz
	PYTHONPATH=tests:. $(BIN)/python tests/fuzz $* $(if $(SECONDS),--seconds $(SECONDS)) $(ARGS)

# Without a wheel for this machine, generated examples stand in for coverage.
$(VENV)/.fuzz: $(VENV)/.tools
	@$(PIP) --only-binary :all: --group fuzz || echo "no atheris here: hypothesis stands in for it" >&2
	@touch $@

# A small machine with cgroup v2, by /dev/kvm where that starts it; says so where none could be had.
accept-guest:
	$(ACCEPTING) tests/replay/guest

# Twelve minutes on two cores, and on a quiet machine only. 10 M results in PostgreSQL are in the long form.
bench: $(VENV)/.tools ## figures beside floors and goals; ONLY= names some, in their long form
	@PYTHONPATH=tests:tests/replay:tests/replay/suspects:. $(BIN)/python tests/bench $(ONLY) $(ARGS)

bench-table: $(VENV)/.tools ## write the last figures into README.md
	@PYTHONPATH=tests:. $(BIN)/python tests/bench --write-table

images: ## build both images and check them in containers; needs docker, or ENGINE=podman
	@.ci/images

clean: ## remove .venv and what tools left behind
	rm -rf $(VENV) .bench .fuzz .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis .coverage .coverage.*
