#!/usr/bin/env bash
# tarl inspect: its scores follow from its predictions, the run's folder stays unchanged, and a run
# without a checkpoint is refused with a hint how to get one.
. "$(dirname "$0")/lib.sh"
python=${TARL_PYTHON:-python3}
"$python" -c "import numpy" 2>/dev/null || { echo "SKIP: numpy is not installed (make setup installs it)"; exit 77; }
sums() { (cd "$1" && find . -printf '%p %T@\n' -type f | sort && find . -type f | sort | xargs sha256sum); }
# keeping NAME ARGS...: a short run that keeps its checkpoint
keeping() {
  local name=$1
  shift
  "$tarl" train --out "$work/$name" --set learning_starts=300 --set eval.count=1 --set eval.episodes=1 \
    --set checkpoint.keep=true "$@" >"$work/log" 2>&1 || fail "train $name: $(tail -n 1 "$work/log")"
}
# inspected NAME LAGS ARGS...: the page, its numbers and its candidates are good, drawn at so many ages
inspected() {
  local name=$1 lags=$2 before
  shift 2
  before=$(sums "$work/$name")
  "$tarl" inspect "$work/$name" --out "$work/$name.html" --json "$@" >"$work/$name.json" 2>"$work/log" ||
    fail "inspect $name: $(cat "$work/log")"
  [ "$(sums "$work/$name")" = "$before" ] || fail "$name: the run's folder is not as it was"
  [ "$(stat -c %s "$work/$name.html")" -lt 3000000 ] || fail "$name: the page has 3 MB or more"
  "$python" "$(dirname "$0")/../readers/check_inspect.py" "$work/$name.json" "$work/$name" "$lags" || fail "the numbers of $name"
}
hard="--set target_update_interval=400"
keeping uniform --algo ta-dqn --env minatar/breakout --steps 1500 $hard
inspected uniform 16
keeping per --algo ta-dqn+per --env minatar/asterix --steps 1500 $hard
inspected per 16 --rows 3000 --seed 3
inspected per 1 --rows 3000 --steps-since-sync 40
keeping worst --algo ta-dqn --env minatar/breakout --steps 1500 $hard --set align.score=worst
inspected worst 16 --rows 1000
keeping plain --algo dqn --env classic/cartpole --steps 1000 $hard
inspected plain 16 --rows 1000
keeping lanes --algo ta-dqn --env classic/cartpole --steps 1000 $hard --set n_envs=3
inspected lanes 16 --rows 1000
keeping sac --algo ta-sac --env classic/pendulum --steps 400
inspected sac 1 --rows 1000
has() { "$tarl" list envs 2>/dev/null | grep -q "^$1\b"; }
if has mujoco/hopper; then
  keeping hopper --algo ta-sac --env mujoco/hopper --steps 400
  inspected hopper 1 --rows 1000
fi
if has atari/pong; then
  keeping atari --algo ta-ddqn --env atari/pong --steps 500 --set buffer_size=400 --set batch_size=8 \
    --set target_update_interval=80 --set eval.epsilon=1
  inspected atari 16 --rows 200
fi

refused 'choose 2 to' inspect "$work/uniform" --steps-since-sync 1 --out "$work/no.html"
refused 'is blended' inspect "$work/sac" --steps-since-sync 5 --out "$work/no.html"
short "$work/finished" --algo ta-dqn
refused 'checkpoint.keep=true' inspect "$work/finished" --out "$work/no.html"
[ ! -e "$work/no.html" ] || fail "a page of nothing"
"$tarl" inspect "$work/nowhere" >"$work/out" 2>&1 && fail "inspect of no folder"
grep -q 'no run in' "$work/out" || fail "$(cat "$work/out")"
echo "inspect: numbers follow from predictions, folders unchanged"
