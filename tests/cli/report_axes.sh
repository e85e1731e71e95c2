#!/usr/bin/env bash
# The script of a page draws axes that end; cli_report_browser tests the rest of it.
. "$(dirname "$0")/lib.sh"
command -v node >/dev/null || { echo "SKIP: no node here; install it to test the script without a browser"; exit 77; }
"$tarl" train --env classic/cartpole --steps 200 --set learning_starts=50 --set eval.count=2 \
  --set eval.episodes=1 --quiet --out "$work/run" || exit 1
"$tarl" report "$work/run" --out "$work/page.html" >/dev/null || exit 1
node "$(dirname "$0")/../report/axes_test.js" "$work/page.html"
