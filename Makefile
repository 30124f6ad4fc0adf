# Everything runs from an empty clone: `make demo` and `make test` make the virtual environment first.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
JOBS ?= 2

.PHONY: help demo browser test check lint redteam redteam-oldest bench test-gpu bench-gpu clean
.DEFAULT_GOAL := help

help:  ## Show this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 12

$(READY): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	# torch first and exactly: a looser request would bring gigabytes of CUDA packages to a machine without a GPU.
	$(BIN)/pip install --quiet --disable-pip-version-check "$$(grep '^torch==' constraints.txt)" -c constraints.txt
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[dev]' -c constraints.txt
	touch $@

EXAMPLES ?= gated_norm biased_softmax scaled_residual

demo: $(READY)  ## Turn three PyTorch modules into verified Triton kernels, in the folder demo
	@mkdir -p demo
	@# 1 is an answer, too: on a GPU, that nothing is faster.
	@for name in $(EXAMPLES); do \
	    echo "tritonrl optimize examples/$$name.py"; \
	    $(BIN)/tritonrl optimize examples/$$name.py --out demo/$$name.triton.py || test $$? -eq 1 || exit; \
	done

browser:
	@# Reports are looked at in a real browser; without one these tests say that they were skipped.
	@command -v chromium > /dev/null || ! test -x /usr/bin/apt-get -a -w /usr || \
	    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium; } \
	    > /dev/null 2>&1 || true

test: $(READY) browser  ## Run all tests that need no GPU
	@# A thread each: workers that share two cores would wait for each other's.
	OMP_NUM_THREADS=1 $(BIN)/pytest -n $(JOBS) --dist worksteal -m 'not gpu' --durations=15

lint: $(READY)  ## Style, types and the direction of imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright
	$(BIN)/lint-imports --no-cache

check: lint test  ## What CI runs: lint and test

redteam: $(READY)  ## Try the verifier with every cheat and every honest kernel, lint on and off
	$(BIN)/tritonrl redteam
	$(BIN)/tritonrl redteam --skip-layers lint

.venv-oldest/.ready: pyproject.toml constraints.txt
	test -x .venv-oldest/bin/python || $(PYTHON) -m venv .venv-oldest
	grep -v '^triton==' constraints.txt > .venv-oldest/constraints.txt
	.venv-oldest/bin/pip install --quiet --disable-pip-version-check \
		"$$(grep '^torch==' constraints.txt)" 'triton==3.6.0' -c .venv-oldest/constraints.txt
	.venv-oldest/bin/pip install --quiet --disable-pip-version-check -e '.[dev]' 'triton==3.6.0' -c .venv-oldest/constraints.txt
	touch $@

redteam-oldest: .venv-oldest/.ready  ## The same verdicts under the oldest triton that is supported
	.venv-oldest/bin/tritonrl redteam --skip-layers lint
	.venv-oldest/bin/pytest -n $(JOBS) tests/verify tests/redteam

bench: $(READY)  ## Print measured ratios
	$(BIN)/python benchmarks/synth.py
	$(BIN)/python benchmarks/distil.py
	$(BIN)/python benchmarks/startup.py
	$(BIN)/python benchmarks/health.py 5
	$(BIN)/python benchmarks/verifier.py
	PYTHONPATH=. $(BIN)/python benchmarks/mutation.py

test-gpu: $(READY)  ## Run the tests that need a CUDA device, and show what they measured
	$(BIN)/pytest -m gpu tests/gpu

bench-gpu: $(READY)  ## Print measured ratios on a CUDA device, and let the verifier run for long
	$(BIN)/python benchmarks/verifier.py --device cuda --timing
	$(BIN)/python benchmarks/timing.py
	$(BIN)/python benchmarks/contexts.py
	$(BIN)/python benchmarks/learning.py
	$(BIN)/python benchmarks/soak.py 500 --device cuda

clean:  ## Remove the virtual environment and caches
	rm -rf .venv .venv-oldest .pytest_cache .ruff_cache .hypothesis
