#!/usr/bin/env bash
# Tests the output of make wheel in dist: contents, sizes and licences; the same digests on every
# Python from 3.10 on that this machine has, each in a clean environment; the pure Python wheel.
# With --sdist also an installation from the source package, which compiles everything, and with
# --debian a bare Debian 12 (scripts/bare_debian.sh), which needs root and debootstrap.
set -eu
cd "$(dirname "$0")/.."
dist=$PWD/dist
scripts=$PWD/scripts
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
say() { echo "test_wheel: $*"; }
fail() { say "$*"; exit 1; }
quietly() { "$@" >"$work/log" 2>&1 || { tail -n 15 "$work/log"; fail "failed: $*"; }; }

python3 scripts/check_wheel.py "$dist" || exit 1

# Python 3.10 and later, the first of each version: on the PATH, Debian's, pyenv's.
candidates=$(for program in $(compgen -c | grep -E '^python3\.[0-9]+$') /usr/bin/python3 "$HOME"/.pyenv/versions/*/bin/python; do
  "$program" -c 'import sys; v = sys.version_info; v >= (3, 10) and sys.version.count("GCC") and print(v[0], v[1], sys.executable)' 2>/dev/null || true
done | sort -k1,1n -k2,2n -u)
[ -n "$candidates" ] || fail "there is no Python from 3.10 on"

digests=""
while read -r major minor program; do
  venv=$work/$major.$minor
  if ! "$program" -m venv "$venv" >"$work/log" 2>&1; then
    say "SKIPPED Python $major.$minor: $program -m venv does not work"
    continue
  fi
  quietly "$venv/bin/python" -m pip install -q --disable-pip-version-check "$dist"/tarl-*-abi3-*.whl pandas
  quietly "$venv/bin/python" -m pip check
  (cd "$work" && "$venv/bin/python" "$scripts/try_wheel.py") >"$work/tried" 2>"$work/log" ||
    { tail -n 15 "$work/log"; fail "Python $major.$minor"; }
  [ -n "$digests" ] || { digests=$(cat "$work/tried"); sed 's/^/  /' "$work/tried"; }
  [ "$digests" = "$(cat "$work/tried")" ] || fail "Python $major.$minor differs: $(cat "$work/tried")"
  say "Python $major.$minor: installed, pip check, trained, the same digests"
  rm -rf "$venv"
done <<<"$candidates"

read -r _ _ program <<<"$(tail -n 1 <<<"$candidates")"
quietly "$program" -m venv "$work/pure"
quietly "$work/pure/bin/python" -m pip install -q --disable-pip-version-check "$dist"/tarl-*-py3-none-any.whl
quietly "$work/pure/bin/python" -m pip check
(cd "$work" && "$work/pure/bin/python" - <<'PYTHON') || fail "the wheel of pure Python"
import numpy as np
import tarl

assert tarl.align.score(np.ones(2), np.ones(2), np.ones(2)).shape == (2,)
for name in ("DQN", "load_runs", "study"):
    try:
        getattr(tarl, name)
    except ImportError as problem:
        assert "no C++ part" in str(problem), problem
    else:
        raise AssertionError(f"tarl.{name} without C++")
PYTHON
say "the wheel of pure Python: tarl.align works, the rest says what is missing"

for more in "$@"; do
  case $more in
    --sdist)
      quietly "$program" -m venv "$work/sdist"
      quietly "$work/sdist/bin/python" -m pip install -q --disable-pip-version-check "$dist"/tarl-*.tar.gz
      (cd "$work" && quietly "$work/sdist/bin/python" -c "import tarl; tarl.DQN('CartPole-v1').learn(200)")
      say "the source package: compiled, installed, trained" ;;
    --debian)
      scripts/bare_debian.sh "$dist" >"$work/bare" || { tail -n 15 "$work/bare"; fail "a bare Debian"; }
      [ "$(grep -Fx "$digests" "$work/bare")" = "$digests" ] || fail "a bare Debian differs: $(cat "$work/bare")"
      say "a bare Debian 12: installed, pip check, trained, the same digests" ;;
    *) fail "what is $more? (--sdist, --debian)" ;;
  esac
done
say "all good"
