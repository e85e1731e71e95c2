#!/usr/bin/env bash
# cmake --install, find_package(tarl), and the examples built against the installed copy.
on_disk=1
. "$(dirname "$0")/lib.sh"
build=$(dirname "$tarl")
grep -q 'TARL_SANITIZE:STRING=.' "$build/CMakeCache.txt" && { echo "SKIP: sanitized libraries are not for installing"; exit 77; }
source=$(cd "$(dirname "$0")/../.." && pwd)
cmake --install "$build" --prefix "$work/prefix" >"$work/log" 2>&1 || fail "install: $(tail -n 2 "$work/log")"
cmake -S "$source/examples" -B "$work/examples" -G Ninja -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_PREFIX_PATH="$work/prefix" >"$work/log" 2>&1 || fail "find_package: $(tail -n 5 "$work/log")"
ninja -C "$work/examples" >"$work/log" 2>&1 || fail "build: $(tail -n 5 "$work/log")"
find "$work/examples" -name example_align_only -type f -exec {} \; || fail "align_only"
"$(find "$work/examples" -name example_custom_env -type f)" "$work/corridor" || fail "custom_env"
"$(find "$work/examples" -name example_embed -type f)" "$work/embedded" || fail "embed"
"$work/prefix/bin/tarl" list envs | grep -q minatar/breakout || fail "installed binary"
echo "installed and used"
