#!/usr/bin/env bash
# tarl serve in a real browser: the table of runs, filters, two runs compared, a run in progress.
. "$(dirname "$0")/lib.sh"
need_chromium
python3 "$(dirname "$0")/../serve/browser_test.py" "$tarl"
