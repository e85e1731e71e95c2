"""Values of Python's as the settings of C++ are written."""

from typing import Any


def setting_text(value: Any) -> str:
    """As config.toml and `tarl train --set` have it: true, 0.5, [64, 64]."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(setting_text(item) for item in value) + "]"
    return str(value)
