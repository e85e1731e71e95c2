"""Studies from Python are those of the command line."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import tarl
from tarl._program import program

CARTPOLE = "CartPole-v1"


def small(seeds: int = 1, **settings: object) -> tarl.Study:
    return tarl.Study.grid(["dqn"], [CARTPOLE], seeds=seeds, steps=1000, settings={"eval.count": 2, **settings})


def test_a_study_by_name_takes_changes() -> None:
    study = tarl.Study("minatar-replay", seeds=2, steps=2e5, envs=["minatar/breakout"], settings={"dueling": True})
    assert study.name == "minatar-replay" and study.seeds == 2 and study.envs == ["minatar/breakout"]
    assert len(study.labels) == 6
    assert tarl.Study("minatar-replay", envs="minatar/breakout").envs == ["minatar/breakout"]
    assert tarl.Study.grid("dqn", CARTPOLE).labels == ["dqn"]


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda: tarl.Study("minatar-repla"), "did you mean 'minatar-replay'"),
        (lambda: tarl.Study.grid(["dqn"], ["CartPole-v9"]), "did you mean 'CartPole-v1'"),
        (lambda: tarl.Study.grid(["dqnn"], [CARTPOLE]), "no algorithm is called 'dqnn'"),
        (lambda: tarl.Study.grid([], [CARTPOLE]), "at least one"),
        (lambda: tarl.Study.grid(["dqn"], []), "needs envs"),
        (lambda: tarl.Study.grid(["dqn"], [CARTPOLE], seeds=0), "seeds = 0 is not from 1 to 10000"),
        (lambda: tarl.Study.grid(["dqn", "dqn"], [CARTPOLE]), "share the folder dqn"),
        (lambda: small(learning_rat=1), "did you mean 'learning_rate_schedule', 'learning_rate'"),
        (lambda: tarl.Study("minatar-replay", steps=-1), "minatar/asterix: steps = -1 is not a whole number"),
        (lambda: small(steps=3), "use its argument steps"),
        (lambda: small().run("never-made", executor="flet"), "did you mean 'fleet'"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_touched(make: object, why: str) -> None:
    with pytest.raises(tarl.UsageError, match=why) as caught:
        make()  # type: ignore[operator]
    assert "--" not in str(caught.value)
    assert not Path("never-made").exists()


def test_python_goes_on_with_a_study_of_the_command_line(tmp_path: Path) -> None:
    """To the same bits: model, evaluations and logs."""
    small(seeds=2).run(tmp_path / "python", progress=False)
    command = [program(), "study", "run", tmp_path / "python" / "study.toml", "--out", tmp_path / "shell"]
    subprocess.run([*command, "--seeds", "1"], check=True, capture_output=True)
    assert tarl.Study(tmp_path / "shell" / "study.toml").status(tmp_path / "shell")["phase"].tolist() == ["done"]
    small(seeds=2).run(tmp_path / "shell", progress=False)
    for seed in ("seed0", "seed1"):
        for name in ("model.safetensors", "evaluations.npz", "progress.csv", "monitor.csv"):
            mine, theirs = (tmp_path / side / "classic/cartpole/dqn" / seed / name for side in ("python", "shell"))
            assert mine.read_bytes() == theirs.read_bytes()


def test_a_folder_that_holds_other_settings_is_left_alone(tmp_path: Path) -> None:
    small().run(tmp_path, progress=False)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    with pytest.raises(tarl.UsageError, match=r"gamma: 0.99 -> 0.9.*\n.*choose another folder"):
        small(gamma=0.9).run(tmp_path, progress=False)
    assert before == {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}


def test_runs_that_fail_leave_the_others_and_are_told(tmp_path: Path) -> None:
    study = tarl.Study.grid(["sac", "dqn"], [CARTPOLE], seeds=1, steps=1000, settings={"eval.count": 2})
    with pytest.warns(UserWarning, match="of 2 runs 1 failed.*sac seed 0: exit code 2"):
        runs = study.run(tmp_path, progress=False)
    assert [run.algo for run in runs] == ["dqn"]
    assert study.status(tmp_path).set_index("label")["phase"].to_dict() == {"sac": "failed", "dqn": "done"}


def test_progress_goes_to_stderr_line_by_line(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    runs = tarl.Study.grid(["dqn"], [CARTPOLE], seeds=2, steps=1000).run(tmp_path)
    lines = capfd.readouterr().err.splitlines()
    assert lines[0] == "2 runs, 0 done (local)" and lines[-1].startswith("[2/2] classic/cartpole dqn seed")
    assert len(runs) == 2


LONG_STUDY = """
import tarl
tarl.Study.grid(["dqn"], ["CartPole-v1"], seeds=1, steps=10**9).run("interrupted", progress=False)
"""


def test_an_interrupt_stops_with_a_checkpoint(tmp_path: Path) -> None:
    process = subprocess.Popen([sys.executable, "-c", LONG_STUDY], cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    run = tmp_path / "interrupted/classic/cartpole/dqn/seed0"
    while not (run / "run.json").exists() and process.poll() is None:
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGINT)
    _, said = process.communicate()
    assert said.rstrip().endswith("KeyboardInterrupt")
    assert json.loads((run / "run.json").read_text())["status"] == "stopped"
    study = tarl.Study.grid(["dqn"], [CARTPOLE], seeds=1, steps=10**9)
    assert study.status(tmp_path / "interrupted")["phase"].tolist() == ["stopped"]


def test_the_module_is_the_command(tmp_path: Path) -> None:
    ran = subprocess.run([sys.executable, "-m", "tarl", "--version"], capture_output=True, text=True, check=True)
    direct = subprocess.run([program(), "--version"], capture_output=True, text=True, check=True)
    assert ran.stdout == direct.stdout
    assert subprocess.run([sys.executable, "-m", "tarl", "nonsense"], capture_output=True).returncode == 2
