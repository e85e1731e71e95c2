#!/usr/bin/env bash
# Several threads over several environments, of every family and kind of network, with a server
# alongside: the bits of a single thread.
. "$(dirname "$0")/lib.sh"
known=$("$tarl" list envs 2>/dev/null)
common="--seed 5 --set n_envs=4 --set eval.count=2 --set eval.episodes=1 --set checkpoint.every=300"
control="--steps 500 --set learning_starts=200 --set batch_size=32 --set buffer_size=600
  --set policy.net_arch=[32,32]"
pixels="--steps 500 --set learning_starts=300 --set batch_size=8 --set buffer_size=400 --set eval.epsilon=1"

mkdir "$work/served"
"$tarl" serve "$work/served" --port 0 >"$work/serve.log" 2>&1 &
serve=$!
wait_until $serve grep -qs '^http://.*/' "$work/serve.log" || fail "serve does not say its port: $(cat "$work/serve.log")"
url=$(grep -o '^http://[^ ]*' "$work/serve.log")

runs=0
# both NAME ARGS...: with one thread, and with two below the served folder.
both() {
  local name=$1 file
  shift
  "$tarl" train $common "$@" --out "$work/$name" >"$work/log" 2>&1 || fail "$name: $(tail -n 1 "$work/log")"
  "$tarl" train $common "$@" --out "$work/served/$name" --threads 2 >"$work/log" 2>&1 &
  while kill -0 $! 2>/dev/null; do
    command -v curl >/dev/null && curl -s -o "$work/page" "${url}report.html" && curl -s -o "$work/page" "${url}status.json"
    sleep 0.1
  done
  wait $! || fail "$name, two threads: $(tail -n 1 "$work/log")"
  for file in $outputs; do
    equal "$work/$name/$file" "$work/served/$name/$file" || fail "$name: $file depends on threads"
  done
  runs=$((runs + 1))
}

both dqn --algo ta-dqn+per --env classic/cartpole $control
both sac --algo ta-sac+reaper --env classic/pendulum $control
both td3 --algo ta-td3 --env classic/pendulum $control
both minatar --algo ta-ddqn+reaper --env minatar/breakout $pixels
grep -q '^atari/pong\b' <<<"$known" && both atari --algo ta-ddqn --env atari/pong $pixels
grep -q '^mujoco/hopper\b' <<<"$known" && both mujoco --algo ta-sac --env mujoco/hopper $control
grep -q '^box2d/bipedal' <<<"$known" && both box2d --algo td3 --env BipedalWalker-v3 $control
kill -TERM $serve
wait $serve || fail "serve does not end well"
echo "$runs kinds of runs: same bits with two threads, four environments and a server beside"
