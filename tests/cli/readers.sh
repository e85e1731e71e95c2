#!/usr/bin/env bash
# The real tensorboard, numpy and safetensors packages read tarl's files.
. "$(dirname "$0")/lib.sh"
python=${TARL_PYTHON:-python3}
if ! "$python" -c "import numpy, safetensors, tensorboard" 2>/dev/null; then
  echo "SKIP: numpy, safetensors and tensorboard are not installed (make setup installs them)"
  exit 77
fi
short "$work/run" --algo ta-dqn --set align.trace=3 --set checkpoint.keep=true
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

# Scores and kept rows follow from what a trace says: check_trace NAME EVERY CRITICS ARGS...
check_trace() {
  local name=$1 every=$2 critics=$3
  shift 3
  [ $# = 0 ] || short "$work/$name" --set align.trace="$every" "$@"
  "$python" "$(dirname "$0")/../readers/check_trace.py" "$work/$name" "$every" "$critics" || fail "the trace of $name"
}
check_trace run 3 1
check_trace per 2 1 --algo ta-dqn+per
check_trace exempt 4 1 --algo ta-dqn --set align.terminals=exempt
check_trace plain 5 1 --algo dqn --set align.log=true
check_trace sac 9 2 --algo ta-sac --env classic/mountain_car_continuous --set batch_size=16 --set "policy.net_arch=[16]" \
  --set eval.count=1 --set eval.episodes=1 --margin 2 --set buffer_size=1200
echo "files open with the real readers"
