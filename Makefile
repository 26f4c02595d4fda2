# Every target makes its own virtual environment: on a fresh machine with python3 and make, each is one command.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
url ?=

.PHONY: demo test crawl lint docs bench clean

$(VENV)/%.installed: pyproject.toml setup.py
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".$(if $(filter-out run,$*),[$*])"
	touch $@

demo: $(VENV)/run.installed
	$(BIN)/python examples/demo.py

crawl: $(VENV)/run.installed
	@test -n "$(url)" || { echo "usage: make crawl url=https://example.com/"; exit 2; }
	$(BIN)/scrapy crawl site -a url="$(url)"

test: $(VENV)/test.installed
	$(BIN)/python -m pytest -n auto --dist loadfile

lint: $(VENV)/lint.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

docs: $(VENV)/docs.installed
	$(BIN)/mkdocs build --strict --quiet

bench: $(VENV)/compare.installed
	$(BIN)/python benchmarks/page.py
	$(BIN)/python benchmarks/entropy.py
	$(BIN)/python benchmarks/families.py

clean:
	rm -rf $(VENV) build dist site *.egg-info
