# Two commands do everything on a fresh Debian 12 machine: make demo, make test.
.PHONY: setup build demo test bench check format clean
.DEFAULT_GOAL := build

JOBS ?= $(shell nproc)
CI_PRESET := $(if $(CI),ci,release)
DEMO := runs/demo

setup:
	@scripts/setup.sh

build: setup
	@cmake --preset $(CI_PRESET) > build-configure.log 2>&1 || { cat build-configure.log; exit 1; }
	@rm -f build-configure.log
	@ninja -C build -j $(JOBS) --quiet

demo: build
	@scripts/demo.sh $(DEMO)

test: build
	@scripts/test.sh

bench: build
	@bench/run.sh

check: build
	@scripts/check.sh

format:
	@git ls-files '*.h' '*.cpp' '*.cu' '*.cuh' | xargs clang-format -i

clean:
	rm -rf build build-asan build-tsan
