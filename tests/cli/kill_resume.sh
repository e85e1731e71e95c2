#!/usr/bin/env bash
# kill -9 in the middle of file calls, resume, end with the bits of the uninterrupted run: DQN and its
# replays.
. "$(dirname "$0")/lib.sh"
for algo in dqn ta-dqn ta-dqn+per ta-dqn+reaper; do
  kill_and_resume "$algo" "${TARL_KILLS:-8}" --algo $algo $short --steps 3000 --set eval.count=6 \
    --set checkpoint.every=100 $([ $algo = ta-dqn ] && echo --set align.trace=2)
done
