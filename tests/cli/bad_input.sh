#!/usr/bin/env bash
# Bad input: one clear line, exit 1 or 2, nothing lost.
. "$(dirname "$0")/lib.sh"
# refused WORD ARGS...: the command fails with one line that contains WORD.
refused() {
  local word=$1
  shift
  "$tarl" "$@" >"$work/out" 2>&1 </dev/null
  local code=$?
  [ $code = 1 ] || [ $code = 2 ] || fail "exit $code: tarl $*"
  [ "$(wc -l <"$work/out")" -le 2 ] || fail "more than a line: tarl $*: $(head -n 3 "$work/out")"
  grep -qi -- "$word" "$work/out" || fail "'$word' not in: $(cat "$work/out") (tarl $*)"
}
run="train --env minatar/breakout --out $work/run --steps 100"
refused "did you mean 'dqn'" $run --algo dqnn
refused "minatar/breakout" train --env minatar/breakot --out "$work/run"
refused "batch_size" $run --set batchsize=3
refused "whole number" $run --set batch_size=abc
refused "batch_size" $run --set batch_size=-4
refused "memory\|bytes\|GB" $run --set buffer_size=999999999999999
refused "steps" train --env minatar/breakout --steps -5 --out "$work/run"
refused "steps" train --env minatar/breakout --steps lots --out "$work/run"
refused "margin" $run --margin -1
refused "margin" $run --margin nan
refused "gamma" $run --set gamma=1.5
refused "key=value" $run --set gamma
refused "discrete" $run --algo sac
refused "did you mean 'paper'?" $run --preset papper
refused "'nope' (tarl list presets" $run --preset nope
refused "'minatar/breakout' or 'atari/breakout-v5'?\|did you mean 'minatar/breakout'?" train --env breakout
refused "did you mean .exit-codes.?" help exit-code
refused "TOML" $run --preset "$(printf 'a = = 1' >"$work/bad.toml"; echo "$work/bad.toml")"
refused "eval.count" $run --set eval.count=101
refused "no run to resume" train --resume --out "$work/none" --algo dqn --env minatar/breakout
refused "no run" eval "$work/none"
refused "no verb" frobnicate
refused "no option" train --algos dqn
refused "needs a value" train --algo
refused "list what" list cats
refused "create" train --env minatar/breakout --steps 100 --out /proc/nope
[ -e "$work/run" ] && fail "a refused run left $work/run behind"

# An existing run is never overwritten, nor mixed with other settings.
short "$work/good" --algo dqn --set checkpoint.every=1000
before=$(sha256sum "$work/good/model.safetensors")
refused "already holds a run" train $short --algo dqn --out "$work/good"
refused "other settings" train $short --algo dqn --out "$work/good" --resume --set gamma=0.9
[ "$before" = "$(sha256sum "$work/good/model.safetensors")" ] || fail "a refused command changed the run"

# A run of its own folder: neither around other runs nor inside of one, where no report finds it.
refused "holds other runs" train $short --algo dqn --out "$work"
refused "inside the run in .*/good" train $short --algo dqn --out "$work/good/again"
[ -e "$work/config.toml" ] || [ -e "$work/good/again" ] && fail "a refused run left something behind"

# A page takes no other file's place, and nothing is drawn before that is known.
refused "run there has of its own" inspect "$work/good" --out "$work/good/config.toml"
grep -q '^algo = "dqn"' "$work/good/config.toml" || fail "a refused page replaced config.toml"

# A truncated model and an unreadable config are named.
cp -r "$work/good" "$work/cut"
truncate -s 1000 "$work/cut/model.safetensors"
refused "model.safetensors" eval "$work/cut"
echo 'algo = "dqn"' >"$work/cut/config.toml"
echo 'batch_size = "many"' >>"$work/cut/config.toml"
refused "config.toml:2" eval "$work/cut"

# A folder in use is refused, and is free again once its owner is gone.
"$tarl" train --env minatar/breakout --steps 1e9 --set checkpoint.every=500 --out "$work/busy" >"$work/log" 2>&1 &
owner=$!
wait_until $owner test -d "$work/busy/checkpoints" || fail "no run to meet: $(tail -n 1 "$work/log")"
refused "in use by process $owner" train --resume --out "$work/busy"
kill -9 $owner
wait $owner 2>/dev/null
[ -f "$work/busy/lock" ] || fail "the owner left no lock"
"$tarl" train --resume --out "$work/busy" >"$work/log" 2>&1 &
heir=$!
wait_until $heir grep -qs "\"pid\": $heir\b" "$work/busy/lock" || fail "stale lock: $(cat "$work/log")"
kill -TERM $heir
wait $heir
code=$?
[ $code = 75 ] || fail "SIGTERM after a stale lock gave exit $code: $(tail -n 1 "$work/log")"

# A read-only folder and a full disk: the cause is named, earlier checkpoints stay good.
if [ "$(id -u)" != 0 ]; then
  mkdir "$work/readonly" && chmod 555 "$work/readonly"
  refused "write\|create" train $short --algo dqn --out "$work/readonly/run"
fi
if mkdir "$work/small" && mount -t tmpfs -o size=3m tmpfs "$work/small" 2>/dev/null; then
  "$tarl" train $short --algo dqn --set checkpoint.every=200 --set buffer_size=4000 --out "$work/small/run" >"$work/out" 2>&1
  code=$?
  if [ $code = 0 ]; then
    head -c 4m /dev/zero >"$work/small/filler" 2>/dev/null
    refused "space" train --env minatar/breakout --steps 4000 --set checkpoint.every=200 --out "$work/small/other"
    rm -f "$work/small/filler"
  else
    grep -qi "space" "$work/out" || fail "full disk: $(tail -n 1 "$work/out")"
  fi
  umount "$work/small"
else
  echo "SKIP: no small file system can be mounted here (full disk)"
fi

# A message quotes files, and no file steers the terminal.
mkdir "$work/steers"
printf 'algo = "dqn\\u001b]0;x\\u0007"\n' >"$work/steers/config.toml"
refused "dqn?]0;x?" eval "$work/steers"
refused "dqn?]0;x?" train --resume --out "$work/steers"

# Help topics: one has every exit code; help on a verb is the verb's own.
for code in 0 1 2 3 75; do
  "$tarl" help exit-codes | grep -q "^ *$code " || fail "tarl help exit-codes lacks $code"
done
"$tarl" help train | cmp -s - <("$tarl" train --help) || fail "tarl help train is not tarl train --help"
"$tarl" -V | cmp -s - <("$tarl" --version) || fail "tarl -V is not tarl --version"
refused "did you mean 'train'" help trian
echo "bad input well answered"
