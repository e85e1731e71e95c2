#!/usr/bin/env bash
# Our own figures, then the table beside the rivals where they are installed.
set -eu
cd "$(dirname "$0")/.."
build/tarl bench
if [ -x .venv-peers/bin/python ]; then
  python3 bench/peers/compare.py
else
  echo "for the table beside other libraries: bench/peers/setup.sh, then make bench"
fi
