#!/usr/bin/env bash
# Every test except those under sanitizers: test.sh [arguments for ctest]...
set -u
cd "$(dirname "$0")/.." || exit 1
export TARL_PYTHON="${TARL_PYTHON:-$PWD/.venv/bin/python}"
# Many tests mostly wait for disks and signals.
ctest --test-dir build --output-on-failure -j "$((${JOBS:-$(nproc)} + 2))" "$@"
verdict=$?
# CTest hides the output of passing tests.
skipped=$(grep -h '^SKIPPED \[' build/Testing/Temporary/LastTest.log 2>/dev/null) &&
  echo "Of the Python tests were skipped:" && sed 's/^SKIPPED /  /' <<<"$skipped"
exit $verdict
