# Two commands do everything on a fresh Debian 12 machine: make demo, make test. Maintainers: make verify.
.PHONY: setup build configure demo test verify verify-python verify-gpu tidy faults fuzz sanitize bench gymnasium check format pictures report-all docs wheel clean
.DEFAULT_GOAL := build

JOBS ?= $(shell nproc)
CI_PRESET := $(if $(CI),ci,release)
DEMO := runs/demo

setup:
	@scripts/setup.sh

build: setup configure
	@ninja -C build -j $(JOBS) --quiet

configure:
	@cmake --preset $(CI_PRESET) > build-configure.log 2>&1 || { cat build-configure.log; exit 1; }
	@rm -f build-configure.log

# MinAtar needs no simulator, and the tests need not compile.
demo:
	@scripts/setup.sh packages
	@$(MAKE) --no-print-directory configure
	@echo "building tarl"
	@ninja -C build -j $(JOBS) --quiet tarl
	@scripts/demo.sh $(DEMO)

# What a user needs in order to trust the build.
test: build
	@scripts/test.sh

# What a maintainer needs before a change lands.
verify:
	@scripts/verify.sh

# The Python package with PyTorch, JAX and Stable-Baselines3; brings several GB.
verify-python: build
	@scripts/verify_python.sh

# On a machine with a GPU: the fleet's tests, memcheck and racecheck, kills and speeds.
verify-gpu: build
	@ninja -C build -j $(JOBS) --quiet bench_control_fleet bench_atari_fleet
	@scripts/verify_gpu.sh

tidy: setup
	@scripts/tidy.sh

# The long campaigns behind docs/reliability.md; hours.
faults: build
	@tests/faults/campaign.py --long

fuzz:
	@scripts/setup.sh fuzz
	@cmake --preset fuzz > build-fuzz.log 2>&1 || { cat build-fuzz.log; exit 1; }
	@rm -f build-fuzz.log
	@ninja -C build-fuzz -j $(JOBS) --quiet $$(ls tests/fuzz/*_fuzz.cpp | sed 's|.*/\(.*\)_fuzz.cpp|fuzz_\1|')
	@tests/fuzz/run.sh

sanitize: setup
	@scripts/sanitize.sh

bench: build
	@bench/run.sh

# A thousand episodes of every task that Gymnasium has, too: equal within float32.
gymnasium: build
	@scripts/compare_gymnasium.sh

# Pictures of README.md, into docs/pictures.
pictures: build
	@scripts/pictures.sh

# Every report of results/, into build/results, and with them the numbers and figures of docs/results.md.
report-all: build
	@python3 scripts/results.py

# The documents as a site. It opens from the disk; the search needs a server.
docs:
	@scripts/setup.sh docs
	@.venv-docs/bin/mkdocs build --strict > build-docs.log 2>&1 || { cat build-docs.log; exit 1; }
	@rm -f build-docs.log
	@echo "docs: site/index.html (with search: python3 -m http.server -d site)"

# What is published for Python, into dist.
wheel:
	@scripts/wheel.sh

check:
	@scripts/check.sh

format:
	@git ls-files '*.h' '*.cpp' '*.cu' '*.cuh' | xargs clang-format -i

clean:
	rm -rf build build-asan build-tsan build-fuzz build-tidy build-wheel dist third_party site
