#!/usr/bin/env bash
# --margin auto: one of the candidate margins is measured once and recorded; nothing measures it
# again.
. "$(dirname "$0")/lib.sh"
small="--env classic/cartpole --steps 600 --set learning_starts=100 --set eval.count=2 --set eval.episodes=1"
ladder='(0\.5|1\.0|1\.5|[2-7]\.0)'
number_in() { grep -E "^margin = $ladder( |\$)" "$1" | grep -oE '^margin = [0-9.]+'; }

"$tarl" show-config $small --margin auto >"$work/shown.toml" 2>"$work/log" || fail "show-config: $(cat "$work/log")"
number_in "$work/shown.toml" >/dev/null || fail "show-config gives no number: $(grep margin "$work/shown.toml")"
[ "$(grep -cE '^tarl:  +[0-9.]+ +[0-9]+ +[0-9.]+ +[+-][0-9]+ %' "$work/log")" = 9 ] || fail "no line a margin: $(cat "$work/log")"

"$tarl" train $small --margin auto --set align.trace=4 --out "$work/run" >"$work/log" 2>&1 || fail "train: $(tail -n 1 "$work/log")"
number_in "$work/run/config.toml" >/dev/null || fail "config.toml has no number"
[ -f "$work/run/trace.npz" ] && [ ! -e "$work/run/trace.part" ] || fail "the run left no trace.npz"

cat >"$work/study.toml" <<'TOML'
seeds = 2
envs = ["classic/cartpole"]
baseline = "DQN"
[[conditions]]
label = "DQN"
algo = "dqn"
[[conditions]]
label = "TA"
algo = "ta-dqn"
margin = "auto"
TOML
study() {
  "$tarl" study run "$work/study.toml" --steps 600 --set learning_starts=100 --set eval.count=2 --set eval.episodes=1 \
    --set align.trace=4 --out "$work/study" "$@" >"$work/log" 2>&1
}
# A fleet measures on its GPU: without one, and for what it cannot play, nothing is measured.
study --executor fleet && fail "a fleet took a task it cannot play"
grep -q "classic/cartpole .* a fleet writes no trace" "$work/log" || fail "fleet: $(cat "$work/log")"
[ -e "$work/study" ] && fail "the refusal left a folder"
[ -e "$work/study/margins.json" ] && fail "a margin was measured elsewhere"
study || fail "study: $(tail -n 3 "$work/log")"
grep -q "align.margin = auto: what an update of ta-dqn on classic/cartpole costs here" "$work/log" || fail "nothing was measured"
runs=$work/study/classic/cartpole/ta
[ "$(number_in "$runs/seed0/config.toml")" = "$(number_in "$runs/seed1/config.toml")" ] || fail "seeds differ in their margin"
cp "$work/study/margins.json" "$work/before.json"
study --seeds 3 || fail "study again: $(tail -n 3 "$work/log")"
grep -q "costs here" "$work/log" && fail "the margin was measured again"
equal "$work/before.json" "$work/study/margins.json" || fail "margins.json changed"
[ "$(number_in "$runs/seed2/config.toml")" = "$(number_in "$runs/seed0/config.toml")" ] || fail "a later seed has another margin"

"$tarl" report "$work/study" --out "$work/report.html" >"$work/log" 2>&1 || fail "report: $(tail -n 1 "$work/log")"
grep -q "What the filter does: TA" "$work/report.html" || fail "the report shows no filter"
grep -q "^classic/cartpole,.*,terminal,not terminal," "$work/report_files/filter.csv" || fail "filter.csv: $(head -n 3 "$work/report_files/filter.csv")"
"$tarl" report "$work/run" --out "$work/one.html" >"$work/log" 2>&1 || fail "report: $(tail -n 1 "$work/log")"
grep -q "What the filter does" "$work/one.html" || fail "the page of a run shows no filter"
"$tarl" report "$work/run" "$work/study" --out "$work/two.html" >"$work/log" 2>&1 || fail "report: $(tail -n 1 "$work/log")"
grep -q "What the filter does: " "$work/two.html" || fail "the report of two folders shows no filter"
echo "a margin is measured once"
