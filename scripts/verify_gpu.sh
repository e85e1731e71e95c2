#!/usr/bin/env bash
# What a machine with a GPU must show: verify_gpu.sh [PART]... of
#   tests   test_fleet_gpu: references, the CPU step by step, repeats, resume (SKIP without a GPU)
#   memory  the short ones of them under compute-sanitizer's memcheck and racecheck
#   kills   kill -9 and resume of `train --device cuda`, one run of each program and precision
#   speed   tarl bench --fleet, bench_control_fleet and bench_atari_fleet
# Without arguments all of them, on a machine with nothing else to do. Programs come from build/
# (or TARL_BUILD), which may have been built elsewhere; STEPS scales the killed runs.
set -u
cd "$(dirname "$0")/.." || exit 1
build=${TARL_BUILD:-build}
tarl=${TARL:-$build/tarl}
steps=${STEPS:-20000}
bad=0
work=$(mktemp -d)
trap 'kill -9 $(jobs -p) 2>/dev/null; rm -rf "$work"' EXIT

wrong() { echo "verify_gpu: $*"; bad=1; }

tests() {
  "$build/test_fleet_gpu" || wrong "test_fleet_gpu ended with $?"
}

# Short enough for a tool that slows a kernel a hundred times; racecheck does not get past blocks that share an agent.
memory() {
  command -v compute-sanitizer >/dev/null || { wrong "no compute-sanitizer on the PATH (it comes with the CUDA toolkit)"; return; }
  local short='FleetShort*:FleetPrecision.One*:FleetActorCritic.UpdatesAs*:FleetActorCriticUpdates.*:FleetPixelDqn.UpdatesAs*:FleetPixelUpdates.*'
  local tool
  for tool in memcheck racecheck; do
    compute-sanitizer --tool $tool --error-exitcode 9 "$build/test_fleet_gpu" --gtest_filter="$short" >"$work/log" 2>&1 ||
      { wrong "$tool ended with $?"; grep -m 10 '=========' "$work/log"; }
  done
}

# killed NAME ARGS...: a run that is killed once it has a checkpoint ends as one that was left alone.
killed() {
  local name=$1 pid
  shift
  local run="train --device cuda --steps $steps --set learning_starts=$((steps / 10)) --set checkpoint.every=$((steps / 10)) --set eval.count=4 --quiet $*"
  "$tarl" $run --out "$work/$name/whole" >"$work/log" 2>&1 || { wrong "$name: $(tail -n 1 "$work/log")"; return; }
  "$tarl" $run --out "$work/$name/killed" >"$work/log" 2>&1 &
  pid=$!
  while kill -0 $pid 2>/dev/null && [ -z "$(ls -d "$work/$name"/killed/checkpoints/*/manifest.json 2>/dev/null)" ]; do sleep 0.02; done
  kill -9 $pid 2>/dev/null || wrong "$name: over before it could be killed; raise STEPS"
  wait $pid 2>/dev/null
  "$tarl" train --resume --device cuda --quiet --out "$work/$name/killed" >"$work/log" 2>&1 || wrong "$name: $(tail -n 1 "$work/log")"
  for file in model.safetensors evaluations.npz monitor.csv; do
    cmp -s "$work/$name/whole/$file" "$work/$name/killed/$file" || wrong "$name: $file differs after kill -9"
  done
  echo "$name: killed and resumed"
}

kills() {
  local precision
  for precision in f32 fp16; do
    killed minatar-$precision --algo ta-dqn+per --env minatar/breakout --set fleet.precision=$precision
    killed control-$precision --algo ta-sac --env classic/pendulum --set fleet.precision=$precision
    if "$tarl" doctor | grep -q '^environments *atari'; then
      killed pixels-$precision --algo ta-ddqn --env atari/pong --set buffer_size=5000 \
        --set eval.episodes=1 --set fleet.precision=$precision
    fi
  done
}

speed() {
  local algo
  for algo in dqn ta-dqn ta-dqn+per ta-dqn+reaper; do
    "$tarl" bench --fleet --algo $algo --agents 120 --set fleet.precision=fp16 || wrong "bench --fleet of $algo"
  done
  "$build/bench_control_fleet" --precision f32 --precision fp16 || wrong "bench_control_fleet"
  "$build/bench_atari_fleet" 30 || wrong "bench_atari_fleet"
}

[ $# -gt 0 ] || set -- tests memory kills speed
for part in "$@"; do
  case $part in
    tests | memory | kills | speed) since=$SECONDS; $part; echo "verify_gpu: $part took $((SECONDS - since)) s" ;;
    *) echo "verify_gpu.sh: no such part: $part (tests, memory, kills or speed)"; exit 2 ;;
  esac
done
exit $bad
