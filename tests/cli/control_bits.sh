#!/usr/bin/env bash
# Margin 0 is the baseline; repeats and threads change no bit: SAC and TD3.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/control.sh"
run() {
  local folder=$work/$1
  shift
  "$tarl" train $control_short --out "$folder" "$@" >"$work/log" 2>&1 || fail "train $*: $(tail -n 1 "$work/log")"
}
same() {
  for file in $outputs; do
    equal "$work/$1/$file" "$work/$2/$file" || fail "$file differs: $1 and $2"
  done
}
for env in $control_envs; do
  at=${env#*/}
  for algo in sac ta-sac ta-td3; do
    run $algo-$at --algo $algo --env $env
    run $algo-$at-threads --algo $algo --env $env --threads 2
    same $algo-$at $algo-$at-threads
  done
  run td3-$at --algo td3 --env $env
  for algo in sac td3; do
    run $algo-$at-margin0 --algo ta-$algo --margin 0 --env $env
    for file in model.safetensors evaluations.npz; do
      equal "$work/$algo-$at/$file" "$work/$algo-$at-margin0/$file" || fail "$algo is not ta-$algo --margin 0 on $env"
    done
    equal "$work/$algo-$at/model.safetensors" "$work/ta-$algo-$at/model.safetensors" && fail "ta-$algo equals $algo on $env"
  done
done
run repeat --algo ta-sac --env classic/pendulum
same ta-sac-pendulum repeat
echo "same bits for sac and td3 on $control_envs"
