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

stop_slurm() {
  for daemon in slurmd slurmctld munged; do
    [ -f "$slurm/$daemon.pid" ] && kill "$(cat "$slurm/$daemon.pid")" 2>/dev/null
  done
  sleep 1
  rm -rf "$work"
}
trap stop_slurm EXIT
munged --force --socket="$slurm/munge.socket" --key-file="$slurm/munge.key" \
  --pid-file="$slurm/munged.pid" --log-file="$slurm/log/munged.log" --seed-file="$slurm/munge.seed" \
  >"$work/log" 2>&1 || skip "munged does not start: $(tail -n 1 "$work/log")"
slurmctld -f "$SLURM_CONF" >"$work/log" 2>&1 || skip "slurmctld does not start: $(tail -n 1 "$work/log")"
sleep 1
slurmd -f "$SLURM_CONF" -N "$host" >"$work/log" 2>&1 || skip "slurmd does not start: $(tail -n 1 "$work/log")"
for _ in $(seq 60); do sinfo -h -o %T 2>/dev/null | grep -q idle && break; sleep 0.5; done
sinfo -h -o %T | grep -q idle || skip "the Slurm node does not come up: $(tail -n 2 "$slurm/log/slurmd.log")"

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
args="$work/pair.toml --steps 40000 --set learning_starts=500 --set eval.count=10"
"$tarl" study run $args --out "$work/ref" >"$work/log" 2>&1 || fail "local study: $(tail -n 1 "$work/log")"
"$tarl" study run $args --executor slurm --out "$work/s" >"$work/log" 2>&1 || fail "submit: $(tail -n 1 "$work/log")"
job=$(cat "$work/s/slurm/1.job")

# A second array for the same runs is refused.
"$tarl" study run $args --executor slurm --out "$work/s" >"$work/log" 2>&1 && fail "submitted twice"
grep -q "job $job is still at work" "$work/log" || fail "no word of job $job: $(cat "$work/log")"

# SIGTERM to the runs, as preemption sends it, once each is under way.
stopped=0
for _ in $(seq 600); do
  for task in 0 1; do
    folder=$(sed -n "$((task + 1))p" "$work/s/slurm/1.runs")
    if [ ! -f "$work/stopped-$task" ] && [ -f "$folder/lock" ] && [ -s "$folder/evaluations.csv" ]; then
      # scancel itself tries again and again while the step starts; one signal is enough.
      timeout 1 scancel --signal=TERM "${job}_$task" >/dev/null 2>&1
      touch "$work/stopped-$task"
      stopped=$((stopped + 1))
    fi
  done
  [ $stopped = 2 ] && break
  sleep 0.1
done
[ $stopped = 2 ] || fail "no run could be stopped: $(squeue; tail -n 3 "$work"/s/slurm/*.log)"
for _ in $(seq 300); do [ -z "$(squeue -h)" ] && break; sleep 1; done
[ -z "$(squeue -h)" ] || fail "jobs are left: $(squeue)"
"$tarl" study status "$work/s" >"$work/log" || fail "status failed"
grep -q "2 done" "$work/log" || fail "not all done: $(tail -n 3 "$work/log"; tail -n 3 "$work"/s/slurm/*.log)"
resumed=0
for run in "$work"/ref/minatar/breakout/*/seed0; do
  other=${run/ref/s}
  for file in model.safetensors evaluations.npz progress.csv monitor.csv; do
    equal "$run/$file" "$other/$file" || fail "$other/$file differs"
  done
  grep -q '"resumes": [1-9]' "$other/run.json" && resumed=$((resumed + 1))
done
[ $resumed -ge 1 ] || fail "no run was resumed after SIGTERM"

# A job that the user cancels is not queued again; the next submission does only what is missing.
"$tarl" study run $args --steps 400000 --executor slurm --out "$work/c" >"$work/log" 2>&1 || fail "submit: $(tail -n 1 "$work/log")"
job=$(cat "$work/c/slurm/1.job")
for _ in $(seq 300); do ls "$work"/c/minatar/breakout/*/seed0/lock >/dev/null 2>&1 && break; sleep 0.1; done
sleep 1
scancel "$job"
for _ in $(seq 60); do [ -z "$(squeue -h)" ] && break; sleep 1; done
[ -z "$(squeue -h)" ] || fail "a cancelled job came back: $(squeue)"
echo "$resumed runs stopped and queued again by Slurm $(scontrol --version | cut -d' ' -f2), same bits; a cancelled job stays cancelled"
