"""Checks what an environment allows models to do, by playing in it."""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeAlias

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import VectorEnv

from tarl import _bridge, _resume
from tarl._spaces import Part, as_array, check_actions, parts_of, picture

MOST_STEPS = 1000  # per episode
READ_AS_THEY_ARE = {"numbers": ["float32"], "choices": ["int64"], "image": ["uint8"], "bits": ["bool"]}

MakeEnv = Callable[[], "gym.Env[Any, Any]"]
Given: TypeAlias = "tuple[str, tuple[Any, ...]]"  # where, and what an environment returned there


@dataclass(frozen=True)
class EnvReport:
    """What `check_env` found. Printed, one line per subject."""

    name: str
    problems: tuple[str, ...]  # what prevents training in it, and what to do
    observations: str
    actions: str
    algorithms: tuple[str, ...]  # tarl's classes for these actions
    seeds: str
    repeats: bool  # the same seed and actions gave the same episodes
    env_state: str  # what env_state="auto" chooses: "replay" or "protocol"; "state" of a native environment
    promise: str  # for a resumed run
    pickles: bool
    microseconds: dict[str, float]  # of step(), reset() and reset(seed=...)

    @property
    def ok(self) -> bool:
        """Whether models can train in it."""
        return not self.problems

    def __str__(self) -> str:
        costs = ", ".join(f"{call} {cost:.3g} us" for call, cost in self.microseconds.items())
        rows = {
            "observations": self.observations,
            "actions": self.actions,
            "train in it": ", ".join(self.algorithms) if self.ok else "nobody",
            "seeds": self.seeds,
            "resume": self.promise,
            "pickle": "yes" if self.pickles else "no: vec='async' and multiprocessing need a function that makes it",
            "costs": costs,
        }
        lines = [self.name, *(f"  {name:<13} {text}" for name, text in rows.items())]
        return "\n".join([*lines, *(f"  PROBLEM       {problem}" for problem in self.problems)])

    __repr__ = __str__


@dataclass
class _Costs:
    """Seconds of each kind of call."""

    seconds: dict[str, float] = field(default_factory=dict)
    calls: dict[str, int] = field(default_factory=dict)

    def of(self, name: str, call: Callable[[], Any]) -> Any:
        start = time.perf_counter()
        result = call()
        self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - start
        self.calls[name] = self.calls.get(name, 0) + 1
        return result

    def microseconds(self) -> dict[str, float]:
        return {name: 1e6 * self.seconds[name] / self.calls[name] for name in self.seconds}


def check_env(env: Any, *, episodes: int = 2, seed: int = 0) -> EnvReport:
    """Plays episodes twice from the same seeds and actions, and reports what models can do there and what it
    costs.

    `env` is as for a model, but not a vector: check one environment of it. Exceptions of the environment
    propagate.

    >>> report = tarl.envs.check_env("CartPole-v1")
    >>> report.ok, report.algorithms
    (True, ('DQN', 'DDQN', 'TADQN', 'TADDQN'))
    >>> print(report.promise)
    to the bit: the open episode is played again and compared (env_state 'replay')
    """
    name, make, native = _maker(env)
    first, second, costs = _bridge.checked(make(), name), make(), _Costs()
    try:
        if isinstance(first, VectorEnv):
            raise TypeError(f"{name} is a vector of environments: check one of them, by a function that makes it")
        problems, parts = _spaces_of(name, first)
        # One after the other: both sample the same action space, and the cost is that of a single environment.
        actions = first.action_space
        played, again = (list(_episodes(name, one, actions, episodes, seed, costs)) for one in (first, second))
        observed = [what[0] for _, what in played]
        parted, steps = _where_they_part(played, again), sum("step" in where for where, _ in played)
        problems += _misfits(name, parts, observed)
        way = "state" if native else _resume.way_to_resume(first, "auto", name)
        promise = _promise(way, parted)
        if way == "protocol" and (broken := _protocol_parts(name, first, second, seed)):
            promise = f"none that holds: {broken}"
        costs.of("reset()", first.reset)
        return EnvReport(
            name,
            tuple(problems),
            _observations(first.observation_space, parts, observed),
            str(first.action_space),
            _algorithms(first.action_space),
            parted or f"the same seeds and actions gave the same {episodes} episodes of {steps} steps in all",
            not parted,
            way,
            promise,
            _pickles(first),
            costs.microseconds(),
        )
    finally:
        first.close()
        second.close()


def _maker(env: Any) -> tuple[str, MakeEnv, bool]:
    """A name, a function that makes such environments, and whether they are tarl's own."""
    if isinstance(env, VectorEnv):
        raise TypeError(f"{type(env).__name__} is a vector of environments: check one of them, by a function")
    native = _bridge._native(env) if isinstance(env, str) else None
    if native is not None:
        return native, _bridge.native_spaces(native).make, True
    name, make = _bridge.factory(env)
    return name, make, False


def _spaces_of(name: str, env: gym.Env[Any, Any]) -> tuple[list[str], list[Part]]:
    """What is wrong with its spaces; if nothing, also the arrays of an observation."""
    problems: list[str] = []
    parts: list[Part] = []
    try:
        parts = parts_of(name, env.observation_space)
        if parts[0].kind in ("image", "bits"):
            picture(name, parts[0])
    except TypeError as problem:
        problems.append(str(problem))
    try:
        check_actions(name, env.action_space)
    except TypeError as problem:
        problems.append(str(problem))
    return problems, parts


def _returned(answer: Any, name: str, method: str, parts: str) -> tuple[Any, ...]:
    if not isinstance(answer, tuple) or len(answer) != parts.count(",") + 1:
        raise TypeError(f"{name}: {method}() must return ({parts})")
    return answer


def _episodes(
    name: str, env: gym.Env[Any, Any], actions: spaces.Space[Any], episodes: int, seed: int, costs: _Costs
) -> Iterator[Given]:
    """What an environment returns, step by step."""
    actions.seed(seed)
    for episode in range(episodes):
        begun = costs.of("reset(seed)", partial(env.reset, seed=seed + episode))
        yield f"episode {episode + 1}, reset()", _returned(begun, name, "reset", "observation, info")[:1]
        for step in range(1, MOST_STEPS + 1):
            answer = costs.of("step()", partial(env.step, actions.sample()))
            _returned(answer, name, "step", "observation, reward, terminated, truncated, info")
            yield f"episode {episode + 1}, step {step}", answer[:4]
            if answer[2] or answer[3]:
                break


def _where_they_part(played: list[Given], again: list[Given]) -> str:
    """The first difference between two plays, or None."""
    for (where, one), (_, other) in zip(played, again, strict=False):
        for subject, mine, its in zip(("observation", "reward", "terminated", "truncated"), one, other, strict=False):
            if not data_equivalence(mine, its, exact=True):
                return f"{where}: another {subject} from the same seed and actions"
    return ""


def _misfits(name: str, parts: list[Part], observed: list[Any]) -> list[str]:
    """The first observation that no model can read, counted from 0."""
    for at, obs in enumerate(observed):
        for part in parts:
            try:
                values = as_array(_found(obs, part), part, name)
            except (ValueError, TypeError, KeyError, IndexError) as problem:
                return [f"observation {at}: {problem}"]
            if values.dtype.kind == "f" and not np.isfinite(values).all():
                return [f"observation {at}: numbers that are not finite"]
    return []


def _found(obs: Any, part: Part) -> Any:
    for key in part.keys:
        obs = obs[key]
    return obs


def _observations(space: spaces.Space[Any], parts: list[Part], observed: list[Any]) -> str:
    if not parts:
        return str(space)
    if parts[0].kind in ("image", "bits"):
        what = {"image": "an image", "bits": "a picture of bits"}[parts[0].kind] + f" {parts[0].shape}"
    else:
        what = f"a vector of {sum(part.size for part in parts)} numbers"
    kinds = {part.kind: np.asarray(_found(observed[0], part)).dtype.name for part in parts}
    slow = sorted({given for kind, given in kinds.items() if given not in READ_AS_THEY_ARE[kind]})
    return f"{what}, converted from {', '.join(slow)}" if slow else f"{what}, read as they are"


def _algorithms(actions: spaces.Space[Any]) -> tuple[str, ...]:
    if isinstance(actions, spaces.Discrete):
        return ("DQN", "DDQN", "TADQN", "TADDQN")
    return ("SAC", "TD3", "DDPG", "TASAC", "TATD3", "TADDPG") if isinstance(actions, spaces.Box) else ()


def _promise(way: str, parted: str) -> str:
    if way == "state":
        return "to the bit: the whole state is in a checkpoint"
    if way == "protocol":
        return "to the bit: by get_state() and set_state() (env_state 'protocol')"
    if parted:
        return (
            "refused, for it does not repeat itself: draw from self.np_random alone, give it get_state() and "
            "set_state(), or take env_state='restart'"
        )
    return "to the bit: the open episode is played again and compared (env_state 'replay')"


def _protocol_parts(name: str, one: gym.Env[Any, Any], other: gym.Env[Any, Any], seed: int) -> str:
    """What distinguishes an environment from one that was given its state, or None."""
    one.reset(seed=seed)
    other.reset(seed=seed + 1)
    chosen = [one.action_space.sample() for _ in range(20)]
    over = False
    for action in chosen[:10]:
        if not over:
            _, _, terminated, truncated, _ = one.step(action)
            over = terminated or truncated
    if over:
        one.reset()
    _resume.set_state(other, _resume.get_state(one, name))
    for action in chosen[10:]:
        mine, its = one.step(action), other.step(action)
        if not data_equivalence(mine[:4], its[:4], exact=True):
            return "what set_state() puts back does not go on as the environment that get_state() was asked of"
        if mine[2] or mine[3]:
            break
    return ""


def _pickles(env: gym.Env[Any, Any]) -> bool:
    try:
        pickle.loads(pickle.dumps(env))
    except Exception:  # whatever its parts raise
        return False
    return True
