# A real Slurm of one node for tests of the command line, gone with the test. Sourced after lib.sh.
# Everything of it is in the scratch folder; nothing of the system's is touched.
skip() { echo "SKIP: $*"; exit 77; }
slurm=$work/slurm

need_slurm() {
  [ "$(id -u)" = 0 ] || skip "a Slurm of our own needs root"
  if ! command -v slurmctld >/dev/null || ! command -v munged >/dev/null; then
    echo "installing slurmctld, slurmd, slurm-client and munge"
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
      slurmctld slurmd slurm-client munge >"$work/apt.log" 2>&1 ||
      skip "Slurm cannot be installed here: $(tail -n 1 "$work/apt.log")"
  fi
}

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

# configure_slurm CPUS GPUS: whatever the machine has of either.
configure_slurm() {
  mkdir -p "$slurm"/{state,spool,log}
  host=$(hostname -s)
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
SlurmdParameters=config_overrides
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
GresTypes=gpu
NodeName=$host NodeAddr=127.0.0.1 CPUs=$1 RealMemory=1000 Gres=gpu:$2 State=UNKNOWN
PartitionName=cpu Nodes=$host Default=YES MaxTime=INFINITE State=UP
CONF
  : >"$slurm/gres.conf"
  local gpu
  for gpu in $(seq 1 "$2"); do
    : >"$slurm/gpu$gpu"
    echo "Name=gpu File=$slurm/gpu$gpu" >>"$slurm/gres.conf"
  done
  export SLURM_CONF=$slurm/slurm.conf
  dd if=/dev/urandom of="$slurm/munge.key" bs=1024 count=1 2>/dev/null
  chmod 400 "$slurm/munge.key"
  chmod 755 "$work" "$slurm"
}

stop_slurm() {
  kill $(jobs -p) 2>/dev/null
  wait
  pkill -9 -f -- "(train --resume --out|study work) '?$work/"
  clean_up
}

answers() { scontrol ping 2>/dev/null | grep -q "is UP"; }
node_is_up() { sinfo -h -o %T 2>/dev/null | grep -qE "idle|drain|inval"; }
is_queue_empty() {
  local left
  left=$(squeue -h 2>/dev/null) && [ -z "$left" ]
}

# start_slurm CPUS GPUS. In the foreground, so that we are told when a part of it is gone; $slurmctld
# is the process that waits go on with.
start_slurm() {
  need_slurm
  configure_slurm "$1" "$2"
  trap stop_slurm EXIT
  munged --foreground --force --socket="$slurm/munge.socket" --key-file="$slurm/munge.key" \
    --pid-file="$slurm/munged.pid" --log-file="$slurm/log/munged.log" --seed-file="$slurm/munge.seed" \
    >"$work/log" 2>&1 &
  wait_until $! test -S "$slurm/munge.socket" || skip "munged does not start: $(tail -n 1 "$work/log")"
  slurmctld -D -f "$SLURM_CONF" >"$work/log" 2>&1 &
  slurmctld=$!
  wait_until $slurmctld answers || skip "slurmctld does not start: $(tail -n 1 "$work/log")"
  slurmd -D -f "$SLURM_CONF" -N "$host" >"$work/log" 2>&1 &
  wait_until $! node_is_up || skip "slurmd does not start: $(tail -n 1 "$work/log")"
  sinfo -h -o %T | grep -q idle || fail "Slurm does not take the node: $(grep error "$slurm/log/slurmctld.log")"
}

# wait_for_slurm COMMAND...: until it succeeds.
wait_for_slurm() {
  wait_until $slurmctld "$@" || fail "slurmctld is gone: $(tail -n 3 "$slurm/log/slurmctld.log")"
}

# SIGTERM waits for the process, or log $2 says that it was answered.
has_sigterm() {
  local waiting
  waiting=$(sed -n 's/^ShdPnd:[[:space:]]*//p' "/proc/$1/status" 2>/dev/null)
  [ $((0x${waiting:-0} & 0x4000)) != 0 ] || grep -qs "stopped" "$2"
}
