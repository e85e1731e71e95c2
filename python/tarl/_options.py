"""Keyword arguments of models as settings of the C++ program."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypedDict

import gymnasium as gym
from gymnasium.vector import VectorEnv

from tarl import _bridge, _tarl
from tarl._checks import a_dict
from tarl._text import setting_text
from tarl.errors import Error, UsageError

EnvLike: TypeAlias = "str | gym.Env[Any, Any] | VectorEnv[Any, Any, Any] | Callable[[], Any]"
EnvState = Literal["auto", "replay", "protocol", "restart"]


class ModelOptions(TypedDict, total=False):
    """The options of every model besides the settings of its algorithm."""

    margin: float | Literal["auto"] | None
    seed: int
    preset: str | None
    run_dir: str | os.PathLike[str] | None
    eval_env: EnvLike | None
    n_envs: int
    threads: int
    frame_stack: int
    env_state: EnvState
    vec: Literal["sync", "async"] | None
    replay: str | Mapping[str, Any]
    align: Mapping[str, Any] | None
    policy_kwargs: Mapping[str, Any] | None
    settings: Mapping[str, Any] | None


DEFAULTS: dict[str, Any] = {
    "margin": None,
    "seed": 0,
    "preset": None,
    "run_dir": None,
    "eval_env": None,
    "n_envs": 1,
    "threads": 1,
    "frame_stack": 1,
    "env_state": "auto",
    "vec": None,
    "replay": "uniform",
    "align": None,
    "policy_kwargs": None,
    "settings": None,
}


# Settings of a run that have another home here.
SETTLED = {
    "algo": "the class is the algorithm, replay= the replay",
    "env": "it is the first argument",
    "steps": "learn(total_timesteps) takes it",
    "eval.count": "learn(n_evaluations=...) takes it",
    "eval.episodes": "learn(n_eval_episodes=...) takes it",
    "extended.from": "learn(), called again, makes a run longer",
    "extended.at": "learn(), called again, makes a run longer",
}


@dataclass(frozen=True)
class Wrapping:
    """How the environment of a run is made, which config.toml does not record; kept beside it in
    python.json."""

    env: str
    frame_stack: int = 1
    env_state: str = "auto"
    vec: str | None = None

    FILE = "python.json"

    def encode(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def decode(cls, text: str, source: str) -> Wrapping:
        try:
            return cls(**json.loads(text))
        except (ValueError, TypeError) as problem:
            raise Error(f"{source} does not say how the environment is made ({problem})") from None

    @classmethod
    def read(cls, run_dir: Path) -> Wrapping | None:
        path = run_dir / cls.FILE
        return cls.decode(path.read_text(), str(path)) if path.exists() else None

    def write(self, run_dir: Path) -> None:
        try:
            run_dir.mkdir(parents=True, exist_ok=True)
        except OSError as problem:
            raise Error(f"run_dir {run_dir} cannot be made ({problem.strerror}); choose another folder") from None
        partial = run_dir / (self.FILE + ".tmp")
        with partial.open("w") as file:
            file.write(self.encode() + "\n")
            file.flush()
            os.fsync(file.fileno())
        partial.replace(run_dir / self.FILE)


@dataclass
class Task:
    """The environment of a model."""

    native: str  # its name; empty if it is Python's
    spaces: _bridge.Bridged  # of the environment; for a Python environment, the environment itself
    wrapping: Wrapping | None  # of a Python environment
    function: Callable[[], Any] | None = None  # what made it, if not an id

    @classmethod
    def of(
        cls,
        env: EnvLike,
        *,
        n_envs: int = 1,
        eval_env: EnvLike | None = None,
        frame_stack: int = 1,
        env_state: str = "auto",
        vec: str | None = None,
    ) -> Task:
        bridged = _bridge.resolve(
            env, n_envs=n_envs, frame_stack=frame_stack, env_state=env_state, vec=vec, eval_env=eval_env
        )
        if isinstance(bridged, str):
            own = {"eval_env": eval_env is not None, "frame_stack": frame_stack != 1, "vec": vec is not None}
            if asked := [name for name, is_asked in own.items() if is_asked]:
                raise UsageError(f"{' and '.join(asked)}: not for {bridged}, which tarl makes itself")
            return cls(bridged, _bridge.native_spaces(bridged), None)
        function = env if callable(env) else None
        return cls("", bridged, Wrapping(bridged.name, frame_stack, env_state, vec), function)

    @classmethod
    def again(
        cls, env: EnvLike | None, name: str, wrapping: Wrapping | None, n_envs: int, env_state: str | None = None
    ) -> Task:
        """The environment of a run or a file, made in the same way."""
        if wrapping is None and name.startswith(_tarl.PYTHON_FAMILY):
            wrapping = Wrapping(name.removeprefix(_tarl.PYTHON_FAMILY))
        if wrapping is None:
            return cls.of(name if env is None else env)
        if env is None and not _bridge.is_made_by_name(wrapping.env):
            raise TypeError(f"the environment, {wrapping.env}, was not made by an id alone: give it as env=")
        return cls.of(
            wrapping.env if env is None else env,
            n_envs=n_envs,
            frame_stack=wrapping.frame_stack,
            env_state=env_state or wrapping.env_state,
            vec=wrapping.vec,
        )


@dataclass
class Asked:
    """The settings in the keyword arguments of a model."""

    algo: str
    preset: str | None
    settings: dict[str, str] = field(default_factory=dict)  # by key

    def assignments(self) -> list[str]:
        return [f"{key}={value}" for key, value in self.settings.items()]


def ask(cls: str, algo: str, options: Mapping[str, Any], task: Task) -> Asked:
    """The settings in keyword arguments; the rest are the preset's or the algorithm's."""
    given = {**DEFAULTS, **options}
    of = {name: dict(a_dict(cls, name, given[name])) for name in ("align", "policy_kwargs", "settings")}
    replay = given["replay"]
    replay = {"kind": replay} if isinstance(replay, str) else dict(a_dict(cls, "replay", replay))
    kind = replay.pop("kind", "uniform")
    kinds = next(row["choices"] for row in _tarl.default_settings(algo) if row["key"] == "replay.kind")
    if kind not in kinds:
        raise UsageError(f"tarl.{cls}: replay = {kind!r}: choose one of {', '.join(kinds)}")
    asked = Asked(algo if kind == "uniform" else f"{algo}+{kind}", given["preset"])
    if asked.preset == "sb3" and not task.native:
        asked.preset = None  # the presets of Gymnasium environments, one per kind of agent
    values = {"seed": given["seed"], "n_envs": task.spaces.n_envs if not task.native else given["n_envs"]}
    if given["run_dir"] is not None:
        values["checkpoint.keep"] = True  # a finished model may learn more
    values |= _together(
        cls,
        {key: value for key, value in options.items() if key not in DEFAULTS},
        {f"replay.{key}": value for key, value in replay.items()},
        {f"align.{key}": value for key, value in of["align"].items()},
        dict(_policy(of["policy_kwargs"])),
        {} if given["margin"] is None else {"align.margin": given["margin"]},
        of["settings"],
    )
    for key, value in values.items():
        pair = key == "train_freq" and isinstance(value, (list, tuple))
        if pair or callable(value) or isinstance(value, (Mapping, set)):
            raise UsageError(f"tarl.{cls}: {key} = {value!r} is no number, text or list{_instead(key)}")
    asked.settings = {key: setting_text(value) for key, value in values.items() if value is not None}
    return asked


def _together(cls: str, *parts: Mapping[str, Any]) -> dict[str, Any]:
    """Settings from several arguments, each given once."""
    values: dict[str, Any] = {}
    for key, value in (pair for part in parts for pair in part.items()):
        if key in SETTLED:
            raise UsageError(f"tarl.{cls}: {key} is not among the settings here: {SETTLED[key]}")
        if key in values:
            raise UsageError(f"tarl.{cls}: {key} is given twice, as {values[key]!r} and as {value!r}")
        values[key] = value
    return values


def _instead(key: str) -> str:
    if key == "train_freq":
        return "; it counts environment steps, 4 rather than (4, \"step\")"
    if key == "learning_rate":
        return "; a rate that falls to zero is learning_rate=\"lin_1e-3\""
    return "; give the widths of the hidden layers, [256, 256]" if key == "policy.net_arch" else ""


def _policy(policy_kwargs: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for key, value in policy_kwargs.items():
        yield (key if key == "dueling" else f"policy.{key}"), value
