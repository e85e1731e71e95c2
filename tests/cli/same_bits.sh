#!/usr/bin/env bash
# Margin 0 is the baseline; repeats, threads, logging, instruction sets and the detour via a
# show-config file change no bit.
. "$(dirname "$0")/lib.sh"
short "$work/base" --algo dqn
short "$work/margin0" --algo ta-dqn --margin 0
short "$work/repeat" --algo dqn
short "$work/threads2" --algo dqn --threads 2
short "$work/threads3" --algo dqn --threads 3
short "$work/quiet" --algo dqn --set log.tensorboard=false --set log.csv=false --quiet
short "$work/logged" --algo dqn --set align.log=true
short "$work/traced" --algo dqn --set align.trace=3
short "$work/checkpoints" --algo dqn --set checkpoint.every=700
"$tarl" show-config $short --algo dqn >"$work/shown.toml" || fail "show-config"
"$tarl" train --preset "$work/shown.toml" --out "$work/shown" --quiet >"$work/log" || fail "train --preset: $(cat "$work/log")"
equal "$work"/{base,shown}/config.toml || fail "show-config's file gives another config.toml"
for folder in "$work"/*/; do
  for file in model.safetensors evaluations.npz; do
    equal "$work/base/$file" "$folder$file" || fail "$file differs: base and $(basename "$folder")"
  done
done
for file in progress.csv monitor.csv evaluations.csv events.out.tfevents.0.tarl; do
  equal "$work"/{base,repeat,threads2,checkpoints,traced}/$file || fail "$file differs between equal runs"
done
# Plain code is slow: fewer steps.
short "$work/brief" --algo dqn --steps 700
for isa in avx512-high avx512-low avx2 plain; do
  if TARL_ISA=$isa "$tarl" doctor >/dev/null 2>&1; then
    TARL_ISA=$isa short "$work/$isa" --algo dqn --steps 700
    equal "$work"/{brief,$isa}/model.safetensors && equal "$work"/{brief,$isa}/evaluations.npz || fail "$isa changes bits"
  else
    echo "SKIP: this machine has no $isa"
  fi
done
for replay in "" +per +reaper; do
  short "$work/d$replay" --algo "ddqn$replay"
  short "$work/t$replay" --algo "ta-ddqn$replay" --margin 0
  equal "$work/d$replay/model.safetensors" "$work/t$replay/model.safetensors" || fail "ddqn$replay is not ta-ddqn$replay --margin 0"
  short "$work/a$replay" --algo "ta-dqn$replay" --threads 1
  short "$work/b$replay" --algo "ta-dqn$replay" --threads 2
  equal "$work/a$replay/model.safetensors" "$work/b$replay/model.safetensors" || fail "ta-dqn$replay depends on threads"
  equal "$work/base/model.safetensors" "$work/a$replay/model.safetensors" && fail "ta-dqn$replay equals dqn"
done
echo "same bits everywhere"
