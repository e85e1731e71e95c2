"""examples/cartpole_dqn.py: without its marked lines it is DQN, which margin 0 is, too; with a margin it learns."""

import re
import runpy
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from heavy import need

torch = need("torch")
pytestmark = pytest.mark.verify
EXAMPLE = Path(__file__).resolve().parents[1] / "examples/cartpole_dqn.py"
torch.set_num_threads(1)


def train(module, *arguments):
    return module["train"](module["parse"](list(arguments)))


def without_alignment(path):
    """The example with the lines that TA stands for in place of its own."""
    lines = []
    for line in EXAMPLE.read_text().splitlines():
        stands_for = re.fullmatch(r"( *).*# TA(?:, for: (.*))?", line)
        if not stands_for:
            lines.append(line)
        elif stands_for[2]:
            lines.append(stands_for[1] + stands_for[2])
    text = "\n".join(lines)
    assert not re.search("align|margin", text.split('"""')[2])
    path.write_text(text)
    return runpy.run_path(str(path))


def test_margin_0_is_the_plain_program(tmp_path):
    aligned, plain = runpy.run_path(str(EXAMPLE)), without_alignment(tmp_path / "plain.py")
    expected = train(plain, "--steps", "3000")
    assert train(aligned, "--steps", "3000", "--margin", "0") == expected
    assert train(aligned, "--steps", "3000", "--margin", "1") != expected


def test_it_learns():
    returns = train(runpy.run_path(str(EXAMPLE)), "--steps", "12000")
    assert np.mean(returns[:20]) < 40
    assert np.convolve(returns, np.full(20, 1 / 20), "valid").max() > 100


def test_it_is_a_program():
    command = [sys.executable, str(EXAMPLE), "--steps", "1200", "--margin", "0.5"]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert re.fullmatch(r"\d+ episodes; mean return of the last 20: [\d.]+\n", said)
