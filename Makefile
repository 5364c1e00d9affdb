# Everything happens in the environment .venv, which is made at first use.

PORT = 8000
COURSE = course
MINUTES = 50
python = .venv/bin/python
paper = $(if $(filter letter,$(PAPER)),letter,a4)

# Whoever asks for no bytecode would have a hundred kernels compile the library, and three workers all tests.
unexport PYTHONDONTWRITEBYTECODE

# A script that cannot go on says why on stdout, and make stops with that line alone.
run = $(if $(dry),,$(eval reason := $(shell $(1)))$(if $(reason),$(error $(reason))))
dry = $(findstring n,$(filter-out --%,$(firstword -$(MAKEFLAGS))))

help:
	@echo "make book      build the book and serve it on this machine (PORT=$(PORT))"
	@echo "make site      build the book to _build/html, no server"
	@echo "make pdf       print the book to _build/dptutor.pdf, with an installed Chromium"
	@echo "               (PAPER=a4|letter, CHAPTER=7 only that chapter, STUDENT=1 without hints and answers)"
	@echo "make slides    turn each lecture into a deck of slides, _build/slides/NN.html, a single file that needs no network"
	@echo "               (LECTURES='03 12 mine.ipynb' only these, TITLE and LOGO of an own one, PAPER=a4|letter for handouts)"
	@echo "make lecture   put slides of several lectures together: MINUTES=35 CHAPTERS='4 11'"
	@echo "               (NAME, TITLE, LOGO; PRESETS='duel?sigma=2' settings with which explorers open)"
	@echo "make room      show the decks here and let the phones of a class vote and play (PORT, ADDRESS, PHONES)"
	@echo "make lab       open the notebooks in JupyterLab"
	@echo "make app       show every explorer as an app, with Voilà"
	@echo "make pack      create the notebooks for a class, with answers (COURSE=folder ROSTER=students.csv)"
	@echo "               (CHAPTERS='1 7' only these, EXAM=1 also the examination, WHEEL=address to install from, SECRET=course/secret.txt to repeat one)"
	@echo "make marks     grade the submissions of the class (COURSE=folder)"
	@echo "make lite      build a site that runs the notebooks in the browser, _build/lite (PYODIDE=distribution)"
	@echo "make test      check style, types, library, book, notebooks and explorers: ten minutes, a fixed part of all tests"
	@echo "make quick     check style, types, and what a change since main touches (SINCE=commit)"
	@echo "make look      test how every explorer and page looks, on every screen (CASES=12 a part)"
	@echo "make sweep     compare the library with a thousand stored high-precision references (PART=3 a third)"
	@echo "make search    look for answers of random mechanisms that break laws (MINUTES=30, SEED to repeat one)"
	@echo "make hosts     test JupyterLab, Voilà, nbgrader, other browsers, all notebooks, the package"
	@echo "make words     list sentences that break the habits of this book's English"
	@echo "make exhaustive  all of these, with all cases: an hour"
	@echo "make versions  test the library with every Python found, and with the oldest and newest packages allowed"
	@echo "make pictures  save pictures of every explorer, for people to look at: _build/pictures"
	@echo "make bench     time the library against its peers"
	@echo "make experiments  repeat a paper's audits on MNIST: an hour, goes on where it was interrupted"
	@echo "make format    format the code"
	@echo "make clean     remove what was built; 'make distclean' removes the environment too"

environment:
	@$(call run,PYTHON="$(PYTHON)" sh scripts/environment.sh)

test-environment: environment
	@$(call run,PYTHON="$(PYTHON)" sh scripts/environment.sh tests)

book: environment
	@$(call run,$(python) scripts/book.py port $(PORT))
	@$(python) scripts/book.py serve $(PORT)

site: environment
	@$(python) scripts/book.py build

pdf: environment
	@$(python) scripts/pdf.py $(if $(CHAPTER),--chapter $(CHAPTER)) $(if $(STUDENT),--student) --paper $(paper)

slides: environment
	@$(python) scripts/slides.py $(LECTURES) $(if $(TITLE),--title "$(TITLE)") $(if $(LOGO),--logo "$(LOGO)") $(if $(PAPER),--paper $(paper)) $(if $(ROOM),--room "$(ROOM)")

lecture: environment
	@$(python) scripts/lecturing.py "$(MINUTES)" $(CHAPTERS) $(if $(NAME),--name "$(NAME)") $(if $(TITLE),--title "$(TITLE)") $(if $(LOGO),--logo "$(LOGO)") $(foreach preset,$(PRESETS),--preset "$(preset)")

room: slides
	@$(python) scripts/room.py $(if $(filter-out file default,$(origin PORT)),--port "$(PORT)") $(if $(ADDRESS),--address "$(ADDRESS)") $(if $(PHONES),--phones "$(PHONES)")

lab: environment
	@$(python) scripts/lab.py

app: environment
	@$(python) scripts/app.py

pack: environment
	@$(python) scripts/teach.py pack "$(COURSE)" $(if $(ROSTER),--roster "$(ROSTER)") $(if $(CHAPTERS),--chapters $(CHAPTERS)) $(if $(EXAM),--exam) $(if $(WHEEL),--wheel "$(WHEEL)") $(if $(SECRET),--secret "$(SECRET)")

marks: environment
	@$(python) scripts/teach.py marks "$(COURSE)"

lite: environment
	@$(python) scripts/lite.py $(if $(PYODIDE),--pyodide "$(PYODIDE)")

# Three on two cores: a test of a page waits for its browser half of the time.
pytest = $(python) -m pytest -n 3 --dist loadfile --no-loadscope-reorder

lint: test-environment
	@$(python) -m ruff check --quiet .
	@$(python) -m ruff format --quiet --check .
	@.venv/bin/biome ci --log-level=error
	@$(python) -m mypy --no-error-summary

# What fails most often and soonest comes first: a wrong word costs a minute.
test: lint
	@$(pytest) --maxfail=10 -m first
	@$(python) scripts/book.py build
	@$(pytest) --maxfail=10 -m "not first"

# What reads sources, and the tests of what was changed since main (SINCE=commit).
quick: lint
	@$(pytest) --maxfail=10 -m first
	@files=$$($(python) scripts/quick.py $(SINCE)); [ -z "$$files" ] || $(pytest) --maxfail=10 -m "not first" $$files

# CASES=12: of each look only so many cases.
look: test-environment
	@$(python) -m pytest -n 3 --dist load $(if $(CASES),--cases=$(CASES),--all) -m "look and not (host or deep)"

hosts: test-environment
	@$(pytest) --all -m host

words: test-environment
	-@$(python) -m pytest -q -n 2 --all -m words

sweep: test-environment
	@$(python) -m tests.sweep $(if $(PART),--part=$(PART))
	@$(if $(PART),,$(python) -m pytest -q -m sweep tests/test_accountant.py)

search: MINUTES = 30
search: test-environment
	@OPENBLAS_NUM_THREADS=1 $(python) -m tests.laws --minutes $(MINUTES) $(if $(SEED),--seed $(SEED))

exhaustive: lint
	@$(python) scripts/book.py build
	@$(pytest) --all -m "not (words or sweep)"
	@$(MAKE) --no-print-directory sweep

versions: environment
	@$(python) scripts/versions.py

pictures: test-environment
	@$(python) scripts/pictures.py

bench: test-environment
	@$(python) -m benchmarks

experiments: test-environment
	@$(python) -m benchmarks.experiments

format: test-environment
	@$(python) -m ruff check --quiet --fix .
	@$(python) -m ruff format --quiet .
	@.venv/bin/biome check --write --log-level=error

clean:
	@rm -rf _build .hypothesis .mypy_cache .pytest_cache .ruff_cache dptutor.egg-info
	@find dptutor tests scripts benchmarks -name __pycache__ -exec rm -rf {} + 2>/dev/null || true

distclean: clean
	@rm -rf .venv

.PHONY: help environment test-environment book site pdf slides lecture room lab app pack marks lite lint test quick look hosts words sweep exhaustive versions pictures bench format clean distclean
