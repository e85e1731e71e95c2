#!/usr/bin/env bash
# A study on a real Slurm of one node, started here: a run that is stopped writes its checkpoint, is
# queued again and ends with the bits of one that was left alone; a cancelled job stays cancelled.
on_disk=1
. "$(dirname "$0")/lib.sh"
tarl=$(realpath "$tarl")
skip() { echo "SKIP: $*"; exit 77; }

[ "$(id -u)" = 0 ] || skip "a Slurm of our own needs root"
if ! command -v slurmctld >/dev/null || ! command -v munged >/dev/null; then
  echo "installing slurmctld, slurmd, slurm-client and munge"
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    slurmctld slurmd slurm-client munge >"$work/apt.log" 2>&1 ||
    skip "Slurm cannot be installed here: $(tail -n 1 "$work/apt.log")"
fi

# Everything of this Slurm is in the scratch folder; nothing of the system's is touched.
slurm=$work/slurm
mkdir -p "$slurm"/{state,spool,log}
host=$(hostname -s)
free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
cat >"$slurm/slurm.conf" <<CONF
ClusterName=local
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$(free_port)
SlurmdPort=$(free_port)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$slurm/munge.socket,cred_expire=5
CredType=cred/munge
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
ReturnToService=2
SlurmctldPidFile=$slurm/slurmctld.pid
SlurmdPidFile=$slurm/slurmd.pid
StateSaveLocation=$slurm/state
SlurmdSpoolDir=$slurm/spool
SlurmctldLogFile=$slurm/log/slurmctld.log
SlurmdLogFile=$slurm/log/slurmd.log
SchedulerType=sched/builtin
SchedulerParameters=sched_interval=1,builtin_interval=1
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
JobAcctGatherType=jobacct_gather/none
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) RealMemory=1000 State=UNKNOWN
PartitionName=cpu Nodes=$host Default=YES MaxTime=INFINITE State=UP
CONF
export SLURM_CONF=$slurm/slurm.conf
dd if=/dev/urandom of="$slurm/munge.key" bs=1024 count=1 2>/dev/null
chmod 400 "$slurm/munge.key"
chmod 755 "$work" "$slurm"

# In the foreground, so that we are told when one of them is gone.
stop_slurm() {
  kill $(jobs -p) 2>/dev/null
  wait
  pkill -9 -f -- "train --resume --out $work/"
  clean_up
}
trap stop_slurm EXIT
munged --foreground --force --socket="$slurm/munge.socket" --key-file="$slurm/munge.key" \
  --pid-file="$slurm/munged.pid" --log-file="$slurm/log/munged.log" --seed-file="$slurm/munge.seed" \
  >"$work/log" 2>&1 &
wait_until $! test -S "$slurm/munge.socket" || skip "munged does not start: $(tail -n 1 "$work/log")"
slurmctld -D -f "$SLURM_CONF" >"$work/log" 2>&1 &
slurmctld=$!
answers() { scontrol ping 2>/dev/null | grep -q "is UP"; }
wait_until $slurmctld answers || skip "slurmctld does not start: $(tail -n 1 "$work/log")"
slurmd -D -f "$SLURM_CONF" -N "$host" >"$work/log" 2>&1 &
node_is_up() { sinfo -h -o %T 2>/dev/null | grep -q idle; }
wait_until $! node_is_up || skip "slurmd does not start: $(tail -n 1 "$work/log")"

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
is_queue_empty() {
  local left
  left=$(squeue -h 2>/dev/null) && [ -z "$left" ]
}
# SIGTERM waits for the process, or was answered.
has_sigterm() {
  local waiting
  waiting=$(sed -n 's/^ShdPnd:[[:space:]]*//p' "/proc/$1/status" 2>/dev/null)
  [ $((0x${waiting:-0} & 0x4000)) != 0 ] || grep -qs "stopped at step" "$2/train.log"
}

# SIGTERM to the runs, as preemption sends it, once each is under way. A run that stands still cannot
# end before the signal has reached it; where it was over before we came, the study begins again.
stopped=0
attempt=0
while [ $stopped = 0 ]; do
  attempt=$((attempt + 1))
  s=$work/s$attempt
  submit "$s" $finite
  for task in 0 1; do
    folder=$(sed -n "$((task + 1))p" "$s/slurm/1.runs")
    wait_until $slurmctld is_at_work_or_over "$folder" || fail "slurmctld is gone: $(tail -n 3 "$slurm/log/slurmctld.log")"
    pid=$(sed -n 's/.*"pid": \([0-9]*\).*/\1/p' "$folder/lock" 2>/dev/null)
    [ -n "$pid" ] && kill -STOP "$pid" 2>/dev/null || continue
    # A second array for the same runs is refused.
    "$tarl" study run $finite --executor slurm --out "$s" >"$work/log" 2>&1 && fail "submitted twice"
    grep -q "job $job is still at work" "$work/log" || fail "no word of job $job: $(cat "$work/log")"
    # scancel itself tries again and again while the step starts; one signal is enough.
    scancel --signal=TERM "${job}_$task" >/dev/null 2>&1 &
    wait_until "$pid" has_sigterm "$pid" "$folder" && stopped=$((stopped + 1))
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

# A job that the user cancels is not queued again: whoever would do so has ended when the queue is empty.
submit "$work/c" $args --steps 1e9
first=$(head -n 1 "$work/c/slurm/1.runs")
wait_until $slurmctld is_at_work "$first" || fail "slurmctld is gone: $(tail -n 3 "$slurm/log/slurmctld.log")"
scancel "$job"
wait_until $slurmctld is_queue_empty || fail "a cancelled job is left: $(squeue)"
[ -f "$first/model.safetensors" ] && fail "a cancelled run ended"
echo "$resumed runs stopped and queued again by Slurm $(scontrol --version | cut -d' ' -f2), same bits; a cancelled job stays cancelled"
