#!/usr/bin/env bash
# A diverging run exits with 3; a study reports it at once and continues with the others.
. "$(dirname "$0")/lib.sh"
# A far too large step in a deep network overflows at the first update.
cat >"$work/diverge.toml" <<'TOML'
title = "One condition that diverges"
question = "Is it reported at once?"
seeds = 1
steps = 400
envs = ["classic/cartpole"]
baseline = "good"

[[conditions]]
label = "good"
algo = "dqn"
set = { learning_starts = 50, train_freq = 1, eval.count = 2, eval.episodes = 1, batch_size = 8, checkpoint.every = 50 }

[[conditions]]
label = "diverges"
algo = "dqn"
set = { learning_starts = 50, train_freq = 1, eval.count = 2, eval.episodes = 1, batch_size = 8, checkpoint.every = 50, learning_rate = 1000, policy.net_arch = [32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32] }
TOML

"$tarl" study run "$work/diverge.toml" --out "$work/stop" >"$work/log" 2>&1
[ $? = 1 ] || fail "the study did not fail: $(tail -n 2 "$work/log")"
grep -q "would end the same way again; .*--on-nan skip" "$work/log" || fail "no way on: $(tail -n 2 "$work/log")"
grep -q "nonfinite_batch.safetensors, the last good" "$work/log" || fail "the reason is cut: $(grep FAILED "$work/log")"
bad=$work/stop/classic/cartpole/diverges/seed0
[ "$(grep -c 'is not finite' "$bad/train.log")" = 1 ] || fail "tried again: $(cat "$bad/train.log")"
grep -qi "again\|retry" "$bad/train.log" && fail "tried again: $(cat "$bad/train.log")"
[ -f "$bad/nonfinite_batch.safetensors" ] || fail "no batch was dumped"
[ -f "$work/stop/classic/cartpole/good/seed0/model.safetensors" ] || fail "the other run did not finish"
"$tarl" study status "$work/stop" >"$work/status" || fail "no status"
grep -q "not finite" "$work/status" || fail "the status has no reason: $(cat "$work/status")"

saved=$(ls -d "$bad"/checkpoints/step_* | tail -n 1)
before=$(sha256sum "$saved"/*)
"$tarl" train --resume --out "$bad" >"$work/log" 2>&1
[ $? = 3 ] || fail "the run itself does not end with 3: $(tail -n 1 "$work/log")"
[ "$before" = "$(sha256sum "$saved"/*)" ] || fail "the last good checkpoint was touched"

"$tarl" study run "$work/diverge.toml" --on-nan skip --out "$work/skip" >"$work/log" 2>&1 ||
  fail "with --on-nan skip: $(tail -n 2 "$work/log")"
[ "$(ls "$work"/skip/classic/cartpole/*/seed0/model.safetensors | wc -l)" = 2 ] || fail "skip did not finish"
echo "a value that is not finite ends one run, at once"
