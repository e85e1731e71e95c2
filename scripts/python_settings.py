#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes python/tarl/_settings.py, the keyword arguments of models, from the settings of the C++ program.

    PYTHONPATH=build/python .venv/bin/python scripts/python_settings.py [--check]
"""

import sys
from pathlib import Path

from tarl import _tarl
from tarl._options import DEFAULTS, SETTLED

FILE = Path(__file__).resolve().parent.parent / "python/tarl/_settings.py"
HEAD = '''"""Keyword arguments of models: settings of their algorithms. Written by scripts/python_settings.py."""

from __future__ import annotations

from typing import Literal

from tarl._options import ModelOptions
'''
CLASSES = {"DQNOptions": "dqn", "SACOptions": "sac", "TD3Options": "td3"}  # DDQN's are DQN's, DDPG's are TD3's
TYPES = {"number": "float", "whole number": "int", "true|false": "bool", "text": "str"}
NUMBERS_TOO = {"ent_coef"}  # texts that may be numbers
# What learn() and the environment say, or every model takes.
ELSEWHERE = {*SETTLED, *DEFAULTS}


def annotation(row):
    if row["choices"] is not None:
        return f"Literal[{', '.join(repr(name) for name in row['choices'])}]".replace("'", '"')
    kind = TYPES[row["type"]]
    if row["key"] in NUMBERS_TOO:
        return "float | str"
    if row["prefix"] is not None:
        return f"{kind} | str"
    return f'{kind} | Literal["{row["marker"]}"]' if row["marker"] else kind


def options(name, algo):
    lines = ["", "", f"class {name}(ModelOptions, total=False):", f'    """Of {algo} and its kin."""', ""]
    for row in sorted(_tarl.default_settings(algo), key=lambda row: row["key"]):
        if "." not in row["key"] and row["key"] not in ELSEWHERE:
            lines.append(f"    {row['key']}: {annotation(row)}")
    return lines


def main():
    text = HEAD + "\n".join(line for name, algo in CLASSES.items() for line in options(name, algo)) + "\n"
    if sys.argv[1:] == ["--check"]:
        if FILE.read_text() != text:
            return f"{FILE} is not what the program's settings make it: run {Path(__file__).name}"
        return None
    FILE.write_text(text)
    return None


if __name__ == "__main__":
    sys.exit(main())
