#!/usr/bin/env bash
# Format, layers, links of the documents, file sizes and unfinished marks over the whole tree.
set -u
cd "$(dirname "$0")/.." || exit 1
bad=0
complain() { echo "check: $*"; bad=1; }

python3 scripts/check_layers.py || bad=1
python3 scripts/check_links.py || bad=1
sources=$(git ls-files '*.h' '*.cpp' '*.cu' '*.cuh')  # as make format
if command -v clang-format >/dev/null; then
  unformatted=$(echo "$sources" | xargs clang-format --dry-run -Werror 2>&1 | grep -oE '^[^: ]+:[0-9]+' | cut -d: -f1 | sort -u)
  [ -z "$unformatted" ] || complain "not formatted (make format): $unformatted"
else
  complain "clang-format is not installed (apt-get install clang-format)"
fi
long=$(echo "$sources" | xargs wc -l | awk '$2 != "total" && $1 > 400 {print $2 " (" $1 ")"}')
[ -z "$long" ] || complain "files over 400 lines: $long"
marks=$(git grep -InwE 'TODO|FIXME|XXX' -- src tests python bench examples | head -n 5)
[ -z "$marks" ] || complain "unfinished marks: $marks"
[ $bad = 0 ] && echo "check: all good"
exit $bad
