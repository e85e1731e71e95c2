#!/usr/bin/env bash
# kill -9 of a study and of single runs midway: no orphans, and the bits of an uninterrupted study.
. "$(dirname "$0")/lib.sh"
args="minatar-replay --steps 3000 --seeds 1 --envs minatar/breakout --jobs 2 --set learning_starts=300 --set eval.count=10 --set checkpoint.every=150 --set checkpoint.keep=true"
files="model.safetensors evaluations.npz evaluations.csv progress.csv monitor.csv"
# The first run of the study is the one that is held in the middle of a checkpoint.
first=$("$tarl" study run $args --dry-run --out "$work/k" | awk 'NR == 1 { print $NF }')
checkpoints=$first/checkpoints

env $(faults "root=${checkpoints/"$work/k"/"$work/ref"},count=$work/calls") \
  "$tarl" study run $args --out "$work/ref" >"$work/log" 2>&1 || fail "undisturbed: $(tail -n 1 "$work/log")"
[ "$(ls -d "$work"/ref/minatar/breakout/*/seed0 | wc -l)" = 6 ] || fail "not six runs"

# Processes that train below a given folder.
trainers() { pgrep -f -- "train --resume --out $1/minatar"; }
no_trainers() { [ -z "$(trainers "$1")" ]; }
is_another() { [ -s "$1" ] && [ "$(cat "$1")" != "$2" ]; }

# Each study is killed while its first run is held in a file call of a checkpoint. The run has six
# lives, with a sixth of its calls each, so none reaches the end.
window=$(($(calls_in "$work/calls") / 6))
studies=0
runs=0
orphan=
for round in 1 2 3 4; do
  hold=$work/hold.$round
  env $(faults "root=$checkpoints,call=$((RANDOM % window + 1)),hold=$hold") \
    "$tarl" study run $args --out "$work/k" >"$work/k.log" 2>&1 &
  study=$!
  if [ -n "$orphan" ]; then
    wait_until $study grep -q "another process works on it" "$work/k.log" || fail "the orphan was not seen: $(cat "$work/k.log")"
    rm "$orphan"
  fi
  wait_until $study test -s "$hold" || fail "the study ended too early: $(tail -n 3 "$work/k.log")"
  if [ $((round % 2)) = 0 ]; then
    victim=$(cat "$hold")
    kill -9 "$victim" || fail "no run to kill"
    wait_until $study is_another "$hold" "$victim" || fail "a killed run was not started again: $(tail -n 3 "$work/k.log")"
    runs=$((runs + 1))
  fi
  kill -9 $study || fail "no study to kill"
  wait $study 2>/dev/null
  studies=$((studies + 1))
  # Every other time the next study finds this one's children still saving their state.
  orphan=$hold
  if [ $((round % 4)) -lt 2 ]; then
    rm "$hold"
    orphan=
    wait_until $$ no_trainers "$work/k"
  fi
done
"$tarl" study run $args --out "$work/k" >"$work/k.log" 2>&1 || fail "after the kills: $(tail -n 3 "$work/k.log")"
for run in "$work"/ref/minatar/breakout/*/seed0; do
  for file in $files; do
    equal "$run/$file" "${run/ref/k}/$file" || fail "${run/ref/k}/$file differs"
  done
done
equal "$work/ref/baselines.json" "$work/k/baselines.json" || fail "baselines differ"

# Repeating the command has nothing to do and touches no run.
before=$(find "$work/k/minatar" -type f -printf '%p %T@\n' | sort | sha256sum)
"$tarl" study run $args --out "$work/k" >"$work/log" 2>&1 || fail "again: $(tail -n 1 "$work/log")"
grep -q "6 done, 0 to do" "$work/log" || fail "did something again: $(cat "$work/log")"
[ "$before" = "$(find "$work/k/minatar" -type f -printf '%p %T@\n' | sort | sha256sum)" ] || fail "files were touched"

# Other settings are refused, naming the difference; more seeds extend the study.
"$tarl" study run $args --out "$work/k" --set gamma=0.9 >"$work/log" 2>&1
[ $? = 2 ] || fail "other settings were not refused"
grep -q "gamma: 0.99 -> 0.9  \[every condition\]" "$work/log" || fail "no difference shown: $(cat "$work/log")"
"$tarl" study run $args --seeds 2 --out "$work/k" >"$work/log" 2>&1 || fail "more seeds: $(tail -n 1 "$work/log")"
grep -q "12 runs, 6 done, 6 to do" "$work/log" || fail "seeds were not added: $(head -n 1 "$work/log")"

# SIGTERM: the runs write checkpoints, the study exits with 75, no process is left, and it can
# continue.
endless="$args --steps 1e9 --set eval.count=1000000"
"$tarl" study run $endless --out "$work/t" >"$work/log" 2>&1 &
study=$!
two_are_at_work() { [ "$(ls "$work"/t/minatar/breakout/*/seed0/evaluations.csv 2>/dev/null | wc -l)" -ge 2 ]; }
wait_until $study two_are_at_work || fail "the study ended: $(tail -n 3 "$work/log")"
"$tarl" study status "$work/t" >"$work/status" || fail "status failed"
grep -q "at work" "$work/status" || fail "status sees nobody at work: $(cat "$work/status")"
"$tarl" study run $endless --out "$work/t" >"$work/second" 2>&1 && fail "two studies in one folder"
grep -q "in use by process $study" "$work/second" || fail "the second study does not say who: $(cat "$work/second")"
kill -TERM $study
wait $study
code=$?
[ $code = 75 ] || fail "SIGTERM gave exit $code: $(tail -n 3 "$work/log")"
wait_until $$ no_trainers "$work/t"
[ "$(grep -l '"status": "stopped"' "$work"/t/minatar/breakout/*/seed0/run.json | wc -l)" = 2 ] || fail "no run was stopped in order"
echo "same bits after $studies kills of the study and $runs of single runs; SIGTERM leaves checkpoints"
