"""Callbacks during learning.

>>> callbacks = [tarl.callbacks.EvalCallback(every=5_000), tarl.callbacks.StopOnReturn(475)]
>>> model = model.learn(50_000, callback=callbacks)
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from tarl import _tarl
from tarl._checks import whole_number

if TYPE_CHECKING:
    from tarl._options import EnvLike
    from tarl.models import Evaluation, Model

__all__ = [
    "Callback",
    "Checkpoint",
    "EvalCallback",
    "OptunaPruner",
    "ProgressBar",
    "StopOnNoImprovement",
    "StopOnReturn",
    "TensorBoard",
    "Wandb",
]

Numbers: TypeAlias = npt.NDArray[Any]
CallbackLike: TypeAlias = "Callback | Callable[[Model, int], bool | None] | Iterable[CallbackLike] | None"


class Callback:
    """Override what you need. Returning False (the literal) from any of them ends `learn()` after the step.

    They may inspect the model in any way, which does not change the run, but not call `learn()`.

    >>> class Print(tarl.callbacks.Callback):
    ...     def on_episode(self, model, step, ret, length):
    ...         if step > 19_900:
    ...             print(f"step {step}: {ret:.0f}")
    >>> model.learn(20_000, callback=Print())  # doctest: +ELLIPSIS
    step ...
    """

    every: int = 1000  # environment steps between calls of on_step

    def on_start(self, model: Model) -> None:
        """`learn()` begins."""

    def on_step(self, model: Model, step: int) -> bool | None:
        """Called every `every` environment steps."""

    def on_episode(self, model: Model, step: int, ret: float, length: int) -> bool | None:
        """A training episode is over."""

    def on_evaluation(self, model: Model, step: int, returns: Numbers, lengths: Numbers) -> bool | None:
        """An evaluation was made: the run's own, or an `EvalCallback`'s."""

    def on_log(self, model: Model, step: int, row: dict[str, float]) -> bool | None:
        """A row of progress.csv, with or without a folder, under Stable-Baselines3's tags and tarl's."""

    def on_checkpoint(self, model: Model, step: int, folder: Path) -> bool | None:
        """A checkpoint of the run is in its folder."""

    def on_end(self, model: Model) -> None:
        """`learn()` ends, even by an exception."""


class _Function(Callback):
    def __init__(self, function: Callable[[Model, int], bool | None]) -> None:
        self.every = getattr(function, "every", Callback.every)
        self.on_step = function  # type: ignore[assignment]


class Callbacks:
    """The callbacks of one `learn()`, in order."""

    def __init__(self, given: CallbackLike) -> None:
        self.all: list[Callback] = list(_flattened(given))

    def hooks(self, folder: Path | None) -> dict[str, list[Any]]:
        """Called from C++, with the model as first argument."""
        evaluated = self._overriding("on_evaluation")
        for one in self.all:
            if isinstance(one, EvalCallback):
                one.told = evaluated
        return {
            "step": [(call, _checked_every(every)) for call, every in self._step_hooks()],
            "episode": self._overriding("on_episode"),
            "evaluation": evaluated,
            "log": self._overriding("on_log"),
            "checkpoint": [_with_folder(call, folder) for call in self._overriding("on_checkpoint") if folder],
        }

    @contextmanager
    def running(self, model: Model) -> Iterator[None]:
        """Notifies of the end the callbacks that were notified of the start."""
        with ExitStack() as ends:
            for one in self.all:
                one.on_start(model)
                ends.callback(one.on_end, model)
            yield

    def _step_hooks(self) -> list[tuple[Any, int]]:
        return [(one.on_step, one.every) for one in self.all if _overrides(one, "on_step")]

    def _overriding(self, name: str) -> list[Any]:
        return [getattr(one, name) for one in self.all if _overrides(one, name)]


def _overrides(callback: Callback, name: str) -> bool:
    return name in vars(callback) or getattr(type(callback), name) is not getattr(Callback, name)


def _checked_every(every: Any) -> int:
    return whole_number("every", every)


def _with_folder(call: Callable[..., Any], folder: Path) -> Callable[..., Any]:
    return lambda model, step: call(model, step, folder)


def _flattened(given: CallbackLike) -> Iterator[Callback]:
    if given is None:
        return
    if isinstance(given, Callback):
        yield given
    elif isinstance(given, type):
        raise TypeError(f"a callback is an object: {given.__name__}() rather than {given.__name__}")
    elif callable(given):
        yield _Function(given)
    elif isinstance(given, Iterable):
        for one in given:
            yield from _flattened(one)
    else:
        raise TypeError(f"a callback is a Callback, a function or a list of them, not {type(given).__name__}")


class EvalCallback(Callback):
    """Evaluates at regular intervals, in separate environments, and keeps the best model.

    >>> evaluation = tarl.callbacks.EvalCallback(every=5_000, best_model_path="best.safetensors")
    >>> model = model.learn(20_000, callback=evaluation)
    >>> evaluation.best == max(made.mean for step, made in evaluation.evaluations)
    True
    >>> best = tarl.load("best.safetensors")
    """

    def __init__(
        self,
        env: EnvLike | None = None,
        every: int = 10_000,
        episodes: int = 5,
        best_model_path: str | os.PathLike[str] | None = None,
    ) -> None:
        self.every = every
        self.evaluations: list[tuple[int, Evaluation]] = []  # with their steps
        self.best: float = -np.inf  # the best mean return so far
        self.told: list[Any] = []  # on_evaluation of all callbacks
        self._env = env
        self._episodes = episodes
        self._best_model_path = best_model_path

    def on_step(self, model: Model, step: int) -> bool | None:
        made = model.evaluate(self._episodes, env=self._env, seed=len(self.evaluations))
        self.evaluations.append((step, made))
        if made.mean > self.best:
            self.best = made.mean
            if self._best_model_path is not None:
                model.save(self._best_model_path)
        answers = [tell(model, step, made.returns, made.lengths) for tell in self.told]
        return False if any(answer is False for answer in answers) else None


class StopOnReturn(Callback):
    """Ends `learn()` when the mean return of an evaluation reaches a threshold.

    >>> model = model.learn(50_000, n_evaluations=50, callback=tarl.callbacks.StopOnReturn(475))
    """

    def __init__(self, threshold: float) -> None:
        self._threshold = threshold

    def on_evaluation(self, model: Model, step: int, returns: Numbers, lengths: Numbers) -> bool | None:
        return False if returns.mean() >= self._threshold else None


class StopOnNoImprovement(Callback):
    """Ends `learn()` after a number of evaluations without a new best mean return.

    >>> model = model.learn(50_000, n_evaluations=50, callback=tarl.callbacks.StopOnNoImprovement(patience=10))
    """

    def __init__(self, patience: int) -> None:
        self._patience = patience
        self._best = -np.inf
        self._since = 0

    def on_evaluation(self, model: Model, step: int, returns: Numbers, lengths: Numbers) -> bool | None:
        self._since += 1
        if returns.mean() > self._best:
            self._best, self._since = returns.mean(), 0
        return False if self._since >= self._patience else None


class Checkpoint(Callback):
    """Saves the whole model at regular intervals, as step_<n>.safetensors in a folder.

    With `run_dir` the run saves itself, and `tarl.resume` continues it.

    >>> model = model.learn(20_000, callback=tarl.callbacks.Checkpoint(5_000, "models"))
    >>> again = tarl.load("models/step_15000.safetensors").learn()
    """

    def __init__(self, every: int, folder: str | os.PathLike[str]) -> None:
        self.every = every
        self._folder = Path(folder)

    def on_step(self, model: Model, step: int) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        model.save(self._folder / f"step_{step}.safetensors", full=True)


class ProgressBar(Callback):
    """A tqdm progress bar; `learn(progress_bar=True)` adds one.

    >>> model = model.learn(20_000, callback=tarl.callbacks.ProgressBar())
    """

    every = 100

    def on_start(self, model: Model) -> None:
        try:
            from tqdm.auto import tqdm
        except ImportError:
            raise ImportError("a progress bar needs tqdm: pip install tqdm") from None
        self._returns: deque[float] = deque(maxlen=100)
        self._bar = tqdm(total=model.total_timesteps, initial=model.num_timesteps, unit="step")

    def on_episode(self, model: Model, step: int, ret: float, length: int) -> None:
        self._returns.append(ret)

    def on_step(self, model: Model, step: int) -> None:
        if self._returns:
            self._bar.set_postfix_str(f"return {np.mean(self._returns):.4g}", refresh=False)
        self._bar.update(step - self._bar.n)

    def on_end(self, model: Model) -> None:
        self._bar.update(model.num_timesteps - self._bar.n)
        self._bar.close()


class TensorBoard(Callback):
    """Writes log rows for TensorBoard; a model with `run_dir` does so by itself.

    >>> model = model.learn(20_000, callback=tarl.callbacks.TensorBoard("logs/mine"))
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self._folder = Path(folder)

    def on_start(self, model: Model) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        self._file = (self._folder / f"events.out.tfevents.{model.num_timesteps}.tarl").open("wb")
        self._file.write(_tarl.encode_event_header())

    def on_log(self, model: Model, step: int, row: dict[str, float]) -> None:
        self._file.write(_tarl.encode_events(step, row))
        self._file.flush()

    def on_end(self, model: Model) -> None:
        self._file.close()


class Wandb(Callback):
    """Logs to Weights & Biases. Keyword arguments are those of `wandb.init`.

    >>> model = model.learn(20_000, callback=tarl.callbacks.Wandb("cartpole", mode="offline"))
    """

    def __init__(self, project: str, **init: Any) -> None:
        self._init = {"project": project, **init}

    def on_start(self, model: Model) -> None:
        try:
            import wandb
        except ImportError:
            raise ImportError("logging to Weights & Biases needs wandb: pip install 'tarl[wandb]'") from None
        config = {key: setting.value for key, setting in model.settings.items()}
        self._run = wandb.init(**{"config": config, **self._init})

    def on_log(self, model: Model, step: int, row: dict[str, float]) -> None:
        self._run.log(row, step=step)

    def on_evaluation(self, model: Model, step: int, returns: Numbers, lengths: Numbers) -> None:
        self._run.log({"eval/mean_reward": float(returns.mean())}, step=step)

    def on_end(self, model: Model) -> None:
        self._run.finish()


class OptunaPruner(Callback):
    """Reports evaluations to an Optuna trial, and prunes it with optuna.TrialPruned, which `learn()` raises.

    >>> import optuna
    >>> def objective(trial):
    ...     rate = trial.suggest_float("learning_rate", 1e-4, 1e-2, log=True)
    ...     model = tarl.DQN("CartPole-v1", learning_rate=rate, learning_starts=200)
    ...     model.learn(2_000, n_evaluations=10, callback=tarl.callbacks.OptunaPruner(trial))
    ...     return model.evaluate(5).mean
    >>> optuna.create_study(direction="maximize").optimize(objective, n_trials=2)
    """

    def __init__(self, trial: Any) -> None:
        self._trial = trial

    def on_evaluation(self, model: Model, step: int, returns: Numbers, lengths: Numbers) -> None:
        self._trial.report(float(returns.mean()), step)
        if self._trial.should_prune():
            import optuna

            raise optuna.TrialPruned(f"step {step}: mean return {returns.mean():.4g}")
