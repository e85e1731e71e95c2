#!/usr/bin/env bash
# Two Atari games: repeats, threads, margin 0, checkpoints, packed frames and kills change no bit.
. "$(dirname "$0")/lib.sh"
"$tarl" list envs 2>/dev/null | grep -q '^atari/pong\b' || { echo "SKIP: built without Atari"; exit 77; }
# The buffer is small, but large enough to be saved in pieces.
atari="--steps 2750 --seed 3 --set buffer_size=2400 --set learning_starts=2450 --set batch_size=8
  --set train_freq=8 --set target_update_interval=120 --set eval.count=1 --set eval.episodes=1
  --set eval.epsilon=1"
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
  run="--env atari/$game"
  start=$(date +%s%N)
  play "$work/$game" $run --algo ddqn
  took=$(( ($(date +%s%N) - start) / 1000000 ))
  play "$work/$game-again" $run --algo ddqn --threads 2
  same "$work/$game" "$work/$game-again"
  play "$work/$game-margin0" $run --algo ta-ddqn --margin 0
  equal "$work/$game/model.safetensors" "$work/$game-margin0/model.safetensors" || fail "$game: ta-ddqn --margin 0 is not ddqn"

  play "$work/$game-lanes" $run --algo ta-ddqn --set n_envs=3 --threads 1
  play "$work/$game-lanes2" $run --algo ta-ddqn --set n_envs=3 --threads 3
  same "$work/$game-lanes" "$work/$game-lanes2"

  kills=0
  folder=$work/$game-killed
  run="$run --set checkpoint.every=150"
  [ $game = breakout ] && run="$run --set replay.compress=true"
  while [ $kills -lt 10 ] && [ ! -f "$folder/model.safetensors" ]; do
    "$tarl" train $atari $run --algo ddqn --out "$folder" $(resume_of "$folder") >"$folder.log" 2>&1 &
    pid=$!
    # On average a tenth of the run, of which what follows the last checkpoint is lost again.
    sleep "$(awk -v ms=$(( RANDOM % (took / 5) + 20 )) 'BEGIN { printf "%.3f", ms / 1000 }')"
    kill -9 $pid 2>/dev/null && kills=$((kills + 1))
    wait $pid 2>/dev/null
  done
  play "$folder" $run --algo ddqn $(resume_of "$folder")
  same "$work/$game" "$folder"
  [ $kills -ge 5 ] || fail "$game: only $kills kills landed"
  segments=$(find "$folder/checkpoints/segments" -type f | wc -l)
  [ "$segments" -ge 1 ] || fail "$game: the buffer was not saved in pieces"
  [ "$segments" -le 4 ] || fail "$game: segments are left over"
  echo "$game: same bits again, with threads, with margin 0, with lanes and after $kills kills"
done
