#!/usr/bin/env bash
# The real tensorboard, numpy and safetensors packages read our files.
. "$(dirname "$0")/lib.sh"
python=${TARL_PYTHON:-python3}
if ! "$python" -c "import numpy, safetensors, tensorboard" 2>/dev/null; then
  echo "SKIP: numpy, safetensors and tensorboard are not installed (make setup installs them)"
  exit 77
fi
short "$work/run" --algo ta-dqn --set checkpoint.keep=true
"$python" "$(dirname "$0")/../readers/check_readers.py" "$work/run" || fail "a reader failed"
"$tarl" eval "$work/run" --episodes 3 --gif "$work/play.gif" >"$work/out" || fail "eval: $(cat "$work/out")"
"$python" - "$work/play.gif" <<'PY' || fail "the GIF does not open"
import sys
from PIL import Image
film = Image.open(sys.argv[1])
assert film.n_frames > 1 and film.size[0] >= 100, (film.n_frames, film.size)
PY
model_runs
"$python" "$(dirname "$0")/../readers/check_model.py" "$work/greedy" "$work/torques" ||
  fail "the model files are not as docs/model.md says"
echo "files open with the real readers"
