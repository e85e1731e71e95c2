#!/usr/bin/env bash
# tarl's own figures, then the comparison with the peers if they are installed.
set -eu
cd "$(dirname "$0")/.."
build/tarl bench
if [ -x .venv-peers/bin/python ]; then
  python3 bench/peers/compare.py
else
  echo "for the table beside other libraries: bench/peers/setup.sh, then make bench"
fi
