#!/usr/bin/env bash
# What a reviewer would otherwise have to say: format, layers, sizes, unfinished marks, clang-tidy on
# what changed since the given revision (default HEAD).
set -u
cd "$(dirname "$0")/.." || exit 1
base=${1:-HEAD}
bad=0
complain() { echo "check: $*"; bad=1; }

python3 scripts/check_layers.py || bad=1
sources=$(git ls-files 'src/*.h' 'src/*.cpp' 'src/*.cu' 'src/*.cuh' 'tests/*.h' 'tests/*.cpp' 'tests/*.cu' 'tests/*.cuh' 'examples/*.cpp')
if command -v clang-format >/dev/null; then
  unformatted=$(echo "$sources" | xargs clang-format --dry-run -Werror 2>&1 | grep -oE '^[^: ]+:[0-9]+' | cut -d: -f1 | sort -u)
  [ -z "$unformatted" ] || complain "not formatted (make format): $unformatted"
else
  complain "clang-format is not installed (apt-get install clang-format)"
fi
long=$(echo "$sources" | xargs wc -l | awk '$2 != "total" && $1 > 400 {print $2 " (" $1 ")"}')
[ -z "$long" ] || complain "files over 400 lines: $long"
marks=$(git grep -InwE 'TODO|FIXME|XXX' -- src tests | head -n 5)
[ -z "$marks" ] || complain "unfinished marks: $marks"
changed=$(git diff --name-only --diff-filter=AM "$base" -- 'src/*.cpp' | head -n 40)
if [ -n "$changed" ] && command -v clang-tidy >/dev/null; then
  # Headers that g++ has compiled are nothing to clang.
  cmake -S . -B build/tidy -G Ninja -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON -DTARL_CUDA=OFF -DTARL_UNITY=OFF \
    -DTARL_TESTS=OFF >build-tidy.log 2>&1 || { cat build-tidy.log; bad=1; }
  rm -f build-tidy.log
  echo "$changed" | xargs -P "$(nproc)" -n 4 clang-tidy -p build/tidy --quiet \
    --extra-arg=-Wno-unknown-warning-option 2>/dev/null || bad=1
fi
[ $bad = 0 ] && echo "check: all good"
exit $bad
