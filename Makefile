# Needs make and Python 3.11 or newer; everything else is installed into .venv.  `make help` lists what there is.
.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help book test lab chapter chapters bench clean environment test-environment

export PYTHON
BIN := .venv/bin
# One thread and the CPU: sums are then added in one order, and stored outputs compare.
FIXED := ATTNBOOK_DEVICE=cpu OMP_NUM_THREADS=1 MKL_NUM_THREADS=1
NBVAL := --nbval --nbval-current-env --nbval-sanitize-with tests/nbval_sanitize.cfg

help: ## list these commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

book: environment ## build the book into _build/html, and say where to open it
	@$(BIN)/jupyter-book build -W -n --keep-going .
	@printf '\nThe book is built. Open it by double-clicking, or at this address:\n\n    file://%s\n\n' "$(CURDIR)/_build/html/index.html"

test: test-environment ## run everything: package, exercises, figures, every chapter's outputs, every page
	@$(FIXED) $(BIN)/python -m pytest -n 2 --dist loadscope $(NBVAL) tests chapters

lab: environment ## open the chapters in JupyterLab, figures live
	@$(BIN)/jupyter lab --notebook-dir=. --LabApp.default_url=/lab/tree/chapters

chapter: environment ## execute one chapter:  make chapter NAME=04-masked-softmax
	@$(BIN)/python tools/chapter.py "$(NAME)"

chapters: environment ## execute all chapters
	@$(BIN)/python tools/chapter.py --all

bench: test-environment ## measure layers and decoders against others, and the translator
	@$(FIXED) $(BIN)/python tools/bench.py

clean: ## remove the built book and caches (.venv stays)
	@rm -rf _build .pytest_cache .ruff_cache .hypothesis code/*.egg-info
	@find . -path ./.venv -prune -o -name __pycache__ -type d -exec rm -rf {} +

environment:
	@tools/environment.sh book

test-environment:
	@tools/environment.sh test
