#!/usr/bin/env bash
# Two Atari games: repeats, threads, margin 0, checkpoints, packed frames and kills change no bit.
. "$(dirname "$0")/lib.sh"
"$tarl" list envs 2>/dev/null | grep -q '^atari/pong\b' || { echo "SKIP: built without Atari"; exit 77; }
atari="--seed 3 --set batch_size=8 --set train_freq=8 --set target_update_interval=120
  --set eval.count=1 --set eval.episodes=1 --set eval.epsilon=1"
# The buffer is small, but large enough to be saved in pieces.
pieces="--steps 2600 --set buffer_size=2400 --set learning_starts=2450"
brief="--steps 500 --set buffer_size=400 --set learning_starts=300"
# play FOLDER ARGS...
play() {
  local folder=$1
  shift
  "$tarl" train $atari --out "$folder" "$@" >"$folder.log" 2>&1 || fail "train $*: $(tail -n 1 "$folder.log")"
}
same() {
  local file
  for file in model.safetensors evaluations.npz progress.csv monitor.csv; do
    equal "$1/$file" "$2/$file" || fail "$file differs: $(basename "$1") and $(basename "$2")"
  done
}
for game in pong breakout; do
  run="--env atari/$game $brief"
  play "$work/$game-brief" $run --algo ddqn
  play "$work/$game-margin0" $run --algo ta-ddqn --margin 0
  equal "$work/$game-brief/model.safetensors" "$work/$game-margin0/model.safetensors" || fail "$game: ta-ddqn --margin 0 is not ddqn"
  play "$work/$game-lanes" $run --algo ta-ddqn --set n_envs=3 --threads 1
  play "$work/$game-lanes2" $run --algo ta-ddqn --set n_envs=3 --threads 3
  same "$work/$game-lanes" "$work/$game-lanes2"

  run="--env atari/$game $pieces --algo ddqn"
  play "$work/$game" $run
  run="$run --set checkpoint.every=150 --set checkpoint.keep=true"
  [ $game = breakout ] && run="$run --set replay.compress=true"
  env $(faults "root=$work/$game-saved,count=$work/calls") \
    "$tarl" train $atari $run --threads 2 --out "$work/$game-saved" >"$work/log" 2>&1 ||
    fail "$game with checkpoints: $(tail -n 1 "$work/log")"
  same "$work/$game" "$work/$game-saved"
  folder=$work/$game-killed
  kill_often "$folder" 6 "$(calls_in "$work/calls")" $atari $run
  same "$work/$game" "$folder"
  segments=$(find "$folder/checkpoints/segments" -type f | wc -l)
  [ "$segments" -ge 1 ] || fail "$game: the buffer was not saved in pieces"
  [ "$segments" -le 4 ] || fail "$game: segments are left over"
  echo "$game: same bits with margin 0, with lanes, with checkpoints and threads, and after $landed kills"
done
