#!/usr/bin/env bash
# Repeats `make test` from clean clones of HEAD alongside stress-ng: no verdict may depend on speed
# or load. test_under_load.sh [RUNS (10)] [AT ONCE (1)]
set -u
cd "$(dirname "$0")/.." || exit 1
runs=${1:-10}
at_once=${2:-1}
command -v stress-ng >/dev/null || { echo "needs: apt-get install stress-ng"; exit 1; }
work=$(mktemp -d)
stress-ng --cpu 4 --hdd 1 --temp-path "$work" >/dev/null 2>&1 &
stress=$!
trap 'kill $stress; rm -rf "$work"' EXIT

one() {
  # The same few paths every time: a path's first run compiles, the others find everything in the cache.
  local clone=$work/slot$SLOT since=$SECONDS verdict=green
  git clone -q . "$clone" && make -C "$clone" test >"$clone.log" 2>&1 || verdict=RED
  echo "run $1: $verdict, $((SECONDS - since)) s, load $(cut -d' ' -f1 /proc/loadavg), $(grep -E 'tests passed|tests failed' "$clone.log" | tail -n 1)"
  [ $verdict = green ] || sed -n '/The following tests FAILED/,$p' "$clone.log"
  rm -rf "$clone"
  [ $verdict = green ]
}
export -f one
export work
seq "$runs" | xargs -P "$at_once" --process-slot-var=SLOT -I{} bash -c 'one {}'
