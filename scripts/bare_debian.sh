#!/usr/bin/env bash
# Tests the wheel on a Debian 12 with only python3-venv and, with --sdist, the source package there
# with g++ and python3-dev as well: bare_debian.sh [DIST] [--sdist]. Needs root and debootstrap; the
# new system has no network access.
set -eu
cd "$(dirname "$0")/.."
dist=$(cd "${1:-dist}" && pwd)
say() { echo "bare_debian: $*"; }
fail() { say "$*"; exit 1; }
[ "$(id -u)" = 0 ] || fail "needs root, for debootstrap and chroot"
command -v debootstrap >/dev/null || fail "needs debootstrap (apt-get install debootstrap)"
packages=python3,python3-venv
[ "${2:-}" = --sdist ] && packages=$packages,g++,python3-dev

root=$(mktemp -d)
clean_up() {
  umount "$root/proc" 2>/dev/null || true
  rm -rf --one-file-system "$root"
}
trap clean_up EXIT
debootstrap --variant=minbase --include=$packages bookworm "$root" >"$root.log" 2>&1 ||
  { tail -n 5 "$root.log"; fail "debootstrap failed"; }
rm -f "$root.log"
mount -t proc proc "$root/proc"

mkdir "$root/wheels"
cp "$dist"/* scripts/try_wheel.py "$root/wheels"
fetch() {
  python3 -m pip download -q --disable-pip-version-check --only-binary :all: --python-version 3.11 \
    --platform manylinux_2_28_x86_64 --platform manylinux_2_17_x86_64 --platform manylinux2014_x86_64 \
    --platform manylinux_2_35_x86_64 --platform manylinux_2_36_x86_64 --platform manylinux_2_34_x86_64 \
    --platform any -d "$root/wheels" "$@"
}
fetch "$dist"/tarl-*-abi3-*.whl pandas
rm "$root"/wheels/tarl-*none-any.whl

inside() { chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/bin:/bin LANG=C.UTF-8 "$@"; }
inside python3 -m venv /venv
inside /venv/bin/pip install -q --no-index --find-links /wheels tarl pandas --only-binary :all:
inside /venv/bin/pip check
inside /venv/bin/python /wheels/try_wheel.py
awk '/^```/ { on = 0 } on; /^```python/ { on = 1 }' README.md >"$root/wheels/readme.py"
inside /venv/bin/python /wheels/readme.py
say "the wheel and README's quick start work on a bare Debian 12"

if [ "${2:-}" = --sdist ]; then
  fetch "scikit-build-core>=1.1" "nanobind>=3.1" cmake ninja
  inside python3 -m venv /compiled
  inside /compiled/bin/pip install -q --no-index --find-links /wheels --no-binary tarl tarl
  inside /compiled/bin/python -c "import tarl; tarl.DQN('CartPole-v1').learn(200)"
  say "the source package compiles there with g++ and python3-dev"
fi
