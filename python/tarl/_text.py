"""Python values in the notation of C++ settings."""

from typing import Any


def setting_text(value: Any) -> str:
    """As in config.toml and `tarl train --set`: true, 0.5, [64, 64]."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(setting_text(item) for item in value) + "]"
    return str(value)
