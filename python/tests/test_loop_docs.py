"""docs/python/your-training-loop.md: every block runs as it stands."""

import re
from pathlib import Path

import pytest
from heavy import need

PAGE = Path(__file__).resolve().parents[2] / "docs/python/your-training-loop.md"
BLOCKS = [
    (section.partition("\n")[0], code)
    for section in PAGE.read_text().split("\n## ")
    for code in re.findall(r"^```python\n(.*?)^```", section, re.M | re.S)
]
HEAVY = "torch", "jax", "stable_baselines3"


def test_every_block_is_run():
    assert len(BLOCKS) == PAGE.read_text().count("```python")


@pytest.mark.parametrize(
    "code",
    [
        pytest.param(code, id=heading, marks=pytest.mark.verify if re.search("|".join(HEAVY), code) else ())
        for heading, code in BLOCKS
    ],
)
def test_block(code):
    for module in HEAVY:
        if module in code:
            need(module)
    exec(compile(code, str(PAGE), "exec"), {"__name__": "__main__"})
