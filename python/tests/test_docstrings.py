"""Every public name has a docstring with an example, and every example holds."""

import doctest
import importlib
import inspect

import gymnasium as gym
import numpy as np
import pytest
import tarl
from heavy import need

MODULES = ["tarl.align", pytest.param("tarl.sb3", marks=pytest.mark.verify)]


@pytest.fixture
def module(request):
    if request.param == "tarl.sb3":
        need("stable_baselines3")
    return importlib.import_module(request.param)


@pytest.mark.parametrize("module", MODULES, indirect=True)
def test_every_public_name_has_an_example(module):
    for name in module.__all__:
        examples = doctest.DocTestParser().get_examples(inspect.getdoc(getattr(module, name)) or "")
        assert examples, f"{module.__name__}.{name}"


@pytest.mark.parametrize("module", MODULES, indirect=True)
def test_examples_hold(module):
    given = {"tarl": tarl, "np": np, "gym": gym}
    result = doctest.testmod(module, extraglobs=given, optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    assert result.attempted > 0 and result.failed == 0
