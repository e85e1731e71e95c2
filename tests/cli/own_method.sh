#!/usr/bin/env bash
# A custom score, agent and environment, in every verb: in a custom program and in the stock program
# with a plugin. TARL_OWN_METHOD and TARL_OWN_PLUGIN override the build's.
on_disk=1
. "$(dirname "$0")/lib.sh"
own=${TARL_OWN_METHOD:-$(dirname "$tarl")/example_own_method}
plugin=${TARL_OWN_PLUGIN:-$(dirname "$tarl")/examples/libexample_own_plugin.so}
[ -x "$own" ] && [ -f "$plugin" ] || { echo "SKIP: the examples are not built"; exit 77; }

for file in "$(dirname "$0")"/../../examples/own_method/*.cpp; do
  [ "$(wc -l <"$file")" -lt 100 ] || fail "$file has 100 lines or more"
done

set="learning_starts=100 train_freq=1 target_update_interval=50 exploration_fraction=0.5 eval.count=4"
run="--algo ta-linear-q --env my/meadow --steps 4000 --set align.score=half-support"
for one in $set; do run="$run --set $one"; done
cat >"$work/pair.toml" <<END
title = "A method of one's own"
question = "Does the score help?"
envs = ["my/meadow"]
seeds = 2
steps = 1000
baseline = "plain"
[[conditions]]
label = "plain"
algo = "linear-q"
[[conditions]]
label = "half"
algo = "ta-linear-q"
set = { align.score = "half-support" }
END

# every_verb NAME COMMAND...
every_verb() {
  local name=$1 folder=$work/$1 log=$work/$1.log
  shift
  "$@" list agents | grep -q '^linear-q ' || fail "$name: list agents"
  "$@" list scores | grep -q '^half-support ' || fail "$name: list scores"
  "$@" list envs meadow | grep -q '^my/meadow ' || fail "$name: list envs"
  "$@" show-config $run | grep -q '^learning_rate = 0.5 *# size of a step' || fail "$name: show-config"
  "$@" show-config $run --set learning_rat=1 2>&1 | grep -q "'learning_rate'" || fail "$name: a typing error"
  "$@" train $run --out "$folder" --quiet >"$log" 2>&1 || fail "$name: train: $(tail -n 1 "$log")"
  "$@" eval "$folder" --episodes 2 --gif "$folder.gif" >"$log" 2>&1 || fail "$name: eval: $(tail -n 1 "$log")"
  [ "$(head -c 6 "$folder.gif")" = GIF89a ] || fail "$name: no film"
  "$@" export "$folder" --onnx "$folder.onnx" 2>"$log" && fail "$name: export of tensors that nobody knows"
  grep -q "the agent 'linear-q' keeps its policy in tensors of its own; set policy_tensors" "$log" ||
    fail "$name: export: $(cat "$log")"
  "$@" study run "$work/pair.toml" --out "$folder-study" --set learning_starts=100 --set eval.count=4 \
    >"$log" 2>&1 || fail "$name: study: $(tail -n 1 "$log")"
  "$@" report "$folder-study" >"$log" 2>&1 || fail "$name: report: $(tail -n 1 "$log")"
  grep -q 'half' "$folder-study/report.html" || fail "$name: the report lacks a condition"
}
every_verb program "$own"
every_verb plugin "$tarl" --plugin "$plugin"
equal "$work/program/model.safetensors" "$work/plugin/model.safetensors" || fail "plugin and program differ"
"$own" selftest --algo ta-linear-q --env my/meadow --kill 2 >"$work/log" 2>&1 ||
  fail "killed and resumed: $(tail -n 2 "$work/log")"
# It has learned: walking straight on, with some wind, costs little.
tail -n 1 "$work/program/evaluations.csv" | awk -F, '{exit !($3 > 0.4)}' || fail "nothing learned"

# Without the plugin: what is missing is named.
missing() { grep -q -- "$1" "$work/log" || fail "no '$1' in: $(cat "$work/log")"; }
"$tarl" eval "$work/program" 2>"$work/log" && fail "eval without the agent"
missing "the run was made by $(realpath "$own")"
for verb in "eval $work/plugin" "train --resume --out $work/plugin"; do
  "$tarl" $verb 2>"$work/log" && fail "$verb without the plugin"
  missing "the run was made with --plugin $(realpath "$plugin")"
done
"$tarl" export "$work/plugin" --onnx "$work/own.onnx" 2>"$work/log" && fail "export without the plugin"
missing "the agent 'linear-q' is not known here; load the plugin it comes from"
TARL_PLUGINS=$plugin "$tarl" train --resume --out "$work/plugin" | grep -q 'already finished' || fail TARL_PLUGINS
"$tarl" --plugin "$work/none.so" list envs 2>"$work/log" && fail "a plugin that is not there"
missing "there is no plugin $work/none.so"
libc=$(ldd "$tarl" | grep -o '/[^ ]*libc\.so[^ ]*')
"$tarl" --plugin "$libc" list envs 2>"$work/log" && fail "a library that is no plugin"
missing "is no plugin of tarl"
# stale LAYOUT COMMIT: a plugin built with other headers; the layout determines what follows it.
stale() {
  cc -shared -fPIC -x c - -o "$work/stale.so" <<END || fail "no C compiler"
struct plugin { unsigned layout, compiler, strings; const char *version, *commit; };
const struct plugin *tarl_plugin(void) {
  static const struct plugin it = {$1, 1002, 1, "0.0.1", "$2"};
  return &it;
}
END
  "$tarl" --plugin "$work/stale.so" list envs 2>"$work/log" && fail "a plugin of another tarl"
}
stale 1 abc123
missing "was built with tarl 0.0.1 (abc123, C++ ABI 1002/1), this is tarl "
stale 9 abc123
missing "was built with another version of tarl"
"$tarl" report "$work/plugin-study" --out "$work/r.html" >"$work/log" 2>&1 || fail "a report needs no plugin"
echo "a score, an agent and an environment of one's own in every verb"
