#!/usr/bin/env python3
"""Checks that links and pictures in README.md, CONTRIBUTING.md, CHANGELOG.md and docs/ lead to files and headings."""
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent
pages = [root / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")] + sorted((root / "docs").rglob("*.md"))


def without_code(text):
    return re.sub(r"`[^`\n]*`", "", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S))


def anchors(page):
    headings = re.findall(r"^#+ (.+)$", page.read_text(), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


problems = []
for page in pages:
    for link in re.findall(r"\]\(([^)\s]+)\)", without_code(page.read_text())):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists():
            problems.append(f"{page.relative_to(root)}: {link} does not exist")
        elif anchor and anchor not in anchors(target):
            problems.append(f"{page.relative_to(root)}: {link} has no such heading")

print("\n".join(problems) or "links: every one leads somewhere")
sys.exit(bool(problems))
