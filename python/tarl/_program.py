"""The location of the package's program `tarl`."""

from pathlib import Path

from tarl.errors import Error


def program() -> Path:
    """The program of this package. Raises Error if the package came without it."""
    path = Path(__file__).parent / "bin" / "tarl"
    if not path.exists():
        raise Error("this installation has no program: tarl runs on Linux on x86-64 alone")
    return path
