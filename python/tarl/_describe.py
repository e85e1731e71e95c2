"""A model's settings as text and in notebooks."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
import numpy.typing as npt

from tarl import _tarl
from tarl._checks import meant
from tarl._options import DEFAULTS, SETTLED

_GYMNASIUM = _tarl.PYTHON_FAMILY + "any"  # the name of a Gymnasium environment


@dataclass(frozen=True)
class Setting:
    """One setting of a run.

    >>> setting = tarl.settings("dqn", "CartPole-v1")["gamma"]
    >>> setting.value, setting.range, setting.help
    (0.99, 'number, 0 to 1', 'discount')
    """

    key: str
    value: Any
    type: str  # "number", "whole number", "true|false", "a|b|c", "text", "list of whole numbers"
    help: str
    low: float
    high: float
    choices: tuple[str, ...] | None
    default: Any  # the algorithm's, before presets and environment-specific values

    @property
    def range(self) -> str:
        """Its possible values."""
        if self.choices is not None:
            return " or ".join(self.choices)
        if "number" not in self.type:
            return self.type
        return f"{self.type}, {self.low:g} to {self.high:g}"


class Settings(Mapping[str, Setting]):
    """Settings by key, as `tarl show-config` prints them.

    >>> tarl.settings("dqn", "CartPole-v1")["batch_size"].value
    32
    """

    def __init__(self, algo: str, rows: Iterable[dict[str, Any]]) -> None:
        defaults = {row["key"]: row["value"] for row in _tarl.default_settings(algo)}
        self._settings = {
            row["key"]: Setting(
                row["key"],
                row["value"],
                row["type"],
                row["help"],
                row["low"],
                row["high"],
                None if row["choices"] is None else tuple(row["choices"]),
                defaults.get(row["key"]),
            )
            for row in rows
        }

    def __getitem__(self, key: str) -> Setting:
        if key not in self._settings:
            raise KeyError(f"no setting is called {key!r}{meant(key, self)}")
        return self._settings[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._settings)

    def __len__(self) -> int:
        return len(self._settings)

    def __repr__(self) -> str:
        return "\n".join(f"{one.key} = {one.value!r}  # {one.help}; {one.range}" for one in self.values())

    def _repr_html_(self) -> str:
        rows = "".join(_html_row(one.key, repr(one.value), one.range, one.help) for one in self.values())
        return f"<table><tr><th>setting</th><th>value</th><th>may be</th><th></th></tr>{rows}</table>"


@dataclass(frozen=True)
class Evaluations:
    """The evaluations of a run so far, one row each.

    >>> evaluations = model.learn(1_000, n_evaluations=4, n_eval_episodes=5).evaluations
    >>> evaluations.timesteps.tolist()
    [250, 500, 750, 1000]
    >>> evaluations.returns.shape
    (4, 5)
    """

    timesteps: npt.NDArray[Any]  # [evaluations]
    returns: npt.NDArray[Any]  # [evaluations, episodes]
    lengths: npt.NDArray[Any]  # [evaluations, episodes] environment steps

    def __len__(self) -> int:
        return len(self.timesteps)

    def _repr_html_(self) -> str:
        return _curve(self.timesteps, self.returns.mean(axis=1)) if len(self) else "<p>no evaluations</p>"


def document(cls: type, algo: str) -> None:
    """Adds the settings of an algorithm to the docstring and signature of its class."""
    settings = Settings(algo, _tarl.default_settings(algo, _GYMNASIUM))
    lines = [f"    {one.key} = {one.value!r}: {one.help}; {one.range}" for one in settings.values() if _is_keyword(one)]
    more = [f"    {one.key} = {one.value!r}: {one.help}" for one in settings.values() if _is_dotted(one)]
    cls.__doc__ = "\n".join(
        [
            inspect.cleandoc(cls.__doc__ or ""),
            _example(cls.__name__, settings),
            "\nSettings, with their values on Gymnasium's environments where nothing else is said (native ones have "
            "those of their paper, see `tarl.settings`):\n",
            *lines,
            "\nAnd in policy_kwargs, replay, align or settings, by their names:\n",
            *more,
        ]
    )
    keyword = inspect.Parameter.KEYWORD_ONLY
    values = {**DEFAULTS, **{one.key: one.value for one in settings.values() if _is_keyword(one)}}
    parameters = [inspect.Parameter("env", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
    parameters += [inspect.Parameter(name, keyword, default=value) for name, value in values.items()]
    cls.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]


def _example(name: str, settings: Settings) -> str:
    env, steps = ("CartPole-v1", "20_000") if "exploration_fraction" in settings else ("Pendulum-v1", "500")
    return (
        f'\n>>> model = tarl.{name}("{env}", seed=0).learn({steps})\n'
        ">>> action, _ = model.predict(model.observation_space.sample(), deterministic=True)"
    )


def _is_keyword(one: Setting) -> bool:
    return "." not in one.key and one.key not in (*SETTLED, *DEFAULTS)


def _is_dotted(one: Setting) -> bool:
    return "." in one.key and one.key not in SETTLED


def overview(title: str, facts: Mapping[str, object], settings: Settings, evaluations: Evaluations) -> str:
    """A model in a notebook."""
    rows = "".join(_html_row(name, str(value)) for name, value in facts.items())
    curve = evaluations._repr_html_() if len(evaluations) else ""
    more = f"<details><summary>settings</summary>{settings._repr_html_()}</details>"
    return f"<b>{escape(title)}</b><table>{rows}</table>{curve}{more}"


def _html_row(*cells: str) -> str:
    return "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>"


def _curve(steps: npt.NDArray[Any], means: npt.NDArray[Any], width: int = 360, height: int = 120) -> str:
    """Mean returns over steps, as an image."""
    low, high = float(np.min(means)), float(np.max(means))
    over = width / max(1.0, float(steps[-1]))
    up = (height - 10) / ((high - low) or 1.0)
    points = " ".join(f"{x * over:.1f},{height - 5 - (y - low) * up:.1f}" for x, y in zip(steps, means, strict=True))
    return (
        f'<svg viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" aria-label="mean returns">'
        f'<polyline fill="none" stroke="currentColor" points="{points}"/></svg>'
        f"<p>mean return of evaluations: {low:.4g} to {high:.4g}, last {float(means[-1]):.4g} at step {steps[-1]}</p>"
    )


