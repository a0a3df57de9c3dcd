# One command each, the same on a desk and in CI. Uses the python of the active virtual environment.

PYTHON ?= python
SEED ?= $(shell $(PYTHON) -c "import secrets; print(secrets.randbelow(2**31))")
PYTEST = $(PYTHON) -m pytest
BOTH_CORES = -n 2 --dist loadgroup --no-loadscope-reorder

.PHONY: resizing many-goals known late estimand growth belief-free assisting shorter tipping peers papers false-ships one-sided help check test services-test many-labelers statistics atlas coverage-study raters dollars joint against guides plans pairs recalls reuse recycling comparing thresholds drift numbers anytime planned-looks streams scale start docs site reference coverage photograph screenshots page-times structure counts restamp lint types contracts quick fast-tests

help:
	@echo "make quick       lint, types and the quick tests of parts and identities, at once: for between two changes"
	@echo "make check       lint, format, types, import contracts"
	@echo "make test        every test but the long simulations, at seed 42"
	@echo "make statistics  the long simulations, at a fresh printed seed (or SEED=...)"
	@echo "make atlas DATA=FOLDER  the coverage atlas: docs/atlas.md, docs/atlas.json and the product's table of cautions"
	@echo "make coverage-study DATA=FOLDER  writes docs/coverage.md from tables with known truth"
	@echo "make raters DATA=FOLDER   writes docs/raters.md: labels that err"
	@echo "make dollars DATA=FOLDER  writes docs/coverage-dollars.md: metrics by weight"
	@echo "make joint DATA=FOLDER    writes docs/coverage-joint.md: several labels and classes"
	@echo "make against DATA=FOLDER  writes docs/against.md: which share of other methods' labels bands needs"
	@echo "make peers DATA=FOLDER FOLDER=FOLDER  writes docs/peers.md: the packages people would install instead, each in an environment in FOLDER"
	@echo "make papers DATA=FOLDER   writes docs/papers.md: every numbered table and figure of the papers, made again"
	@echo "make guides DATA=FOLDER   writes docs/guides.md: own, another or a fitted guide"
	@echo "make one-sided DATA=FOLDER  writes docs/one-sided.md: one-sided bounds of plans that grew and of planned looks, and their cautions"
	@echo "make tipping DATA=FOLDER      writes docs/tipping.md: whether the labels rule out what truly hides, and what that costs"
	@echo "make belief-free DATA=FOLDER FOLDER=FOLDER  writes docs/belief-free.md: how often the bound that decides is wrong, wherever positives are"
	@echo "make assisting DATA=FOLDER FOLDER=FOLDER  writes docs/assisting.md: what other columns buy, and whether they may lie"
	@echo "make shorter DATA=FOLDER FOLDER=FOLDER BEFORE=CHECKOUT  writes docs/shorter.md: the default interval and error, beside the version before"
	@echo "make late         writes docs/late.md: answers that arrive by themselves, provisional and final, over 20 weeks"
	@echo "make estimand     writes docs/estimand.md: intervals about units like these, where units come in clusters"
	@echo "make known        writes docs/known.md: labels already owned, in e-discovery"
	@echo "make false-ships DATA=FOLDER  writes docs/false-ships.md: how often studies ship falsely where confident scores are wrong"
	@echo "make plans DATA=FOLDER FOLDER=FOLDER  writes docs/plans.md: whether plans come true"
	@echo "make many-goals DATA=FOLDER FOLDER=FOLDER  writes docs/many-goals.md: what goals cost together, prices by slice, gaps between slices"
	@echo "make resizing DATA=FOLDER  writes docs/resizing.md: more labels because of what the first ones showed"
	@echo "make pairs DATA=FOLDER    writes docs/pairs.md: two goals on one draw"
	@echo "make recalls DATA=FOLDER  writes docs/recalls.md: recall of many classifiers from one draw"
	@echo "make reuse DATA=FOLDER    writes docs/reuse.md: a classifier that arrives later"
	@echo "make recycling DATA=FOLDER   writes docs/recycling.md: one draw for many classifiers against recycled samples"
	@echo "make comparing DATA=FOLDER   writes docs/comparing.md: differences of two classifiers"
	@echo "make thresholds DATA=FOLDER  writes docs/thresholds.md: searches and ribbons (MAPIE=PYTHON: a python that has mapie)"
	@echo "make drift DATA=FOLDER       writes docs/drift.md: slices, changes, windows and alarms"
	@echo "make anytime DATA=FOLDER     writes docs/anytime.md: running bands, decisions and many labelers"
	@echo "make planned-looks DATA=FOLDER  writes docs/planned-looks.md: looks named beforehand"
	@echo "make streams      writes docs/streams.md: alarms over streams"
	@echo "make services-test   the tests against a real Label Studio and a real MLflow server, installed beside the project first (about 2 GB)"
	@echo "make many-labelers [BEFORE=CHECKOUT]  writes docs/many-labelers.md: 50 labelers at once, with labelers, server and database killed"
	@echo "make growth FOLDER=FOLDER  writes docs/growth.md: what a label costs at 1,000 to 1,000,000 labels, before snapshots and with them"
	@echo "make numbers      writes docs/numbers.md: whether fast permanent numbers are as good as random"
	@echo "make scale FOLDER=FOLDER  writes docs/scale.md: time and memory up to 10^9 rows, which are made in FOLDER and deleted"
	@echo "make start       how long status and decide take, against importing NumPy and SQLAlchemy alone"
	@echo "make docs        runs the code of the documentation"
	@echo "make site        builds the documentation into site/; any warning fails"
	@echo "make reference   writes docs/reference from the code, and docs/pictures"
	@echo "make coverage    make test, with branch coverage"
	@echo "make photograph  takes docs/pictures/report.png, the README's picture of a report (needs Chromium)"
	@echo "make screenshots OUT=FOLDER [BEFORE=FOLDER]  takes pictures of every page of the workbench in its states, and asks axe-core"
	@echo "make page-times  how long the pages of the workbench take at 10,000 labels, against a bare page of the same server"
	@echo "make structure   rooms, arrows, floors and circles of imports inside fewlabels.study (PICTURE=FILE: draws them as SVG)"
	@echo "make counts      places that ask for a mode, refuse functions and class names used twice"
	@echo "make restamp DATA=FOLDER  makes 50 cells of the atlas again; if all are the same, writes the hash of the present code (COVERAGE=1: docs/coverage.json too)"

check: lint types contracts

lint:
	$(PYTHON) -m ruff check .
	$(PYTHON) -m ruff format --check .

types:
	$(PYTHON) -m mypy

contracts:
	PYTHONPATH=src $(PYTHON) -c "from importlinter.cli import lint_imports_command as run; run()"

# One session, in the order and the groups of tests/conftest.py; what works on the Spark cluster is one of them. Two workers: on the
# Spark cluster a third would wait for the others to end. One thread each for sums: with more, the workers wait for one another. Tests of
# Spark and PostgreSQL need `scripts/services run -- make test`.
test: export OPENBLAS_NUM_THREADS = 1
test:
	$(PYTEST) -m "not slow" $(BOTH_CORES) --durations=40

# For between two changes, once mypy has its cache. The tests of studies, ledgers, reports, pictures and benchmarks are left to `make test`.
PARTS = cli deciding designs engines estimators intervals labeling nouns planning
quick:
	$(MAKE) --no-print-directory --jobs=3 --output-sync=target lint types fast-tests

fast-tests:
	$(PYTEST) -m "not slow and not hostile and not lengthy" $(BOTH_CORES) -q $(PARTS:%=tests/unit/%) tests/identities

services-test:
	scripts/services run --only label-studio -- $(PYTEST) tests/end_to_end/test_label_studio.py
	scripts/services run --only mlflow -- $(PYTEST) tests/end_to_end/test_mlflow.py

# BEFORE is a commit without snapshots; its checkout and the studies are deleted afterwards.
growth: BEFORE ?= 2249583
growth:
	git worktree add --force --detach $(FOLDER)/before $(BEFORE)
	scripts/services run --only postgres -- sh -c '$(PYTHON) -m benchmarks.growth --before $(FOLDER)/before --folder $(FOLDER) --postgres "$$FEWLABELS_TEST_POSTGRES" --out docs/growth.md'
	git worktree remove --force $(FOLDER)/before

many-labelers:
	$(PYTHON) -m benchmarks.many_labelers --labelers 50 --answers 8000 $(if $(BEFORE),--before $(BEFORE)) --out docs/many-labelers.md

# The seed reaches the tests as FEWLABELS_TEST_SEED; repeat a failure with `make statistics SEED=<the printed one>`.
statistics: SEED := $(SEED)
statistics:
	@echo "seed $(SEED)"
	FEWLABELS_TEST_SEED=$(SEED) $(PYTEST) -m "slow or statistics or hostile" tests

# Goes on where it was stopped; cells made by the same code are kept. About an hour on two cores.
atlas:
	$(PYTHON) -m benchmarks.atlas --data $(DATA) --out docs/atlas.md

coverage-study:
	$(PYTHON) -m benchmarks.coverage --data $(DATA) --reps 2000 --seed 42 --out docs/coverage.md

raters:
	$(PYTHON) -m benchmarks.raters --data $(DATA) --reps 2000 --seed 42 --out docs/raters.md

dollars:
	$(PYTHON) -m benchmarks.dollars --data $(DATA) --reps 2000 --seed 42 --out docs/coverage-dollars.md

joint:
	$(PYTHON) -m benchmarks.joint --data $(DATA) --reps 1000 --seed 42 --out docs/coverage-joint.md

against:
	$(PYTHON) -m benchmarks.against --data $(DATA) --reps 2000 --seed 42 --out docs/against.md

# Goes on where it was stopped. AGAIN=SEED: runs another seed too, and names the conclusions that change.
peers:
	$(PYTHON) -m benchmarks.peers --data $(DATA) --folder $(FOLDER) --reps 400 --seed 42 $(if $(AGAIN),--again $(AGAIN)) --out docs/peers.md

papers:
	$(PYTHON) -m benchmarks.papers --data $(DATA) --reps 1000 --seed 42 $(if $(AGAIN),--again $(AGAIN)) --out docs/papers.md

# Hours; every cell is kept in FOLDER, so it may be stopped and goes on.
# About four hours on two cores.
tipping:
	$(PYTHON) -m benchmarks.tipping --data $(DATA) --seed 42 --out docs/tipping.md

belief-free:
	$(PYTHON) -m benchmarks.belief_free --data $(DATA) --folder $(FOLDER) --seed 42 --out docs/belief-free.md

assisting:
	$(PYTHON) -m benchmarks.assisting --data $(DATA) --folder $(FOLDER) --seed 42 --out docs/assisting.md

shorter:
	$(PYTHON) -m benchmarks.shorter --data $(DATA) --folder $(FOLDER) $(if $(BEFORE),--before $(BEFORE)) --seed 42 --out docs/shorter.md

# About twenty minutes on one core.
guides:
	$(PYTHON) -m benchmarks.guides --data $(DATA) --reps 300 --seed 42 --out docs/guides.md

one-sided:
	$(PYTHON) -m benchmarks.one_sided --data $(DATA) --folder $(FOLDER) --reps 200 --seed 42 --out docs/one-sided.md

late:
	$(PYTHON) -m benchmarks.late --reps 100 --seed 42 --out docs/late.md

estimand:
	$(PYTHON) -m benchmarks.estimand --reps 2000 --seed 42 --out docs/estimand.md

# About ten minutes on one core.
known:
	$(PYTHON) -m benchmarks.known --reps 2000 --seed 42 --out docs/known.md

false-ships:
	$(PYTHON) -m benchmarks.false_ships --data $(DATA) --reps 300 --seed 42 --out docs/false-ships.md

plans:
	$(PYTHON) -m benchmarks.plans --data $(DATA) --folder $(FOLDER) --seed 42 --out docs/plans.md

# Some hours on two cores; every cell is kept in FOLDER, so it may be stopped and goes on.
many-goals:
	$(PYTHON) -m benchmarks.many_goals --data $(DATA) --folder $(FOLDER) --seed 42 --out docs/many-goals.md

# About five minutes on one core.
resizing:
	$(PYTHON) -m benchmarks.resizing --data $(DATA) --reps 10000 --seed 42 --out docs/resizing.md

pairs:
	$(PYTHON) -m benchmarks.pairs --data $(DATA) --reps 500 --seed 42 --out docs/pairs.md

recalls:
	$(PYTHON) -m benchmarks.recalls --data $(DATA) --reps 1000 --seed 42 --out docs/recalls.md

reuse:
	$(PYTHON) -m benchmarks.reuse --data $(DATA) --reps 1000 --seed 42 --out docs/reuse.md

recycling:
	$(PYTHON) -m benchmarks.recycling --data $(DATA) --seed 42 --out docs/recycling.md

comparing:
	$(PYTHON) -m benchmarks.comparing --data $(DATA) --reps 2000 --seed 42 --out docs/comparing.md

thresholds:
	$(PYTHON) -m benchmarks.thresholds --data $(DATA) --reps 2000 --seed 42 $(if $(MAPIE),--mapie $(MAPIE)) --out docs/thresholds.md

drift:
	$(PYTHON) -m benchmarks.drift --data $(DATA) --seed 42 --out docs/drift.md

numbers:
	$(PYTHON) -m benchmarks.number_battery --ids 300000 --salts 60 --seed 42 --out docs/numbers.md

anytime:
	$(PYTHON) -m benchmarks.anytime --data $(DATA) --reps 10000 --seed 42 --out docs/anytime.md

planned-looks:
	$(PYTHON) -m benchmarks.planned_looks --data $(DATA) --reps 4000 --seed 42 --out docs/planned-looks.md

streams:
	$(PYTHON) -m benchmarks.streams --reps 2000 --seed 42 --out docs/streams.md

# About forty minutes on two idle cores, with 20 GB of disk.
scale:
	$(PYTHON) -m benchmarks.scale --folder $(FOLDER) --out docs/scale.md

# Medians of ten runs, one command after the other; fails above three times the reference. About two minutes.
start:
	$(PYTHON) -m benchmarks.start --runs 10

docs:
	$(PYTEST) tests/docs

# The variable silences a notice of the theme about its successor; a warning about our own pages still fails the build.
site:
	NO_MKDOCS_2_WARNING=1 $(PYTHON) -m mkdocs build --strict

reference:
	$(PYTHON) scripts/reference
	$(PYTHON) scripts/pictures

coverage:
	$(PYTEST) -m "not slow" --cov --cov-report=term

photograph:
	PATH="$(dir $(shell command -v $(PYTHON))):$$PATH" scripts/photograph

page-times:
	$(PYTHON) -m benchmarks.page_times

screenshots:
	$(PYTHON) scripts/screenshots --out $(OUT) $(if $(BEFORE),--before $(BEFORE)) $(if $(ONLY),--only $(ONLY))

structure:
	$(PYTHON) scripts/structure $(if $(PICTURE),--picture $(PICTURE))

counts:
	$(PYTHON) scripts/counts

# Goes on where it was stopped.
restamp:
	$(PYTHON) -m benchmarks.restamp --data $(DATA) $(if $(COVERAGE),--coverage) $(if $(TOLERANCE),--tolerance $(TOLERANCE))
