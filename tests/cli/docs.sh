#!/usr/bin/env bash
# Settings, verbs and exit codes in the documents are those of the program.
. "$(dirname "$0")/lib.sh"
here=$(dirname "$0")
if ! python3 -c "import tomllib" 2>/dev/null; then
  echo "SKIP: needs Python 3.11 (tomllib)"
  exit 77
fi
python3 "$here/../readers/check_docs.py" "$tarl" "$here/../.." || fail "the documents are not as the program is"
