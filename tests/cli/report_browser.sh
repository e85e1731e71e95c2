#!/usr/bin/env bash
# Reports in a real browser: no console errors, nothing from the network, every control works.
. "$(dirname "$0")/lib.sh"
if ! command -v chromium >/dev/null && [ "$(id -u)" = 0 ]; then
  echo "installing chromium"
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium >"$work/apt.log" 2>&1 ||
    { echo "SKIP: chromium cannot be installed here: $(tail -n 1 "$work/apt.log")"; exit 77; }
fi
python3 "$(dirname "$0")/../report/browser_test.py" "$tarl"
