"""Where the package keeps the program `tarl`."""

from pathlib import Path

from tarl.errors import Error


def program() -> Path:
    """The program that belongs to this package. Raises Error where the package came without it."""
    path = Path(__file__).parent / "bin" / "tarl"
    if not path.exists():
        raise Error("this installation has no program: tarl runs on Linux on x86-64 alone")
    return path
