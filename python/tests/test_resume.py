"""Runs that are killed and resumed end as if nothing had happened, or say why they cannot."""

import json
import random
import subprocess
import warnings
from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from killed import KINDS, Remembers, killed_and_resumed, learn
from support import StopAt, cartpole, differing_files, digest

import tarl

PROGRAM = Path(tarl.__file__).parent / "bin" / "tarl"
QUICK = {"learning_starts": 60, "batch_size": 8, "seed": 3}


@pytest.mark.parametrize("kind", KINDS)
def test_killed_and_resumed_the_same_bytes(kind, tmp_path):
    seed = random.randrange(10**6)
    print("seed", seed)
    learn(kind, tmp_path / "whole")
    killed_and_resumed(kind, tmp_path / "killed", random.Random(seed), most=2)
    assert differing_files(tmp_path / "killed", tmp_path / "whole") == []


class Lies(gym.Wrapper):
    """Begins each episode of its life elsewhere, whatever the seed."""

    begun = 0

    def __init__(self):
        super().__init__(cartpole())

    def reset(self, *, seed=None, options=None):
        Lies.begun += 1
        return super().reset(seed=None if seed is None else seed + Lies.begun)


@pytest.mark.parametrize("vec", [None, "sync"])
def test_an_environment_that_comes_out_otherwise_is_refused_by_name(vec, tmp_path):
    tarl.DQN(Lies, run_dir=tmp_path, vec=vec, **QUICK).learn(200, callback=StopAt(103))
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    with pytest.raises(tarl.Error, match=r"Lies\(\).*does not come out as it was.*get_state.*env_state='restart'"):
        tarl.resume(tmp_path, Lies)
    for path, content in before.items():
        assert path.name in (".lock", "run.json") or path.read_bytes() == content
    with pytest.warns(RuntimeWarning, match=r"1 of 1 environments of gym/Lies\(\) could not be put back"):
        resumed = tarl.resume(tmp_path, Lies, env_state="restart")
    assert resumed.learn().num_timesteps == 200
    assert json.loads((tmp_path / "run.json").read_text())["exact"] is False


def vector():
    return gym.vector.SyncVectorEnv([cartpole] * 2, autoreset_mode=AutoresetMode.SAME_STEP)


def test_vector_environments_of_others_without_states_begin_anew_and_say_so(tmp_path):
    tarl.DQN(vector, run_dir=tmp_path, **QUICK).learn(200, callback=StopAt(104))
    with pytest.warns(RuntimeWarning, match="2 of 2 environments"):
        assert tarl.resume(tmp_path, vector).learn().num_timesteps == 200


def vector_with_states():
    return gym.vector.SyncVectorEnv([Remembers] * 2, autoreset_mode=AutoresetMode.SAME_STEP)


def test_vector_environments_of_others_with_states_go_on(tmp_path):
    whole = tarl.DQN(vector_with_states, **QUICK).learn(200)
    tarl.DQN(vector_with_states, run_dir=tmp_path, **QUICK).learn(200, callback=StopAt(104))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert digest(tarl.resume(tmp_path, vector_with_states).learn()) == digest(whole)


class Broken(Remembers):
    def get_state(self):
        return "text"


def test_a_state_that_is_not_bytes_is_refused(tmp_path):
    model = tarl.DQN(Broken, **QUICK).learn(100)
    with pytest.raises(TypeError, match=r"Broken\(\): get_state\(\) must return bytes, not str"):
        model.save(tmp_path / "model.safetensors", full=True)
    with pytest.raises(TypeError, match="'protocol' needs get_state"):
        tarl.DQN("CartPole-v1", env_state="protocol")


def program(*words):
    return subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True)


def test_the_program_and_python_go_on_with_each_others_runs(tmp_path):
    def begin(folder):
        return tarl.TADQN("classic/cartpole", run_dir=tmp_path / folder, settings={"checkpoint.every": 50}, **QUICK)

    begin("whole").learn(400, n_evaluations=4)
    begin("run").learn(400, n_evaluations=4, callback=StopAt(130))
    made = program("train", "--resume", "--out", tmp_path / "run", "--quiet")
    assert made.returncode == 0, made.stderr
    assert differing_files(tmp_path / "run", tmp_path / "whole") == []

    words = "--algo dqn --env classic/cartpole --steps 400 --set learning_starts=100 --quiet --out".split()
    assert program("train", *words, tmp_path / "shell").returncode == 0
    model = tarl.load(tmp_path / "shell" / "model.safetensors")
    said = program("eval", tmp_path / "shell", "--episodes", 5, "--seed", 1, "--json").stdout
    assert np.allclose(model.evaluate(5, seed=1).mean, json.loads(said)["mean"])


def test_a_run_made_longer_is_resumed_from_its_new_end(tmp_path):
    """Once while it is open, and once after a resume."""
    model = tarl.DQN("CartPole-v1", run_dir=tmp_path / "run", **QUICK).learn(100).learn(50)
    del model
    assert tarl.resume(tmp_path / "run").learn(30).num_timesteps == 180
    assert tarl.resume(tmp_path / "run").learn(20).num_timesteps == 200
    info = json.loads((tmp_path / "run" / "run.json").read_text())
    assert info["status"] == "finished" and info["steps"] == 200
    whole = tarl.DQN("CartPole-v1", **QUICK).learn(100).learn(50).learn(30).learn(20)
    assert digest(tarl.resume(tmp_path / "run")) == digest(whole)


def test_a_folder_that_cannot_be_resumed_says_why(tmp_path):
    with pytest.raises(tarl.Error, match="no run to resume in"):
        tarl.resume(tmp_path)
    model = tarl.DQN("CartPole-v1", run_dir=tmp_path / "run", **QUICK).learn(100)
    with pytest.raises(tarl.Error, match="in use"):
        tarl.resume(tmp_path / "run")
    del model
    with pytest.raises(tarl.UsageError, match=r"already holds a run; go on with tarl.resume\(\)"):
        tarl.DQN("CartPole-v1", run_dir=tmp_path / "run")
    assert tarl.resume(tmp_path / "run").learn(50).num_timesteps == 150
    tarl.DQN(cartpole, run_dir=tmp_path / "function", **QUICK).learn(100)
    with pytest.raises(TypeError, match=r"cartpole\(\), was not made by an id alone: give it as env="):
        tarl.resume(tmp_path / "function")
