"""Agents that only act."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NoReturn

import numpy.typing as npt

from tarl import _tarl

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Evaluation:
    """Whole episodes played by an agent.

    >>> evaluation = model.evaluate(20)
    >>> best = evaluation.returns.max()
    >>> bool(evaluation.mean <= best), evaluation.cut
    (True, 0)
    """

    returns: Array  # [episodes]
    lengths: Array  # [episodes] environment steps
    cut: int  # episodes cut by the step limit of evaluations

    @property
    def mean(self) -> float:
        return float(self.returns.mean())

    @property
    def std(self) -> float:
        return float(self.returns.std())


class Policy:
    """A snapshot of an agent, for acting. Any thread may use it.

    >>> policy = model.policy()
    >>> action, _ = policy.predict(obs, deterministic=True)
    """

    def __init__(self, native: _tarl.Policy) -> None:
        self._native = native

    def __getstate__(self) -> NoReturn:
        raise TypeError("a policy is not pickled; pickle its model, and take its policy() there")

    def predict(
        self, observation: Any, state: Any = None, episode_start: Any = None, deterministic: bool = False
    ) -> tuple[Any, Any]:
        """The action for an observation, or actions for a batch; see `Model.predict`."""
        return predict(self._native, observation, state, episode_start, deterministic)


def predict(
    native: _tarl.Model | _tarl.Policy, observation: Any, state: Any, episode_start: Any, deterministic: bool
) -> tuple[Any, Any]:
    """Predicts with a model or a policy. Errors name arguments that are not observations by their type."""
    try:
        return native.predict(observation, state, episode_start, bool(deterministic))
    except (TypeError, ValueError):
        if observation is None:
            raise TypeError("predict() wants an observation, not None") from None
        if isinstance(observation, tuple) and len(observation) == 2 and isinstance(observation[1], dict):
            raise TypeError("predict() wants an observation: reset() returns (observation, info)") from None
        raise
