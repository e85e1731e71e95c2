#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Builds the Arcade Learning Environment as a static library into .deps/ale, with the ROM files of
# its source package in .deps/ale/roms (about a minute). Does nothing if the wanted version is
# present; exits 1 with one line if it is unavailable.
set -eu

wanted="ale-py 0.12.1"
root=$(cd "$(dirname "$0")/../.." && pwd)
deps=${TARL_DEPS:-$root/.deps}
target=$deps/ale

fail() {
  echo "ale: $1" >&2
  exit 1
}

if [ "$(cat "$target/VERSION" 2>/dev/null)" = "$wanted" ]; then exit 0; fi

mkdir -p "$deps"
work=$(mktemp -d "$deps/ale.XXXXXX")
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv" >/dev/null 2>&1 || fail "python3 -m venv does not work (Debian: apt-get install python3-venv)"
pip="$work/venv/bin/pip --disable-pip-version-check"

# pip builds a source package's metadata, which needs the package's own build tools.
$pip install -q scikit-build-core nanobind >"$work/log" 2>&1 &&
  $pip download -q --no-deps --require-hashes --no-binary :all: --no-build-isolation \
    -d "$work/source" -r /dev/stdin >"$work/log" 2>&1 <<'REQUIREMENTS' ||
ale-py==0.12.1 --hash=sha256:c503d574c5983e1063b451201ccb779d935919c0f6bf116fb0f4f8aa4c86d249
REQUIREMENTS
  fail "pip could not fetch $wanted: $(grep -m1 ERROR "$work/log" || tail -n1 "$work/log")"

tar -xzf "$work/source/ale_py-0.12.1.tar.gz" -C "$work" || fail "cannot unpack the source package"
tree=$work/ale_py-0.12.1
# Link-time optimisation adds seconds to every link and makes no frame faster.
sed -i 's/set(CMAKE_INTERPROCEDURAL_OPTIMIZATION TRUE)/set(CMAKE_INTERPROCEDURAL_OPTIMIZATION FALSE)/' \
  "$tree/src/ale/CMakeLists.txt"

echo "ale: building"
set -- -DCMAKE_BUILD_TYPE=Release -DBUILD_CPP_LIB=ON -DBUILD_PYTHON_LIB=OFF -DBUILD_VECTOR_LIB=OFF \
  -DSDL_SUPPORT=OFF -DCMAKE_INSTALL_PREFIX="$work/new" -DCMAKE_INSTALL_LIBDIR=lib
if command -v ninja >/dev/null; then set -- -G Ninja "$@"; fi
if command -v ccache >/dev/null; then
  set -- -DCMAKE_CXX_COMPILER_LAUNCHER=ccache "$@"
  export CCACHE_BASEDIR="$work"  # the folder's name changes every time
fi
if ! (cmake -S "$tree" -B "$work/build" "$@" && cmake --build "$work/build" --parallel &&
        cmake --install "$work/build") >"$work/log" 2>&1; then
  fail "the build failed (needs cmake, a C++ compiler and zlib1g-dev): $(grep -m1 -i error "$work/log" || tail -n1 "$work/log")"
fi
mkdir "$work/new/roms"
cp "$tree"/src/ale/python/roms/*.bin "$work/new/roms/"
cp "$tree/LICENSE.md" "$work/new/"
echo "$wanted" >"$work/new/VERSION"
rm -rf "$target"
mv "$work/new" "$target"
