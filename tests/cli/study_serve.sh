#!/usr/bin/env bash
# tarl serve shows a study while it runs, refuses everything else, and changes no curve.
. "$(dirname "$0")/lib.sh"
command -v curl >/dev/null || { echo "SKIP: no curl here"; exit 77; }
args="minatar-replay --steps 4000 --seeds 1 --envs minatar/breakout --set learning_starts=500 --set eval.count=20"
"$tarl" study run $args --out "$work/ref" >"$work/log" 2>&1 || fail "study: $(tail -n 1 "$work/log")"

mkdir "$work/s"
echo secret >"$work/secret"
"$tarl" serve "$work/s" --port 0 >"$work/serve.log" 2>&1 &
serve=$!
wait_until $serve grep -qs '^http://.*/' "$work/serve.log" || fail "serve does not say its port: $(cat "$work/serve.log")"
port=$(sed -n 's|^http://127.0.0.1:\([0-9]*\)/.*|\1|p' "$work/serve.log")
url=http://127.0.0.1:$port
curl -s "$url/report.html" | grep -q "No results yet" || fail "no page before the first result"
curl -s "$url/" | grep -q "tarl runs</title>" || fail "no table of runs"
curl -sN "$url/events" >"$work/events" &
events=$!
wait_until $events test -s "$work/events" || fail "nobody can listen to events"

"$tarl" study run $args --out "$work/s" >"$work/log" 2>&1 &
study=$!
# Meanwhile: requests that must be refused.
refusals() {
  for path in /../secret /..%2fsecret /s/../secret /study.toml /report.html/../../secret "/?a=$1" /run/.. \
    /run/ /run/../../secret /compare/ /compare/..+.. /compare/%2e%2e; do
    curl -s -o /dev/null -w '%{http_code}\n' --path-as-is "$url$path"
  done
  curl -s -o /dev/null -w '%{http_code}\n' -H 'Host: evil.example' "$url/"
  curl -s -o /dev/null -w '%{http_code}\n' -X POST -d x=1 "$url/"
  curl -s -o /dev/null -w '%{http_code}\n' -H "X: $(head -c 10000 /dev/zero | tr '\0' a)" "$url/"
}
rounds=0
while [ $rounds -lt 5 ] || kill -0 $study 2>/dev/null; do
  rounds=$((rounds + 1))
  refusals $rounds >>"$work/answers"
done
# 000: closed, which the server does to a client that has been silent for too long.
answers=$(grep -vx 000 "$work/answers" | sort -u | tr '\n' ' ')
[ "$answers" = "404 405 413 421 431 " ] || [ "$answers" = "404 405 421 431 " ] || fail "answers were $answers"
wait $study || fail "study under fire: $(tail -n 1 "$work/log")"
shows() { curl -s "$url/$1" | grep -q "$2"; }
wait_until $serve shows report.html "<svg" || fail "no report is shown"
wait_until $serve shows status.json '"done":6' || fail "status.json says $(curl -s "$url/status.json")"
grep -q "event: runs" "$work/events" || fail "no event told of runs"
wait_until $serve shows runs.json '"unread":0' || fail "runs.json says $(curl -s "$url/runs.json")"
ids=$(curl -s "$url/runs.json" | grep -o '"id":"[0-9a-f]*"' | cut -d'"' -f4)
[ "$(echo "$ids" | wc -l)" = 6 ] || fail "runs.json knows $(echo "$ids" | wc -l) runs"
first=$(echo "$ids" | head -n 1)
shows "run/$first" "Training episodes" || fail "no page of run $first"
shows "compare/$(echo "$ids" | head -n 2 | paste -sd+)" "<svg" || fail "two runs are not compared"
for run in "$work"/ref/minatar/breakout/*/seed0; do
  for file in model.safetensors evaluations.npz; do
    equal "$run/$file" "${run/ref/s}/$file" || fail "$file differs while served"
  done
done
kill -TERM $serve
wait $serve
[ $? = 0 ] || fail "serve does not end well"
echo "served a study at work; answers to what it refuses, $rounds times: $answers"
