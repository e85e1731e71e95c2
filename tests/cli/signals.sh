#!/usr/bin/env bash
# SIGTERM, SIGINT and SIGUSR1 in training, evaluation and warm-up: durable checkpoint, exit 75, resume to the bit.
. "$(dirname "$0")/lib.sh"
args="--algo ta-dqn --env minatar/freeway --steps 6000 --set learning_starts=1500 --set eval.count=60 --set checkpoint.every=0 --seed 3"
"$tarl" train $args --out "$work/ref" >"$work/log" 2>&1 || fail "$(tail -n 1 "$work/log")"
stops=0
for signal in TERM INT USR1 TERM USR1 TERM INT TERM; do
  resume=$([ -f "$work/k/config.toml" ] && echo --resume)
  "$tarl" train $args --out "$work/k" $resume >"$work/log" 2>&1 &
  pid=$!
  sleep "0.$((RANDOM % 5 + 2))"
  before=$(date +%s%N)
  kill -$signal $pid 2>/dev/null
  wait $pid
  code=$?
  [ $(( ($(date +%s%N) - before) / 1000000 )) -lt 2000 ] || fail "SIG$signal took over 2 s"
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
