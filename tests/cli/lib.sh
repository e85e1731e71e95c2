# Shared by the command-line tests: $tarl is the binary under test, $work a scratch folder. No verdict
# depends on speed: tests wait for what happens, and the timeout of ctest is the only clock.
set -u
tarl=${1:?usage: TEST path-to-tarl}
# In memory if there is room: runs sync a lot, and nothing here depends on the disk. Programs may not
# be executable there, so tests with their own programs set on_disk=1.
memory=$(df --output=avail /dev/shm 2>/dev/null | tail -n 1)
work=$([ -z "${on_disk:-}" ] && [ "${memory:-0}" -gt 1000000 ] && mktemp -d -p /dev/shm || mktemp -d)
clean_up() {
  kill -9 $(jobs -p) 2>/dev/null
  rm -rf "$work"
}
trap clean_up EXIT
fail() { echo "FAIL: $*"; exit 1; }
equal() { [ "$(sha256sum "$@" | cut -d' ' -f1 | sort -u | wc -l)" = 1 ]; }
# A short deterministic run: short DIR ARGS...
short="--env minatar/breakout --steps 1500 --set learning_starts=400 --set eval.count=4 --seed 7"
short() {
  local folder=$1
  shift
  "$tarl" train $short --out "$folder" "$@" >"$folder.log" 2>&1 || fail "train $*: $(tail -n 1 "$folder.log")"
}

# Two runs that make no update and explore nothing after 100 steps: DQN in $work/greedy, TD3 in $work/torques.
model_runs() {
  local still="--set learning_starts=100 --set train_freq=1000000 --set eval.count=1 --set checkpoint.keep=true"
  "$tarl" train --algo dqn --env minatar/breakout --seed 2 --steps 6000 $still --set exploration_initial_eps=0 \
    --set exploration_final_eps=0 --out "$work/greedy" >"$work/out" 2>&1 ||
    fail "train: $(cat "$work/out")"
  "$tarl" train --algo td3 --env classic/pendulum --steps 600 $still --set action_noise=0 \
    --out "$work/torques" >"$work/out" 2>&1 || fail "train: $(cat "$work/out")"
}

# wait_until PID COMMAND...: until the command succeeds; false if it fails and the process is gone. $$
# waits forever.
wait_until() {
  local pid=$1
  shift
  until "$@"; do
    kill -0 "$pid" 2>/dev/null || { "$@"; return; }
    sleep 0.02
  done
}

# env $(faults PLAN) COMMAND... strikes file calls of the command (tests/faults/shim/plan.h).
# A sanitizer insists on being preloaded first.
shim=$(dirname "$tarl")/libtarl_faults.so
sanitizer=$(ldd "$tarl" | grep -o '/[^ ]*lib[at]san\.so[^ ]*')
faults() {
  [ -f "$shim" ] || fail "no $shim; build tarl_faults"
  echo "LD_PRELOAD=${sanitizer:+$sanitizer:}$shim TARL_FAULTS=$1"
}
calls_in() { od -An -td8 "$1" | tr -d ' '; }  # of a file named by count=FILE

# refused WORD ARGS...: the command line is refused: exit 2 and one line that contains WORD.
refused() {
  local word=$1 code
  shift
  "$tarl" "$@" >"$work/out" 2>&1 </dev/null
  code=$?
  [ $code = 2 ] || fail "exit $code: tarl $*: $(head -c 300 "$work/out")"
  [ "$(wc -l <"$work/out")" = 1 ] || fail "not one line: tarl $*: $(head -n 3 "$work/out")"
  grep -q -- "$word" "$work/out" || fail "'$word' not in: $(cat "$work/out") (tarl $*)"
}

# A run killed before it had a configuration is started again, any other resumed.
resume_of() { [ -f "$1/config.toml" ] && echo --resume; }

# Kills a run with -9 at random file calls, resuming it each time, and then lets it finish:
# kill_often FOLDER KILLS CALLS ARGS..., with CALLS those of the run left alone. A life makes at most
# 2 / KILLS of them, so at least half of the kills come before the end. Their number is in $landed.
kill_often() {
  local folder=$1 kills=$2 window=$((2 * $3 / $2)) code
  shift 3
  landed=0
  while [ $landed -lt "$kills" ]; do
    env $(faults "root=$folder,call=$((RANDOM % window + 1)),fault=kill") \
      "$tarl" train "$@" --out "$folder" $(resume_of "$folder") >"$work/log" 2>&1 &
    wait $! 2>/dev/null
    code=$?
    [ $code = 0 ] && break
    [ $code = 137 ] || fail "exit $code after $landed kills: $(tail -n 1 "$work/log")"
    landed=$((landed + 1))
  done
  [ $landed -ge $((kills / 2)) ] || fail "only $landed kills landed"
  "$tarl" train "$@" --out "$folder" $(resume_of "$folder") >"$work/log" 2>&1 ||
    fail "after $landed kills: $(tail -n 1 "$work/log")"
}

# Compares a run that was killed repeatedly with an uninterrupted one: kill_and_resume NAME KILLS
# ARGS...
outputs="model.safetensors best_model.safetensors evaluations.npz evaluations.csv progress.csv monitor.csv events.out.tfevents.0.tarl"
kill_and_resume() {
  local name=$1 kills=$2 whole=$work/$1-whole broken=$work/$1-broken file
  shift 2
  env $(faults "root=$whole,count=$work/calls") "$tarl" train "$@" --out "$whole" >"$work/log" 2>&1 ||
    fail "$name: $(tail -n 1 "$work/log")"
  kill_often "$broken" "$kills" "$(calls_in "$work/calls")" "$@"
  for file in $outputs $(cd "$whole" && ls trace.npz 2>/dev/null); do
    equal "$whole/$file" "$broken/$file" || fail "$name: $file differs after $landed kills"
  done
  echo "$name: same bits after $landed kills"
}

# Installs Chromium where that is allowed; tests with a browser say SKIP themselves if there is none.
need_chromium() {
  if ! command -v chromium >/dev/null && [ "$(id -u)" = 0 ]; then
    echo "installing chromium"
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium >"$work/apt.log" 2>&1 ||
      { echo "SKIP: chromium cannot be installed here: $(tail -n 1 "$work/apt.log")"; exit 77; }
  fi
}
