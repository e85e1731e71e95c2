#!/usr/bin/env bash
# Every test but those under sanitizers: test.sh [arguments for ctest]...
set -u
cd "$(dirname "$0")/.." || exit 1
export TARL_PYTHON="${TARL_PYTHON:-$PWD/.venv/bin/python}"
# Many tests wait for disks and signals more than they compute.
exec ctest --test-dir build --output-on-failure -j "$((${JOBS:-$(nproc)} + 2))" "$@"
