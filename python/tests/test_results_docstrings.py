"""The examples of docstrings do what they say."""

import doctest
from importlib import import_module
from pathlib import Path

import pytest
import tarl
from heavy import need

# Every module whose public names have examples.
MODULES = ["tarl.align", "tarl.envs", "tarl.results", "tarl.studies"]


def examples(module: str) -> list[doctest.DocTest]:
    finder = doctest.DocTestFinder(exclude_empty=True)
    return [test for test in finder.find(import_module(module)) if test.examples]


@pytest.fixture(scope="session")
def example_globals(cartpole_folder: Path) -> dict[str, object]:
    import gymnasium as gym
    import numpy as np

    begun = cartpole_folder / "runs" / "begun"
    short = {"learning_starts": 100}
    tarl.Study.grid(["dqn"], ["CartPole-v1"], seeds=1, steps=1000, settings=short).run(begun, progress=False)
    study_file = begun / "study.toml"
    study_file.write_text(study_file.read_text().replace("seeds = 1", "seeds = 2"))
    return {"tarl": tarl, "gym": gym, "np": np, "runs": tarl.load_runs(cartpole_folder / "runs" / "cartpole")}


@pytest.mark.parametrize(
    "example", [pytest.param(test, id=test.name) for module in MODULES for test in examples(module)]
)
def test_example(
    example: doctest.DocTest, example_globals: dict[str, object], cartpole_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(cartpole_folder)
    example.globs = dict(example_globals)
    runner = doctest.DebugRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    runner.run(example)


@pytest.mark.parametrize("module", MODULES)
def test_every_public_name_has_an_example(module: str) -> None:
    with_example = {test.name for test in examples(module)}
    found = import_module(module)
    without = []
    for name in found.__all__:
        value = getattr(found, name)
        if getattr(value, "__module__", module) != module:
            continue
        if f"{module}.{name}" not in with_example:
            without.append(name)
    assert not without


@pytest.mark.verify
def test_examples_of_sb3() -> None:
    need("stable_baselines3")
    import gymnasium as gym

    module = import_module("tarl.sb3")
    assert {test.name for test in examples("tarl.sb3")} >= {f"tarl.sb3.{name}" for name in module.__all__}
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    assert doctest.testmod(module, extraglobs={"tarl": tarl, "gym": gym}, optionflags=flags).failed == 0
