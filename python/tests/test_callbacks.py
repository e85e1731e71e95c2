"""Callbacks: what is told when, and those that are ready made."""

import os

import numpy as np
import pytest
from support import differing_files, digest, small

import tarl
from tarl import callbacks


class Notes(callbacks.Callback):
    every = 40

    def __init__(self):
        self.told = []

    def on_start(self, model):
        self.told.append("start")

    def on_step(self, model, step):
        assert step == model.num_timesteps
        self.told.append(("step", step))

    def on_episode(self, model, step, ret, length):
        assert ret == length  # CartPole's
        self.told.append(("episode", step))

    def on_evaluation(self, model, step, returns, lengths):
        assert returns.tolist() == lengths.tolist() and len(returns) == 2
        self.told.append(("evaluation", step))

    def on_log(self, model, step, row):
        assert row["time/total_timesteps"] == step
        self.told.append(("log", step))

    def on_checkpoint(self, model, step, folder):
        assert any(folder.glob("checkpoints/*"))
        self.told.append(("checkpoint", step))

    def on_end(self, model):
        self.told.append("end")


@pytest.mark.parametrize("kind", ["native", "gymnasium"])
def test_everything_is_told_in_order(kind, tmp_path):
    notes = Notes()
    model = small(kind, run_dir=tmp_path, settings={"checkpoint.every": 60})
    model.learn(120, n_evaluations=2, n_eval_episodes=2, callback=notes)
    assert notes.told[0] == "start" and notes.told[-1] == "end"
    of = {name: [one[1] for one in notes.told[1:-1] if one[0] == name] for name in "step evaluation checkpoint".split()}
    assert of == {"step": [40, 80, 120], "evaluation": [60, 120], "checkpoint": [60, 120]}
    episodes = [one[1] for one in notes.told[1:-1] if one[0] == "episode"]
    lengths = np.loadtxt(tmp_path / "monitor.csv", delimiter=",", skiprows=2, usecols=1, ndmin=1)
    assert episodes == np.cumsum(lengths).tolist()
    assert ("log", 120) in notes.told


def test_false_from_any_of_them_ends_learning():
    for hook in ("on_episode", "on_evaluation", "on_log"):
        stops = type("Stops", (callbacks.Callback,), {hook: lambda self, *args: False})()
        model = small("gymnasium").learn(400, n_evaluations=4, n_eval_episodes=1, callback=stops)
        assert 0 < model.num_timesteps < 400
        assert digest(model.learn()) == digest(small("gymnasium").learn(400, n_evaluations=4, n_eval_episodes=1))


def test_the_best_model_of_an_eval_callback(tmp_path):
    best = tmp_path / "best.safetensors"
    evaluation = callbacks.EvalCallback(every=100, episodes=3, best_model_path=best)
    notes = Notes()
    notes.on_evaluation = lambda model, step, returns, lengths: notes.told.append(("evaluation", step))
    small("gymnasium").learn(400, callback=[evaluation, notes])
    assert [step for step, _ in evaluation.evaluations] == [100, 200, 300, 400]
    assert evaluation.best == max(made.mean for _, made in evaluation.evaluations)
    number = [made.mean for _, made in evaluation.evaluations].index(evaluation.best)
    assert tarl.load(best).evaluate(3, seed=number).mean == evaluation.best
    assert [one[1] for one in notes.told if one[0] == "evaluation"] == [100, 200, 300, 400]


def test_stopping_on_returns():
    def learn(stop):
        return small("gymnasium").learn(400, n_evaluations=8, n_eval_episodes=1, callback=stop).num_timesteps

    assert learn(callbacks.StopOnReturn(1)) == 50
    assert learn(callbacks.StopOnReturn(501)) == 400
    assert learn(callbacks.StopOnNoImprovement(patience=1)) < 400


def test_checkpoints_go_on_to_the_bit(tmp_path):
    whole = small("gymnasium").learn(300, callback=callbacks.Checkpoint(100, tmp_path / "models"))
    assert sorted(os.listdir(tmp_path / "models")) == [f"step_{step}.safetensors" for step in (100, 200, 300)]
    assert digest(tarl.load(tmp_path / "models" / "step_200.safetensors").learn()) == digest(whole)


def test_tensorboard_has_what_a_runs_folder_has(tmp_path):
    small("native", run_dir=tmp_path / "run").learn(300, callback=callbacks.TensorBoard(tmp_path / "logs"))
    small("native", run_dir=tmp_path / "other").learn(300)
    assert differing_files(tmp_path / "run", tmp_path / "other") == []
    (events,) = (tmp_path / "logs").iterdir()
    reader = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator", reason="needs tensorboard")
    read = {}
    for name, folder in (("logs", tmp_path / "logs"), ("run", tmp_path / "run")):
        log = reader.EventAccumulator(str(folder))
        log.Reload()
        read[name] = {tag: [(one.step, one.value) for one in log.Scalars(tag)] for tag in log.Tags()["scalars"]}
    assert read["logs"] and read["logs"].items() <= read["run"].items()


def test_a_progress_bar_counts_every_step(capsys):
    pytest.importorskip("tqdm", reason="tqdm is not installed")
    small("gymnasium").learn(250, progress_bar=True)
    assert "250/250" in capsys.readouterr().err


def test_optuna_prunes():
    optuna = pytest.importorskip("optuna", reason="optuna is not installed")

    class Strict(optuna.pruners.BasePruner):
        def prune(self, study, trial):
            return trial.last_step >= 100

    steps = []

    def objective(trial):
        model = small("gymnasium", learning_rate=trial.suggest_float("learning_rate", 1e-4, 1e-2, log=True))
        try:
            model.learn(400, n_evaluations=8, n_eval_episodes=1, callback=callbacks.OptunaPruner(trial))
        finally:
            steps.append(model.num_timesteps)
        return model.evaluate(1).mean

    study = optuna.create_study(direction="maximize", pruner=Strict(), sampler=optuna.samplers.RandomSampler(seed=0))
    study.optimize(objective, n_trials=2)
    assert [trial.state.name for trial in study.trials] == ["PRUNED"] * 2 and steps == [100, 100]


def test_weights_and_biases_offline(tmp_path, monkeypatch):
    pytest.importorskip("wandb", reason="wandb is not installed")
    monkeypatch.chdir(tmp_path)
    small("native").learn(200, callback=callbacks.Wandb("tests", mode="offline", dir=str(tmp_path)))
    assert list(tmp_path.glob("wandb/offline-run-*"))


def test_what_is_no_callback():
    with pytest.raises(TypeError, match="not int"):
        small("native").learn(100, callback=3)
    with pytest.raises(TypeError, match=r"Notes\(\) rather than Notes"):
        small("native").learn(100, callback=Notes)
    hasty = Notes()
    hasty.every = 0
    for every in (0, 2.5, "often"):
        with pytest.raises(tarl.UsageError, match=f"every = {every!r} is not a whole number from 1"):
            small("native").learn(10, callback=callbacks.EvalCallback(every=every))
    with pytest.raises(tarl.UsageError, match="every = 0"):
        small("native").learn(100, callback=hasty)
