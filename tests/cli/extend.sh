#!/usr/bin/env bash
# An extended run equals the long run; a finished one without checkpoints is left alone; the command
# that a run lists reproduces it; tarl clean removes what nothing needs; child processes are called
# tarl.
. "$(dirname "$0")/lib.sh"
tarl=$(realpath "$tarl")
keep="--set checkpoint.keep=true"
constant="--set exploration_initial_eps=0.1 --set exploration_final_eps=0.1"
longer() { "$tarl" train --resume --quiet --out "$1" --steps "$2" >"$work/out" 2>"$work/err"; }

short "$work/run" --algo ta-dqn $constant $keep
short "$work/long" --algo ta-dqn $constant --steps 3000 --set eval.count=8
longer "$work/run" 3000 || fail "longer: $(cat "$work/err")"
for file in $outputs; do
  equal "$work/run/$file" "$work/long/$file" || fail "$file of a run made longer differs"
done
[ "$(grep -c "made longer at step 1500: .*no setting depends" "$work/err")" = 1 ] || fail "no line: $(cat "$work/err")"
[ -e "$work/long/checkpoints" ] && fail "a finished run has checkpoints"

# Killed in any file call of the extension, it continues to the same end.
tiny="--algo dqn --env classic/cartpole --steps 200 --set learning_starts=20 --set eval.count=2 --set eval.episodes=1"
"$tarl" train $tiny $keep -q --out "$work/tiny" >"$work/out" 2>&1 || fail "tiny: $(cat "$work/out")"
cp -r "$work/tiny" "$work/counted"
env $(faults "root=$work/counted,count=$work/calls") "$tarl" train --resume -q --steps 300 --out "$work/counted" >"$work/out" 2>&1 ||
  fail "counted: $(cat "$work/out")"
step=$(($(calls_in "$work/calls") / 12 + 1))
kills=0
for call in $(seq $((RANDOM % step + 1)) $step "$(calls_in "$work/calls")"); do
  rm -rf "$work/struck" && cp -r "$work/tiny" "$work/struck"
  env $(faults "root=$work/struck,call=$call,fault=kill") "$tarl" train --resume -q --steps 300 --out "$work/struck" \
    >"$work/out" 2>&1 &
  wait $! 2>/dev/null && continue
  kills=$((kills + 1))
  longer "$work/struck" 300 || fail "after a kill in call $call: $(cat "$work/err")"
  for file in $outputs; do
    equal "$work/counted/$file" "$work/struck/$file" || fail "$file differs after a kill in call $call"
  done
done
[ $kills -ge 6 ] || fail "only $kills kills landed"

# Without a checkpoint, nothing is touched.
find "$work/long" -type f -exec sha256sum {} + | sort >"$work/before"
longer "$work/long" 6000
[ $? = 2 ] || fail "a run without checkpoints was made longer"
grep -q "checkpoint.keep = true" "$work/err" || fail "no way out: $(cat "$work/err")"
find "$work/long" -type f -exec sha256sum {} + | sort | diff - "$work/before" || fail "a refused run was changed"

# The command that a run lists, in an empty folder: an extended run with a schedule.
short "$work/decay" --algo ddqn+per $keep --set exploration_fraction=0.9 --set policy.net_arch=[16]
longer "$work/decay" 2250 || fail "longer: $(cat "$work/err")"
grep -q "number of steps applies to: exploration_fraction, replay.beta" "$work/err" || fail "no schedules: $(cat "$work/err")"
command=$(sed -n 's/^ *"reproduce": "\(.*\)",$/\1/p' "$work/decay/run.json")
mkdir "$work/empty"
(cd "$work/empty" && PATH=$(dirname "$tarl"):$PATH bash -c "$command") >"$work/out" 2>&1 || fail "$command: $(tail -n 1 "$work/out")"
for file in evaluations.npz model.safetensors; do
  equal "$work/decay/$file" "$work"/empty/runs/*/*/*/*/$file || fail "$file is another's: $command"
done

# A run in progress in a study: its process is called tarl, and cleaning leaves it alone.
cat >"$work/one.toml" <<STUDY
envs = ["classic/cartpole"]
seeds = 1
[[conditions]]
algo = "dqn"
STUDY
"$tarl" study run "$work/one.toml" --steps 1e9 --out "$work/study" >"$work/log" 2>&1 &
study=$!
at_work=$work/study/classic/cartpole/dqn/seed0
wait_until $study test -s "$at_work/monitor.csv" || fail "no study: $(tail -n 1 "$work/log")"
child=$(sed -n 's/.*"pid": \([0-9]*\).*/\1/p' "$at_work/lock")
[ "$(cat "/proc/$child/comm")" = tarl ] || fail "the child is called $(cat "/proc/$child/comm")"
[ "$(tr '\0' ' ' <"/proc/$child/cmdline")" = "tarl train --resume --out $at_work " ] ||
  fail "the child's command: $(tr '\0' ' ' <"/proc/$child/cmdline")"
"$tarl" study run "$work/one.toml" --dry-run --out "$work/study/nested" >"$work/out" 2>"$work/err"
grep -q "is inside the study" "$work/err" || fail "no word of a study in a study"
# The run is held, for its own next checkpoint removes leftovers, too.
kill -STOP "$child"
wait_until $study grep -q ') T' "/proc/$child/stat" || fail "the run cannot be held"
mkdir -p "$at_work/checkpoints/tmp-step_000000000001"
"$tarl" clean "$work/study" >"$work/out" || fail "clean: $(cat "$work/out")"
grep -q "in use" "$work/out" || fail "in use, and not said: $(cat "$work/out")"
[ -d "$at_work/checkpoints/tmp-step_000000000001" ] || fail "a run at work was cleaned"
kill -CONT "$child"
kill $study
wait $study

# Cleaning removes only leftovers of a stopped run, and checkpoints of finished ones unless they are
# to be kept.
"$tarl" clean "$work/study" >"$work/out" || fail "clean: $(cat "$work/out")"
[ -e "$at_work/checkpoints/tmp-step_000000000001" ] && fail "a leftover stays"
ls -d "$at_work"/checkpoints/step_* >/dev/null || fail "a stopped run has lost its checkpoint"
mkdir "$work/runs"
cp -r "$work/run" "$work/runs/kept"
cp -r "$work/run" "$work/runs/not"
sed -i 's/^keep = true/keep = false/' "$work/runs/not/config.toml"
: >"$work/runs/kept/run.json.tmp"
bytes=$(du -sb --apparent-size "$work/runs/not/checkpoints" | cut -f1)
"$tarl" clean "$work/runs" --dry-run --json >"$work/out" || fail "clean: $(cat "$work/out")"
python3 - "$work/out" "$bytes" <<'PY' || fail "clean --dry-run: $(cat "$work/out")"
import json, sys
found = json.load(open(sys.argv[1]))
assert found["dry_run"] and 0 < found["bytes"] <= int(sys.argv[2]), found
assert sorted(item["path"].split("/", 2)[-1].rsplit("runs/", 1)[1] for item in found["removed"]) == \
    ["kept/run.json.tmp", "not/checkpoints"], found
PY
[ -d "$work/runs/not/checkpoints" ] || fail "a dry run removed something"
"$tarl" clean "$work/runs" >"$work/out" || fail "clean: $(cat "$work/out")"
[ -e "$work/runs/not/checkpoints" ] && fail "checkpoints of a finished run stay"
ls -d "$work"/runs/kept/checkpoints/step_* >/dev/null || fail "kept checkpoints are gone"
[ -e "$work/runs/kept/run.json.tmp" ] && fail "run.json.tmp stays"
longer "$work/runs/kept" 6000 || fail "a kept run cannot be made longer: $(cat "$work/err")"
echo "a longer run is the long run; its command makes it again; clean frees what nobody needs"
