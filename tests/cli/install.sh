#!/usr/bin/env bash
# cmake --install into a separate prefix; moved; used by its programs and by find_package(tarl); removed.
on_disk=1
. "$(dirname "$0")/lib.sh"
build=$(cd "$(dirname "$tarl")" && pwd)
grep -q 'TARL_SANITIZE:STRING=.' "$build/CMakeCache.txt" && { echo "SKIP: sanitized libraries are not for installing"; exit 77; }
source=$(cd "$(dirname "$0")/../.." && pwd)
cmake --install "$build" --prefix "$work/prefix" >"$work/log" 2>&1 || fail "install: $(tail -n 2 "$work/log")"

# Nothing in it contains the build or install path.
prefix=$work/moved
cp -a "$work/prefix" "$prefix"
for file in bin/tarl share/doc/tarl/LICENSE share/doc/tarl/NOTICE share/doc/tarl/README.md \
  share/doc/tarl/docs/architecture.md share/doc/tarl/examples/own_method/main.cpp share/man/man1/tarl.1 \
  share/bash-completion/completions/tarl share/zsh/site-functions/_tarl share/tarl/presets/minatar/paper.toml \
  share/tarl/studies/minatar-replay.toml lib*/libtarl_cli.a; do
  [ -f $prefix/$file ] || fail "$file is not installed"
done
known=$(grep -rIlF -e "$build" -e "$source" -e "$work/prefix" "$prefix")
[ -z "$known" ] || fail "a path of the build in $known"
# Failed contract checks name their source line; the program contains no other paths.
known=$(grep -aoE "($source|$work/prefix)/[[:graph:]]*" "$prefix/bin/tarl" | grep -vE '\.(cpp|h|cu|cuh)$')
[ -z "$known" ] || fail "the program knows $known"
grep -E "^$work/prefix/" "$build/install_manifest.txt" >"$work/manifest"
cmake -DMANIFEST="$work/manifest" -P "$source/cmake/uninstall.cmake" >"$work/log" 2>&1 || fail "uninstall: $(tail -n 2 "$work/log")"
left=$(find "$work/prefix" -type f -o -type l -o -name tarl)
[ -z "$left" ] || fail "uninstall leaves $left"

cmake -S "$source/examples" -B "$work/examples" -G Ninja -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_PREFIX_PATH="$prefix" >"$work/log" 2>&1 || fail "find_package: $(tail -n 5 "$work/log")"
ninja -C "$work/examples" >"$work/log" 2>&1 || fail "build: $(tail -n 5 "$work/log")"
find "$work/examples" -name example_align_only -type f -exec {} \; || fail "align_only"
"$(find "$work/examples" -name example_custom_env -type f)" "$work/corridor" || fail "custom_env"
"$(find "$work/examples" -name example_embed -type f)" "$work/embedded" || fail "embed"
TARL_OWN_METHOD=$(find "$work/examples" -name example_own_method -type f) \
  TARL_OWN_PLUGIN=$(find "$work/examples" -name libexample_own_plugin.so -type f) \
  bash "$(dirname "$0")/own_method.sh" "$prefix/bin/tarl" || fail "own_method"
"$prefix/bin/tarl" list envs | grep -q minatar/breakout || fail "installed binary"
if [ -d "$prefix/share/tarl/roms" ]; then
  # The game is created, and only then the agent is refused.
  "$prefix/bin/tarl" train --env atari/pong --algo sac --out "$work/pong" 2>"$work/log"
  grep -q 'sac needs continuous actions' "$work/log" || fail "the ROMs: $(cat "$work/log")"
fi
echo "installed, moved, used and removed"
