"""Values of Python's as the settings of C++ are written."""

from typing import Any


def setting_text(value: Any) -> str:
    """As `tarl train --set` takes it: true, 0.5, [64, 64]."""
    return str(value).lower() if isinstance(value, bool) else str(value)
