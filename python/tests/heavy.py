"""Packages of several GB, which `make test` goes without."""

from typing import Any

import pytest


def need(package: str) -> Any:
    """The package; the test is skipped where it is missing."""
    return pytest.importorskip(package, reason=f"{package} is missing; make verify-python brings it")
