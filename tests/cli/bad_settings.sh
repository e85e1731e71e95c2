#!/usr/bin/env bash
# Impossible settings are refused with exit code 2 and one line, before anything is created.
. "$(dirname "$0")/lib.sh"
run="train --env classic/cartpole --steps 100 --algo dqn --set eval.count=2 --out $work/run"
for setting in adam.beta1=1 adam.beta2=1 adam.eps=1e-300; do
  refused "${setting%=*}" $run --set optimizer=adam --set $setting
done
refused "rmsprop.eps" $run --set rmsprop.eps=1e-300
refused "ent_coef" train --algo sac --env classic/pendulum --out "$work/run" --set ent_coef=1e300
refused "net_arch" $run --set policy.net_arch=[1]
refused "net_arch" $run --set policy.net_arch=[16,1,16]
refused "or -1" $run --set environment.sticky_actions=-0.5
refused "or -1" $run --set replay.kind=per --set replay.alpha=-0.5
refused "net_arch.* GB" $run --set policy.net_arch=[65536,65536,65536,65536,65536,65536,65536,65536]
refused "batch_size.* GB" ${run/dqn/ta-dqn} --margin 1000 --set batch_size=65536 --set policy.net_arch=[8192]
refused "align.trace = [0-9]* or more" $run --set align.trace=1 --set steps=1e12
refused "align.mode = filter" $run --set align.margin=auto --set align.mode=weight
refused "did you mean 'direction'" $run --margin 1 --set align.score=directon
refused "align.terminals.*align.margin = 1" $run --set align.terminals=exempt
refused "score, exempt, match" $run --margin 1 --set align.terminals=some
refused "align.terminal_share" $run --margin 1 --set align.terminals=match --set align.terminal_share=1.5
"$tarl" list scores | grep -q "^direction " || fail "list scores: $("$tarl" list scores)"
refused "agents" bench --fleet --agents x
refused "leave out --threads" bench --roofline --threads 2
refused "agents" bench --fleet --agents 0
refused "agents" bench --fleet --agents 30 --agents 2.5
[ -e "$work/run" ] && fail "a refused run left $work/run behind"

# Keys of any depth: the error names the file and the line.
deep() { printf "$1.%.0s" $(seq "$2"); echo "$1"; }
echo "[$(deep a 100000)]" >"$work/deep.toml"
refused "deep.toml:1: .*64 parts" $run --preset "$work/deep.toml"
echo "set.$(deep a 60000) = 1" >"$work/study.toml"
refused "study.toml:1: .*64 parts" study run "$work/study.toml" --out "$work/study"
"$tarl" $run --set learning_starts=20 --set eval.episodes=1 >"$work/out" 2>&1 || fail "$(cat "$work/out")"
echo "[$(deep a 100000)]" >>"$work/run/config.toml"
refused "config.toml:[0-9]*: .*64 parts" eval "$work/run"
refused "config.toml:[0-9]*: .*64 parts" train --resume --out "$work/run"
"$tarl" report "$work/run" >"$work/out" 2>&1
code=$?
[ $code -le 2 ] || fail "report of a run with a deep config.toml: exit $code"

# More threads than processors: used, with one line of warning.
"$tarl" train --env classic/cartpole --steps 60 --set learning_starts=50 --set eval.count=1 \
  --set eval.episodes=1 --algo dqn --threads $(($(nproc) + 1)) --quiet --out "$work/threads" >"$work/out" 2>"$work/err" ||
  fail "more threads: $(cat "$work/err")"
[ "$(grep -c "more than the processors" "$work/err")" = 1 ] || fail "no warning: $(cat "$work/err")"

# Requests without effect: a warning before the run, which is done. warned WORD ARGS...: exit 0 and
# one line that contains WORD.
warned() {
  local word=$1
  shift
  rm -rf "$work/run"
  "$tarl" $run --quiet "$@" >/dev/null 2>"$work/err" || fail "exit $?: $*: $(cat "$work/err")"
  [ "$(wc -l <"$work/err")" = 1 ] || fail "not one line: $*: $(cat "$work/err")"
  grep -q -- "$word" "$work/err" || fail "'$word' not in: $(cat "$work/err") ($*)"
}
warned "no update will be made: learning_starts = 100" --set learning_starts=100
warned "margin plays no part with align.mode = weight" --set learning_starts=20 --set align.mode=weight --margin 3
warned "margin plays no part with align.mode = scale" --set learning_starts=20 --set align.mode=scale --set align.margin=3
warned "less than one candidate: this is the plain agent" --set learning_starts=20 --margin 0.01
warned "with a margin of 2, dqn is the aligned agent ta-dqn" --set learning_starts=20 --algo dqn --margin 2
"$tarl" show-config --algo ta-dqn --env classic/cartpole --set learning_starts=20 >"$work/ta.toml" || fail "show-config"
warned "--algo dqn takes the place of ta-dqn in .*ta.toml" --preset "$work/ta.toml" --algo dqn
rm -rf "$work/run"
"$tarl" $run --quiet --set learning_starts=99 --set train_freq=1 >/dev/null 2>"$work/err" || fail "$(cat "$work/err")"
[ -s "$work/err" ] && fail "a warning about a run that learns: $(cat "$work/err")"

# If there is no default preset, a suitable one is suggested.
rm -rf "$work/run"
"$tarl" $run --set learning_starts=20 >/dev/null 2>"$work/err" || fail "$(cat "$work/err")"
grep -q "^tarl: .*--preset classic " "$work/err" || fail "no preset suggested: $(cat "$work/err")"
rm -rf "$work/run"
"$tarl" $run --set learning_starts=20 --preset classic >/dev/null 2>"$work/err" || fail "$(cat "$work/err")"
grep -q "^tarl: .*--preset" "$work/err" && fail "a preset suggested beside one: $(cat "$work/err")"

# A dry run says what a fleet will refuse, with or without a GPU.
for_fleet="--envs minatar/breakout --seeds 1 --steps 20000 --dry-run --executor fleet --set fleet.precision=fp16"
"$tarl" study run minatar-network $for_fleet --out "$work/network" >"$work/out" 2>&1 || fail "dry run: $(cat "$work/out")"
[ "$(grep -c '^not on a fleet:' "$work/out")" = 2 ] && grep -q '^not on a fleet: TA-DQN large: .*net_arch' "$work/out" ||
  fail "a fleet does not refuse two conditions: $(cat "$work/out")"
"$tarl" study run minatar-modes $for_fleet --out "$work/modes" >"$work/out" 2>&1 || fail "dry run: $(cat "$work/out")"
grep -q '^not on a fleet:' "$work/out" && fail "a fleet refuses a use of scores: $(cat "$work/out")"
echo "bad settings refused"
