"""What several tests share."""

import os
import signal
from pathlib import Path

os.environ.setdefault("WANDB_MODE", "offline")  # before whoever asks first, for wandb reads them once
os.environ.setdefault("WANDB_SILENT", "true")

# A shell that runs the tests in the background has them ignore Ctrl-C, which some of them press.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

import pytest
import tarl

# Long enough for a curve above the random baseline, which comparisons need.
STEPS = 3000


@pytest.fixture(scope="session")
def cartpole_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished study, runs/cartpole below the folder: DQN and TA-DQN with two seeds each."""
    folder = tmp_path_factory.mktemp("study")
    study = tarl.Study.grid(
        ["dqn", "ta-dqn"], ["CartPole-v1"], seeds=2, steps=STEPS, preset="classic", settings={"eval.count": 3}
    )
    study.run(folder / "runs" / "cartpole", progress=False)
    return folder
