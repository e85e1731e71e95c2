"""Gymnasium environments for the C++ loop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import gymnasium as gym
from gymnasium import spaces
from gymnasium.error import DependencyNotInstalled
from gymnasium.vector import VectorEnv

from tarl import _resume, _tarl, _vector
from tarl._checks import meant, whole_number
from tarl._resume import get_state, set_state, way_to_resume
from tarl._spaces import Part, as_array, check_actions, parts_of, picture
from tarl.errors import UsageError

__all__ = [
    "Bridged",
    "as_array",
    "check_actions",
    "factory",
    "get_state",
    "is_gymnasium",
    "parts_of",
    "resolve",
    "set_state",
    "way_to_resume",
]

MakeEnv = Callable[[], "gym.Env[Any, Any]"]


@dataclass
class Bridged:
    """A Python environment as C++ expects it. Instances are created on demand."""

    name: str
    make: MakeEnv
    observation_space: spaces.Space[Any]  # of one environment
    action_space: spaces.Space[Any]
    make_eval: MakeEnv
    make_vec: _vector.MakeVec | None = None
    n_envs: int = 1
    frame_stack: int = 1
    env_state: str = "auto"
    eval_step_limit: int = 100_000
    probe: Any = None  # created by make or make_vec to read the spaces; C++ trains in it
    parts: list[Part] = field(init=False)
    image: tuple[int, int, int] | None = field(init=False, default=None)  # channels, height, width
    channels_last: bool = field(init=False, default=False)

    def __post_init__(self) -> None:
        self.parts = parts_of(self.name, self.observation_space)
        first = self.parts[0]
        if first.kind in ("image", "bits"):
            self.image, self.channels_last = picture(self.name, first)
        check_actions(self.name, self.action_space)
        if self.frame_stack > 1 and first.kind != "image":
            raise TypeError(
                f"frame_stack stacks images of bytes, and {self.name} gives {self.observation_space}; wrap it in "
                "gymnasium.wrappers.FrameStackObservation instead"
            )
        if self.frame_stack > 1 and self.make_vec is not None:
            raise TypeError(
                "frame_stack is not for vector environments; stack in each of them with "
                "gymnasium.wrappers.FrameStackObservation"
            )


def resolve(
    env: Any,
    *,
    n_envs: int = 1,
    frame_stack: int = 1,
    env_state: str = "auto",
    vec: str | None = None,
    eval_env: Any = None,
) -> str | Bridged:
    """A native name, or what C++ needs to know about a Python environment.

    >>> from tarl._bridge import resolve
    >>> resolve("classic/cartpole")
    'classic/cartpole'
    >>> resolve("CartPole-v1").name
    'CartPole-v1'
    """
    n_envs, frame_stack = whole_number("n_envs", n_envs), whole_number("frame_stack", frame_stack)
    if env_state not in _resume.ENV_STATES:
        raise ValueError(f"env_state = {env_state!r}: choose one of {', '.join(_resume.ENV_STATES)}")
    if isinstance(env, str) and (native := _native(env)) is not None:
        return native
    make_eval = None if eval_env is None else factory(eval_env, "eval_env")[1]
    if isinstance(env, VectorEnv):
        spec_id = env.spec.id if env.spec else type(env).__name__
        return _user_vector(spec_id, _vector.remaker(env), env, None, make_eval, n_envs, frame_stack, env_state)
    name, make = factory(env)
    probe = env if isinstance(env, gym.Env) else checked(make(), name)
    if isinstance(probe, VectorEnv):
        make_vec: Any = make
        return _user_vector(name, make_vec, probe, probe, make_eval, n_envs, frame_stack, env_state)
    bridged = Bridged(
        name,
        make,
        probe.observation_space,
        probe.action_space,
        make_eval=make_eval or make,
        make_vec=None if vec is None else _vector.own_vector(vec, n_envs, make, env_state, name),
        n_envs=n_envs,
        frame_stack=frame_stack,
        env_state=env_state,
    )
    if probe is env:
        return bridged
    if bridged.make_vec is None:
        bridged.probe = probe
    else:
        probe.close()
    return bridged


def _user_vector(
    name: str,
    make_vec: _vector.MakeVec,
    vector: VectorEnv[Any, Any, Any],
    probe: VectorEnv[Any, Any, Any] | None,
    make_eval: MakeEnv | None,
    n_envs: int,
    frame_stack: int,
    env_state: str,
) -> Bridged:
    _vector.check_autoreset(name, vector)
    if n_envs not in (1, vector.num_envs):
        raise ValueError(f"n_envs = {n_envs}, but {name} has {vector.num_envs} environments; leave n_envs out")
    if env_state == "replay":
        raise TypeError(f"env_state = 'replay' plays one environment again; {name} has several that step together")
    single = make_eval or _vector.evaluation_maker(name, vector)
    return Bridged(
        name,
        single,
        vector.single_observation_space,
        vector.single_action_space,
        make_eval=single,
        make_vec=make_vec,
        n_envs=vector.num_envs,
        frame_stack=frame_stack,
        env_state=env_state,
        probe=probe,
    )


def is_gymnasium(env: str) -> bool:
    """Gymnasium's ids mean Gymnasium's environments, even if a native one has the same name."""
    return env in gym.registry or ":" in env


def _native(env: str) -> str | None:
    if not is_gymnasium(env):
        try:
            return str(_tarl.native_environment(env))
        except UsageError as problem:
            if near := meant(env, (one for one in gym.registry if not one.startswith("tarl/"))):
                raise UsageError(
                    f"no environment is called {env!r}{near} (tarl.envs.names() lists tarl's, gymnasium.registry "
                    "those of Gymnasium and of the packages that are imported)"
                ) from None
            raise problem
    spec = gym.spec(env)
    ours = spec.entry_point == "tarl.envs:NativeEnv" and set(spec.kwargs) == {"name"}
    return str(spec.kwargs["name"]) if ours else None


def checked(made: Any, name: str) -> Any:
    """What a function made, if it is an environment."""
    if isinstance(made, (gym.Env, VectorEnv)) or all(hasattr(made, part) for part in ("reset", "step")):
        for space in () if isinstance(made, VectorEnv) else ("observation_space", "action_space"):
            if not isinstance(getattr(made, space, None), spaces.Space):
                raise TypeError(
                    f"{name}: {space} is a space of gymnasium.spaces, and {type(made).__name__} has "
                    f"{'one of ' + type(getattr(made, space)).__module__ if hasattr(made, space) else 'none'}"
                )
        return made
    forgotten = "; does it lack a return?" if made is None else ""
    raise TypeError(f"{name} made no gymnasium.Env but {made if made is None else type(made).__name__}{forgotten}")


def factory(env: Any, argument: str = "env") -> tuple[str, MakeEnv]:
    """A name and a maker of fresh environments: training, evaluation and resume need their own.

    Parentheses in a name mean that an id alone does not recreate the environment.
    """
    if isinstance(env, str):
        return env, partial(_made_by_id, env)
    if isinstance(env, gym.Env):
        spec = env.spec
        if spec is None:
            raise TypeError(
                f"give a function that makes the environment: this {type(env.unwrapped).__name__} has no spec to make "
                "others from, and training, evaluation and resume need their own"
            )
        plain = gym.registry.get(spec.id) == spec
        return spec.id if plain else spec.id + "(...)", lambda: gym.make(spec, disable_env_checker=True)
    if callable(env):
        return getattr(env, "__name__", type(env).__name__).strip("<>") + "()", env
    raise TypeError(f"{argument} is an id, an environment or a function that makes one, not {type(env).__name__}")


def _made_by_id(env: str) -> gym.Env[Any, Any]:
    try:
        return gym.make(env, disable_env_checker=True)
    except DependencyNotInstalled as problem:
        try:
            ours = _tarl.native_environment(env)
        except UsageError:
            raise problem from None
        raise DependencyNotInstalled(f"{problem}; tarl has the task built in, as {ours!r}") from None


def is_made_by_name(name: str) -> bool:
    """Whether a name from factory() suffices to recreate the environment."""
    return "(" not in name


def native_spaces(name: str) -> Bridged:
    """The spaces of a native environment, for acting on its observations."""
    from tarl.envs import NativeEnv

    make = partial(NativeEnv, name)
    env = make()
    return Bridged(name, make, env.observation_space, env.action_space, make_eval=make)
