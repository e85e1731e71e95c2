#!/usr/bin/env bash
# Signals as early as possible, and closing terminals: an orderly stop, and the same bits in the end.
. "$(dirname "$0")/lib.sh"
run="--env classic/cartpole --steps 3000 --set learning_starts=50 --set eval.count=5 --set eval.episodes=1 --set checkpoint.every=0 --quiet"
endless="$run --steps 1e9"

program=$(readlink -f "$tarl")
pid=
trap '[ -z "$pid" ] || kill -9 "$pid" 2>/dev/null; rm -rf "$work"' EXIT

# has FIELD SIGNAL PID: whether tarl catches (SigCgt), ignores (SigIgn) or blocks (SigBlk) it. Before exec the process
# is a shell, with its own handlers.
has() {
  local mask
  [ "$(readlink "/proc/$3/exe")" = "$program" ] || return 1
  mask=$(sed -n "s/^$1:[[:space:]]*//p" "/proc/$3/status" 2>/dev/null)
  [ -n "$mask" ] && (( (16#$mask >> ($(kill -l "$2") - 1)) & 1 ))
}
# Starts a run in the background: start ARGS... The test itself may be run by nohup.
hangups=--default-signal=HUP
env $hangups true 2>/dev/null || { echo "SKIP: this env cannot set signals"; exit 77; }
start() {
  env $hangups "$tarl" train "$@" >"$work/log" 2>&1 &
  pid=$!
}
alive() { kill -0 $pid 2>/dev/null || fail "the run ended: $(cat "$work/log")"; }
ends() {
  wait $pid
  local code=$?
  [ $code = "$1" ] || fail "$2: exit $code: $(tail -n 1 "$work/log")"
}

# As soon as the signal is caught, before the folder exists or after, it leads to a stop.
for signal in TERM INT USR1 HUP; do
  start $endless --out "$work/early-$signal"
  until has SigCgt $signal $pid; do alive; done
  kill -$signal $pid
  ends 75 "an early SIG$signal"
  start --resume --out "$work/early-$signal"
  until has SigCgt $signal $pid; do alive; done
  kill -$signal $pid
  ends 75 "an early SIG$signal at a resume"
done

# Nothing is in the folder before all of them are caught.
start $endless --out "$work/F"
until [ -d "$work/F" ]; do alive; done
for signal in TERM INT USR1 HUP; do
  has SigCgt $signal $pid || fail "SIG$signal is not caught although the folder is there"
done
# A shell and the kernel both send SIGHUP when a terminal closes.
kill -HUP $pid
kill -HUP $pid
ends 75 "two SIGHUP"

# Under nohup it is not a request: the next signal is the first.
hangups=--ignore-signal=HUP
start $endless --out "$work/N"
hangups=--default-signal=HUP
until has SigCgt TERM $pid; do alive; done
has SigIgn HUP $pid || fail "SIGHUP is not ignored any more"
kill -HUP $pid
kill -TERM $pid
ends 75 "SIGHUP under nohup, then SIGTERM"

# A server under nohup outlives its terminal as well: if blocked, the signal would stay pending.
mkdir "$work/served"
env --ignore-signal=HUP "$tarl" serve "$work/served" --port 0 >"$work/log" 2>&1 &
pid=$!
until grep -q http "$work/log"; do alive; done
has SigBlk HUP $pid && fail "a server under nohup blocks SIGHUP"
has SigIgn HUP $pid || fail "a server under nohup does not ignore SIGHUP"
kill -HUP $pid
kill -TERM $pid
ends 0 "SIGTERM to a server"

# A run stopped by SIGHUP ends like an uninterrupted one.
"$tarl" train $run --out "$work/whole" >"$work/log" 2>&1 || fail "$(tail -n 1 "$work/log")"
start $run --out "$work/broken"
until [ -s "$work/broken/run.json" ]; do alive; done
kill -HUP $pid
wait $pid
code=$?
[ $code = 75 ] || [ $code = 0 ] || fail "exit $code: $(tail -n 1 "$work/log")"
"$tarl" train --resume --out "$work/broken" --quiet >"$work/log" 2>&1 || fail "$(tail -n 1 "$work/log")"
for file in $outputs; do
  equal "$work/whole/$file" "$work/broken/$file" || fail "$file differs after a hang-up"
done
echo "stopped in order at every instant; same bits after a hang-up"
