#!/usr/bin/env bash
# Tests under sanitizers: sanitize.sh [asan|units|tsan] [arguments for ctest]...
#   asan   address, undefined behaviour and leaks, over the whole suite
#   units  the same, over the unit tests
#   tsan   data races, over the rooms with threads and whole runs with several
# Without arguments: asan, then tsan. Reports of every process, killed or not, stay in
# build-<preset>/reports.
set -u
cd "$(dirname "$0")/.." || exit 1
export TARL_PYTHON="${TARL_PYTHON:-$PWD/.venv/bin/python}"
jobs=${JOBS:-$(nproc)}
threaded="test_core test_nn test_envs test_agents test_train test_fleet test_study test_report test_serve tarl"
bad=0

build() {
  local preset=$1 log=build-$1-configure.log
  shift
  cmake --preset "$preset" >"$log" 2>&1 || { cat "$log"; exit 1; }
  rm -f "$log"
  ninja -C "build-$preset" -j "$jobs" --quiet "$@" || exit 1
}

# The quarantine is small: thousands of short runs would only waste memory. UBSan has no log_path
# alongside ASan: it aborts, which every test treats as a failure.
check() {
  local preset=$1 reports=$PWD/build-$1/reports count
  shift
  rm -rf "$reports" && mkdir "$reports"
  ASAN_OPTIONS=log_path=$reports/asan:quarantine_size_mb=16 \
    UBSAN_OPTIONS=abort_on_error=1:print_stacktrace=1 \
    TSAN_OPTIONS=log_path=$reports/tsan:die_after_fork=0 \
    ctest --test-dir "build-$preset" --output-on-failure -j "$jobs" "$@" || bad=1
  count=$(find "$reports" -type f | wc -l)
  echo "$preset: $count reports"
  [ "$count" = 0 ] && return
  bad=1
  head -n 30 "$(find "$reports" -type f | head -n 1)"
}

which=${1:-both}
[ $# = 0 ] || shift
case $which in
  units)
    build asan unit_tests
    check asan -L unit -LE slow "$@"
    ;;
  asan | tsan | both)
    [ "$which" = tsan ] || { build asan && check asan "$@"; }
    [ "$which" = asan ] || { build tsan $threaded && check tsan -R '^(cli_threads|[A-Z])' "$@"; }
    ;;
  *)
    echo "sanitize.sh: no such kind: $which (asan, units or tsan)"
    exit 2
    ;;
esac
exit $bad
