"""Atari games on the user's own ale-py."""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any

from tarl import _tarl
from tarl.envs import NativeEnv
from tarl.errors import Error


def _emulator(game: str, seed: int) -> Any:
    try:
        import ale_py
        from ale_py import roms
    except ImportError as problem:
        raise Error("Atari games need ale-py: pip install 'tarl[atari]'") from problem
    ale_py.ALEInterface.setLoggerMode(ale_py.LoggerMode.Error)
    ale = ale_py.ALEInterface()
    ale.setInt("random_seed", seed & 0x7FFFFFFF)
    ale.setFloat("repeat_action_probability", 0.0)  # sticky actions are done in C++
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rom = roms.get_rom_path(game)
    if rom is None:
        raise Error(f"ale-py {ale_py.__version__} has no ROM of {game}")
    ale.loadROM(rom)
    return ale


def _task(game: str, sticky_actions: float) -> _tarl.Task:
    return _tarl.atari_task(game, sticky_actions, _emulator)


class Atari(NativeEnv):
    """An Atari game as tarl's agents learn it, emulated by the user's ale-py.

    Frames are skipped, max-pooled, converted to grey, resized and stacked by the code of the native
    `atari/` environments, so that the same seed and actions give the same episode in both: observations
    of 4 x 84 x 84 bytes, clipped rewards, one episode per life. `info["score"]` has the game's points
    and `info["score_episode_over"]` its end.

    >>> env = tarl.envs.Atari("breakout", sticky_actions=0.25)
    >>> obs, info = env.reset(seed=1)
    >>> obs.shape
    (4, 84, 84)
    """

    def __init__(self, game: str, *, sticky_actions: float = 0.0, render_mode: str | None = None) -> None:
        self._begin(partial(_task, game, sticky_actions), render_mode)
