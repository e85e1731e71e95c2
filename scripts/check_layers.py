#!/usr/bin/env python3
"""Checks that includes go only down the layers. The table is the truth."""
import pathlib
import re
import sys

ALLOWED = {
    "core": set(),
    "nn": {"core"},
    "rl": {"nn", "core"},
    "align": set(),
    "envs": {"rl", "core"},
    "replay": {"rl", "core"},
    "agents": {"rl", "nn", "core"},
    "train": {"envs", "replay", "agents", "align", "rl", "nn", "core"},
    "fleet": {"train", "envs", "replay", "agents", "align", "rl", "nn", "core"},
    "study": {"fleet", "train", "envs", "replay", "align", "rl", "core"},
    "report": {"study", "replay", "align", "rl", "core"},
    "cli": {"report", "study", "fleet", "train", "envs", "replay", "agents", "align", "rl", "nn", "core"},
}

root = pathlib.Path(__file__).resolve().parent.parent / "src" / "tarl"
problems = []
for path in sorted(root.rglob("*")):
    if path.suffix not in {".h", ".cpp", ".cu", ".cuh"}:
        continue
    room = path.relative_to(root).parts[0]
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = re.match(r'#include "tarl/([a-z]+)/', line)
        if match and match[1] != room and match[1] not in ALLOWED[room]:
            problems.append(f"{path.relative_to(root.parent.parent)}:{number}: {room} may not include {match[1]}")
print("\n".join(problems) or "layers: every include goes down")
sys.exit(bool(problems))
