#!/usr/bin/env bash
# Every marked number, table and figure of docs/results.md is that of the data in results/, and the check notices
# one that is not.
. "$(dirname "$0")/lib.sh"
tarl=$(realpath "$tarl")
cd "$(dirname "$0")/../.." || exit 1
check() {  # the first one draws the reports
  python3 -B scripts/results.py --check --reuse --tarl "$tarl" --work "$work/reports" --page "$1" >"$work/out" 2>&1
}
check docs/results.md || fail "$(head -n 5 "$work/out")"

# A page beside the pictures, to change.
mkdir "$work/docs" && cp -r docs/pictures "$work/docs" || exit 1
changed() {  # changed WHAT SED: the check must complain about WHAT
  sed "$2" docs/results.md >"$work/docs/results.md"
  cmp -s docs/results.md "$work/docs/results.md" && fail "$1: nothing is changed"
  check "$work/docs/results.md" && fail "$1: not noticed"
  grep -q -- "$3" "$work/out" || fail "$1: $(cat "$work/out")"
}
cp docs/results.md "$work/docs" && check "$work/docs/results.md" || fail "a copy: $(cat "$work/out")"
changed "a number" '0,/-->−0/s//-->−9/' "the data"
changed "a number where nothing was run" '0,/-->not run yet</s//-->+0.125</' "'+0.125'"
changed "a table" '0,/^| TA-SAC |/s//| TA-SAX |/' "the data"
changed "a number without a mark" '$s/$/ The gain is 0.375./' "0.375. is no marked number"
changed "a condition that is not there" '0,/= pendulum-start; at; SAC;/s//= pendulum-start; at; SAD;/' "no 'SAD'"
rm "$work"/docs/pictures/results/*.svg && cp docs/results.md "$work/docs" && check "$work/docs/results.md" &&
  fail "a missing figure: not noticed"
echo "results: good"
