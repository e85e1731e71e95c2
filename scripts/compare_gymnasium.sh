#!/usr/bin/env bash
# Records whole episodes of random actions in Gymnasium and replays them in tarl's environments:
# compare_gymnasium.sh [EPISODES [ENVIRONMENT...]], by default 1000 episodes of every environment.
# Recordings stay in build/gymnasium.
set -u
cd "$(dirname "$0")/.." || exit 1
scripts/setup.sh gymnasium || exit 1
episodes=${1:-1000}
recorded=$PWD/build/gymnasium
rm -rf "$recorded"
.venv-gymnasium/bin/python -W ignore tests/fixtures/record_gymnasium.py --out "$recorded" --episodes "$episodes" \
  --steps 0 "${@:2}" || exit 1
TARL_FIXTURES=$recorded build/tarl_fixtures gymnasium
