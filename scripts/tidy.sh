#!/usr/bin/env bash
# clang-tidy, which must be silent: tidy.sh [sources|REVISION]
#   sources   all but the tests, in two minutes
#   REVISION  the rooms and tests that changed since
# Without arguments everything: a quarter of an hour on two cores, most of it for the tests.
set -u
cd "$(dirname "$0")/.." || exit 1
what=${1:-}
build=build-tidy

# A dozen sources share one parse of the standard library, which takes most of the time. clang
# cannot use headers precompiled by g++.
cmake -S . -B $build -G Ninja -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON -DTARL_CUDA=OFF -DTARL_UNITY=OFF \
  -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=12 >$build.log 2>&1 || { cat $build.log; exit 1; }
rm -f $build.log
units=$(python3 -c "import json; print(*(unit['file'] for unit in json.load(open('$build/compile_commands.json'))), sep='\n')" |
  grep -E '\.(cpp|cxx)$' | sort -u)
if [ "$what" = sources ]; then
  units=$(grep -v "^$PWD/tests/" <<<"$units")
elif [ -n "$what" ]; then
  rooms=$(git diff --name-only "$what" -- src/tarl | cut -d/ -f3 | sort -u | paste -sd'|')
  files=$(git diff --name-only --diff-filter=AM "$what" -- tests bench examples | paste -sd'|')
  units=$(grep -E "/(tarl_(${rooms:-none})\.dir|src/tarl/(${rooms:-none}))/|/(${files:-none})\$" <<<"$units")
  [ -n "$units" ] || { echo "tidy: nothing changed since $what"; exit 0; }
fi
# A unity file includes sources, which suspicious-include would report; nanobind's command-line defines
# are not expressions.
tidy() {
  local off=-bugprone-suspicious-include
  [[ $1 != *"/$build/python/"* ]] || off+=,-bugprone-macro-parentheses
  clang-tidy -p "$build" --quiet --checks=$off --extra-arg=-Wno-unknown-warning-option "$1" 2>/dev/null
}
export -f tidy
export build
xargs -P "${JOBS:-$(nproc)}" -I{} bash -c 'tidy {}' <<<"$units" || exit 1
echo "tidy: no remarks in $(wc -l <<<"$units") units"
