#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Builds Box2D 2.3 as a static library into .deps/box2d, from the source package of BipedalWalker's
# Python binding (2.4, which distributions ship, has different physics). Does nothing if the wanted
# version is present; exits 1 with one line if it is unavailable.
set -eu

wanted="box2d-py 2.3.8"
root=$(cd "$(dirname "$0")/../.." && pwd)
deps=${TARL_DEPS:-$root/.deps}
target=$deps/box2d

fail() {
  echo "box2d: $1" >&2
  exit 1
}

if [ "$(cat "$target/VERSION" 2>/dev/null)" = "$wanted" ]; then exit 0; fi

mkdir -p "$deps"
work=$(mktemp -d "$deps/box2d.XXXXXX")
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv" >/dev/null 2>&1 || fail "python3 -m venv does not work (Debian: apt-get install python3-venv)"

"$work/venv/bin/pip" download -q --disable-pip-version-check --no-deps --require-hashes \
  --no-binary box2d-py -d "$work/source" -r /dev/stdin >"$work/log" 2>&1 <<'REQUIREMENTS' ||
box2d-py==2.3.8 --hash=sha256:bdacfbbc56079bb317548efe49d3d5a86646885cc27f4a2ee97e4b2960921ab7
REQUIREMENTS
  fail "pip could not fetch $wanted: $(grep -m1 ERROR "$work/log" || tail -n1 "$work/log")"

tar -xzf "$work/source/box2d-py-2.3.8.tar.gz" -C "$work" || fail "cannot unpack the source package"
tree=$work/box2d-py-2.3.8
# This define pulls in Python's headers for errors that only the binding reports.
sed -i 's|^#define USE_EXCEPTIONS|// #define USE_EXCEPTIONS|' "$tree/Box2D/Common/b2Settings.h"

# Without contraction the physics has the same bits on every x86-64 machine.
mkdir "$work/objects"
find "$tree/Box2D" -name '*.cpp' | sort >"$work/sources"
if ! (cd "$work/objects" && xargs -P 2 -n 4 "${CXX:-c++}" -c -O2 -fPIC -ffp-contract=off -w \
        -I "$tree" <"$work/sources" && ar rcs libbox2d.a ./*.o) >"$work/log" 2>&1; then
  fail "the build failed: $(grep -m1 -i error "$work/log" || tail -n1 "$work/log")"
fi
mkdir -p "$work/new/lib" "$work/new/include"
mv "$work/objects/libbox2d.a" "$work/new/lib/"
(cd "$tree" && find Box2D -name '*.h' -exec cp --parents {} "$work/new/include/" \;)
echo "$wanted" >"$work/new/VERSION"
rm -rf "$target"
mv "$work/new" "$target"
