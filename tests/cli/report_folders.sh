#!/usr/bin/env bash
# Several folders on one page: its location, the names of conditions, and refusals.
. "$(dirname "$0")/lib.sh"
tarl=$(realpath "$tarl")
for name in one two; do
  "$tarl" train --algo dqn --env classic/cartpole --steps 300 --set learning_starts=50 --set eval.count=3 \
    --set eval.episodes=1 --quiet --out "$work/$name" || fail "train $name"
done
ln -s one "$work/link"
cd "$work" || exit 1
"$tarl" report one two --label first --label second >out 2>&1 || fail "report of two: $(cat out)"
[ -s report.html ] && [ -s report_files/comparisons.json ] || fail "the page is not in the current folder"
grep -q '| first |' out && grep -q '| second |' out || fail "labels are missing: $(cat out)"
"$tarl" report one two link >out 2>&1 || fail "report with a link: $(cat out)"
grep -q '| DQN (two) |' out && grep -q 'named twice' out || fail "folders are not told apart: $(cat out)"
"$tarl" report one >out 2>&1 && [ -s one/report.html ] || fail "report of one: $(cat out)"

# refused WORD ARGS...: exit 2 and one line that contains WORD.
refused() {
  local word=$1
  shift
  "$tarl" report "$@" >out 2>&1
  [ $? = 2 ] && [ "$(wc -l <out)" = 1 ] && grep -q -- "$word" out || fail "report $*: $(cat out)"
}
refused "one --label for each folder" one two --label first
refused "nowhere is no folder" one nowhere
echo "folders: good"
