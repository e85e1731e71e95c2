#!/usr/bin/env bash
# Tests under sanitizers: sanitize.sh [asan|units|tsan] [arguments for ctest]...
#   asan   address, undefined behaviour and leaks, over the whole suite
#   units  the same, over the unit tests
#   tsan   data races, over the rooms with threads and whole runs with several
#   python the Python module: address and undefined behaviour over python/tests, then data races over
#          those with threads; the arguments are pytest's. `python-asan`, `python-tsan`: one of them
# Without arguments: asan, then tsan. Reports of every process, killed or not, stay in
# build-<preset>/reports.
set -u
cd "$(dirname "$0")/.." || exit 1
export TARL_PYTHON="${TARL_PYTHON:-$PWD/.venv/bin/python}"
jobs=${JOBS:-$(nproc)}
threaded="test_core test_nn test_envs test_agents test_train test_fleet test_study test_report test_serve tarl"
module=OFF  # the Python module is built where it is tested
asan_options=
bad=0

# Of the Python tests: what uses several threads, or is called from several.
with_threads=$(printf "%s\n" python/tests/test_{threads,interrupts,exceptions,lifetime,envs,bridge}.py)

build() {
  local preset=$1 log=build-$1-configure.log
  shift
  cmake --preset "$preset" -DTARL_PYTHON="$module" >"$log" 2>&1 || { cat "$log"; exit 1; }
  rm -f "$log"
  ninja -C "build-$preset" -j "$jobs" --quiet "$@" || exit 1
}

# watched PRESET COMMAND...: runs it, then counts the reports.
# The quarantine is small: thousands of short runs would only waste memory. UBSan has no log_path
# alongside ASan: it aborts, which every test treats as a failure.
watched() {
  local preset=$1 reports=$PWD/build-$1/reports count
  shift
  rm -rf "$reports" && mkdir "$reports"
  ASAN_OPTIONS=log_path=$reports/asan:quarantine_size_mb=16:$asan_options \
    UBSAN_OPTIONS=abort_on_error=1:print_stacktrace=1 \
    LSAN_OPTIONS=suppressions=$PWD/scripts/leaks.txt:print_suppressions=0 \
    TSAN_OPTIONS=log_path=$reports/tsan:die_after_fork=0 \
    "$@" || bad=1
  count=$(find "$reports" -type f | wc -l)
  echo "$preset: $count reports"
  [ "$count" = 0 ] && return
  bad=1
  head -n 30 "$(find "$reports" -type f | head -n 1)"
}

check() {
  local preset=$1
  shift
  watched "$preset" ctest --test-dir "build-$preset" --output-on-failure -j "$jobs" "$@"
}

# check_module PRESET FILES ARGUMENTS...: in an interpreter that is not sanitized itself, so that the
# sanitizer is loaded before it, with the C++ library whose exceptions it watches. Python's objects
# come from malloc, where the sanitizer sees their bounds. What the interpreter still holds when it
# ends is no leak of the module's; test_lifetime.py counts that.
check_module() {
  local preset=$1 files=$2
  shift 2
  asan_options=detect_leaks=0
  preload="$(g++ -print-file-name="lib$preset.so") $(g++ -print-file-name=libstdc++.so)" \
    PYTHONPATH=$PWD/build-$preset/python PYTHONMALLOC=malloc OPENBLAS_NUM_THREADS=1 \
    watched "$preset" xargs -P "$jobs" -I{} bash -c 'pytest_file "$@"' pytest_file {} "$@" <<<"$files"
}

# pytest_file FILE ARGUMENTS...: with its output in one piece. A file may have no test for the arguments.
pytest_file() {
  local said rc
  said=$(LD_PRELOAD=$preload "$TARL_PYTHON" -m pytest -q -rs -p no:cacheprovider "$@" 2>&1)
  rc=$?
  echo "$1: $(tail -n 1 <<<"$said")"
  [ "$rc" = 0 ] || [ "$rc" = 5 ] && return
  echo "$said"
  return 1
}
export -f pytest_file

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
  python | python-asan | python-tsan)
    module=ON
    if [ "$which" != python-tsan ]; then
      build asan _tarl tarl
      # All but what measures memory, which would be the sanitizer's, and what reads the stub.
      check_module asan "$(find python/tests -name 'test_*.py' ! -name test_types.py | sort)" \
        --deselect python/tests/test_lifetime.py::test_a_hundred_models_take_no_more_memory_than_ten "$@"
    fi
    if [ "$which" != python-asan ]; then
      build tsan _tarl tarl
      check_module tsan "$with_threads" "$@"
    fi
    ;;
  *)
    echo "sanitize.sh: no such kind: $which (asan, units, tsan or python)"
    exit 2
    ;;
esac
exit $bad
