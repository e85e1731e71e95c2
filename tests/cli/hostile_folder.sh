#!/usr/bin/env bash
# Run folders with arbitrary contents, or that disappear: an immediate answer, and nothing elsewhere is
# touched.
. "$(dirname "$0")/lib.sh"
child=
trap '[ -z "$child" ] || kill -9 "$child" 2>/dev/null; rm -rf "$work"' EXIT
run="--env classic/cartpole --steps 300 --set learning_starts=50 --set eval.count=5 --set eval.episodes=1 --set checkpoint.every=100 --set checkpoint.keep=true --quiet"
"$tarl" train $run --out "$work/base" >"$work/log" 2>&1 || fail "$(tail -n 1 "$work/log")"

# refused WORD ARGS...: exit 1 or 2 with one line that contains WORD.
refused() {
  local word=$1 code
  shift
  "$tarl" "$@" >"$work/out" 2>&1 </dev/null
  code=$?
  [ $code = 1 ] || [ $code = 2 ] || fail "exit $code: tarl $*: $(tail -n 1 "$work/out")"
  [ "$(wc -l <"$work/out")" = 1 ] || fail "not one line: tarl $*: $(head -n 3 "$work/out")"
  grep -qF -- "$word" "$work/out" || fail "'$word' not in: $(cat "$work/out") (tarl $*)"
}

# A FIFO without a writer, and an endless file, in place of every file.
answered=0
for file in config.toml run.json progress.csv evaluations.npz model.safetensors lock monitor.csv \
            checkpoints/step_000000000200/manifest.json checkpoints/step_000000000200/state.safetensors; do
  for kind in fifo endless; do
    rm -rf "$work/odd" && cp -r "$work/base" "$work/odd" && rm -f "$work/odd/$file"
    if [ $kind = fifo ]; then mkfifo "$work/odd/$file"; else ln -s /dev/zero "$work/odd/$file"; fi
    for command in "report $work/odd --unfinished --out $work/page.html" "eval $work/odd --episodes 1" \
                   "train --resume --out $work/odd --quiet"; do
      "$tarl" $command >"$work/out" 2>&1 </dev/null
      code=$?
      [ $code -le 2 ] || fail "$kind for $file: exit $code: tarl $command: $(tail -n 1 "$work/out")"
      ! grep -q "bug in tarl" "$work/out" || fail "$kind for $file: tarl $command: $(cat "$work/out")"
      answered=$((answered + 1))
    done
    case $file in
      config.toml) refused "$file: it is a" eval "$work/odd" ;;
      model.safetensors) refused "$file: it is a" eval "$work/odd" ;;
    esac
  done
done

# Output never replaces anything but a regular file.
mkfifo "$work/fifo"
refused "$work/fifo: it is a FIFO" report "$work/base" --out "$work/fifo"
refused "$work/fifo: it is a FIFO" eval "$work/base" --episodes 1 --gif "$work/fifo"
[ -p "$work/fifo" ] && [ ! -e "$work/fifo_files" ] || fail "a refused file left something behind"
refused "a file that the run there has" report "$work/base" --out "$work/base/run.json"
(cd "$work/base" && refused "a file that the run there has" report . --out config.toml) || exit 1
[ ! -e "$work/base/run_files" ] && [ ! -e "$work/base/config_files" ] || fail "a refused page left its folder behind"
refused "/dev/full: it is a device" report "$work/base" --out /dev/full
[ -c /dev/full ] || fail "/dev/full is no device any more"

# A folder that another run takes over: the first stops, the second ends as if alone.
"$tarl" train $run --seed 2 --out "$work/alone" >"$work/log" 2>&1 || fail "$(tail -n 1 "$work/log")"
for how in moved removed; do
  "$tarl" train $run --steps 1e8 --set eval.count=1000000 --out "$work/F" >"$work/first.log" 2>&1 &
  first=$! child=$!
  until [ -d "$work/F/checkpoints" ]; do
    kill -0 $first 2>/dev/null || fail "$(cat "$work/first.log")"
    sleep 0.02
  done
  mv "$work/F" "$work/F_$how"
  [ $how = moved ] || rm -r "$work/F_$how"
  "$tarl" train $run --seed 2 --out "$work/F" >"$work/log" 2>&1 || fail "second run: $(tail -n 1 "$work/log")"
  wait $first
  code=$?
  [ $code = 1 ] || fail "a run whose folder was $how: exit $code: $(tail -n 1 "$work/first.log")"
  grep -q "removed or replaced" "$work/first.log" || fail "$how: $(cat "$work/first.log")"
  for file in $outputs; do
    equal "$work/alone/$file" "$work/F/$file" || fail "$file differs after the folder was $how"
  done
  rm -r "$work/F"
done

# A file that cannot be opened costs its own run only: a report of both, and below serve's table.
mkdir "$work/two" && cp -r "$work/base" "$work/two/a" && cp -r "$work/alone" "$work/two/b"
for file in config.toml run.json evaluations.npz progress.csv monitor.csv trace.npz; do
  rm -rf "$work/two/a" && cp -r "$work/base" "$work/two/a" && rm -f "$work/two/a/$file"
  ln -s "$file" "$work/two/a/$file"
  "$tarl" report "$work/two" --out "$work/two.html" >"$work/out" 2>&1 || fail "report beside a loop: $(cat "$work/out")"
  [ $file = monitor.csv ] || grep -q "$file" "$work/out" "$work/two.html" || fail "$file is not named: $(cat "$work/out")"
done

# serve answers, ends on a signal, and says that its folder is gone.
if TMPDIR=/nonexistent "$tarl" serve "$work/base" --port 0 >"$work/out" 2>&1; then fail "serve without TMPDIR"; fi
grep -q "/nonexistent" "$work/out" || fail "serve without TMPDIR says: $(cat "$work/out")"
if command -v curl >/dev/null; then
  mkdir "$work/runs" && cp -r "$work/base" "$work/runs/a" && rm "$work/runs/a/run.json" && mkfifo "$work/runs/a/run.json"
  "$tarl" serve "$work/runs" --port 0 >"$work/serve.log" 2>&1 &
  serve=$! child=$!
  alive() { kill -0 $serve 2>/dev/null || fail "serve: $(cat "$work/serve.log")"; }
  until grep -q http "$work/serve.log"; do alive; sleep 0.1; done
  status=http://127.0.0.1:$(sed -n 's|^http://127.0.0.1:\([0-9]*\)/.*|\1|p' "$work/serve.log")/status.json
  until curl -s "$status" | grep -q '"runs":1'; do alive; sleep 0.1; done
  mv "$work/runs" "$work/elsewhere"
  until curl -s "$status" | grep -q 'is gone'; do alive; sleep 0.1; done
  mv "$work/elsewhere" "$work/runs"
  until curl -s "$status" | grep -q '"runs":1'; do alive; sleep 0.1; done
  cp -r "$work/base" "$work/runs/b" && rm "$work/runs/b/evaluations.npz"
  ln -s evaluations.npz "$work/runs/b/evaluations.npz"
  until curl -s "$status" | grep -q '"runs":2'; do alive; sleep 0.1; done
  kill -TERM $serve
  wait $serve || fail "serve does not end well"
fi
echo "$answered commands on odd files answered; folders taken away were noticed"
