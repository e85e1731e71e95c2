#!/usr/bin/env bash
# What `tarl export` accepts, writes and refuses; python/tests/test_export.py runs the output.
. "$(dirname "$0")/lib.sh"
run=$work/run
"$tarl" train --algo dqn --env CartPole-v1 --steps 600 --set learning_starts=100 --set policy.net_arch=[8] \
  --set eval.count=3 --set checkpoint.every=200 --set checkpoint.keep=true --out "$run" >"$work/log" 2>&1 || fail "train: $(cat "$work/log")"
files() { (cd "$run" && find . -type f | sort | xargs sha256sum); }
files >"$work/before"
export_run() { "$tarl" export "$run" "$@" >"$work/out" 2>"$work/said" || fail "export $*: $(cat "$work/said")"; }

export_run --onnx "$work/a.onnx" --header "$work/a.h"
grep -q "^dqn in classic/cartpole after 600 steps, 58 parameters$" "$work/out" || fail "$(cat "$work/out")"
grep -q "^ONNX, $(stat -c %s "$work/a.onnx") bytes -> $work/a.onnx$" "$work/out" || fail "$(cat "$work/out")"
# Which policy: the last checkpoint equals the model, an earlier one states its step.
export_run --checkpoint --onnx "$work/b.onnx" --header "$work/b.h"
equal "$work/a.onnx" "$work/b.onnx" && equal "$work/a.h" "$work/b.h" || fail "the last checkpoint is another policy"
"$tarl" export "$run/model.safetensors" --onnx "$work/b.onnx" >"$work/out" || fail "a model file"
equal "$work/a.onnx" "$work/b.onnx" || fail "a model file is another policy"
export_run --checkpoint 400 --header "$work/b.h" --namespace mine::policy
grep -q "after 400 steps" "$work/out" && grep -q "^namespace mine::policy {$" "$work/b.h" || fail "$(cat "$work/out")"
export_run --best --onnx "$work/b.onnx"
grep -qa mean_return "$work/b.onnx" || fail "--best says no mean_return"

refused "nothing to write: --onnx FILE, --header FILE or both" export "$run"
refused "is for --header" export "$run" --onnx "$work/c.onnx" --namespace a
refused "is for --header" export "$run" --onnx "$work/c.onnx" --force
refused "choose one" export "$run" --best --checkpoint --onnx "$work/c.onnx"
refused "which ends in .onnx; nothing was written" export "$run" --onnx "$run/model.safetensors"
refused "which ends in .h; nothing was written" export "$run" --header "$run/config.toml"
refused "cannot name a namespace" export "$run" --header "$work/c.h" --namespace "a b"
refused "did you mean '--onnx'" export "$run" --onx "$work/c.onnx"
failed() {
  local word=$1 code
  shift
  "$tarl" export "$@" >"$work/out" 2>&1
  code=$?
  [ $code = 1 ] && [ "$(wc -l <"$work/out")" = 1 ] || fail "exit $code: export $*: $(cat "$work/out")"
  grep -q -- "$word" "$work/out" || fail "'$word' not in: $(cat "$work/out")"
}
failed "no run and no model file $work/none" "$work/none" --best --onnx "$work/c.onnx"
failed "no run in $work" "$work" --onnx "$work/c.onnx"
failed "no checkpoint of step 7; it has 600, 400" "$run" --checkpoint 7 --onnx "$work/c.onnx"
failed "$work/none/c.onnx" "$run" --onnx "$work/none/c.onnx"
mkdir "$work/folder.onnx"
failed "$work/folder.onnx" "$run" --onnx "$work/folder.onnx"
cp -r "$run" "$work/bare"
rm -r "$work/bare/checkpoints" "$work/bare/model.safetensors"
failed "no model and no checkpoint yet" "$work/bare" --onnx "$work/c.onnx"
cp "$run/model.safetensors" "$work/cut.safetensors"
truncate -s 400 "$work/cut.safetensors"
failed "cut.safetensors" "$work/cut.safetensors" --onnx "$work/c.onnx"
[ -e "$work/c.onnx" ] || [ -e "$work/c.h" ] && fail "a refused file was written"

# Whichever call fails, the old file or the whole new one is there, and nothing else.
mkdir "$work/kept"
"$tarl" export "$run" --checkpoint 400 --onnx "$work/new.onnx" >"$work/out" || fail "$(cat "$work/out")"
for call in $(seq 1 100); do
  cp "$work/a.onnx" "$work/kept/policy.onnx"
  env $(faults "root=$work/kept,call=$call,fault=EIO") \
    "$tarl" export "$run" --checkpoint 400 --onnx "$work/kept/policy.onnx" >"$work/out" 2>&1 && break
  grep -q "$work/kept" "$work/out" || fail "call $call: $(cat "$work/out")"
  equal "$work/a.onnx" "$work/kept/policy.onnx" || equal "$work/new.onnx" "$work/kept/policy.onnx" || fail "call $call left half a file"
  [ "$(ls "$work/kept")" = policy.onnx ] || fail "call $call left $(ls "$work/kept")"
done
[ "$call" -gt 3 ] && [ "$call" -lt 100 ] || fail "$call calls struck"
files | cmp -s - "$work/before" || fail "an export changed the run"
echo "export writes what is asked for and loses nothing, whichever of $((call - 1)) calls fails"
