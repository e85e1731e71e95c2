#!/usr/bin/env bash
# The Python package with everything that it works with: all of python/tests with PyTorch, JAX and
# Stable-Baselines3 (several GB in .venv-verify, the CPU's PyTorch where it can be had), its classes for
# SB3 on the oldest SB3 that they are for, too; and mypy --strict.
set -u
cd "$(dirname "$0")/.." || exit 1
python=.venv-verify/bin/python
oldest=.venv-verify/oldest-sb3
export OMP_NUM_THREADS=1  # small networks
export PYTHONPATH=$PWD/build/python

scripts/setup.sh python || exit 1
# What does not import would be skipped.
$python -c "import torch, jax, stable_baselines3, ale_py, gymnasium" || exit 1
[ -d $oldest ] ||
  $python -m pip install -q --disable-pip-version-check --no-deps --target $oldest stable-baselines3==2.7.0 || exit 1

echo "verify-python: mypy"
export MYPYPATH=$PWD/build/python
$python -m mypy --strict --no-error-summary --cache-dir .venv-verify/mypy -p tarl || exit 1
$python -m mypy --strict --no-error-summary --cache-dir .venv-verify/mypy python/tests/typed_use.py || exit 1
echo "verify-python: python/tests"
$python -m pytest -q -rs python/tests || exit 1
echo "verify-python: python/tests/test_sb3.py on SB3 2.7.0"
PYTHONPATH=$PWD/$oldest:$PYTHONPATH $python -m pytest -q -rs python/tests/test_sb3.py || exit 1
