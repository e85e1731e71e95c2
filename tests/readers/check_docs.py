#!/usr/bin/env python3
"""Compares commands and settings in the documentation with tarl's output.

A table headed | `ALGO` | `ENV` | ... holds settings of that algorithm and their values in these environments, as
`tarl show-config` prints them; columns with other heads are not compared. docs/cli.md lists every verb and exit code.
Usage: check_docs.py TARL REPOSITORY"""
import pathlib
import re
import subprocess
import sys
import tomllib

tarl, docs = sys.argv[1], pathlib.Path(sys.argv[2]) / "docs"
problems, compared, absent = [], 0, set()


def asked(*words):
    return subprocess.run([tarl, *words], capture_output=True, text=True)


def settings(algo, env):
    out = asked("show-config", "--algo", algo, "--env", env)
    if out.returncode == 0:
        return tomllib.loads(out.stdout)
    if "not in this build" not in out.stderr:
        problems.append(out.stderr.strip())
    absent.add(env)
    return None


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def code_in(cell):
    return cell[1:-1] if re.fullmatch(r"`[^`]+`", cell) else None


def compare(page, head, rows):
    global compared
    for column, cell in enumerate(head[1:], 1):
        env = code_in(cell)
        if not env or "/" not in env:
            continue
        values = settings(code_in(head[0]), env)
        for row in rows if values else []:
            said, actual = tomllib.loads("value = " + row[column])["value"], values
            for part in code_in(row[0]).split("."):
                actual = actual.get(part) if isinstance(actual, dict) else None
            compared += 1
            if said != actual:
                problems.append(f"{page.name}: {row[0]} of {head[0]} in {env} is {actual}, not {said}")


algos = set(asked("list", "algos").stdout.split())
for page in sorted(docs.rglob("*.md")):
    for table in re.findall(r"(?:^\|.*\n)+", page.read_text() + "\n", re.M):
        lines = [cells(line) for line in table.splitlines()]
        if code_in(lines[0][0]) in algos:
            compare(page, lines[0], lines[2:])

commands = (docs / "cli.md").read_text()
for verb in re.findall(r"^  ([a-z-]+)  ", asked("help").stdout, re.M):
    if f"| `{verb}` |" not in commands:
        problems.append(f"cli.md: no row for {verb}")
for code, meaning in re.findall(r"^  (\d+) +(.+)$", asked("help", "exit-codes").stdout, re.M):
    if f"| {code} | {meaning} |" not in commands.replace("`", ""):
        problems.append(f"cli.md: no row for exit code {code}, {meaning}")

assert compared > 20, "too little was compared"
for env in sorted(absent):
    print(f"not compared: {env}, which is not in this build")
print("\n".join(problems) or f"{compared} settings, the verbs and the exit codes are as the documents say")
sys.exit(bool(problems))
