#!/usr/bin/env bash
# Every test: layers and format, the whole suite, then the unit tests under ASan and UBSan.
set -u
cd "$(dirname "$0")/.." || exit 1
export TARL_PYTHON="${TARL_PYTHON:-$PWD/.venv/bin/python}"
jobs=${JOBS:-$(nproc)}

python3 scripts/check_layers.py || exit 1
# Many tests wait for disks and signals more than they compute.
ctest --test-dir build --output-on-failure -j "$((jobs + 2))" || exit 1

echo "unit tests under the address and undefined-behaviour sanitizers"
log=build-asan-configure.log
cmake --preset asan >"$log" 2>&1 || { cat "$log"; exit 1; }
rm -f "$log"
targets=$(ninja -C build-asan -t targets all | grep -oE '^test_[a-z]+: phony' | cut -d: -f1)
[ -n "$targets" ] || targets=$(ninja -C build-asan -t targets all | grep -oE '^test_[a-z]+:' | tr -d :)
ninja -C build-asan -j "$jobs" --quiet ${targets/test_learning/} tarl || exit 1
ctest --test-dir build-asan --output-on-failure -j "$((jobs + 1))" -L unit -LE slow || exit 1
