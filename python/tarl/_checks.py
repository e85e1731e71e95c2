"""Checks arguments before they reach C++, with messages that say what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import Any

from tarl.errors import UsageError

# Arguments of Stable-Baselines3 that belong elsewhere here.
ELSEWHERE = {
    "device": 'models run on the CPU; tarl.Study.run(executor="fleet") trains whole studies on a GPU',
    "optimize_memory_usage": "each observation is stored once anyway",
    "policy": "observations choose the network, which policy_kwargs shapes",
    "replay_buffer_class": 'replay= takes "uniform", "per" and "reaper"',
    "replay_buffer_kwargs": 'replay= takes a dict, {"kind": "per", "alpha": 0.6}',
    "tensorboard_log": "run_dir= keeps TensorBoard's files among others, tarl.callbacks.TensorBoard(folder) them alone",
    "use_sde": "there is no state-dependent exploration",
    "verbose": "learn(progress_bar=True) shows how it goes, callbacks see everything",
}


def whole_number(name: str, value: Any, least: int = 1, most: int = 10**15) -> int:
    """The value as an int; whole floats are accepted."""
    try:
        good = not isinstance(value, (str, bytes)) and float(value).is_integer() and least <= int(value) <= most
    except (TypeError, ValueError, OverflowError):
        good = False
    if not good:
        raise UsageError(f"{name} = {value!r} is not a whole number from {least} to {most:g}")
    return int(value)


def a_dict(cls: str, name: str, value: Any) -> Mapping[str, Any]:
    """A mapping or None."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise UsageError(f"tarl.{cls}: {name} is a dict of settings, not {type(value).__name__} {value!r}")
    return value


def keywords(cls: str, given: Iterable[str], known: Iterable[str]) -> None:
    """Raises UsageError with the nearest names if a keyword argument is neither an option nor a setting."""
    names = list(known)
    for name in given:
        if name in names:
            continue
        if name in ELSEWHERE:
            raise UsageError(f"tarl.{cls}: no setting is called {name!r}: {ELSEWHERE[name]}")
        raise UsageError(f"tarl.{cls}: no setting is called {name!r}{meant(name, names)} (help(tarl.{cls}))")


def positional(cls: str, given: tuple[Any, ...]) -> None:
    """Raises UsageError for more positional arguments than an environment; Stable-Baselines3 takes
    more."""
    if len(given) > 1 or (given and isinstance(given[0], str) and given[0].endswith("Policy")):
        raise UsageError(
            f"tarl.{cls} takes the environment alone, tarl.{cls}(env): {ELSEWHERE['policy']}; the rest goes by name"
        )


def meant(name: str, known: Iterable[str]) -> str:
    """The nearest names, as the end of a message."""
    near = difflib.get_close_matches(name, sorted(set(known)), 2)
    return f"; did you mean {' or '.join(repr(one) for one in near)}?" if near else ""
