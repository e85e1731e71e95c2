#!/usr/bin/env bash
# Installs what tarl is built and tested with: Debian packages by name, Python readers in .venv, and
# the simulators under .deps. Does nothing that is already done. Without a simulator the rest works.
# `setup.sh packages` stops after the Debian packages; `setup.sh verify` and `setup.sh fuzz` bring what
# maintainers need besides.
set -u
cd "$(dirname "$0")/.." || exit 1

say() { echo "setup: $*"; }

# Needed to build and to test.
packages=(g++ cmake ninja-build git ca-certificates ccache python3 python3-venv
  libtomlplusplus-dev nlohmann-json3-dev libxxhash-dev libgtest-dev libopenblas-dev zlib1g-dev)
case "${1:-}" in
  verify) packages+=(clang-format clang-tidy) ;;
  fuzz) packages+=(clang libclang-rt-14-dev) ;;
esac

missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q "ok installed" || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
  as_root=""
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { say "not root and no sudo; ask for: apt-get install ${missing[*]}"; exit 1; }
    as_root=sudo
  fi
  say "installing ${missing[*]}"
  log=$(mktemp)
  $as_root apt-get update -qq >"$log" 2>&1
  if ! $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >"$log" 2>&1; then
    tail -n 5 "$log"
    say "could not install: ${missing[*]} (Debian 12 has them all; check the network and apt sources)"
    exit 1
  fi
  rm -f "$log"
fi

[ "${1:-}" = packages ] && exit 0

# The real readers that the tests open our files with; the tests say so when they are missing. They
# come over the network while simulators compile.
install_readers() {
  local readers log
  readers=$(sha256sum scripts/requirements.txt | cut -c1-16)
  [ -f ".venv/readers-$readers" ] && return
  say "installing the Python readers for the tests into .venv"
  log=$(mktemp)
  if { [ -x .venv/bin/python ] || python3 -m venv .venv || /usr/bin/python3 -m venv .venv; } >"$log" 2>&1 &&
    .venv/bin/python -m pip install -q --disable-pip-version-check -r scripts/requirements.txt >"$log" 2>&1; then
    touch ".venv/readers-$readers"
  else
    tail -n 3 "$log"
    say "the Python readers could not be installed; tests that need them will be skipped"
  fi
  rm -f "$log"
}
install_readers &

# Simulators, all at once. Each script says in one line what it could not get.
mkdir -p .deps
for script in scripts/deps/*.sh; do
  [ -f "$script" ] || continue
  family=$(basename "$script" .sh)
  skip="TARL_SKIP_${family^^}"
  [ -n "${!skip:-}" ] && continue
  { bash "$script" || say "going on without $family"; } &
done
wait
exit 0
