# Fathom. Needs Python 3.11 or newer, make and a C++20 compiler; all else comes from PyPI into .venv.
#   make          builds, and says what next
#   make first    a first run of some seconds, with its report: runs/first
#   make run      the global ocean at 1 degree, 30 days on 2 ranks, into runs/ocean-1deg
#   make test     architecture, text, format, lint, types, and the tests; ten minutes on two cores
#   make test-long  the tests that take long: whole experiments, figures that depend on the machine
#   make test-oldest  tests of files with the oldest versions of what Fathom needs
#   make check    architecture, text, format, lint, types: what needs no run
#   make fuzz     thousands of experiments with something wrong in them; a minute
#   make sanitize the core's tests with a core that finds its own faults; half an hour
#   make docs     the pages of docs/ as a site, with notebooks and the Python interface: build/site/html
#   make figures  the figures of the five studies of performance, into docs/pictures
#   make gallery  the pictures of docs/gallery.md, each by its command; some minutes
#   make readme   the picture of README.md, by the Python of README.md; some minutes
#   make bench    seconds per step against the limits of this machine
SHELL   := /bin/sh
PYTHON  ?= python3
RANKS   ?= 2
DAYS    ?= 30
venv    := .venv
bin     := $(venv)/bin
oldest  := build/oldest
install := $(bin)/python -m pip install --quiet --disable-pip-version-check
build   := $(bin)/python tools/install.py --no-build-isolation
sources := pyproject.toml CMakeLists.txt README.md $(shell find cmake core fathom -type f ! -name '*.pyc' ! -name '*.so')

# the parts of the core are compiled side by side also where make stands in for ninja
export CMAKE_BUILD_PARALLEL_LEVEL ?= $(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
export PIP_NO_INPUT := 1

.PHONY: next first run gallery test test-long test-oldest check fuzz sanitize docs figures readme bench clean
.DELETE_ON_ERROR:

next: $(venv)/run.installed
	@echo 'Fathom is built: . $(venv)/bin/activate makes it the command fathom.'
	@echo '  make first      some seconds: two gyres, and a page about them'
	@echo '  make run        some minutes: 30 days of the global ocean'
	@echo '  fathom new      all experiments; fathom doctor looks at this machine'
	@echo '  docs/first-hour.md goes on from here'

first: $(venv)/run.installed
	$(bin)/fathom run experiments/double-gyre.toml --for 30d --out runs/first --overwrite
	$(bin)/fathom plot runs/first/gyre.zarr sea_surface_height --out runs/first/height.png

run: $(venv)/run.installed
	$(bin)/fathom run experiments/ocean-1deg.toml --for $(DAYS)d --ranks $(RANKS) --out runs/ocean-1deg --overwrite

check: $(venv)/test.installed
	$(bin)/python tools/check.py

test: check
	$(bin)/pytest --numprocesses auto --maxprocesses 8 --dist loadfile

test-long: $(venv)/test.installed
	$(bin)/pytest -m long --numprocesses auto --maxprocesses 8 --dist loadfile

test-oldest: $(oldest).installed
	$(oldest)/bin/pytest --numprocesses auto --maxprocesses 8 --dist loadfile tests/data tests/describe tests/input tests/output tests/plots tests/regrid

fuzz: $(venv)/test.installed
	$(bin)/python -P tests/fuzz/run.py --cases 5000 --damaged 1000

sanitize: $(venv)/test.installed
	$(bin)/python tools/sanitize/run.py

docs: $(venv)/docs.installed
	$(bin)/python tools/pages/build.py

figures: $(venv)/run.installed
	$(bin)/python docs/results/study_figures.py
	$(bin)/python docs/results/measured_figures.py

gallery: $(venv)/run.installed
	$(bin)/python -P tools/pages/gallery.py

readme: $(venv)/run.installed
	$(bin)/python -P tools/pages/readme.py

bench: $(venv)/bench.installed
	$(bin)/fathom bench ocean --grid x1 --physics lean --ranks 1 --threads 1 --json bench/x1-lean-1.json
	$(bin)/fathom bench ocean --grid x1 --physics lean --ranks 2 --threads 1 --no-peers --json bench/x1-lean-2.json

clean:
	rm -rf $(venv) build

# what a build needs stays in .venv, so that a second build compiles only what has changed; cmake and ninja too, whatever the machine has
$(venv)/build.ready: pyproject.toml | $(bin)/python
	$(bin)/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"], "cmake>=3.26", "ninja", sep="\n")' > $(venv)/build.txt
	$(install) -r $(venv)/build.txt
	@touch $@

$(bin)/python:
	$(PYTHON) -c 'import sys; sys.exit(None if sys.version_info >= (3, 11) else "Fathom needs Python 3.11 or newer; this is " + sys.version.split()[0] + " (make PYTHON=python3.12)")'
	$(PYTHON) -m venv $(venv)

$(venv)/run.installed: $(sources) $(venv)/build.ready
	$(build) .
	@touch $@

$(venv)/test.installed: $(sources) $(venv)/build.ready
	$(build) '.[test]'
	$(bin)/python -P tools/stub.py
	@touch $@ $(venv)/run.installed

# compiled already: only packed again
$(oldest).installed: $(venv)/test.installed packaging/versions/oldest.txt
	rm -rf $(oldest) build/wheels
	$(bin)/python -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir build/wheels .
	$(PYTHON) -m venv $(oldest)
	$(oldest)/bin/python -m pip install --quiet --disable-pip-version-check --constraint packaging/versions/oldest.txt build/wheels/*.whl pytest pytest-timeout pytest-xdist hypothesis gsw pyarrow duckdb
	@touch $@

$(venv)/docs.installed: $(sources) $(venv)/build.ready
	$(build) '.[docs]'
	@touch $@ $(venv)/run.installed

# without Veros the benchmark runs all the same
$(venv)/bench.installed: $(venv)/run.installed
	-$(install) 'veros[jax]'
	@touch $@
