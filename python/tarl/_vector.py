"""Gymnasium vector environments under the C++ loop."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from multiprocessing import connection
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv, VectorEnv, VectorWrapper
from gymnasium.vector.async_vector_env import AsyncState

from tarl import _resume
from tarl.errors import Error

MakeVec = Callable[[], "VectorEnv[Any, Any, Any]"]

_MEMORY = sorted({name for names in _resume.MEMORY.values() for name in names})


def check_autoreset(name: str, env: VectorEnv[Any, Any, Any]) -> bool:
    """Whether it begins a new episode in the step that ends one; otherwise it must be told to."""
    mode = env.metadata.get("autoreset_mode")
    if mode == AutoresetMode.SAME_STEP:
        return True
    if mode == AutoresetMode.DISABLED:
        return False
    raise TypeError(
        f"{name} spends a step on a reset (autoreset_mode {getattr(mode, 'name', mode)}), which would be a transition "
        'that never was; make it with vector_kwargs={"autoreset_mode": AutoresetMode.SAME_STEP}'
    )


def evaluation_maker(name: str, env: VectorEnv[Any, Any, Any]) -> Callable[[], gym.Env[Any, Any]]:
    """Makes one environment like those in a vector."""
    if isinstance(env, (SyncVectorEnv, AsyncVectorEnv)):
        return env.env_fns[0]

    def refuse() -> gym.Env[Any, Any]:
        raise TypeError(f"{name} does not tell how one of its environments is made; give eval_env=, or evaluate nothing")

    return refuse


def remaker(env: VectorEnv[Any, Any, Any]) -> MakeVec:
    """Makes more vectors like an existing one."""
    spec = env.spec
    if spec is None or isinstance(env, VectorWrapper):
        raise TypeError(
            f"give a function that makes the vector environment: this {type(env).__name__} has no spec that all of it "
            "could be made from again, and resume needs another"
        )
    return lambda: gym.make_vec(spec)


def own_vector(kind: str, n_envs: int, make: Callable[[], gym.Env[Any, Any]], env_state: str, name: str) -> MakeVec:
    """Parallel environments that tarl creates: each in its own process ("async"), or in turn."""
    vectors = {"async": AsyncVectorEnv, "sync": SyncVectorEnv}
    if kind not in vectors:
        raise ValueError(f"vec = {kind!r}: choose one of {', '.join(vectors)}")

    parent = os.getpid()

    def one() -> gym.Env[Any, Any]:
        if kind == "async" and os.getpid() != parent:
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal's Ctrl-C reaches all processes; learn() handles it
        env = make()
        replays = _resume.way_to_resume(env, env_state, name) == "replay"
        return _resume.Recorded(env, name) if replays else env

    return lambda: vectors[kind]([one] * n_envs, autoreset_mode=AutoresetMode.SAME_STEP)


def _lost(processes: list[Any], name: str) -> str:
    connection.wait([process.sentinel for process in processes], timeout=1)  # a process ends after its pipe
    ends = {at: process.exitcode for at, process in enumerate(processes) if process.exitcode is not None}
    told = [f"that of environment {at} {_ending(code)}" for at, code in ends.items()]
    return (
        f"{name}: a process that steps environments is gone ({', '.join(told) or 'it closed its pipe'}); "
        "tarl.resume() or tarl.load() goes on from what was last saved"
    )


def _ending(code: int) -> str:
    return f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with {code}"


class LostProcess(Error):
    """An environment's process is gone."""


class Vector:
    """A vector environment as C++ steps it."""

    def __init__(self, env: VectorEnv[Any, Any, Any], name: str, env_state: str) -> None:
        self.env = env
        self._name = name
        self._cut_off = False
        self._same_step = check_autoreset(name, env)
        self._takes_seeds = isinstance(env.unwrapped, (SyncVectorEnv, AsyncVectorEnv))
        self._way = "" if env_state == "restart" else self._way_to_resume()
        if env_state == "protocol" and not self._way:
            raise TypeError(
                f"env_state = 'protocol' needs get_state() -> bytes and set_state(bytes), which {name} lacks"
            )

    @property
    def same_step(self) -> bool:
        return self._same_step

    @property
    def resumable(self) -> bool:
        return self._way != ""

    def step(self, actions: Any) -> Any:
        return self._asked(self.env.step, actions)

    def close(self) -> None:
        vector = self.env.unwrapped
        unfinished = isinstance(vector, AsyncVectorEnv) and (
            self._cut_off
            or vector._state is not AsyncState.DEFAULT
            or not all(process.is_alive() for process in vector.processes)
        )
        if unfinished:
            vector._state = AsyncState.DEFAULT  # type: ignore[attr-defined]  # nobody waits for the answers
        self.env.close(**({"terminate": True} if unfinished else {}))

    def begin(self, seeds: list[int]) -> Any:
        """The first observations of all."""
        return self._first(self._asked(self.env.reset, seed=seeds if self._takes_seeds else seeds[0]))

    def begin_some(self, seeds: list[int | None]) -> Any:
        """Begins new episodes in the environments that have a seed."""
        mask = np.array([seed is not None for seed in seeds])
        seed = seeds if self._takes_seeds else None
        return self._first(self._asked(self.env.reset, seed=seed, options={"reset_mask": mask}))

    def _first(self, answer: Any) -> Any:
        if not isinstance(answer, tuple) or len(answer) != 2:
            raise TypeError(f"{self._name}: reset() must return (observations, infos)")
        return answer[0]

    def column(self, values: Any, what: str, dtype: str) -> Any:
        """A value for each environment, or ValueError."""
        array = np.asarray(values)
        whole = dtype == "bool"
        if array.shape != (self.env.num_envs,) or array.dtype.kind not in ("biu" if whole else "biuf"):
            raise ValueError(
                f"{self._name}: {what} must be {self.env.num_envs} {'truth values' if whole else 'numbers'}, one for "
                f"each environment, and are {array.dtype} of shape {array.shape}"
            )
        return np.ascontiguousarray(array, dtype)

    def final(self, infos: dict[str, Any]) -> Any:
        """Observations at which episodes ended, by index."""
        final = infos.get("final_obs") if isinstance(infos, dict) else None
        if final is None:
            raise ValueError(f"{self._name} ended an episode without infos['final_obs']")
        if not isinstance(final, dict) and len(final) != self.env.num_envs:
            raise ValueError(f"{self._name}: infos['final_obs'] has {len(final)} of {self.env.num_envs} observations")
        return final

    def score(self, infos: dict[str, Any], place: int) -> float | None:
        """What RecordEpisodeStatistics reports about a finished episode, around one environment or all."""
        for where in (infos.get("final_info"), infos) if isinstance(infos, dict) else ():
            if isinstance(where, dict) and isinstance(episode := where.get("episode"), dict) and "r" in episode:
                told = where.get("_episode", episode.get("_r"))
                if told is None or told[place]:
                    return float(episode["r"][place])
        return None

    def get_state(self) -> list[bytes]:
        if self._way == "whole":
            return [self.env.get_state()]  # type: ignore[attr-defined]
        if isinstance(self.env.unwrapped, SyncVectorEnv):
            return [_resume.get_state(env, self._name) for env in self.env.unwrapped.envs]
        states = self._call("get_state")
        memory = {name: self._call("get_wrapper_attr", name) for name in _MEMORY if all(self._has(name))}
        return [
            _resume.pack({name: float(values[i]) for name, values in memory.items()}, state, self._name)
            for i, state in enumerate(states)
        ]

    def set_state(self, states: list[bytes]) -> None:
        if self._way == "whole":
            self.env.set_state(states[0])  # type: ignore[attr-defined]
            return
        vector = self.env.unwrapped
        if isinstance(vector, SyncVectorEnv):
            for env, state in zip(vector.envs, states, strict=True):
                _resume.set_state(env, state)
            return
        memories, inner = zip(*(_resume.unpack(state) for state in states), strict=True)
        for name in memories[0]:
            now = self._call("get_wrapper_attr", name)
            vector.set_attr(name, [type(now[i])(memory[name]) for i, memory in enumerate(memories)])  # type: ignore[attr-defined]
        # call() passes the same arguments to all of them.
        for pipe, state in zip(vector.parent_pipes, inner, strict=True):  # type: ignore[attr-defined]
            pipe.send(("_call", ("set_state", (state,), {})))
        answers = [pipe.recv() for pipe in vector.parent_pipes]  # type: ignore[attr-defined]
        vector._raise_if_errors([success for _, success in answers])  # type: ignore[attr-defined]

    def _way_to_resume(self) -> str:
        if all(callable(getattr(self.env, name, None)) for name in ("get_state", "set_state")):
            return "whole"
        vector = self.env.unwrapped
        if isinstance(vector, SyncVectorEnv):
            return "each" if all(_resume.holder(env, trusted=True) for env in vector.envs) else ""
        if isinstance(vector, AsyncVectorEnv):
            return "each" if all((*self._has("get_state"), *self._has("set_state"))) else ""
        return ""

    def _call(self, name: str, *args: Any) -> tuple[Any, ...]:
        return self._asked(self.env.call, name, *args)  # type: ignore[attr-defined, no-any-return]

    def _asked(self, call: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """An environment's answer, or an error that says which process is gone."""
        try:
            return call(*args, **kwargs)
        except (EOFError, ConnectionError) as problem:
            if not isinstance(self.env.unwrapped, AsyncVectorEnv):
                raise
            raise LostProcess(_lost(self.env.unwrapped.processes, self._name)) from problem
        except Exception:
            raise
        except BaseException:  # a second Ctrl-C, perhaps before all have been asked
            self._cut_off = True
            raise

    def _has(self, name: str) -> tuple[bool, ...]:
        return self._call("has_wrapper_attr", name)
