"""The base of all models."""

from __future__ import annotations

import atexit
import os
import threading
import warnings
import weakref
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar, TypeVar

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from tarl import _tarl, export
from tarl._checks import keywords, positional, whole_number
from tarl._describe import Evaluations, Settings, overview
from tarl._interrupts import Interrupts
from tarl._options import DEFAULTS, EnvLike, Task, Wrapping, ask
from tarl._policy import Evaluation, Policy, predict
from tarl.callbacks import CallbackLike, Callbacks, ProgressBar
from tarl.errors import Error, UsageError

Self = TypeVar("Self", bound="Model")
Array = npt.NDArray[Any]

FORMAT = "tarl-model-1"
_OF_NETWORKS = ("policy.", "dueling", "normalize.")  # settings recorded in a model file of `tarl train`


class Model:
    """Base of all models; use one of its subclasses."""

    _base: ClassVar[str] = ""  # the algorithm, as in `tarl train --algo`
    _aligned: ClassVar[bool] = False

    _native: _tarl.Model

    def __new__(cls: type[Self], *given: Any, **_: Any) -> Self:
        positional(cls.__name__, given)
        return super().__new__(cls)

    def __init__(self, env: EnvLike, **options: Any) -> None:
        name = type(self).__name__
        keywords(name, options, [*DEFAULTS, *(row["key"] for row in _tarl.default_settings(self.algo()))])
        task = Task.of(
            env,
            **{
                name: options[name]
                for name in ("n_envs", "eval_env", "frame_stack", "env_state", "vec")
                if name in options
            },
        )
        asked = ask(name, self.algo(), options, task)
        self._begin(
            task,
            algo=asked.algo,
            preset=asked.preset,
            settings=asked.assignments(),
            run_dir=options.get("run_dir"),
            threads=whole_number("threads", options.get("threads", 1)),
        )

    @classmethod
    def algo(cls) -> str:
        """The algorithm's name, as in `tarl train --algo`."""
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
            source=f"tarl.{type(self).__name__}",
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
        """Of one environment.

        >>> model.observation_space.shape
        (4,)
        """
        return self._task.spaces.observation_space

    @property
    def action_space(self) -> spaces.Space[Any]:
        """Of one environment.

        >>> model.action_space
        Discrete(2)
        """
        return self._task.spaces.action_space

    @property
    def num_timesteps(self) -> int:
        """Environment steps so far.

        >>> model.learn(500).num_timesteps
        500
        """
        return self._native.steps

    @property
    def total_timesteps(self) -> int:
        """Environment steps at which the last requested `learn()` ends.

        >>> model.learn(500, callback=lambda model, step: print(f"{step} of {model.total_timesteps}"))
        <tarl.DQN in CartPole-v1: 500 steps>
        >>> model.total_timesteps
        500
        """
        return self._native.total_steps

    @property
    def n_updates(self) -> int:
        """Gradient steps so far.

        >>> model.learn(500).n_updates > 0
        True
        """
        return self._native.updates

    @property
    def settings(self) -> Settings:
        """Every setting of the run, with its current value.

        >>> model.settings["learning_rate"].value
        0.0001
        """
        table = self._native.settings()
        return Settings(next(row["value"] for row in table if row["key"] == "algo"), table)

    @property
    def evaluations(self) -> Evaluations:
        """The evaluations made by `learn(n_evaluations=...)`.

        >>> model.learn(1_000, n_evaluations=4).evaluations.returns.mean(axis=1).shape
        (4,)
        """
        return Evaluations(**self._native.evaluations())

    def __repr__(self) -> str:
        where = "" if self._run_dir is None else f", run_dir={str(self._run_dir)!r}"
        return f"<tarl.{type(self).__name__} in {self._task.spaces.name}: {self.num_timesteps} steps{where}>"

    def _repr_html_(self) -> str:
        facts = {"steps": f"{self.num_timesteps:,}", "updates": f"{self.n_updates:,}"}
        facts |= {"environment": self._task.spaces.name, "folder": str(self._run_dir or "none")}
        return overview(f"tarl.{type(self).__name__}", facts, self.settings, self.evaluations)

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
        """Trains for that many more environment steps or, without a number, to the end of an
        interrupted call.

        `n_evaluations` evaluations are spread over the steps of the first call; longer runs keep their interval.

        >>> model.learn(10_000, n_evaluations=4)
        <tarl.DQN in CartPole-v1: 10000 steps>
        >>> model.learn(5_000)  # 5,000 more, with 2 more evaluations
        <tarl.DQN in CartPole-v1: 15000 steps>
        >>> model.evaluations.timesteps.tolist()
        [2500, 5000, 7500, 10000, 12500, 15000]
        """
        if reset_num_timesteps and self.num_timesteps > 0:
            raise NotImplementedError("a model counts all of its steps: make a new one to begin again")
        steps = None if total_timesteps is None else whole_number("total_timesteps", total_timesteps)
        n_evaluations = whole_number("n_evaluations", n_evaluations, 0)
        n_eval_episodes = whole_number("n_eval_episodes", n_eval_episodes)
        if steps is not None and n_evaluations > steps:
            raise UsageError(f"n_evaluations = {n_evaluations} do not fit into {steps} steps; raise total_timesteps")
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
        """Ends `learn()` after the current step. Any thread may call it.

        >>> model.learn(10**9, callback=lambda model, step: model.stop())
        <tarl.DQN in CartPole-v1: 1000 steps>
        """
        self._native.stop()

    def predict(
        self, observation: Any, state: Any = None, episode_start: Any = None, deterministic: bool = False
    ) -> tuple[Any, Any]:
        """The action for an observation, or actions for a batch, in the environment's own layout.

        `deterministic=False` acts as in training: epsilon-greedily with the current epsilon, or by a sample. It
        draws from its own random stream, so that predicting never changes a run. The second value is None, except
        with `frame_stack`: pass it as `state` to the next call.

        >>> obs, _ = gym.make("CartPole-v1").reset(seed=0)
        >>> action, _ = model.predict(obs, deterministic=True)
        """
        return predict(self._native, observation, state, episode_start, deterministic)

    def evaluate(self, episodes: int = 10, *, env: EnvLike | None = None, seed: int = 0) -> Evaluation:
        """Plays whole episodes in separate environments, as `tarl eval --seed` would.

        >>> evaluation = model.evaluate(20)
        >>> evaluation.returns.shape, bool(evaluation.mean == evaluation.returns.mean())
        ((20,), True)
        """
        native, bridged = "", None
        if env is not None:
            other = Task.of(env)
            native, bridged = other.native, None if other.native else other.spaces
        episodes = whole_number("episodes", episodes)
        return Evaluation(**self._native.evaluate(episodes, whole_number("seed", seed, 0, 2**63), native, bridged))

    def policy(self) -> Policy:
        """A copy of the agent as it is now, for other threads.

        >>> policy = model.policy()
        >>> action, _ = policy.predict(obs, deterministic=True)
        """
        return Policy(_tarl.Policy(self._native, self._task.spaces))

    def get_parameters(self) -> dict[str, Array]:
        """Copies of the networks' parameters, in PyTorch's layout and by PyTorch's names.

        >>> model.get_parameters()["q.fc1.weight"].shape
        (64, 4)
        """
        return self._native.parameters()

    def set_parameters(self, parameters: Mapping[str, npt.ArrayLike]) -> None:
        """Sets parameters in the form that `get_parameters` returns.

        >>> other = tarl.DQN("CartPole-v1", seed=1)
        >>> other.set_parameters(model.get_parameters())
        """
        if not isinstance(parameters, Mapping):
            raise TypeError(f"parameters are arrays by name, as get_parameters() returns, not {type(parameters).__name__}")
        current = self._native.parameters()
        types = {name: values.dtype for name, values in current.items()}
        self._native.set_parameters(
            {name: np.ascontiguousarray(values, types.get(name)) for name, values in parameters.items()}
        )

    def save(self, path: str | os.PathLike[str], *, full: bool = False) -> None:
        """Writes one file of tensors and text, never code: parameters, target, optimiser, settings.

        With `full` it also has the replay, the environments and every random stream: a loaded model continues
        bit-exactly. Otherwise a loaded model begins a new run with this agent.

        >>> model.save("model.safetensors", full=True)
        """
        self._file(full).write(os.fspath(path))

    def export(self, path: str | os.PathLike[str], *, namespace: str | None = None, force: bool = False) -> None:
        """Writes the policy for programs without tarl: ONNX to a name in .onnx, one C++17 header to one in .h.

        `namespace` and `force` are those of `export_header`.

        >>> model.export("policy.onnx")
        >>> model.export("policy.h", namespace="mine::policy")
        """
        with self._saved() as file:
            export.export_by_ending(file, path, namespace, force)

    def export_onnx(self, path: str | os.PathLike[str]) -> None:
        """Writes the policy as ONNX, including pre- and postprocessing (docs/export.md).

        >>> model.export_onnx("policy.onnx")
        """
        with self._saved() as file:
            export.export_onnx(file, path)

    def export_header(self, path: str | os.PathLike[str], *, namespace: str = "policy", force: bool = False) -> None:
        """Writes the policy as one C++17 header without dependencies or heap; more than two million parameters need
        `force`.

        >>> model.export_header("policy.h", namespace="mine::policy")
        """
        with self._saved() as file:
            export.export_header(file, path, namespace=namespace, force=force)

    @classmethod
    def load(cls: type[Self], path: str | os.PathLike[str], env: EnvLike | None = None) -> Self:
        """Loads a model written by `save()`, or the agent in a run folder's model.safetensors.

        `env` is for a model whose environment was made by a function, or that continues in another
        one.

        >>> model.save("model.safetensors")
        >>> model = tarl.DQN.load("model.safetensors")
        """
        from tarl.models import load  # that module knows all classes

        model = load(path, env)
        if not isinstance(model, cls):
            raise TypeError(f"{path} holds a model of class {type(model).__name__}, not {cls.__name__}")
        return model

    def __getstate__(self) -> tuple[bytes, Any]:
        return self._file(full=True).encode(), self._task.function

    def __setstate__(self, state: tuple[bytes, Any]) -> None:
        content, function = state
        self._restore(_tarl.decode_model(content), function)

    @contextmanager
    def _saved(self) -> Iterator[Path]:
        with TemporaryDirectory() as folder:
            file = Path(folder, "model.safetensors")
            self.save(file)
            yield file

    def _file(self, full: bool) -> _tarl.ModelFile:
        metadata = {"format": FORMAT, "class": type(self).__name__, "settings": self._native.toml}
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
            beside = Wrapping.read(Path(file.source).parent)  # in a run folder
            task = Task.again(env, about["env"], beside, 1)
            network = [f"{key}={value}" for key, value in about.items() if key.startswith(_OF_NETWORKS)]
            self._begin(task, algo=about["algo"], settings=network)
        try:
            self._native.load(file)
        except Error as problem:
            if env is None:
                raise
            fits = f"an agent of {about['env']}, which does not fit {self._task.spaces.name}"
            raise UsageError(f"{file.source} holds {fits}: {problem}") from None

    def _write_wrapping(self) -> None:
        wrapping = self._task.wrapping
        if self._run_dir is None or wrapping is None or (self._run_dir / "config.toml").exists():
            return
        wrapping.write(self._run_dir)


def _notice(text: str) -> None:
    warnings.warn(text, RuntimeWarning, stacklevel=3)


_alive: weakref.WeakSet[Model] = weakref.WeakSet()


@atexit.register
def _stop_all() -> None:
    """Threads that are still learning leave C++ before the interpreter exits."""
    for model in list(_alive):
        model.stop()
        model._idle.wait(timeout=60)  # an environment may hang
