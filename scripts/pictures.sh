#!/usr/bin/env bash
# Makes the pictures of README.md: learning curves of DQN and TA-DQN on MinAtar Breakout, and a trained
# agent at play. Takes three minutes of processor time; existing runs are not repeated.
set -u
cd "$(dirname "$0")/.." || exit 1
tarl=${TARL:-build/tarl}
out=${1:-runs/pictures}
"$tarl" study run studies/demo.toml --seeds 3 --steps 200000 --out "$out" || exit $?
"$tarl" report "$out" || exit $?
"$tarl" eval "$out/minatar/breakout/ta-dqn/seed0" --episodes 1 --gif docs/pictures/breakout.gif || exit $?
cp "$out/report_files/curves.svg" docs/pictures/curves.svg
