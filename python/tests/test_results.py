"""Frames of runs hold the numbers of `tarl report`, and say what they leave out."""

import csv
import json
import math
import shutil
import subprocess
import xml.etree.ElementTree
from pathlib import Path
from typing import Any

import pytest
import tarl
from tarl import results
from tarl._program import program

pytest.importorskip("pandas")


@pytest.fixture
def study(cartpole_folder: Path, tmp_path: Path) -> Path:
    """A copy that may be spoilt."""
    return Path(shutil.copytree(cartpole_folder / "runs" / "cartpole", tmp_path / "cartpole"))


@pytest.fixture(scope="module")
def reported(cartpole_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files that `tarl report` writes beside its page."""
    page = tmp_path_factory.mktemp("report") / "page.html"
    subprocess.run([program(), "report", cartpole_folder / "runs" / "cartpole", "--out", page], check=True)
    return page.parent / "page_files"


def same(cell: str, value: Any) -> bool:
    if isinstance(value, str):
        return cell == value
    if isinstance(value, bool):
        return cell == ("yes" if value else "no")
    return math.isnan(value) if cell in ("", "nan") else float(cell) == value


@pytest.mark.parametrize(
    ("file", "frame"),
    [
        ("runs.csv", "scores"),
        ("curves.csv", "curves"),
        ("summary.csv", "summary"),
        ("aggregates.csv", "aggregates"),
        ("comparisons.csv", "compare"),
    ],
)
def test_frames_hold_what_the_report_writes(file: str, frame: str, cartpole_folder: Path, reported: Path) -> None:
    header, *rows = csv.reader((reported / file).open())
    table = getattr(tarl.load_runs(cartpole_folder / "runs" / "cartpole"), frame)()
    assert table.columns.tolist() == [results._NAMES.get(name, name) for name in header]
    assert len(rows) == len(table) > 0
    for row, values in zip(rows, table.values.tolist(), strict=True):
        assert [cell for cell, value in zip(row, values, strict=True) if not same(cell, value)] == []


def test_evaluations_are_those_of_the_report(cartpole_folder: Path, reported: Path) -> None:
    episodes = tarl.load_runs(cartpole_folder / "runs" / "cartpole").evaluations()
    written = json.loads((reported / "results.json").read_text())
    for (label, seed, step), group in episodes.groupby(["label", "seed", "step"]):
        steps = written["classic"]["cartpole"][label][f"seed_{seed}"].values()
        (returns,) = [one["return"] for one in steps if one["step_count"] == step]
        assert group["return"].tolist() == returns
        assert group["length"].tolist() == returns  # CartPole pays one a step
        assert group["episode"].tolist() == list(range(len(returns)))


def test_progress_and_episodes_are_the_files(cartpole_folder: Path) -> None:
    runs = tarl.load_runs(cartpole_folder / "runs" / "cartpole")
    progress, episodes = runs.progress(), runs.episodes()
    for run in runs:
        mine = (progress["label"] == run.label) & (progress["seed"] == run.seed)
        rows = list(csv.DictReader((run.folder / "progress.csv").open()))
        assert progress[mine]["step"].tolist() == [int(row["time/total_timesteps"]) for row in rows]
        for row, loss in zip(rows, progress[mine]["train/loss"], strict=True):
            assert same(row["train/loss"], loss)
        mine = (episodes["label"] == run.label) & (episodes["seed"] == run.seed)
        lines = (run.folder / "monitor.csv").read_text().splitlines()[2:]
        assert episodes[mine]["return"].tolist() == [float(line.split(",")[0]) for line in lines]
    assert progress[progress["label"] == "dqn"]["tarl/alignment_mean"].isna().all()
    assert progress[progress["label"] == "ta-dqn"]["tarl/alignment_mean"].notna().any()


def test_what_is_damaged_or_gone_is_told(study: Path) -> None:
    cells = study / "classic" / "cartpole"
    (cells / "dqn" / "seed0" / "evaluations.npz").write_bytes(b"no archive")
    shutil.rmtree(cells / "ta-dqn" / "seed1")
    runs = tarl.load_runs(study)
    assert [(run.label, run.seed) for run in runs] == [("dqn", 1), ("ta-dqn", 0)]
    told = {(problem.kind, problem.where) for problem in runs.problems}
    assert ("damaged file", "classic/cartpole/dqn/seed0") in told
    assert ("missing run", "classic/cartpole/ta-dqn/seed1") in told
    page = runs._repr_html_()
    assert "damaged file: classic/cartpole/dqn/seed0" in page


def test_runs_that_are_not_finished_count_when_asked_for(study: Path) -> None:
    run = study / "classic" / "cartpole" / "dqn" / "seed0"
    (run / "config.toml").write_text((run / "config.toml").read_text().replace("count = 3", "count = 30"))
    finished = tarl.load_runs(study)
    assert len(finished) == 3
    assert "unfinished run" in {problem.kind for problem in finished.problems}
    assert len(tarl.load_runs(study, unfinished=True)) == 4


def test_a_folder_without_evaluations_has_empty_frames_and_no_scores(tmp_path: Path) -> None:
    runs = tarl.load_runs(tmp_path)
    assert len(runs) == 0 and runs.evaluations().empty and runs.progress().empty
    assert "0 runs" in runs._repr_html_()
    with pytest.raises(tarl.Error, match=r"no run with an evaluation"):
        runs.scores()


def test_one_run_is_read_and_reported_by_itself(cartpole_folder: Path, tmp_path: Path) -> None:
    run = cartpole_folder / "runs" / "cartpole" / "classic" / "cartpole" / "dqn" / "seed1"
    assert [one.seed for one in tarl.load_runs(run)] == [1]
    written = tarl.report(run, tmp_path / "run.html")
    assert written.page.exists() and (written.files / "summary.md").exists()
    assert written.verdicts == []


def test_folders_may_be_several_with_labels(cartpole_folder: Path) -> None:
    seeds = [cartpole_folder / "runs" / "cartpole" / "classic" / "cartpole" / "dqn" / f"seed{k}" for k in (0, 1)]
    assert {run.label for run in tarl.load_runs(seeds, labels=["old", "new"])} == {"old", "new"}
    with pytest.raises(tarl.UsageError, match="3 labels for 2 folders"):
        tarl.load_runs(seeds, labels=["a", "b", "c"])
    with pytest.raises(tarl.Error, match="no folder"):
        tarl.load_runs(cartpole_folder / "nowhere")


def test_figures_are_pictures(cartpole_folder: Path, tmp_path: Path) -> None:
    runs = tarl.load_runs(cartpole_folder / "runs" / "cartpole")
    for name in runs.figures():
        assert xml.etree.ElementTree.fromstring(runs.figure(name)._repr_svg_()).tag.endswith("svg")
    assert runs.figure().save(tmp_path / "curves.svg").read_text() == runs.figure("curves").svg
    with pytest.raises(tarl.UsageError, match=r"no figure called 'curvs'; did you mean 'curves'"):
        runs.figure("curvs")
    assert "data:image/svg+xml;base64," in runs._repr_html_()


def test_the_report_is_the_program_s(cartpole_folder: Path, reported: Path, tmp_path: Path) -> None:
    written = tarl.load_runs(cartpole_folder / "runs" / "cartpole").report(tmp_path / "page.html")
    assert written.page.read_bytes() == (reported.parent / "page.html").read_bytes()
    assert written.verdicts == [("ta-dqn", "dqn", "not shown")]
    assert str(written) == (reported / "summary.md").read_text()
    assert written._repr_html_().startswith("<iframe srcdoc=")


def test_an_unknown_comparison_is_refused_with_those_there_are(cartpole_folder: Path) -> None:
    with pytest.raises(tarl.UsageError, match=r"'dqn' with 'ta-dqn'; they have: 'ta-dqn' with 'dqn'"):
        tarl.load_runs(cartpole_folder / "runs" / "cartpole").compare("dqn", "ta-dqn")
