#!/usr/bin/env python3
"""Checks README.md, CONTRIBUTING.md, CHANGELOG.md and docs/: links and images point to existing files and headings,
and source files named in the text exist."""
import functools
import pathlib
import re
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parent.parent
pages = [root / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")] + sorted((root / "docs").rglob("*.md"))

listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=root, check=True,
                        capture_output=True, text=True).stdout.split("\n")
files = ["/" + file for file in listed if (root / file).is_file()]

FENCE = re.compile(r"^(```+).*?^\1", re.M | re.S)
SPAN = re.compile(r"`([^`\n]*)`")
FILE = re.compile(r"[\w.-]+(/[\w.-]+)+\.(h|cpp|cuh?|py|sh|md|toml|txt)")


@functools.cache
def text_of(page):
    return FENCE.sub("", page.read_text())


@functools.cache
def anchors(page):
    """GitHub's anchors for a page's headings; the second of two equal ones ends in -1."""
    found, seen = set(), {}
    for heading in re.findall(r"^#+ (.+?)\s*$", text_of(page), re.M):
        shown = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        name = re.sub(r"[^\w\- ]", "", shown.lower()).replace(" ", "-")
        found.add(f"{name}-{seen[name]}" if name in seen else name)
        seen[name] = seen.get(name, 0) + 1
    return found


problems = []
for page in pages:
    name = page.relative_to(root)
    for link in re.findall(r"\]\(([^)\s]+)\)", SPAN.sub("", text_of(page))):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists():
            problems.append(f"{name}: {link} does not exist")
        elif anchor and anchor not in anchors(target):
            problems.append(f"{name}: {link} has no such heading")
    problems += [f"{name}: there is no {code}" for code in SPAN.findall(text_of(page))
                 if FILE.fullmatch(code) and not any(file.endswith("/" + code) for file in files)]

print("\n".join(problems) or "links: every one leads somewhere")
sys.exit(bool(problems))
