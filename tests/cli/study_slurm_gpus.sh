#!/usr/bin/env bash
# A study in shares on the GPUs of a real Slurm of one node, which are emulated: a task that is
# stopped is queued again, goes on with its runs and takes over those of one that died; what a task
# left on another machine is taken over, what a live job holds is left alone. The bits are the CPU's.
on_disk=1
. "$(dirname "$0")/lib.sh"
tarl=$(realpath "$tarl")
emulated=$(realpath "${2:?usage: TEST path-to-tarl path-to-tarl_emulated}")
. "$(dirname "$0")/slurm.sh"
start_slurm 4 2

cat >"$work/three.toml" <<STUDY
title = "Three"
seeds = 3
baseline = "SAC"
envs = ["classic/pendulum"]
[[conditions]]
label = "SAC"
algo = "sac"
[[conditions]]
label = "TA-SAC"
algo = "ta-sac"
STUDY
args="$work/three.toml --steps 400 --set learning_starts=20 --set batch_size=10 --set buffer_size=150
  --set eval.count=4 --set eval.episodes=2 --set policy.net_arch=[20,36] --set checkpoint.every=90"
outputs="model.safetensors best_model.safetensors evaluations.npz progress.csv monitor.csv"
gpus="--executor slurm --device cuda"
"$tarl" study run $args --out "$work/ref" >"$work/log" 2>&1 || fail "local study: $(tail -n 1 "$work/log")"

# submit FOLDER ARGS...: the number of its last array is in $job.
submit() {
  local folder=$1
  shift
  "$emulated" study run $args $gpus --out "$folder" "$@" >"$work/log" 2>&1 ||
    fail "submit: $(tail -n 1 "$work/log")"
  job=$(cat "$(ls "$folder"/slurm/*.job | sort -V | tail -n 1)")
}
# holder_of FOLDER: the process that works on the run.
holder_of() { sed -n 's/.*"pid": \([0-9]*\).*/\1/p' "$1/lock" 2>/dev/null; }
is_held_or_over() { [ -n "$(holder_of "$1")" ] || [ -f "$1/model.safetensors" ]; }
# is_gone TASK: Slurm knows no such task of the array any more.
is_gone() {
  local left
  left=$(squeue -h -r -o %F_%K 2>/dev/null) && ! grep -qx "${job}_$1" <<<"$left"
}
same_bits() {
  local run file
  for run in "$work"/ref/classic/pendulum/*/seed*; do
    [ -d "${run/ref/$1}" ] || continue
    for file in $outputs; do equal "$run/$file" "${run/ref/$1}/$file" || fail "$1: $file of $run differs"; done
  done
}
logs_of() { tail -n 3 "$1"/slurm/*.log; }
has_done() {
  "$tarl" study status "$1" >"$work/log" || fail "status failed"
  grep -q "$2 done" "$work/log" || fail "$1, not $2 done: $(tail -n 3 "$work/log"; logs_of "$1")"
}

# What is asked for wrongly is refused before there is a folder.
refused "divides runs among GPUs" study run $args --tasks 2 --out "$work/no"
refused "is --executor fleet" study run $args --device cuda --out "$work/no"
refused "a fleet has no replay.kind = per" study run $args $gpus --tasks 2 --set replay.kind=per --out "$work/no"
refused "work on which runs" study work "$work/ref"
[ -e "$work/no" ] && fail "a refused study left a folder"
"$emulated" study run $args $gpus --out "$work/no" --dry-run >"$work/out" || fail "dry run"
grep -q "^sbatch .*--array=0-5 .*--gres=gpu:1 $work/no/slurm/1.sh$" "$work/out" || fail "no sbatch: $(cat "$work/out")"
grep -q -- "--tasks 6 --jobs 1 " "$work/out" || fail "one emulated agent at a time: $(cat "$work/out")"

# Both tasks stand still with runs of theirs. One is killed with all that belongs to it. The other is
# told to stop, as for preemption, is queued again and does what is missing of all six. Where a share
# was over before we came, the study begins again.
attempt=0
regrouped=
while [ -z "$regrouped" ]; do
  attempt=$((attempt + 1))
  s=$work/s$attempt
  submit "$s" --tasks 2
  pids=()
  for line in 1 4; do
    folder=$(sed -n "${line}p" "$s/slurm/1.runs")
    wait_for_slurm is_held_or_over "$folder"
    pid=$(holder_of "$folder")
    [ -n "$pid" ] && kill -STOP "$pid" 2>/dev/null && pids+=("$pid")
  done
  if [ ${#pids[@]} = 2 ] && [ "${pids[0]}" != "${pids[1]}" ]; then
    "$emulated" study run $args $gpus --tasks 2 --out "$s" >"$work/log" 2>&1 && fail "submitted twice"
    grep -q "job $job is still at work" "$work/log" || fail "no word of job $job: $(cat "$work/log")"
    scancel --signal=KILL --full "${job}_1" >/dev/null 2>&1
    wait_for_slurm is_gone 1
    # scancel itself tries again and again while the step starts; one signal is enough.
    scancel --signal=TERM "${job}_0" >/dev/null 2>&1 &
    wait_until "${pids[0]}" has_sigterm "${pids[0]}" "$s/slurm/${job}_0.log" && regrouped=yes
    kill $! 2>/dev/null
  fi
  for pid in "${pids[@]}"; do kill -CONT "$pid" 2>/dev/null; done
  wait_for_slurm is_queue_empty
done
has_done "$s" 6
same_bits "s$attempt"
lives=$(grep -c "task 0 of 2" "$s/slurm/${job}_0.log")
[ "$lives" -ge 2 ] || fail "task 0 was not queued again: $(logs_of "$s")"
resumed=$(grep -l '"resumes": [1-9]' "$s"/classic/pendulum/*/seed*/run.json | wc -l)

# Locks of another machine: the job that left one has ended, that of the other lives.
ended=$job
live=$(sbatch --parsable --output=/dev/null --wrap "sleep infinity")
lock_by() {
  mkdir -p "$1"
  echo "{\"pid\": 1, \"host\": \"elsewhere\", \"boot\": \"another\", \"started\": 1, \"slurm_job\": $2, \"slurm_restarts\": 0}" >"$1/lock"
}
held=$work/other/classic/pendulum/sac/seed1
lock_by "$work/other/classic/pendulum/sac/seed0" "$ended"
lock_by "$held" "$live"
is_running() { [ -n "$(squeue -h -j "$1" -t RUNNING 2>/dev/null)" ]; }
wait_for_slurm is_running "$live"
submit "$work/other" --seeds 2 --tasks 1 --runs-per-task 2
wait_for_slurm is_gone 0
has_done "$work/other" 3
[ "$(sed -n 's/.*"slurm_job": \([0-9]*\).*/\1/p' "$held/lock")" = "$live" ] || fail "the lock of a live job was taken"
scancel "$live"
wait_for_slurm is_queue_empty
submit "$work/other" --seeds 2 --tasks 1 --runs-per-task 2
wait_for_slurm is_queue_empty
has_done "$work/other" 4
same_bits other
echo "shares on $(scontrol --version): $resumed of 6 runs resumed after a stop and a death, locks of the living left alone; bits of the CPU"
