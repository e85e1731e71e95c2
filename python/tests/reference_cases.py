"""The reference cases that C++ is tested with (tests/data/README.md): safetensors files with inputs and expectations."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import safe_open

ROOT = Path(os.environ.get("TARL_FIXTURES") or Path(__file__).resolve().parents[2] / "tests/data/fixtures")


def _read(path: Path) -> tuple[dict[str, str], dict[str, np.ndarray]]:
    with safe_open(path, "numpy") as file:
        return file.metadata(), {name: file.get_tensor(name) for name in file.keys()}


class Case:
    """One file; parameters that several cases share are read from theirs."""

    def __init__(self, path: Path) -> None:
        self.name = path.stem
        self.meta, self.tensors = _read(path)
        if "params_file" in self.meta:
            self.tensors |= _read(path.parent / self.meta["params_file"])[1]

    def __getitem__(self, name: str) -> np.ndarray:
        return self.tensors[name]

    def __contains__(self, name: str) -> bool:
        return name in self.tensors

    def number(self, key: str) -> float:
        return float(self.meta[key])

    def whole(self, key: str) -> int:
        return int(self.meta[key])

    def expected(self, name: str) -> tuple[Any, np.ndarray]:
        """Where to look in the flattened tensor, and what is there: of large ones a sample is stored."""
        if name in self:
            return slice(None), self[name].reshape(-1)
        return self[name + ".sample_index"], self[name + ".sample_value"]


def paths(family: str, wanted: Callable[[dict[str, str]], bool] = lambda meta: True) -> list[Path]:
    """The family's cases, by name, without files of shared parameters. Never none: that would test nothing."""
    found = []
    for path in sorted((ROOT / family).glob("*.safetensors")):
        with safe_open(path, "numpy") as file:
            meta = file.metadata()
        if meta["kind"] == "case" and wanted(meta):
            found.append(path)
    assert found, f"{ROOT / family} has no such cases; TARL_FIXTURES names the folder of all families"
    return found
