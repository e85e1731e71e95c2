"""tarl's environments for Gymnasium, and Atari on the user's ale-py.

Importing this module registers them: `gym.make("tarl/minatar-breakout-v1")`, or, without an import,
`gym.make("tarl.envs:tarl/minatar-breakout-v1")`.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias

import gymnasium as gym
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from tarl import _tarl
from tarl._text import setting_text
from tarl.errors import UsageError

if TYPE_CHECKING:
    from tarl._check_env import EnvReport as EnvReport, check_env as check_env
    from tarl.atari import Atari as Atari

__all__ = ["Atari", "EnvReport", "NativeEnv", "NativeVectorEnv", "check_env", "gym_id", "names", "register"]

Observation: TypeAlias = npt.NDArray[Any]


def names() -> list[str]:
    """Every environment of this build, by its name for `tarl train --env`.

    >>> "minatar/breakout" in tarl.envs.names()
    True
    """
    return _tarl.environments()


def gym_id(name: str) -> str:
    """The Gymnasium id of one of tarl's environments.

    Every id ends in -v1: with several versions, Gymnasium would call one outdated.

    >>> tarl.envs.gym_id("minatar/breakout")
    'tarl/minatar-breakout-v1'
    >>> tarl.envs.gym_id("minatar/breakout-v0")  # with all six actions
    'tarl/minatar-breakout-full-v1'
    >>> tarl.envs.gym_id("atari/pong-v5")
    'tarl/atari-pong_v5-v1'
    """
    return "tarl/" + name.replace("/", "-").replace("-v0", "-full").replace("-v5", "_v5") + "-v1"


def native_task(name: str, settings: dict[str, Any]) -> _tarl.Task:
    """The specification of environments of that name, with settings of the group "environment"."""
    return _tarl.native_task(name, {key: setting_text(value) for key, value in settings.items()})


def _observation_space(spec: dict[str, Any]) -> spaces.Box:
    dtype = np.dtype(spec["dtype"])
    low, high = {"f": (-np.inf, np.inf), "b": (0, 1), "u": (0, 255)}[dtype.kind]
    return spaces.Box(low, high, spec["shape"], dtype.type)


def _action_space(spec: dict[str, Any]) -> spaces.Discrete | spaces.Box:
    if spec["actions"]:
        return spaces.Discrete(spec["actions"])
    return spaces.Box(np.array(spec["low"], np.float32), np.array(spec["high"], np.float32))


def _metadata(spec: dict[str, Any]) -> dict[str, Any]:
    seconds = spec["step_seconds"]
    return {"render_modes": ["rgb_array"], "render_fps": round(1 / seconds) if seconds else 10}


def _checked_render_mode(mode: str | None) -> str | None:
    if mode not in (None, "rgb_array"):
        raise UsageError(f"render_mode is {mode!r}; this environment has None and 'rgb_array'")
    return mode


def _checked_seed(seed: int) -> int:
    if not 0 <= seed < 2**64:
        raise UsageError(f"seed is {seed}; it must be at least 0 and below 2**64")
    return seed


def _unpredictable() -> int:
    return secrets.randbits(63)


class NativeEnv(gym.Env[Observation, Any]):
    """One of tarl's environments, stepped in C++.

    Keyword arguments besides `render_mode` are settings of `tarl show-config`'s group "environment".
    `info["score"]` is the reward that scores count, if it differs from the learner's, and
    `info["score_episode_over"]` says when such an episode ends (Atari: the game's points, the whole
    game); elsewhere they repeat the reward and the episode's end.

    >>> env = gym.make("tarl/minatar-breakout-v1", sticky_actions=0.0)
    >>> obs, info = env.reset(seed=7)
    >>> obs.shape, obs.dtype
    ((10, 10, 4), dtype('bool'))
    >>> obs, reward, terminated, truncated, info = env.step(env.action_space.sample())
    """

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"]}
    observation_space: spaces.Space[Any]
    action_space: spaces.Space[Any]
    render_mode: str | None

    def __init__(self, name: str, *, render_mode: str | None = None, **settings: Any) -> None:
        self._begin(partial(native_task, name, settings), render_mode)

    def _begin(self, make_task: Callable[[], _tarl.Task], render_mode: str | None) -> None:
        self.render_mode = _checked_render_mode(render_mode)
        self._make_task = make_task
        seed = _unpredictable()
        self._native = _tarl.Env(make_task(), seed)
        self._np_random, self._np_random_seed = seeding.np_random(seed)
        spec = self._native.spec
        self.observation_space, self.action_space = _observation_space(spec), _action_space(spec)
        self.metadata = _metadata(spec)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Starts an episode. Without a seed so far, the system chooses one; see `np_random_seed`."""
        if seed is not None:
            super().reset(seed=seed)
            self._native.seed(_checked_seed(seed))
        return self._native.reset(), {}

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """One step; continuous actions are clipped to their bounds."""
        return self._native.step(action)

    def render(self) -> Any:
        """The state as an image, [height][width][3]."""
        if self.render_mode is None:
            gym.logger.warn("render() needs gym.make(..., render_mode='rgb_array')")
            return None
        return self._native.render()

    def get_state(self) -> bytes:
        """The complete state: an environment of the same name continues from it bit-exactly.

        >>> env = gym.make("tarl/minatar-breakout-v1").unwrapped
        >>> _ = env.reset(seed=1)
        >>> state = env.get_state()
        >>> first = env.step(0)[0]
        >>> env.set_state(state)
        >>> bool((env.step(0)[0] == first).all())
        True
        """
        return self._native.get_state()

    def set_state(self, state: bytes) -> None:
        """Goes on from what `get_state()` gave."""
        self._native.set_state(state)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_native": self.get_state()}

    def __setstate__(self, saved: dict[str, Any]) -> None:
        self.__dict__.update(saved)
        self._native = _tarl.Env(self._make_task(), 0)
        self._native.set_state(saved["_native"])


class NativeVectorEnv(VectorEnv[Observation, npt.NDArray[Any], npt.NDArray[Any]]):
    """tarl's environments, stepped together in C++ on `threads` threads, without the GIL.

    `reset(seed=s)` seeds them s, s + 1, ...; sub-environment i then is the single environment seeded
    s + i. `autoreset_mode` is any of Gymnasium's. With copy=False every observation is the same array.

    >>> envs = gym.make_vec("tarl/minatar-breakout-v1", num_envs=64, threads=2)
    >>> obs, infos = envs.reset(seed=7)
    >>> obs.shape
    (64, 10, 10, 4)
    >>> obs, rewards, terminated, truncated, infos = envs.step(envs.action_space.sample())
    """

    metadata: dict[str, Any]
    num_envs: int
    threads: int
    copy: bool
    autoreset_mode: AutoresetMode
    render_mode: str | None
    single_observation_space: spaces.Space[Any]
    single_action_space: spaces.Space[Any]
    observation_space: spaces.Space[Any]
    action_space: spaces.Space[Any]

    def __init__(
        self,
        name: str,
        num_envs: int = 1,
        *,
        threads: int = 1,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        render_mode: str | None = None,
        **settings: Any,
    ) -> None:
        if num_envs < 1 or threads < 1:
            raise UsageError(f"num_envs is {num_envs} and threads is {threads}; both must be at least 1")
        self.num_envs, self.threads, self.copy = num_envs, threads, copy
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.render_mode = _checked_render_mode(render_mode)
        self._make_task = partial(native_task, name, settings)
        seed = _unpredictable()
        self._seeds: list[int] = [seed + i for i in range(num_envs)]
        self._connect()
        spec = self._native.spec
        self.metadata = {**_metadata(spec), "autoreset_mode": self.autoreset_mode}
        self.single_observation_space = _observation_space(spec)
        self.single_action_space = _action_space(spec)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._obs = self._blank()
        self._final = self._blank()

    def _connect(self) -> None:
        mode = self.autoreset_mode.value
        self._native = _tarl.VectorEnv(self._make_task(), self._seeds, self.threads, mode)

    def _blank(self) -> Observation:
        space = self.single_observation_space
        return np.empty((self.num_envs, *space.shape), space.dtype)  # type: ignore[misc]

    @property
    def np_random_seed(self) -> tuple[int, ...]:  # type: ignore[override]
        """The last seed of each environment."""
        return tuple(self._seeds)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Starts an episode in each environment, or in those of `options["reset_mask"]`."""
        mask = np.ones(self.num_envs, np.bool_)
        if options and "reset_mask" in options:
            mask = np.ascontiguousarray(options["reset_mask"])
            if mask.shape != (self.num_envs,) or mask.dtype != np.bool_ or not mask.any():
                raise UsageError(f"reset_mask must be {self.num_envs} booleans, at least one of them True")
        if isinstance(seed, (int, np.integer)):
            seed = [int(seed) + i for i in range(self.num_envs)]
        if seed is not None:
            self._seed(seed, mask)
        obs = self._blank() if self.copy else self._obs
        self._native.reset(mask, obs)
        return obs, {}

    def _seed(self, seeds: Sequence[int | None], mask: npt.NDArray[np.bool_]) -> None:
        if len(seeds) != self.num_envs:
            raise UsageError(f"{len(seeds)} seeds for {self.num_envs} environments")
        for lane, seed in enumerate(seeds):
            if seed is not None and mask[lane]:
                self._native.seed(lane, _checked_seed(seed))
                self._seeds[lane] = int(seed)

    def step(
        self, actions: Any
    ) -> tuple[Observation, npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any], dict[str, Any]]:
        """One step of each environment."""
        obs = self._blank() if self.copy else self._obs
        numbers, flags = np.empty((2, self.num_envs)), np.empty((4, self.num_envs), np.bool_)
        self._native.step(self._checked(actions), obs, numbers, flags, self._final)
        reward, score = numbers
        terminated, truncated, score_episode_over, played = flags
        infos: dict[str, Any] = {}
        if self.autoreset_mode is AutoresetMode.SAME_STEP:
            over = terminated | truncated
            if over.any():
                final = np.full(self.num_envs, None, object)
                for lane in np.flatnonzero(over):
                    final[lane] = self._final[lane].copy()
                infos = {"final_obs": final, "_final_obs": over, "_final_info": over.copy()}
                infos["final_info"] = _infos(over, score, score_episode_over)
                played = ~over
        if played.any():
            infos.update(_infos(played, score, score_episode_over))
        return obs, reward, terminated, truncated, infos

    def _checked(self, actions: Any) -> npt.NDArray[Any]:
        discrete = isinstance(self.single_action_space, spaces.Discrete)
        array = np.asarray(actions)
        if array.shape != self.action_space.shape or discrete and array.dtype.kind not in "iu":
            raise UsageError(
                f"actions are {array.dtype} {array.shape}; this environment takes "
                f"{'integers' if discrete else 'numbers'} {self.action_space.shape}"
            )
        return np.ascontiguousarray(array, np.int64 if discrete else np.float32)

    def render(self) -> tuple[Any, ...] | None:
        """An image of each environment, [height][width][3]."""
        if self.render_mode is None:
            gym.logger.warn("render() needs gym.make_vec(..., render_mode='rgb_array')")
            return None
        return tuple(self._native.render(lane) for lane in range(self.num_envs))

    def get_state(self) -> bytes:
        """The complete state: environments of the same name and number continue from it
        bit-exactly."""
        return self._native.get_state()

    def set_state(self, state: bytes) -> None:
        """Goes on from what `get_state()` gave."""
        self._native.set_state(state)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_native": self.get_state()}

    def __setstate__(self, saved: dict[str, Any]) -> None:
        self.__dict__.update(saved)
        self._connect()
        self._native.set_state(saved["_native"])


def _infos(
    where: npt.NDArray[Any], score: npt.NDArray[Any], score_episode_over: npt.NDArray[Any]
) -> dict[str, Any]:
    """A step's infos as Gymnasium's vector environments gather them."""
    return {
        "score": np.where(where, score, 0.0),
        "_score": where.copy(),
        "score_episode_over": where & score_episode_over,
        "_score_episode_over": where.copy(),
    }


def register() -> None:
    """Adds every missing environment to Gymnasium's registry; importing this module does so.

    >>> tarl.envs.register()
    >>> gym.spec("tarl/minatar-breakout-v1").entry_point
    'tarl.envs:NativeEnv'
    """
    native = set(names())
    for name in native:
        _register(name, {"name": name}, "tarl.envs:NativeEnv", "tarl.envs:NativeVectorEnv")
    for name, game, sticky in _tarl.atari_environments():
        if name not in native:  # without its own emulator this build uses ale-py
            _register(name, {"game": game, "sticky_actions": sticky}, "tarl.atari:Atari", None)


def _register(name: str, kwargs: dict[str, Any], entry_point: str, vector_entry_point: str | None) -> None:
    if gym_id(name) not in gym.registry:
        gym.register(
            gym_id(name),
            entry_point,
            # C++ checks what these would, at no cost.
            order_enforce=False,
            disable_env_checker=True,
            vector_entry_point=vector_entry_point,
            kwargs=kwargs,
        )


def __getattr__(name: str) -> Any:
    if name == "Atari":
        return import_module("tarl.atari").Atari
    if name in ("EnvReport", "check_env"):
        return getattr(import_module("tarl._check_env"), name)
    raise AttributeError(f"module 'tarl.envs' has no attribute {name!r}")


register()
