#!/usr/bin/env python3
"""Checks that includes go only down the layers of src/tarl/layers.txt, and that docs/architecture.md shows them."""
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent
rooms_folder = root / "src" / "tarl"
lines = (line for line in (rooms_folder / "layers.txt").read_text().splitlines() if not line.startswith("#"))
allowed = {room: below.split() for room, below in (line.split(":") for line in lines)}
problems = []

for path in sorted(rooms_folder.rglob("*")):
    if path.suffix not in {".h", ".cpp", ".cu", ".cuh"}:
        continue
    room = path.relative_to(rooms_folder).parts[0]
    if room not in allowed:
        problems.append(f"{path.relative_to(root)}: the room {room} is not in layers.txt")
        continue
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = re.match(r'#include "tarl/([a-z]+)/', line)
        if match and match[1] != room and match[1] not in allowed[room]:
            problems.append(f"{path.relative_to(root)}:{number}: {room} may not include {match[1]}")

documented = dict(re.findall(r"^\| `([a-z]+)/` \|.*\| ([^|]*) \|$", (root / "docs/architecture.md").read_text(), re.M))
shown = {room: ", ".join(below) or "–" for room, below in allowed.items()}
for room in sorted(allowed.keys() | documented.keys()):
    if documented.get(room) != shown.get(room):
        problems.append(f"docs/architecture.md: {room}/ may include '{shown.get(room)}', not '{documented.get(room)}'")

print("\n".join(problems) or "layers: every include goes down")
sys.exit(bool(problems))
