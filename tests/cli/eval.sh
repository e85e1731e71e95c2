#!/usr/bin/env bash
# Options of `tarl eval` besides returns.
. "$(dirname "$0")/lib.sh"
run=$work/run
"$tarl" train --algo dqn --env CartPole-v1 --steps 600 --set learning_starts=100 --set policy.net_arch=[8] \
  --set eval.count=3 --set checkpoint.every=200 --set checkpoint.keep=true --out "$run" >"$work/log" 2>&1 || fail "train: $(cat "$work/log")"
play() { "$tarl" eval "$run" --episodes 3 "$@" >"$work/out" 2>"$work/said" || fail "eval $*: $(cat "$work/said")"; }
refused() {
  local word=$1
  shift
  "$tarl" eval "$run" "$@" >"$work/out" 2>&1 && fail "not refused: eval $*"
  [ "$(wc -l <"$work/out")" = 1 ] || fail "not one line: eval $*: $(cat "$work/out")"
  grep -qF -- "$word" "$work/out" || fail "'$word' not in: $(cat "$work/out")"
}

# The table and the screen agree, and watching changes nothing.
play --csv "$work/plain.csv"
play --csv "$work/watched.csv" --trace "$work/steps.npz" --gif "$work/play.gif" --film-episodes 2
equal "$work/plain.csv" "$work/watched.csv" || fail "watched episodes have other returns"
[ "$(head -n 1 "$work/plain.csv")" = episode,return,length ] || fail "the table's header: $(head -n 1 "$work/plain.csv")"
[ "$(wc -l <"$work/plain.csv")" = 4 ] || fail "not a row an episode"
steps=$(awk -F, 'NR > 1 { sum += $3 } END { print sum }' "$work/plain.csv")
grep -q "^$steps steps -> $work/steps.npz" "$work/out" || fail "the trace has not $steps steps: $(cat "$work/out")"
[ "$(head -c 6 "$work/play.gif")" = GIF89a ] || fail "no GIF"

# Which agent.
play --best
grep -q "using the model of step .* the best: " "$work/said" || fail "--best: $(cat "$work/said")"
play --checkpoint
grep -q "using the checkpoint of step 600" "$work/said" || fail "--checkpoint: $(cat "$work/said")"
play --checkpoint 400
grep -q "using the checkpoint of step 400" "$work/said" || fail "--checkpoint 400: $(cat "$work/said")"
refused "no checkpoint of step 7; it has 600, 400" --checkpoint 7
refused "choose one" --best --checkpoint

# How it acts, and where.
play --stochastic --csv "$work/stochastic.csv"
play --epsilon 1 --csv "$work/random.csv"
equal "$work/plain.csv" "$work/random.csv" && fail "--epsilon 1 plays as 0"
refused "needs the same observations and actions" --env Acrobot-v1
play --env classic/cartpole --csv "$work/same.csv"
equal "$work/plain.csv" "$work/same.csv" || fail "--env of the run's own environment plays differently"

# No output takes the place of a file of the run.
for file in evaluations.csv trace.npz; do
  refused "$run/$file is the name of a file that the run" --csv "$run/$file"
  refused "$run/$file is the name of a file that the run" --trace "$run/$file"
done

# Files by their names.
refused "--trace writes .npz" --trace "$work/steps.txt"
[ -e "$work/steps.txt" ] && fail "a refused trace was written"
refused "use --video $work/x.mp4" --gif "$work/x.mp4"
[ -e "$work/x.mp4" ] && fail "a refused film was written"
refused "needs --gif or --video" --film-episodes 2
mkdir "$work/empty"
PATH=$work/empty "$tarl" eval "$run" --video "$work/x.mp4" >"$work/out" 2>&1 && fail "a video without ffmpeg"
grep -q "install it (apt-get install ffmpeg), or write a GIF with --gif" "$work/out" || fail "$(cat "$work/out")"
[ "$(wc -l <"$work/out")" = 1 ] || fail "not one line: $(cat "$work/out")"
if command -v ffmpeg >/dev/null; then
  play --best --video "$work/x.mp4" --film-episodes 2
  head -c 12 "$work/x.mp4" | grep -q ftyp || fail "no MP4: $(head -c 12 "$work/x.mp4" | od -c | head -n 1)"
  [ -z "$(find "$work" -name '.unfinished*')" ] || fail "an unfinished video is left"
  # 50 steps a second: two episodes, each with the picture it begins with.
  if command -v ffprobe >/dev/null; then
    pictures=$(sed -n "s/^first 2 episodes -> .* (\([0-9]*\) frames)$/\1/p" "$work/out")
    seconds=$(ffprobe -v error -show_entries format=duration -of csv=p=0 "$work/x.mp4")
    awk -v s="$seconds" -v n="$pictures" 'BEGIN { d = s - n / 50; exit !(n > 0 && d < 0.021 && d > -0.021) }' ||
      fail "$pictures pictures take $seconds s"
  fi
  said="and videos at the task's speed"
else
  said="(no ffmpeg here: no video)"
fi
echo "eval chooses, acts, writes tables, traces, films $said"
