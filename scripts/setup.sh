#!/usr/bin/env bash
# Installs what tarl needs for building and testing: Debian packages, Python readers in .venv, and the
# simulators under .deps. Skips what is already done. Everything else works without a simulator.
# `setup.sh packages` stops after the Debian packages; `setup.sh verify` and `setup.sh fuzz` add what
# maintainers need; `setup.sh docs` installs only what builds the site, `setup.sh python` only what the
# Python package's tests need in addition, `setup.sh gymnasium` only what records Gymnasium's episodes.
set -u
cd "$(dirname "$0")/.." || exit 1

say() { echo "setup: $*"; }

# Needed to build and to test.
packages=(g++ cmake ninja-build git ca-certificates ccache python3 python3-dev python3-venv
  libtomlplusplus-dev nlohmann-json3-dev libxxhash-dev libgtest-dev libopenblas-dev zlib1g-dev)
case "${1:-}" in
  verify) packages+=(clang-format clang-tidy) ;;
  fuzz) packages+=(clang libclang-rt-14-dev) ;;
  docs | python | gymnasium) packages=(ca-certificates python3 python3-venv) ;;
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

# install_python FOLDER REQUIREMENTS: a virtual environment with the packages in that file.
install_python() {
  local folder=$1 requirements=$2 done log
  done=$folder/installed-$(sha256sum "$requirements" | cut -c1-16)
  [ -f "$done" ] && return
  say "installing $requirements into $folder"
  log=$(mktemp)
  if { [ -x "$folder/bin/python" ] || python3 -m venv "$folder" || /usr/bin/python3 -m venv "$folder"; } >"$log" 2>&1 &&
    "$folder/bin/python" -m pip install -q --disable-pip-version-check -r "$requirements" >"$log" 2>&1; then
    rm -f "$log"
    touch "$done"
    return
  fi
  tail -n 3 "$log"
  rm -f "$log"
  return 1
}

if [ "${1:-}" = docs ]; then
  install_python .venv-docs scripts/requirements-docs.txt && exit 0
  say "MkDocs could not be installed (check the network)"
  exit 1
fi
if [ "${1:-}" = gymnasium ]; then
  install_python .venv-gymnasium scripts/requirements-gymnasium.txt && exit 0
  say "Gymnasium and its simulators could not be installed (check the network)"
  exit 1
fi

if [ "${1:-}" = python ]; then
  install_python .venv-verify scripts/requirements-python.txt && exit 0
  say "the packages of scripts/requirements-python.txt could not be installed (check the network)"
  exit 1
fi

# The third-party readers with which tests open our files; tests say so if they are missing. They
# are downloaded while simulators compile.
install_readers() {
  install_python .venv scripts/requirements.txt ||
    say "the Python readers could not be installed; tests that need them will be skipped"
}
install_readers &

# Simulators, all at once. Each script says in one line what is unavailable.
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
