#!/usr/bin/env bash
# kill -9 of a study and of single runs in the middle: no orphans, and the bits of a study left alone.
. "$(dirname "$0")/lib.sh"
args="minatar-replay --steps 3000 --seeds 1 --envs minatar/breakout --set learning_starts=300 --set eval.count=10 --set checkpoint.every=150"
files="model.safetensors evaluations.npz evaluations.csv progress.csv monitor.csv"

start=$(date +%s%N)
"$tarl" study run $args --out "$work/ref" >"$work/log" 2>&1 || fail "undisturbed: $(tail -n 1 "$work/log")"
took=$(( ($(date +%s%N) - start) / 1000000 ))
[ "$(ls -d "$work"/ref/minatar/breakout/*/seed0 | wc -l)" = 6 ] || fail "not six runs"

# Processes that train below a folder.
trainers() { pgrep -f -- "train --resume --out $1/minatar"; }
nap() { sleep "$(printf '%d.%03d' $(($1 / 1000)) $(($1 % 1000)))"; }
no_orphans() {
  for _ in $(seq 100); do [ -z "$(trainers "$1")" ] && return; sleep 0.1; done
  fail "orphans 10 s after $2: $(trainers "$1")"
}

studies=0
runs=0
for round in $(seq 12); do
  "$tarl" study run $args --out "$work/k" >>"$work/k.log" 2>&1 &
  study=$!
  nap $((RANDOM % (took / 3 + 50) + 50))
  victim=$(trainers "$work/k" | head -n 1)
  if [ $((round % 2)) = 0 ] && [ -n "$victim" ]; then
    kill -9 "$victim" 2>/dev/null && runs=$((runs + 1))
    nap $((RANDOM % 300 + 50))
  fi
  if kill -9 $study 2>/dev/null; then studies=$((studies + 1)); fi
  wait $study 2>/dev/null
  # Every other time the next study finds the children of this one still saving their state.
  [ $((round % 4)) -lt 2 ] && no_orphans "$work/k" "kill -9 of the study"
  [ "$(ls "$work"/k/minatar/breakout/*/seed0/model.safetensors 2>/dev/null | wc -l)" = 6 ] && break
done
[ $studies -ge 2 ] || fail "only $studies kills of the study landed"
"$tarl" study run $args --out "$work/k" >>"$work/k.log" 2>&1 || fail "after the kills: $(tail -n 3 "$work/k.log")"
for run in "$work"/ref/minatar/breakout/*/seed0; do
  for file in $files; do
    equal "$run/$file" "${run/ref/k}/$file" || fail "${run/ref/k}/$file differs"
  done
done
equal "$work/ref/baselines.json" "$work/k/baselines.json" || fail "baselines differ"

# The same command again has nothing to do and touches no run.
before=$(find "$work/k/minatar" -type f -printf '%p %T@\n' | sort | sha256sum)
"$tarl" study run $args --out "$work/k" >"$work/log" 2>&1 || fail "again: $(tail -n 1 "$work/log")"
grep -q "6 done, 0 to do" "$work/log" || fail "did something again: $(cat "$work/log")"
[ "$before" = "$(find "$work/k/minatar" -type f -printf '%p %T@\n' | sort | sha256sum)" ] || fail "files were touched"

# Other settings are refused with the difference, and more seeds are an addition.
"$tarl" study run $args --out "$work/k" --set gamma=0.9 >"$work/log" 2>&1
[ $? = 2 ] || fail "other settings were not refused"
grep -q "gamma: 0.99 -> 0.9  \[every condition\]" "$work/log" || fail "no difference shown: $(cat "$work/log")"
"$tarl" study run $args --seeds 2 --out "$work/k" >"$work/log" 2>&1 || fail "more seeds: $(tail -n 1 "$work/log")"
grep -q "12 runs, 6 done, 6 to do" "$work/log" || fail "seeds were not added: $(head -n 1 "$work/log")"

# SIGTERM: the runs write checkpoints, the study says 75, nobody is left, and it can go on.
long="$args --steps 60000 --jobs 2"
"$tarl" study run $long --out "$work/t" >"$work/log" 2>&1 &
study=$!
for _ in $(seq 200); do [ "$(ls "$work"/t/minatar/breakout/*/seed0/evaluations.csv 2>/dev/null | wc -l)" -ge 2 ] && break; sleep 0.05; done
"$tarl" study status "$work/t" >"$work/status" || fail "status failed"
grep -q "at work" "$work/status" || fail "status sees nobody at work: $(cat "$work/status")"
"$tarl" study run $long --out "$work/t" >"$work/second" 2>&1 && fail "two studies in one folder"
grep -q "in use by process $study" "$work/second" || fail "the second study does not say who: $(cat "$work/second")"
kill -TERM $study
wait $study
code=$?
[ $code = 75 ] || fail "SIGTERM gave exit $code: $(tail -n 3 "$work/log")"
no_orphans "$work/t" SIGTERM
[ "$(grep -l '"status": "stopped"' "$work"/t/minatar/breakout/*/seed0/run.json | wc -l)" -ge 1 ] || fail "no run was stopped in order"
echo "same bits after $studies kills of the study and $runs of single runs; SIGTERM leaves checkpoints"
