#!/usr/bin/env bash
# kill -9 at random instants, resume, end with the bits of the unbroken run.
. "$(dirname "$0")/lib.sh"
kills=${TARL_KILLS:-20}
files="model.safetensors evaluations.npz evaluations.csv progress.csv monitor.csv events.out.tfevents.0.tarl"
for algo in dqn ta-dqn ta-dqn+per ta-dqn+reaper; do
  args="--algo $algo $short --steps 12000 --set eval.count=6 --set checkpoint.every=150"
  start=$(date +%s%N)
  "$tarl" train $args --out "$work/ref-$algo" >"$work/log" 2>&1 || fail "$algo: $(tail -n 1 "$work/log")"
  took=$(( ($(date +%s%N) - start) / 1000000 ))
  # The mean time to a kill is a share of the run, so that all of them happen before its end.
  window=$(( took / (kills / 2) + 20 ))
  done_kills=0
  while [ $done_kills -lt "$kills" ]; do
    resume=$([ -d "$work/k-$algo" ] && echo --resume)
    "$tarl" train $args --out "$work/k-$algo" $resume >"$work/log" 2>&1 &
    pid=$!
    sleep "$(printf '0.%03d' $(( (RANDOM % window + 5) % 1000 )))"
    if kill -9 $pid 2>/dev/null; then done_kills=$((done_kills + 1)); fi
    wait $pid 2>/dev/null
    [ -f "$work/k-$algo/model.safetensors" ] && break
  done
  "$tarl" train $args --out "$work/k-$algo" --resume >"$work/log" 2>&1 || fail "$algo: $(tail -n 1 "$work/log")"
  for file in $files; do
    equal "$work/ref-$algo/$file" "$work/k-$algo/$file" || fail "$algo: $file differs after $done_kills kills"
  done
  [ $done_kills -ge $((kills / 4)) ] || fail "$algo: only $done_kills kills landed"
  echo "$algo: same bits after $done_kills kills"
done
