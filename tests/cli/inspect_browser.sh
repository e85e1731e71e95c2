#!/usr/bin/env bash
# Pages of tarl inspect in a real browser: no console errors, nothing from the network, nothing cut off.
. "$(dirname "$0")/lib.sh"
need_chromium
python3 "$(dirname "$0")/../inspect/browser_test.py" "$tarl"
