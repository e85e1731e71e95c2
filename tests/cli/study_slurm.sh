#!/usr/bin/env bash
# A study on a real Slurm of one node, started here: a stopped run writes its checkpoint, is
# requeued and ends with the bits of an uninterrupted one; a cancelled job stays cancelled.
on_disk=1
. "$(dirname "$0")/lib.sh"
tarl=$(realpath "$tarl")
. "$(dirname "$0")/slurm.sh"
start_slurm "$(nproc)" 0

cat >"$work/pair.toml" <<STUDY
title = "A pair"
seeds = 1
baseline = "DQN"
envs = ["minatar/breakout"]
[[conditions]]
label = "DQN"
algo = "dqn"
[[conditions]]
label = "TA-PER"
algo = "ta-dqn+per"
STUDY
args="$work/pair.toml --set learning_starts=500 --set eval.count=10"
finite="$args --steps 20000"
"$tarl" study run $finite --out "$work/ref" >"$work/log" 2>&1 || fail "local study: $(tail -n 1 "$work/log")"

# submit FOLDER ARGS...: the number of the array is in $job.
submit() {
  local folder=$1
  shift
  "$tarl" study run "$@" --executor slurm --out "$folder" >"$work/log" 2>&1 || fail "submit: $(tail -n 1 "$work/log")"
  job=$(cat "$folder/slurm/1.job")
}
is_at_work() { [ -f "$1/lock" ] && [ -f "$1/run.json" ] && [ -s "$1/monitor.csv" ]; }
is_at_work_or_over() { is_at_work "$1" || [ -f "$1/model.safetensors" ]; }

# SIGTERM to the runs, as preemption sends it, once each has started. A run that is held cannot end
# before the signal reaches it; if it was already over, the study starts again.
stopped=0
attempt=0
while [ $stopped = 0 ]; do
  attempt=$((attempt + 1))
  s=$work/s$attempt
  submit "$s" $finite
  for task in 0 1; do
    folder=$(sed -n "$((task + 1))p" "$s/slurm/1.runs")
    wait_for_slurm is_at_work_or_over "$folder"
    pid=$(sed -n 's/.*"pid": \([0-9]*\).*/\1/p' "$folder/lock" 2>/dev/null)
    [ -n "$pid" ] && kill -STOP "$pid" 2>/dev/null || continue
    # A second array for the same runs is refused.
    "$tarl" study run $finite --executor slurm --out "$s" >"$work/log" 2>&1 && fail "submitted twice"
    grep -q "job $job is still at work" "$work/log" || fail "no word of job $job: $(cat "$work/log")"
    # scancel itself tries again and again while the step starts; one signal is enough.
    scancel --signal=TERM "${job}_$task" >/dev/null 2>&1 &
    wait_until "$pid" has_sigterm "$pid" "$folder/train.log" && stopped=$((stopped + 1))
    kill $! 2>/dev/null
    kill -CONT "$pid" 2>/dev/null
  done
  wait_until $slurmctld is_queue_empty || fail "jobs are left: $(squeue)"
done
"$tarl" study status "$s" >"$work/log" || fail "status failed"
grep -q "2 done" "$work/log" || fail "not all done: $(tail -n 3 "$work/log"; tail -n 3 "$s"/slurm/*.log)"
resumed=0
for run in "$work"/ref/minatar/breakout/*/seed0; do
  other=${run/ref/s$attempt}
  for file in model.safetensors evaluations.npz progress.csv monitor.csv; do
    equal "$run/$file" "$other/$file" || fail "$other/$file differs"
  done
  grep -q '"resumes": [1-9]' "$other/run.json" && resumed=$((resumed + 1))
done
[ $resumed = $stopped ] || fail "$stopped runs were stopped, $resumed resumed"

# A job that the user cancels is not requeued: by the time the queue is empty, nothing is left to requeue
# it.
submit "$work/c" $args --steps 1e9
first=$(head -n 1 "$work/c/slurm/1.runs")
wait_for_slurm is_at_work "$first"
scancel "$job"
wait_until $slurmctld is_queue_empty || fail "a cancelled job is left: $(squeue)"
[ -f "$first/model.safetensors" ] && fail "a cancelled run ended"
echo "$resumed runs stopped and queued again by Slurm $(scontrol --version | cut -d' ' -f2), same bits; a cancelled job stays cancelled"
