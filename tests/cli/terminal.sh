#!/usr/bin/env bash
# On a terminal: progress is one line redrawn in place, however narrow it is, and what follows has its own.
. "$(dirname "$0")/lib.sh"
export LC_ALL=C.UTF-8  # bars are counted in characters
on_terminal() { python3 "$(dirname "$0")/on_terminal.py" "$@" >"$work/screen" 2>&1 || fail "$*: $(cat "$work/screen")"; }

for columns in 40 80 100 200; do
  on_terminal $columns "$tarl" train $short --out "$work/run$columns"
  sed '/^$/d' "$work/screen" >"$work/lines"
  shown=$(head -n 1 "$work/lines")
  [ ${#shown} -le $columns ] || fail "the progress line has ${#shown} characters on $columns columns: $shown"
  case $shown in *"100% 1500/1500 "*) ;; *) fail "no progress on $columns columns: $(cat "$work/screen")" ;; esac
  [ "$(grep -c '1500 ' "$work/lines")" = 1 ] || fail "several progress lines on $columns columns: $(cat "$work/screen")"
  grep -q "^ta-dqn on minatar/breakout: " "$work/lines" || fail "no message at the start of a line: $(cat "$work/screen")"
done
on_terminal 200 "$tarl" train $short --out "$work/wide"
grep -q "^ta-dqn minatar/breakout seed 7 █\{24\} 100% 1500/1500 .* alignment [01]\.[0-9]*$" "$work/screen" ||
  fail "no bar where there is room: $(cat "$work/screen")"

# Without a terminal: a line per evaluation, and a rate only once it is known.
"$tarl" train $short --out "$work/piped" >"$work/out" 2>"$work/said" || fail "train: $(cat "$work/said")"
[ "$(wc -l <"$work/said")" = 4 ] || fail "not a line per evaluation: $(cat "$work/said")"
grep -q " 0 steps/s" "$work/said" && fail "a rate before it is known: $(cat "$work/said")"

# The table of a study is as wide as its names.
"$tarl" study run demo --steps 200 --seeds 1 --set eval.count=1 --set eval.episodes=1 --out "$work/study" >"$work/log" 2>&1 ||
  fail "study: $(tail -n 1 "$work/log")"
on_terminal 80 "$tarl" study status "$work/study"
grep -q "^minatar/breakout  TA-DQN  *1 .* 100%$" "$work/screen" || fail "the table does not fit: $(cat "$work/screen")"
echo "progress stays on its line on any terminal"
