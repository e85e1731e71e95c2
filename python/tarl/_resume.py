"""How a Python environment continues in another process where it stopped."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Any

import gymnasium as gym
import numpy as np

from tarl.errors import Error

ENV_STATES = ("auto", "replay", "protocol", "restart")


# The episode state of Gymnasium's wrappers that may surround a get_state(). A wrapper that is not listed
# may have other state.
MEMORY: dict[str, tuple[str, ...]] = {
    "TimeLimit": ("_elapsed_steps",),
    "RecordEpisodeStatistics": ("episode_returns", "episode_lengths"),
} | dict.fromkeys(
    (
        "OrderEnforcing PassiveEnvChecker ClipAction RescaleAction TransformAction ClipReward TransformReward "
        "DtypeObservation FilterObservation FlattenObservation GrayscaleObservation RescaleObservation "
        "ReshapeObservation ResizeObservation TransformObservation DiscretizeAction DiscretizeObservation"
    ).split(),
    (),
)


def _layers(env: gym.Env[Any, Any]) -> Iterator[gym.Env[Any, Any]]:
    """The environment with its wrappers, from the outermost on."""
    yield env
    while isinstance(env, gym.Wrapper):
        env = env.env
        yield env


def holder(env: gym.Env[Any, Any], *, trusted: bool) -> gym.Env[Any, Any] | None:
    """The outermost layer with get_state() and set_state(); with `trusted`, whatever wraps it."""
    for layer in _layers(env):
        if all(callable(getattr(type(layer), name, None)) for name in ("get_state", "set_state")):
            return layer
        if not trusted and (type(layer).__name__ not in MEMORY or "gymnasium." not in type(layer).__module__):
            return None
    return None


def way_to_resume(env: gym.Env[Any, Any], env_state: str, name: str) -> str:
    """How an environment continues in another process: "replay", "protocol" or "restart"."""
    if env_state == "auto":
        return "replay" if holder(env, trusted=False) is None else "protocol"
    if env_state == "protocol" and holder(env, trusted=True) is None:
        raise TypeError(f"env_state = 'protocol' needs get_state() -> bytes and set_state(bytes), which {name} lacks")
    return env_state


def get_state(env: gym.Env[Any, Any], name: str) -> bytes:
    """The result of get_state(), with the state of the wrappers around it."""
    keeper = holder(env, trusted=True)
    memory = {}
    for layer in _layers(env):
        if layer is keeper:
            break
        for attribute in MEMORY.get(type(layer).__name__, ()):
            memory[attribute] = float(getattr(layer, attribute))
    return pack(memory, keeper.get_state(), name)  # type: ignore[union-attr]


def set_state(env: gym.Env[Any, Any], saved: bytes) -> None:
    """Restores the result of get_state() in an environment that was reset."""
    memory, state = unpack(saved)
    for layer in _layers(env):
        for attribute in MEMORY.get(type(layer).__name__, ()):
            if attribute in memory:
                setattr(layer, attribute, type(getattr(layer, attribute))(memory[attribute]))
    holder(env, trusted=True).set_state(state)  # type: ignore[union-attr]


def pack(memory: dict[str, float], state: Any, name: str) -> bytes:
    if not isinstance(state, bytes):
        raise TypeError(f"{name}: get_state() must return bytes, not {type(state).__name__}")
    return json.dumps(memory).encode() + b"\n" + state


def unpack(saved: bytes) -> tuple[dict[str, float], bytes]:
    memory, _, state = saved.partition(b"\n")
    return json.loads(memory), state


def refusal(name: str, actions: int) -> str:
    """The message if a replayed episode differs from the original."""
    return (
        f"{name}: the episode under way, played again from its seed and its {actions} actions, does not come out as "
        "it was, so this environment cannot be resumed exactly; give it get_state() and set_state(), or resume with "
        "env_state='restart', which begins a new episode"
    )


def has_lives(env: gym.Env[Any, Any]) -> bool:
    """Whether an episode that is over for the agent may continue for the score, which info["episode"] then
    reports."""
    return any("EpisodicLife" in type(layer).__name__ for layer in _layers(env))


class Recorded(gym.Wrapper[Any, Any, Any, Any]):
    """Adds get_state() and set_state() to an environment: its episode is replayed from its seed and actions.

    For environments that C++ cannot replay itself because something else steps them, perhaps in other
    processes.
    """

    def __init__(self, env: gym.Env[Any, Any], name: str) -> None:
        super().__init__(env)
        self._name = name
        self._draws = np.random.default_rng(0)  # draws the seeds of episodes; replaced by the first reset
        self._seed = 0
        self._actions: list[Any] = []
        self._observation: Any = None
        self._rewards = 0.0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        if seed is not None:
            self._draws = np.random.default_rng(seed)
        return self._begin(int(self._draws.integers(2**31)), options)

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        self._actions.append(np.array(action))
        result = self.env.step(action)
        self._observation = result[0]
        self._rewards += float(result[1])
        return result

    def get_state(self) -> bytes:
        state = {
            "draws": self._draws.bit_generator.state,
            "seed": self._seed,
            "actions": [action.tolist() for action in self._actions],
            "comes_to": self._comes_to(),
        }
        return json.dumps(state).encode()

    def set_state(self, saved: bytes) -> None:
        state = json.loads(saved)
        self._draws.bit_generator.state = state["draws"]
        self._begin(state["seed"], None)
        for action in state["actions"]:
            self.step(np.asarray(action, self.action_space.dtype))
        if self._comes_to() != state["comes_to"]:
            raise Error(refusal(self._name, len(self._actions)))

    def _begin(self, seed: int, options: dict[str, Any] | None) -> tuple[Any, dict[str, Any]]:
        self._seed = seed
        self._actions = []
        self._rewards = 0.0
        self._observation, info = self.env.reset(seed=seed, options=options)
        return self._observation, info

    def _comes_to(self) -> list[str]:
        numbers = gym.spaces.flatten(self.observation_space, self._observation)
        return [hashlib.sha256(np.asarray(numbers).tobytes()).hexdigest(), self._rewards.hex()]
