#!/usr/bin/env bash
# scripts/evidence.py runs what a page states and results/ lacks, stops in order, goes on, and packs.
. "$(dirname "$0")/lib.sh"
evidence=$(realpath "$(dirname "$0")/../../scripts/evidence.py")
tarl=$(realpath "$tarl")
cat >"$work/small.toml" <<'END'
title = "A small study"
seeds = 1
steps = 600
baseline = "DQN"
envs = ["minatar/breakout"]
[[conditions]]
label = "DQN"
algo = "dqn"
[[conditions]]
label = "TA-DQN"
algo = "ta-dqn"
END
cd "$work" || exit 1
cat >page.md <<'END'
    tarl study run small.toml --seeds 9 --set learning_starts=200 --set eval.count=2 --set eval.episodes=1
END
run() { python3 -B "$evidence" --tarl "$tarl" --page page.md --runs runs --results results "$@" >out 2>&1; }

run --list --with "--seeds 2" || fail "list: $(cat out)"
grep -q '^evidence: tarl study run small.toml --seeds 9 .*--seeds 2 --out' out || fail "list says: $(cat out)"
[ -e runs ] && fail "a list ran something"
run nothing && fail "an unknown study was accepted"
grep -q 'no command for nothing; it has small$' out || fail "an unknown study: $(cat out)"

# A signal while a study runs: it stops in order, nothing is packed, and the next call goes on.
python3 -B "$evidence" --tarl "$tarl" --page page.md --runs runs --results results --with "--seeds 1 --steps 1e8" >out 2>&1 &
pid=$!
began() { [ -n "$(find runs -name monitor.csv 2>/dev/null)" ]; }
wait_until $pid began || fail "no run began: $(cat out)"
kill -TERM $pid
wait $pid
[ $? = 75 ] || fail "a stopped study ends with $?: $(cat out)"
[ -e results ] && fail "a stopped study was packed"
rm -rf runs

run --with "--seeds 2" || fail "run: $(cat out)"
[ -f results/small/packed.npz ] || fail "nothing packed: $(cat out)"
run || fail "again: $(cat out)"
[ -s out ] && fail "a study that is there runs again: $(cat out)"
cat page.md page.md >twice.md
python3 -B "$evidence" --page twice.md --list >out 2>&1 && fail "two commands for a study were accepted"
grep -q 'twice; state one command' out || fail "two commands: $(cat out)"
echo "evidence: good"
