"""DQN, SAC, TD3 and their target-aligned variants, with Stable-Baselines3's names and a core in
C++."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

from tarl import _tarl
from tarl._describe import Evaluations, Setting, Settings, document
from tarl._model import FORMAT, Model
from tarl._options import EnvLike, EnvState, Task, Wrapping
from tarl._policy import Evaluation, Policy
from tarl.errors import Error, UsageError

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from tarl._settings import DQNOptions, SACOptions, TD3Options

__all__ = [
    "DDPG",
    "DDQN",
    "DQN",
    "SAC",
    "TADDPG",
    "TADDQN",
    "TADQN",
    "TASAC",
    "TATD3",
    "TD3",
    "Evaluation",
    "Evaluations",
    "Model",
    "Policy",
    "Setting",
    "Settings",
    "load",
    "resume",
    "settings",
]


class DQN(Model):
    """Deep Q-learning; `TADQN` is the same with margin=1.0."""

    _base = "dqn"

    def __init__(self, env: EnvLike, **options: Unpack[DQNOptions]) -> None:
        super().__init__(env, **options)


class DDQN(DQN):
    """Double deep Q-learning; `TADDQN` is the same with margin=1.0."""

    _base = "ddqn"


class SAC(Model):
    """Soft actor-critic; `TASAC` is the same with margin=1.0."""

    _base = "sac"

    def __init__(self, env: EnvLike, **options: Unpack[SACOptions]) -> None:
        super().__init__(env, **options)


class TD3(Model):
    """Twin delayed deep deterministic policy gradient; `TATD3` is the same with margin=1.0."""

    _base = "td3"

    def __init__(self, env: EnvLike, **options: Unpack[TD3Options]) -> None:
        super().__init__(env, **options)


class DDPG(TD3):
    """Deep deterministic policy gradient; `TADDPG` is the same with margin=1.0."""

    _base = "ddpg"


class TADQN(DQN):
    """Target-aligned `DQN`."""

    _aligned = True


class TADDQN(DDQN):
    """Target-aligned `DDQN`."""

    _aligned = True


class TASAC(SAC):
    """Target-aligned `SAC`."""

    _aligned = True


class TATD3(TD3):
    """Target-aligned `TD3`."""

    _aligned = True


class TADDPG(DDPG):
    """Target-aligned `DDPG`."""

    _aligned = True


CLASSES: dict[str, type[Model]] = {
    one.__name__: one for one in (DQN, DDQN, SAC, TD3, DDPG, TADQN, TADDQN, TASAC, TATD3, TADDPG)
}


def _class_of(algo: str) -> type[Model]:
    """The class for an algorithm name such as "ta-dqn+per"."""
    plain = algo.partition("+")[0]
    for one in CLASSES.values():
        if one.algo() == plain:
            return one
    raise UsageError(f"{algo} is no algorithm of this package's")


def load(path: str | os.PathLike[str], env: EnvLike | None = None) -> Model:
    """Loads a model from a file, as the class it was saved from; see `Model.save` and `Model.load`.

    >>> model.save("model.safetensors")
    >>> model = tarl.load("model.safetensors")
    """
    try:
        file = _tarl.read_model(os.fspath(path))
    except Error as problem:
        if not Path(path).is_file() or not zipfile.is_zipfile(path):
            raise
        raise Error(
            f"{path} is a zip file, as Stable-Baselines3 saves, which tarl does not read; load it there, and give the "
            "networks' weights to set_parameters()"
        ) from problem
    about = file.metadata
    if about.get("format", FORMAT) != FORMAT or not {"algo", "env"} <= set(about):
        raise Error(f"{path} holds no model that this version reads")
    kind = CLASSES[about["class"]] if "class" in about else _class_of(about["algo"])
    model = kind.__new__(kind)
    model._restore(file, env)
    return model


def resume(
    run_dir: str | os.PathLike[str], env: EnvLike | None = None, *, threads: int = 1, env_state: EnvState | None = None
) -> Model:
    """The model of a run folder, from its newest good checkpoint: `learn()` continues bit-exactly.

    `env` is for a run whose environment was made by a function. With `env_state="restart"`, environments that cannot
    be restored begin new episodes.

    >>> model = tarl.DQN("CartPole-v1", run_dir="runs/mine").learn(1_000)
    >>> del model  # the end of the process, a crash, a power cut
    >>> tarl.resume("runs/mine").learn(1_000)
    <tarl.DQN in CartPole-v1: 2000 steps, run_dir='runs/mine'>
    """
    folder = Path(run_dir)
    config = folder / "config.toml"
    if not config.exists():
        raise Error(f"no run to resume in {folder}: it has no config.toml")
    algo, name, n_envs = _tarl.run_of(config.read_text(), str(config))
    kind = _class_of(algo)
    model = kind.__new__(kind)
    task = Task.again(env, name, Wrapping.read(folder), n_envs, env_state)
    model._begin(task, run_dir=folder, resume=True, threads=threads)
    return model


def settings(algo: str, env: EnvLike | None = None) -> Settings:
    """Every setting of an algorithm: value, range and meaning, for a model in that environment.

    >>> tarl.settings("dqn", "CartPole-v1")["learning_rate"]  # doctest: +ELLIPSIS
    Setting(key='learning_rate', value=0.0001, type='number', ...)
    """
    if env is None:
        return Settings(algo, _tarl.default_settings(algo))
    replay = algo.partition("+")[2]
    return _class_of(algo)(env, **({"replay": replay} if replay else {})).settings


for _one in CLASSES.values():
    document(_one, _one.algo())
