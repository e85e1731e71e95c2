#!/usr/bin/env bash
# Tests the Python package with everything it works with: all of python/tests with PyTorch, JAX,
# Stable-Baselines3, W&B, Optuna and notebooks (several GB in .venv-verify), its classes for SB3 also
# on the oldest supported SB3; mypy, strict (pyproject.toml), and pyright over every public type.
set -u
cd "$(dirname "$0")/.." || exit 1
python=.venv-verify/bin/python
oldest=.venv-verify/oldest-sb3
export OMP_NUM_THREADS=1  # small networks
export PYTHONPATH=$PWD/build/python

scripts/setup.sh python || exit 1
# Tests of modules that do not import would be skipped.
$python -c "import torch, jax, stable_baselines3, ale_py, gymnasium, wandb, optuna, nbclient, ipykernel" || exit 1
[ -d $oldest ] ||
  $python -m pip install -q --disable-pip-version-check --no-deps --target $oldest stable-baselines3==2.7.0 || exit 1

echo "verify-python: mypy"
export MYPYPATH=$PWD/build/python
$python -m mypy --no-error-summary --cache-dir .venv-verify/mypy -p tarl || exit 1
$python -m mypy --no-error-summary --cache-dir .venv-verify/mypy python/tests/typed_*.py || exit 1
echo "verify-python: pyright, every public type is known"
# It locates packages through the python on the PATH.
PATH=$PWD/.venv-verify/bin:$PATH $python -m pyright --verifytypes tarl --ignoreexternal >.venv-verify/pyright.log 2>&1 ||
  { tail -n 40 .venv-verify/pyright.log; exit 1; }
# In two processes: some of the other tests fork, which JAX's threads would not survive.
echo "verify-python: python/tests"
$python -m pytest -q -rs -m verify python/tests || exit 1
$python -m pytest -q -rs -m "not verify" --ignore python/tests/test_align_jax.py python/tests || exit 1
echo "verify-python: tarl.sb3 on SB3 2.7.0"
export PYTHONPATH=$PWD/$oldest:$PYTHONPATH
$python -c "import stable_baselines3 as sb3; assert sb3.__version__ == '2.7.0', sb3.__version__" || exit 1
$python -m pytest -q -rs python/tests/test_sb3.py || exit 1
