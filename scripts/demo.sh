#!/usr/bin/env bash
# Trains DQN and TA-DQN on MinAtar Breakout side by side, prints the comparison, writes the report.
set -u
cd "$(dirname "$0")/.." || exit 1
out=${1:-runs/demo}
build/tarl study run studies/demo.toml --out "$out" || exit $?
build/tarl report "$out" --out report.html || exit $?
echo
echo "Open report.html in a browser."
