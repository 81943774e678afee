# Needs make and Python 3.11 or newer; everything else is installed into .venv.  `make help` lists what there is.
.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help book words test lab chapter chapters bench audit pdf clean environment

export PYTHON
SYSTEM_PYTHON := $(or $(firstword $(shell command -v python3 python)),python3)
BIN := .venv/bin
# On the CPU and with one thread sums are added in one order, so that stored outputs compare.
THREADS := 1
FIXED = ATTNBOOK_DEVICE=cpu OMP_NUM_THREADS=$(THREADS) MKL_NUM_THREADS=$(THREADS)

help: ## list these commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

book: environment ## build the book into _build/html, and say where to open it
	@$(BIN)/python -m attnbook book

words: book ## the book's sentences into the catalogs of its translations, and how much is done
	@$(BIN)/python -m tools.translate

test: ## run everything: package, exercises, figures, every chapter's outputs, every page
	@$(SYSTEM_PYTHON) tools/environment.py test
	@$(BIN)/python -m attnbook test --threads $(THREADS)

lab: environment ## open the chapters in JupyterLab, figures live
	@$(BIN)/python -m attnbook lab

chapter: environment ## execute one chapter:  make chapter NAME=04-masked-softmax
	@$(BIN)/python -m tools.chapter "$(NAME)"

chapters: environment ## execute all chapters, two at a time
	@$(BIN)/python -m tools.chapter --all --jobs 2

bench: environment ## measure layers and decoders against others; with DATA=fra.txt also the translator
	@$(FIXED) $(BIN)/python -m tools.bench $(if $(DATA),--data "$(DATA)")

audit: book ## weigh and judge every page; with LIGHTHOUSE=1 also with Lighthouse (half an hour)
	@$(BIN)/python -m tools.audit $(if $(LIGHTHOUSE),--lighthouse)

pdf: book ## print the whole book into _build/paying-attention.pdf (some minutes)
	@$(BIN)/python -m tools.pdf

clean: ## remove the built book and caches (.venv stays)
	@rm -rf _build .pytest_cache .ruff_cache .mypy_cache .hypothesis code/*.egg-info
	@find . -path ./.venv -prune -o -name __pycache__ -type d -exec rm -rf {} +

environment:
	@$(SYSTEM_PYTHON) tools/environment.py
