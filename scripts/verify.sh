#!/usr/bin/env bash
# The checks of a maintainer before a change lands: format, layers and sizes over the whole tree; the
# documentation site, if MkDocs can be installed; make test; the race detector over the fleet's kernels;
# clang-tidy over the rooms that changed since the last tag (all of them, without the tests, if there is
# none); the unit tests under ASan and UBSan.
set -u
cd "$(dirname "$0")/.." || exit 1
begin() {
  [ -z "${step:-}" ] || echo "verify: $step took $((SECONDS - since)) s"
  step=$1
  since=$SECONDS
}

begin check
scripts/setup.sh verify && scripts/check.sh || exit 1
begin "make docs"
if scripts/setup.sh docs; then make --no-print-directory docs || exit 1; fi
begin "make test"
make --no-print-directory test || exit 1
begin "race detector"
cmake build -DTARL_RACES=ON >/dev/null && ninja -C build -j "${JOBS:-$(nproc)}" --quiet test_fleet_races &&
  scripts/test.sh -L races || exit 1
begin clang-tidy
scripts/tidy.sh "$(git describe --tags --abbrev=0 2>/dev/null || echo sources)" || exit 1
begin "unit tests under sanitizers"
scripts/sanitize.sh units || exit 1
begin end
