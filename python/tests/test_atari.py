"""Atari on ale-py beside the native environments, which see their emulator through the same code."""

import pickle
import sys
import warnings
from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env, data_equivalence

import tarl.envs
from tarl.envs import NativeEnv

ale_py = pytest.importorskip("ale_py", reason="pip install ale-py to test Atari on it")

from tarl.envs import Atari  # noqa: E402

ROMS = Path(ale_py.__file__).parent / "roms"
GAMES = ["breakout", "qbert", "pong"]
needs_native = pytest.mark.skipif(
    "atari/breakout" not in tarl.envs.names(), reason="the Arcade Learning Environment is not in this build"
)


def actions(env, count, seed=0):
    return np.random.default_rng(seed).integers(env.action_space.n, size=count)


def play(env, chosen):
    given = []
    for action in chosen:
        given.append(env.step(action))
        if given[-1][2] or given[-1][3]:
            given.append(env.reset())
    return given


@needs_native
@pytest.mark.parametrize("sticky", [0.0, 0.25])
@pytest.mark.parametrize("game", GAMES)
def test_is_the_native_environments_twin(game, sticky):
    twin = Atari(game, sticky_actions=sticky, render_mode="rgb_array")
    native = NativeEnv(f"atari/{game}", sticky_actions=sticky, rom_dir=ROMS, render_mode="rgb_array")
    assert twin.observation_space == native.observation_space and twin.action_space == native.action_space
    assert data_equivalence(twin.reset(seed=5), native.reset(seed=5), exact=True)
    chosen = actions(twin, 700)
    given, expected = play(twin, chosen), play(native, chosen)
    assert data_equivalence(given, expected, exact=True)
    assert any(result[1] for result in given if len(result) == 5), "no point was made"
    assert (twin.render() == native.render()).all()


def test_goes_on_to_the_bit_from_a_pickle_and_a_state():
    env = Atari("breakout", sticky_actions=0.25)
    env.reset(seed=1)
    play(env, actions(env, 150))
    others = [pickle.loads(pickle.dumps(env)), Atari("breakout", sticky_actions=0.25)]
    others[1].set_state(env.get_state())
    expected = play(env, actions(env, 150, seed=1))
    for other in others:
        assert data_equivalence(play(other, actions(env, 150, seed=1)), expected, exact=True)


def test_passes_gymnasiums_checker():
    spec = gym.envs.registration.EnvSpec(
        "tarl/atari-on-ale-py-v1",
        "tarl.atari:Atari",
        kwargs={"game": "breakout"},
        disable_env_checker=True,
        order_enforce=False,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gym.make(spec, render_mode="rgb_array"))


def test_says_what_is_missing(monkeypatch):
    with pytest.raises(tarl.UsageError, match="did you mean 'breakout'"):
        Atari("brekout")
    monkeypatch.setitem(sys.modules, "ale_py", None)
    with pytest.raises(tarl.Error, match=r"pip install 'tarl\[atari\]'"):
        Atari("breakout")
