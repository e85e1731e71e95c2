"""DQN, SAC, TD3 and their target-aligned kin, with Stable-Baselines3's names and a core in C++."""

from __future__ import annotations

import atexit
import os
import threading
import warnings
import weakref
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar, TypeVar

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from tarl import _tarl, export
from tarl._interrupts import Interrupts
from tarl._options import EnvLike, EnvState, Task, Wrapping, ask
from tarl.callbacks import CallbackLike, Callbacks, ProgressBar
from tarl.errors import Error, UsageError

Self = TypeVar("Self", bound="Model")
Array = npt.NDArray[Any]

_FORMAT = "tarl-model-1"
_OF_NETWORKS = ("policy.", "dueling", "normalize.")  # settings that a model file of `tarl train` names


@dataclass(frozen=True)
class Evaluation:
    """Whole episodes that an agent played."""

    returns: Array  # [episodes]
    lengths: Array  # [episodes] environment steps
    cut: int  # episodes that the step limit of evaluations ended

    @property
    def mean(self) -> float:
        return float(self.returns.mean())

    @property
    def std(self) -> float:
        return float(self.returns.std())


class Policy:
    """What an agent does, as it was when the policy was taken. Any thread may use it.

    >>> policy = model.policy()
    >>> action, _ = policy.predict(obs, deterministic=True)
    """

    def __init__(self, native: _tarl.Policy) -> None:
        self._native = native

    def predict(
        self, observation: Any, state: Any = None, episode_start: Any = None, deterministic: bool = False
    ) -> tuple[Any, Any]:
        """The action for an observation, or those for a batch; see `Model.predict`."""
        return self._native.predict(observation, state, episode_start, deterministic)


class Model:
    """What all models have in common; make one of its subclasses."""

    _base: ClassVar[str] = ""  # the algorithm, as `tarl train --algo` has it
    _aligned: ClassVar[bool] = False

    _native: _tarl.Model

    def __init__(self, env: EnvLike, **options: Any) -> None:
        task = Task.of(
            env,
            **{
                name: options[name]
                for name in ("n_envs", "eval_env", "frame_stack", "env_state", "vec")
                if name in options
            },
        )
        asked = ask(self._algo(), options, task)
        self._begin(
            task,
            algo=asked.algo,
            preset=asked.preset,
            settings=asked.assignments(),
            run_dir=options.get("run_dir"),
            threads=options.get("threads", 1),
        )

    @classmethod
    def _algo(cls) -> str:
        return ("ta-" if cls._aligned else "") + cls._base

    def _begin(
        self,
        task: Task,
        *,
        algo: str = "",
        preset: str | None = None,
        settings: list[str] | None = None,
        toml: str | None = None,
        run_dir: str | os.PathLike[str] | None = None,
        resume: bool = False,
        threads: int = 1,
    ) -> None:
        self._task = task
        self._run_dir = None if run_dir is None else Path(run_dir)
        self._idle = threading.Event()
        self._idle.set()
        self._native = _tarl.Model(
            algo=algo,
            env=task.native,
            spaces=task.spaces,
            preset=preset,
            settings=settings or [],
            toml=toml,
            folder="" if run_dir is None else os.fspath(run_dir),
            resume=resume,
            threads=threads,
            notice=_notice,
        )
        _alive.add(self)

    @property
    def observation_space(self) -> spaces.Space[Any]:
        """Of one environment."""
        return self._task.spaces.observation_space

    @property
    def action_space(self) -> spaces.Space[Any]:
        """Of one environment."""
        return self._task.spaces.action_space

    @property
    def num_timesteps(self) -> int:
        """Environment steps so far."""
        return self._native.steps

    @property
    def total_timesteps(self) -> int:
        """Environment steps at the end of what `learn()` was last asked for."""
        return self._native.total_steps

    @property
    def n_updates(self) -> int:
        """Gradient steps so far."""
        return self._native.updates

    def learn(
        self: Self,
        total_timesteps: float | None = None,
        *,
        callback: CallbackLike = None,
        progress_bar: bool = False,
        n_evaluations: int = 0,
        n_eval_episodes: int = 5,
        reset_num_timesteps: bool = False,
    ) -> Self:
        """Trains that many more environment steps, or without a number to the end of what was begun.

        >>> model.learn(10_000)
        """
        if reset_num_timesteps and self.num_timesteps > 0:
            raise NotImplementedError("a model counts all of its steps: make a new one to begin again")
        steps = _whole(total_timesteps)
        callbacks = Callbacks([callback, ProgressBar() if progress_bar else None])
        self._write_wrapping()
        self._native.plan(steps, n_evaluations, n_eval_episodes)
        with callbacks.running(self), Interrupts(self._native.stop, saves=self._run_dir is not None):
            self._idle.clear()
            try:
                self._native.learn(self, callbacks.hooks(self._run_dir))
            finally:
                self._idle.set()
        return self

    def stop(self) -> None:
        """Ends `learn()` after the step it is in. Any thread may call it."""
        self._native.stop()

    def predict(
        self, observation: Any, state: Any = None, episode_start: Any = None, deterministic: bool = False
    ) -> tuple[Any, Any]:
        """The action for an observation, or those for a batch, in the environment's own layout.

        `deterministic=False` acts as in training: by chance with the present epsilon, or by a sample. Chance comes
        from a stream of its own, so that looking never changes a run. The second value is None but with
        `frame_stack`, where the next call takes it as `state`.

        >>> obs, _ = env.reset(seed=0)
        >>> action, _ = model.predict(obs, deterministic=True)
        """
        return self._native.predict(observation, state, episode_start, deterministic)

    def evaluate(self, episodes: int = 10, *, env: EnvLike | None = None, seed: int = 0) -> Evaluation:
        """Plays whole episodes in environments of their own, as `tarl eval --seed` would.

        >>> model.evaluate(20).mean
        """
        native, bridged = "", None
        if env is not None:
            other = Task.of(env)
            native, bridged = other.native, None if other.native else other.spaces
        return Evaluation(**self._native.evaluate(episodes, seed, native, bridged))

    def policy(self) -> Policy:
        """A copy of the agent as it is now, for other threads."""
        return Policy(_tarl.Policy(self._native, self._task.spaces))

    def get_parameters(self) -> dict[str, Array]:
        """Copies of the networks' parameters, in PyTorch's layout and by PyTorch's names."""
        return self._native.parameters()

    def set_parameters(self, parameters: Mapping[str, npt.ArrayLike]) -> None:
        """Takes parameters such as `get_parameters` gives."""
        current = self._native.parameters()
        types = {name: values.dtype for name, values in current.items()}
        self._native.set_parameters(
            {name: np.ascontiguousarray(values, types.get(name)) for name, values in parameters.items()}
        )

    def save(self, path: str | os.PathLike[str], *, full: bool = False) -> None:
        """Writes one file of tensors and text, never of code: parameters, target, optimiser, settings.

        With `full` also the replay, the environments and every stream of chance: what is loaded goes on to the bit.
        Without it what is loaded begins a new run with this agent.

        >>> model.save("model.safetensors", full=True)
        """
        self._file(full).write(os.fspath(path))

    def export_onnx(self, path: str | os.PathLike[str]) -> None:
        """Writes the policy as ONNX, with everything around the network inside (docs/export.md).

        >>> model.export_onnx("policy.onnx")
        """
        with self._saved() as file:
            export.export_onnx(file, path)

    def export_header(self, path: str | os.PathLike[str], *, namespace: str = "policy", force: bool = False) -> None:
        """Writes the policy as one C++17 header without dependencies or heap; `force` beyond two million parameters.

        >>> model.export_header("policy.h", namespace="mine::policy")
        """
        with self._saved() as file:
            export.export_header(file, path, namespace=namespace, force=force)

    @classmethod
    def load(cls: type[Self], path: str | os.PathLike[str], env: EnvLike | None = None) -> Self:
        """A model that `save()` wrote, or the agent of a run folder's model.safetensors.

        `env` is for a model whose environment was made by a function, or which goes on in another one.

        >>> model = tarl.DQN.load("model.safetensors")
        """
        model = load(path, env)
        if not isinstance(model, cls):
            raise TypeError(f"{path} holds a model of class {type(model).__name__}, not {cls.__name__}")
        return model

    def __getstate__(self) -> bytes:
        return self._file(full=True).encode()

    def __setstate__(self, state: bytes) -> None:
        self._restore(_tarl.decode_model(state), None)

    @contextmanager
    def _saved(self) -> Iterator[Path]:
        with TemporaryDirectory() as folder:
            file = Path(folder, "model.safetensors")
            self.save(file)
            yield file

    def _file(self, full: bool) -> _tarl.ModelFile:
        metadata = {"format": _FORMAT, "class": type(self).__name__, "settings": self._native.toml}
        if self._task.wrapping is not None:
            metadata["python"] = self._task.wrapping.encode()
        return self._native.file(full, metadata)

    def _restore(self, file: _tarl.ModelFile, env: EnvLike | None) -> None:
        about = file.metadata
        wrapping = Wrapping.decode(about["python"], file.source) if "python" in about else None
        if "settings" in about:
            _, name, n_envs = _tarl.run_of(about["settings"], file.source)
            self._begin(Task.again(env, name, wrapping, n_envs), toml=about["settings"])
        else:
            beside = Wrapping.read(Path(file.source).parent)  # in a run's folder
            task = Task.again(env, about["env"], beside, 1)
            network = [f"{key}={value}" for key, value in about.items() if key.startswith(_OF_NETWORKS)]
            self._begin(task, algo=about["algo"], settings=network)
        self._native.load(file)

    def _write_wrapping(self) -> None:
        wrapping = self._task.wrapping
        if self._run_dir is None or wrapping is None or (self._run_dir / "config.toml").exists():
            return
        wrapping.write(self._run_dir)


def _whole(total_timesteps: float | None) -> int | None:
    if total_timesteps is None:
        return None
    if not (total_timesteps >= 1 and float(total_timesteps).is_integer()):
        raise UsageError(f"total_timesteps = {total_timesteps} is not a whole number of 1 or more")
    return int(total_timesteps)


def _notice(text: str) -> None:
    warnings.warn(text, RuntimeWarning, stacklevel=3)


class DQN(Model):
    """Deep Q-learning; `TADQN` is the same with margin=1.0."""

    _base = "dqn"


class DDQN(DQN):
    """Double deep Q-learning; `TADDQN` is the same with margin=1.0."""

    _base = "ddqn"


class SAC(Model):
    """Soft actor-critic; `TASAC` is the same with margin=1.0."""

    _base = "sac"


class TD3(Model):
    """Twin delayed deep deterministic policy gradient; `TATD3` is the same with margin=1.0."""

    _base = "td3"


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
    """The class of an algorithm's name, such as "ta-dqn+per"."""
    plain = algo.partition("+")[0]
    for one in CLASSES.values():
        if one._algo() == plain:
            return one
    raise UsageError(f"{algo} is no algorithm of this package's")


def load(path: str | os.PathLike[str], env: EnvLike | None = None) -> Model:
    """A model from a file, of the class that it was saved as; see `Model.save` and `Model.load`.

    >>> model = tarl.load("model.safetensors")
    """
    file = _tarl.read_model(os.fspath(path))
    about = file.metadata
    if about.get("format", _FORMAT) != _FORMAT or not {"algo", "env"} <= set(about):
        raise Error(f"{path} holds no model that this version reads")
    kind = CLASSES[about["class"]] if "class" in about else _class_of(about["algo"])
    model = kind.__new__(kind)
    model._restore(file, env)
    return model


def resume(
    run_dir: str | os.PathLike[str], env: EnvLike | None = None, *, threads: int = 1, env_state: EnvState | None = None
) -> Model:
    """The model of a run folder, from its newest good checkpoint: `learn()` goes on to the bit.

    `env` is for a run whose environment was made by a function. With `env_state="restart"` the environments begin new
    episodes, where they cannot be put back.

    >>> model = tarl.resume("runs/mine").learn()
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


_alive: weakref.WeakSet[Model] = weakref.WeakSet()


@atexit.register
def _stop_all() -> None:
    """Threads that still learn leave C++ before the interpreter goes."""
    for model in list(_alive):
        model.stop()
        model._idle.wait(timeout=10)
