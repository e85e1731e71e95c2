#!/usr/bin/env bash
# Every verb that prints a table can print JSON: one document, and nothing else.
. "$(dirname "$0")/lib.sh"
# has EXPRESSION VERB ARGS...: the document is in `d`.
has() {
  local expression=$1
  shift
  "$tarl" "$@" --json >"$work/out" 2>"$work/err" || fail "exit $?: $*: $(cat "$work/err")"
  python3 - "$work/out" "$expression" <<'PY' || fail "tarl $* --json: $(head -c 400 "$work/out")"
import json, sys
d = json.load(open(sys.argv[1]))
assert eval("(" + sys.argv[2] + ")"), sys.argv[2]
PY
}
# Evaluations play at random, so that some score more than the random policy's mean.
tiny="--set learning_starts=20 --set eval.epsilon=1 --set eval.count=2 --set eval.episodes=1"
cat >"$work/pair.toml" <<STUDY
envs = ["classic/cartpole"]
seeds = 2
baseline = "DQN"
[[conditions]]
label = "DQN"
algo = "dqn"
[[conditions]]
label = "TA-DQN"
algo = "ta-dqn"
STUDY
pair="$work/pair.toml --steps 60 $tiny --out $work/pair"

has 'd["environments"][0]["name"] == "classic/cartpole" and not d["missing"]' list envs cartpole
has '"ta-dqn+per" in d' list algos
has '[s["name"] for s in d][:2] == ["paper", "direction"]' list scores
has 'any(a["name"] == "sac" for a in d)' list agents
has 'd == []' list plugins
has 'any(p["name"] == "minatar/paper" for p in d)' list presets
has 'all(s["runs"] == len(s["envs"]) * len(s["conditions"]) * s["seeds"] for s in d)' list studies
has 'any(s["name"] == "minatar-replay" for s in d)' study list
has 'd["version"] and d["memory_bytes"] > 0 and d["environments"]["minatar"] >= 5' doctor
has 'd["algo"] == "sac" and d["extended.from"] == [] and d["batch_size"] == 256 and d["log.csv"] is True' \
  show-config --algo sac --env Pendulum-v1

# The estimate counts what the list has; before, in the middle and after.
has 'len(d["runs"]) == 4 and d["finished"] == 0 and d["steps"] == d["steps_left"] == 240 and d["core_seconds"] > 0
  and d["memory_bytes_per_run"] > 0 and d["disk_bytes_per_run"] > 0 and d["side_by_side"] == 3 and not d["unmeasured"]' \
  study run $pair --dry-run --jobs 3
[ -e "$work/pair" ] && fail "a dry run made a folder"
refused "tarl study status $work/pair --json" study run $pair --json
[ -e "$work/pair" ] && fail "a refusal made a folder"
"$tarl" study run $pair >"$work/log" 2>&1 || fail "study: $(tail -n 1 "$work/log")"
has 'd["finished"] == 4 and d["steps"] == 240 and d["steps_left"] == 0 and d["core_seconds"] == 0' \
  study run $pair --dry-run
"$tarl" study run $pair --seeds 3 --dry-run >"$work/out" || fail "dry run: $(cat "$work/out")"
grep -q "^6 runs, 4 finished; 360 steps, 120 to go$" "$work/out" || fail "no totals: $(cat "$work/out")"
for line in "^time: about .* core-[a-z]*, .* with 2 side by side; without evaluations, measured just now" "^memory: up to" "^disk: up to"; do
  grep -q "$line" "$work/out" || fail "no '$line': $(cat "$work/out")"
done
"$tarl" study run $pair --seeds 3 --dry-run --executor slurm --slurm-args "--partition=a b" >"$work/out" || fail "slurm: $(cat "$work/out")"
grep -q "^sbatch --parsable --job-name=tarl-pair --array=0-1 .*--partition=a b .*/pair/slurm/1.sh$" "$work/out" || fail "no sbatch: $(cat "$work/out")"
grep -q '^#!/bin/bash$' "$work/out" || fail "no script: $(cat "$work/out")"
[ -e "$work/pair/slurm" ] && fail "a dry run wrote a script"
"$tarl" study run $pair --dry-run --executor fleet >"$work/out" || fail "fleet: $(cat "$work/out")"
grep -q "^not on a fleet: DQN: a fleet plays MinAtar" "$work/out" || fail "fleet: $(cat "$work/out")"
"$tarl" study run minatar-margin --envs minatar/breakout --seeds 1 --dry-run --executor fleet >"$work/out" ||
  fail "fleet: $(cat "$work/out")"
grep -q "^GPU memory: up to .* a run" "$work/out" || fail "no GPU memory: $(cat "$work/out")"

has 'd["counts"] == {"done": 4, "running": 0, "stopped": 0, "failed": 0, "missing": 0} and len(d["runs"]) == 4
  and all(r["step"] == 60 for r in d["runs"]) and d["at_work"] is False and d["seconds_left"] is None' \
  study status "$work/pair"
has 'len(d["returns"]) == len(d["lengths"]) == 3 and d["algo"] == "dqn" and d["mean"] == sum(d["returns"]) / 3' \
  eval "$work/pair/classic/cartpole/dqn/seed0" --episodes 3
has 'd["algo"] == "dqn" and d["steps"] == 60 and d["parameters"] > 0 and d["files"][0]["bytes"] > 0' \
  export "$work/pair/classic/cartpole/dqn/seed0" --onnx "$work/policy.onnx"
has 'd["page"].endswith("report.html") and [v["compared"] for v in d["verdicts"]] == ["TA-DQN"]' report "$work/pair"
grep -q "tarl train --algo ta-dqn --env classic/cartpole --seed 1 --steps 60 " "$work/pair/report.html" ||
  fail "the report does not say how to make a run again"
has 'd["bytes"] == 0 and d["removed"] == [] and d["left_alone"] == []' clean "$work/pair"
has 'd["algo"] == "dqn" and d["kills"] == 1 and d["runs"] > 0 and d["differences"] == []' \
  selftest --kill 1 --algo dqn --env classic/cartpole --steps 300
has 'd["updates_per_s"] > 0' bench --seconds 0.01 --algo dqn --env classic/cartpole
has '[p["name"] for p in d["parts"]] == ["products", "optimiser", "passes", "replay", "rest", "acting"]
     and sum(p["us"] for p in d["parts"][:5]) > 0.99 * d["update_us"] > 0
     and all(p["us"] >= 0 and p["bound"] for p in d["parts"])' \
  bench --roofline --seconds 0.01 --algo dqn --env classic/cartpole

# A damaged file is named if nothing is left to report.
run=$work/pair/classic/cartpole/dqn/seed0
mkdir "$work/damaged"
cp -r "$run" "$work/damaged/run"
echo torn >"$work/damaged/run/evaluations.npz"
"$tarl" report "$work/damaged" >"$work/out" 2>&1 && fail "a report of nothing"
grep -q "cannot read evaluations.npz" "$work/out" || fail "the damaged file is not named: $(cat "$work/out")"
echo "JSON of every verb"
