#!/usr/bin/env bash
# Each libFuzzer target for the given seconds or 1e7 executions, whichever comes first: run.sh
# [seconds] [target]... (needs the preset fuzz; make fuzz builds it). Findings stay in
# build-fuzz/findings, inputs that were worth keeping in build-fuzz/grown.
set -u
cd "$(dirname "$0")/../.." || exit 1
seconds=${1:-600}
shift
build=build-fuzz
mkdir -p $build/findings
# Behind every file of a corpus, keys, tables and lists of many levels: deep_seeds NAME FOLDER
deep_seeds() {
  mkdir -p "$2"
  python3 - "tests/fuzz/corpus/$1" "$2" <<'EOF'
import pathlib, sys
nests = {"header": "\n[" + "a." * 30000 + "a]\n", "key": "\n" + "a." * 30000 + "a = 1\n",
         "set": "\nset." + "a." * 30000 + "a = 1\n", "tables": "\na = " + "{a.a = " * 5000,
         "lists": "\na = " + "[" * 30000, "json": '{"a":' * 10000}
corpus, folder = map(pathlib.Path, sys.argv[1:])
for seed in corpus.iterdir():
    for name, text in nests.items():
        (folder / f"{seed.name}-{name}").write_bytes(seed.read_bytes() + text.encode())
EOF
}
export ASAN_OPTIONS=quarantine_size_mb=16:detect_leaks=1
bad=0
printf '%-12s %12s %9s %10s %9s  %s\n' target executions seconds exec/s "peak MB" result
for name in ${@:-toml safetensors npz http manifest resumed_csv run_folder config study rom}; do
  [ -x $build/fuzz_$name ] || { echo "$name: not built"; continue; }
  mkdir -p $build/grown/$name
  deep_seeds $name $build/deep/$name
  log=$build/fuzz_$name.log
  start=$(date +%s)
  $build/fuzz_$name $build/grown/$name tests/fuzz/corpus/$name $build/deep/$name \
    -max_total_time=$seconds -runs=10000000 -max_len=65536 -timeout=5 -rss_limit_mb=512 -print_final_stats=1 \
    -artifact_prefix=$build/findings/$name- >"$log" 2>&1
  code=$?
  took=$(($(date +%s) - start))
  stat() { sed -n "s/^stat::$1: *//p" "$log" | tail -1; }
  result=clean
  [ $code = 0 ] || { result="exit $code: $(grep -m1 -E 'ERROR|SUMMARY|what' "$log" | cut -c1-100)"; bad=1; }
  printf '%-12s %12s %9s %10s %9s  %s\n' "$name" "$(stat number_of_executed_units)" $took \
    "$(stat average_exec_per_sec)" "$(stat peak_rss_mb)" "$result"
done
exit $bad
