"""Target-aligned reinforcement learning.

Names are loaded lazily: ``import tarl`` costs nothing, and ``tarl.align`` and ``tarl.sb3`` need neither
the extension nor Gymnasium.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # for editors and mypy
    from tarl import align as align, callbacks as callbacks, envs as envs, results as results, studies as studies
    from tarl._inspect import inspect as inspect
    from tarl.errors import Error as Error, NonFiniteError as NonFiniteError, UsageError as UsageError
    from tarl.export import export_header as export_header, export_onnx as export_onnx
    from tarl.models import DDPG as DDPG, DDQN as DDQN, DQN as DQN, SAC as SAC, TD3 as TD3
    from tarl.models import TADDPG as TADDPG, TADDQN as TADDQN, TADQN as TADQN, TASAC as TASAC, TATD3 as TATD3
    from tarl.models import load as load, resume as resume, settings as settings
    from tarl.results import Report as Report, Run as Run, Runs as Runs, load_runs as load_runs, report as report
    from tarl.studies import Study as Study, study as study

_MODULES = ("align", "callbacks", "envs", "results", "studies")
_HOMES = {name: "tarl.errors" for name in ("Error", "NonFiniteError", "UsageError")}
_HOMES |= {prefix + name: "tarl.models" for prefix in ("", "TA") for name in ("DQN", "DDQN", "SAC", "TD3", "DDPG")}
_HOMES |= {name: "tarl.models" for name in ("load", "resume", "settings")}
_HOMES["inspect"] = "tarl._inspect"
_HOMES |= {name: "tarl.results" for name in ("Report", "Run", "Runs", "load_runs", "report")}
_HOMES |= {name: "tarl.studies" for name in ("Study", "study")}
_HOMES |= {name: "tarl.export" for name in ("export_header", "export_onnx")}

__all__ = [*_MODULES, *_HOMES]


def __getattr__(name: str) -> Any:
    if name == "_tarl":
        return _extension()
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    if name in (*_MODULES, "sb3"):
        return import_module("tarl." + name)
    raise AttributeError(f"module 'tarl' has no attribute {name!r}")


def _extension() -> Any:
    try:
        return import_module("tarl._tarl")
    except ModuleNotFoundError as problem:
        if problem.name != "tarl._tarl":
            raise
    raise ImportError(
        "this installation of tarl has no C++ part, which is built for Linux on x86-64; "
        "tarl.align and tarl.sb3 work without it"
    )


def __dir__() -> list[str]:
    return sorted(__all__)
