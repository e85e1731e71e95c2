"""The page inside a run, from Python."""

import subprocess
from pathlib import Path

import numpy as np
import pytest

import tarl
from tarl._inspect import _PROGRAM


def train(folder: Path, *more: str) -> Path:
    settings = ["learning_starts=200", "target_update_interval=400", "eval.count=1", "eval.episodes=1"]
    words = [word for setting in settings for word in ("--set", setting)]
    command = [str(_PROGRAM), "train", "--env", "minatar/breakout", "--steps", "1000", "--quiet", *words, *more]
    subprocess.run([*command, "--out", str(folder)], check=True)
    return folder


def test_a_page_and_its_numbers(tmp_path: Path) -> None:
    run = train(tmp_path / "run", "--set", "checkpoint.keep=true")
    page, numbers = tarl.inspect(run, rows=500, steps_since_sync=30, out=tmp_path / "page.html")
    assert page == tmp_path / "page.html" and page.exists()
    drawn = np.load(Path(numbers["files"]) / "candidates.npz")
    assert drawn["score"].size == numbers["candidates"] >= 500
    assert drawn["score"].mean() == pytest.approx(numbers["alignment"], rel=1e-12)
    assert (drawn["lag"] == 30).all()


def test_what_cannot_be_inspected_is_an_error_of_ours(tmp_path: Path) -> None:
    with pytest.raises(tarl.UsageError, match="checkpoint.keep"):
        tarl.inspect(train(tmp_path / "run"), out=tmp_path / "page.html")
    with pytest.raises(tarl.Error, match="no run in"):
        tarl.inspect(tmp_path / "nothing", out=tmp_path / "page.html")
