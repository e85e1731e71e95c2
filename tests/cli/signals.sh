#!/usr/bin/env bash
# SIGTERM, SIGINT and SIGUSR1 in training, evaluation and warm-up: durable checkpoint, exit 75, resume to the bit.
. "$(dirname "$0")/lib.sh"
args="--algo ta-dqn --env minatar/freeway --steps 3000 --set learning_starts=800 --set eval.count=30 --set eval.episodes=3 --set checkpoint.every=0 --seed 3"
env $(faults "root=$work/ref,count=$work/calls") "$tarl" train $args --out "$work/ref" >"$work/log" 2>&1 || fail "$(tail -n 1 "$work/log")"
window=$(($(calls_in "$work/calls") / 4))
stops=0
round=0
for signal in TERM INT USR1 TERM USR1 TERM INT TERM; do
  round=$((round + 1))
  env $(faults "root=$work/k,call=$((RANDOM % window + 1)),hold=$work/hold") \
    "$tarl" train $args --out "$work/k" $(resume_of "$work/k") >"$work/log" 2>&1 &
  pid=$!
  # Alternately inside a file call, and wherever the run is a moment later.
  if wait_until $pid test -s "$work/hold"; then
    [ $((round % 2)) = 1 ] && kill -$signal $pid
    rm "$work/hold"
    [ $((round % 2)) = 0 ] && sleep "0.0$((RANDOM % 10))"
    [ $((round % 2)) = 0 ] && kill -$signal $pid 2>/dev/null
  fi
  wait $pid
  code=$?
  [ $code = 0 ] && break
  [ $code = 75 ] || fail "SIG$signal gave exit $code: $(tail -n 1 "$work/log")"
  stops=$((stops + 1))
done
"$tarl" train --resume --out "$work/k" >"$work/log" 2>&1 || fail "$(tail -n 1 "$work/log")"
for file in model.safetensors evaluations.npz progress.csv monitor.csv; do
  equal "$work/ref/$file" "$work/k/$file" || fail "$file differs after $stops stops"
done
[ $stops -gt 0 ] || fail "no signal landed"
echo "same bits after $stops stops"
