# Shared by the command-line tests: $tarl is the binary under test, $work a scratch folder.
set -u
tarl=${1:?usage: TEST path-to-tarl}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAIL: $*"; exit 1; }
equal() { [ "$(sha256sum "$@" | cut -d' ' -f1 | sort -u | wc -l)" = 1 ]; }
# A short deterministic run: short DIR ARGS...
short="--env minatar/breakout --steps 4000 --set learning_starts=400 --set eval.count=4 --seed 7"
short() {
  local folder=$1
  shift
  "$tarl" train $short --out "$folder" "$@" >"$folder.log" 2>&1 || fail "train $*: $(tail -n 1 "$folder.log")"
}
