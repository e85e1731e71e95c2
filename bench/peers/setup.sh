#!/usr/bin/env bash
# Installs the peers (PyTorch, JAX, Stable-Baselines3, SBX, ...) into .venv-peers: several GB.
set -eu
cd "$(dirname "$0")/../.."
[ -x .venv-peers/bin/python ] || python3 -m venv .venv-peers
.venv-peers/bin/python -m pip install -q --disable-pip-version-check -r bench/peers/requirements.txt
echo "peers installed; run: python3 bench/peers/compare.py"
