#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Puts MuJoCo (library and headers) and the model files of Gymnasium's tasks into .deps/mujoco, with
# their licences. Does nothing if the wanted versions are present; exits 1 with one line if they are
# unavailable.
set -eu

wanted="mujoco 3.3.7, gymnasium 1.4.0"
root=$(cd "$(dirname "$0")/../.." && pwd)
deps=${TARL_DEPS:-$root/.deps}
target=$deps/mujoco

fail() {
  echo "mujoco: $1" >&2
  exit 1
}

if [ "$(cat "$target/VERSION" 2>/dev/null)" = "$wanted" ] && [ -d "$target/licenses" ]; then exit 0; fi
[ "$(uname -sm)" = "Linux x86_64" ] || fail "packaged here for Linux on x86-64 only"

mkdir -p "$deps"
work=$(mktemp -d "$deps/mujoco.XXXXXX")
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv" >/dev/null 2>&1 || fail "python3 -m venv does not work (Debian: apt-get install python3-venv)"

# Wheels for all Pythons hold the same library, so a fixed one is used.
"$work/venv/bin/pip" download -q --disable-pip-version-check --no-deps --require-hashes \
  --only-binary :all: --platform manylinux_2_28_x86_64 --python-version 3.11 --implementation cp \
  --abi cp311 --abi none -d "$work/wheels" -r /dev/stdin >"$work/log" 2>&1 <<'REQUIREMENTS' ||
mujoco==3.3.7 --hash=sha256:9371506f0df2d82152685fc8d38465843abcea8d371745ea7c125001e8f3f2d8
gymnasium==1.4.0 --hash=sha256:1cb947c59e7c72d8eabb2c2274c00cd20948e69f8452a9ef4092223be24fdf0e
REQUIREMENTS
  fail "pip could not fetch $wanted: $(grep -m1 ERROR "$work/log" || tail -n1 "$work/log")"

for wheel in "$work"/wheels/*.whl; do
  python3 -m zipfile -e "$wheel" "$work/unpacked" || fail "cannot unpack $(basename "$wheel")"
done
mkdir -p "$work/new/lib" "$work/new/include" "$work/new/models" "$work/new/licenses"
for name in mujoco gymnasium; do
  mv "$work"/unpacked/"$name"-*.dist-info/licenses "$work/new/licenses/$name"
done
mv "$work/unpacked/mujoco/libmujoco.so.3.3.7" "$work/new/lib/"
mv "$work/unpacked/mujoco/include/mujoco" "$work/new/include/"
mv "$work"/unpacked/gymnasium/envs/mujoco/assets/*.xml "$work/new/models/"
echo "$wanted" >"$work/new/VERSION"
rm -rf "$target"
mv "$work/new" "$target"
