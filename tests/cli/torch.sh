#!/usr/bin/env bash
# The PyTorch code in docs/model.md chooses the run's own actions.
. "$(dirname "$0")/lib.sh"
here=$(dirname "$0")
for python in "${TARL_PYTHON:-python3}" "$here/../../.venv-peers/bin/python" python3; do
  "$python" -c "import torch, safetensors, numpy" 2>/dev/null && break
  python=
done
if [ -z "$python" ]; then
  echo "SKIP: no Python with torch, safetensors and numpy (bench/peers/setup.sh brings torch)"
  exit 77
fi
model_runs
"$python" "$here/../readers/check_torch.py" "$here/../../docs/model.md" "$work/greedy" "$work/torques" ||
  fail "the lines of docs/model.md choose other actions"
