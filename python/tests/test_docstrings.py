"""The examples of docstrings do what they say, and every public name has one."""

import doctest
import importlib.util
import re
from importlib import import_module
from pathlib import Path

import pytest
import tarl
from heavy import need
from tarl._model import Model

MODULES = [
    "tarl._bridge",
    "tarl._describe",
    "tarl._inspect",
    "tarl._model",
    "tarl._policy",
    "tarl.align",
    "tarl.atari",
    "tarl.callbacks",
    "tarl.envs",
    "tarl.errors",
    "tarl.export",
    "tarl.models",
    "tarl.results",
    "tarl.studies",
]
# What an example asks for beside the package's own requirements, by the words that tell.
NEEDS = {"ale_py": r"envs\.Atari\(", "optuna": "import optuna", "tqdm": r"ProgressBar\(", "wandb": r"Wandb\("}
FLAGS = doctest.NORMALIZE_WHITESPACE


def examples(module: str) -> list[doctest.DocTest]:
    finder = doctest.DocTestFinder(exclude_empty=True)
    return [test for test in finder.find(import_module(module)) if test.examples]


@pytest.fixture(scope="session")
def example_globals(cartpole_folder: Path) -> dict[str, object]:
    """What examples take for granted, beside the files of the folder that they run in."""
    import gymnasium as gym
    import numpy as np

    begun = cartpole_folder / "runs" / "begun"
    short = {"learning_starts": 100}
    tarl.Study.grid(["dqn"], ["CartPole-v1"], seeds=1, steps=1000, settings=short).run(begun, progress=False)
    study_file = begun / "study.toml"
    study_file.write_text(study_file.read_text().replace("seeds = 1", "seeds = 2"))
    tarl.TADQN("classic/cartpole", run_dir=cartpole_folder / "runs" / "first", learning_starts=100).learn(2000)
    obs, _ = gym.make("CartPole-v1").reset(seed=0)
    runs = tarl.load_runs(cartpole_folder / "runs" / "cartpole")
    return {"tarl": tarl, "gym": gym, "np": np, "runs": runs, "obs": obs}


@pytest.mark.parametrize(
    "example", [pytest.param(test, id=test.name) for module in MODULES for test in examples(module)]
)
def test_example(
    example: doctest.DocTest, example_globals: dict[str, object], cartpole_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for package, words in NEEDS.items():
        if re.search(words, example.docstring or "") and importlib.util.find_spec(package) is None:
            pytest.skip(f"{package} is missing; make verify-python brings it")
    monkeypatch.chdir(cartpole_folder)
    example.globs = example_globals | {"model": tarl.DQN("CartPole-v1", learning_starts=200)}
    doctest.DebugRunner(optionflags=FLAGS).run(example)


def lacking(module: str) -> list[str]:
    """Public names of a module without an example."""
    with_example = {test.name for test in examples(module)}
    found = import_module(module)
    names = [name for name in found.__all__ if getattr(getattr(found, name), "__module__", module) == module]
    return [name for name in names if f"{module}.{name}" not in with_example]


WITH_A_LIST = [name for name in MODULES if "._" not in name and hasattr(import_module(name), "__all__")]


@pytest.mark.parametrize("module", WITH_A_LIST)
def test_every_public_name_of_a_module_has_an_example(module: str) -> None:
    assert lacking(module) == []


def test_every_name_of_the_package_has_an_example() -> None:
    with_example = {test.name for module in MODULES for test in examples(module)}
    homes = {name: getattr(tarl, name) for name in tarl.__all__}
    names = [f"{one.__module__}.{one.__qualname__}" for one in homes.values() if hasattr(one, "__qualname__")]
    assert len(names) > 20
    assert [name for name in names if name not in with_example] == []


def test_everything_that_a_model_can_do_has_an_example() -> None:
    with_example = {test.name for test in examples("tarl._model")}
    public = [name for name in vars(Model) if not name.startswith("_") and name != "algo"]
    assert len(public) > 15
    assert [name for name in public if f"tarl._model.Model.{name}" not in with_example] == []


@pytest.mark.verify
def test_examples_of_sb3() -> None:
    need("stable_baselines3")
    import gymnasium as gym

    module = import_module("tarl.sb3")
    assert {test.name for test in examples("tarl.sb3")} >= {f"tarl.sb3.{name}" for name in module.__all__}
    flags = doctest.ELLIPSIS | FLAGS
    assert doctest.testmod(module, extraglobs={"tarl": tarl, "gym": gym}, optionflags=flags).failed == 0
