"""Policies for programs without tarl: ONNX, or one C++ header. docs/export.md describes them."""

import os
from pathlib import Path

from tarl import _tarl
from tarl.errors import UsageError

HEADERS = (".h", ".hpp", ".hh", ".hxx", ".inc")


def export_onnx(model: str | os.PathLike[str], path: str | os.PathLike[str], *, best: bool = False) -> None:
    """Write the policy of a run folder or a model file as ONNX, including pre- and postprocessing.

    ``best`` selects the model of a run's best evaluation instead of its last.

    >>> tarl.export_onnx("runs/first", "policy.onnx")
    """
    _tarl.export_onnx(os.fspath(model), os.fspath(path), best)


def export_header(
    model: str | os.PathLike[str],
    path: str | os.PathLike[str],
    *,
    namespace: str = "policy",
    force: bool = False,
    best: bool = False,
) -> None:
    """Write the policy of a run folder or a model file as one C++17 header without dependencies or heap.

    More than two million parameters compile slowly and are refused, unless ``force`` is given.

    >>> tarl.export_header("runs/first", "policy.h", namespace="mine::policy")
    """
    _tarl.export_header(os.fspath(model), os.fspath(path), namespace, force, best)


def export_by_ending(
    model: str | os.PathLike[str], path: str | os.PathLike[str], namespace: str | None, force: bool
) -> None:
    """Write what the ending of ``path`` asks for."""
    ending = Path(path).suffix
    if ending in HEADERS:
        export_header(model, path, namespace="policy" if namespace is None else namespace, force=force)
    elif ending != ".onnx":
        raise UsageError(f"{os.fspath(path)} ends neither in .onnx nor in .h, so what is it to be? Nothing was written")
    elif namespace is not None or force:
        raise UsageError(f"namespace and force are for a header; leave them out for {os.fspath(path)}")
    else:
        export_onnx(model, path)
