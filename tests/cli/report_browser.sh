#!/usr/bin/env bash
# Reports in a real browser: no console errors, nothing from the network, every control works.
. "$(dirname "$0")/lib.sh"
need_chromium
python3 "$(dirname "$0")/../report/browser_test.py" "$tarl"
