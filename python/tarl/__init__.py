"""Target-aligned reinforcement learning.

Names are loaded when they are asked for: ``import tarl`` takes nothing, ``tarl.align`` and ``tarl.sb3``
need neither the extension nor Gymnasium.
"""

from importlib import import_module
from typing import Any

_MODULES = ("align", "callbacks", "envs")
_HOMES = {name: "tarl.errors" for name in ("Error", "NonFiniteError", "UsageError")}
_HOMES |= {prefix + name: "tarl.models" for prefix in ("", "TA") for name in ("DQN", "DDQN", "SAC", "TD3", "DDPG")}
_HOMES |= {name: "tarl.models" for name in ("load", "resume")}
_HOMES |= {name: "tarl.export" for name in ("export_header", "export_onnx")}

__all__ = [*_MODULES, *_HOMES]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    if name in _MODULES:
        return import_module("tarl." + name)
    raise AttributeError(f"module 'tarl' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
