# Shared by the command-line tests: $tarl is the binary under test, $work a scratch folder.
set -u
tarl=${1:?usage: TEST path-to-tarl}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAIL: $*"; exit 1; }
equal() { [ "$(sha256sum "$@" | cut -d' ' -f1 | sort -u | wc -l)" = 1 ]; }
# A short deterministic run: short DIR ARGS...
short="--env minatar/breakout --steps 2500 --set learning_starts=400 --set eval.count=4 --seed 7"
short() {
  local folder=$1
  shift
  "$tarl" train $short --out "$folder" "$@" >"$folder.log" 2>&1 || fail "train $*: $(tail -n 1 "$folder.log")"
}

# A run killed before it had a configuration is started again, any other resumed.
resume_of() { [ -f "$1/config.toml" ] && echo --resume; }

# Kills a run at random instants until it has ended or was killed often enough, resuming it each
# time, and compares it with one left alone: kill_and_resume NAME KILLS ARGS...
outputs="model.safetensors evaluations.npz evaluations.csv progress.csv monitor.csv events.out.tfevents.0.tarl"
kill_and_resume() {
  local name=$1 kills=$2 whole=$work/$1-whole broken=$work/$1-broken
  shift 2
  local start took window landed pid
  start=$(date +%s%N)
  "$tarl" train "$@" --out "$whole" >"$work/log" 2>&1 || fail "$name: $(tail -n 1 "$work/log")"
  took=$(( ($(date +%s%N) - start) / 1000000 ))
  # The mean time to a kill is a share of the run, so that all of them happen before its end.
  window=$(( took / (kills / 2) + 20 ))
  while true; do
    rm -rf "$broken"
    landed=0
    while [ $landed -lt "$kills" ]; do
      "$tarl" train "$@" --out "$broken" $(resume_of "$broken") >"$work/log" 2>&1 &
      pid=$!
      sleep "$(printf '0.%03d' $(( (RANDOM % window + 5) % 1000 )))"
      if kill -9 $pid 2>/dev/null; then landed=$((landed + 1)); fi
      wait $pid 2>/dev/null
      [ -f "$broken/model.safetensors" ] && break
    done
    "$tarl" train "$@" --out "$broken" $(resume_of "$broken") >"$work/log" 2>&1 || fail "$name: $(tail -n 1 "$work/log")"
    for file in $outputs; do
      equal "$whole/$file" "$broken/$file" || fail "$name: $file differs after $landed kills"
    done
    [ $landed -ge $((kills / 4)) ] && break
    # The run left alone was the slower one, as the first of all may be: kill earlier.
    [ $window -gt 30 ] || fail "$name: only $landed kills landed"
    window=$((window / 2))
  done
  echo "$name: same bits after $landed kills"
}
