#!/usr/bin/env bash
# kill -9, resume, same bits: the actor-critic agents on a native environment and on MuJoCo.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/control.sh"
for env in $control_envs; do
  for algo in sac ta-sac ta-td3; do
    kill_and_resume "$algo-${env#*/}" "${TARL_KILLS:-6}" --algo $algo --env $env $control_short \
      --set checkpoint.every=40
  done
done
