"""What tarl.envs.check_env says is what models then do."""

import gymnasium as gym
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.vector import SyncVectorEnv
from killed import Blocks, Remembers
from support import cartpole

import tarl
from tarl.envs import check_env


class Dice(gym.Env):
    """Throws dice that no seed reaches, from its third step on."""

    observation_space = spaces.Box(0, 1, (1,))
    action_space = spaces.Box(-1, 1, (2,))

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.at = 0
        return np.zeros(1, np.float32), {}

    def step(self, action):
        self.at += 1
        value = np.random.default_rng().random() if self.at > 2 else 0.5
        return np.array([value], np.float32), 1.0, self.at == 6, False, {}


class Forgets(Remembers):
    def set_state(self, saved):
        pass


def test_what_it_says_of_environments_that_are_as_they_should_be():
    report = check_env("CartPole-v1", episodes=3)
    assert report.ok and report.repeats and report.pickles and report.env_state == "replay"
    assert report.algorithms == ("DQN", "DDQN", "TADQN", "TADDQN")
    assert report.observations == "a vector of 4 numbers, read as they are"
    assert set(report.microseconds) == {"step()", "reset()", "reset(seed)"}
    assert all(cost > 0 for cost in report.microseconds.values())
    continuous = check_env(gym.make("Pendulum-v1"))
    assert continuous.algorithms == ("SAC", "TD3", "DDPG", "TASAC", "TATD3", "TADDPG")
    native = check_env("minatar/breakout")
    assert native.env_state == "state" and native.observations == "a picture of bits (10, 10, 4), read as they are"
    assert check_env(Blocks).observations == "an image (40, 40, 1), read as they are"
    assert check_env(Remembers).env_state == "protocol" and "get_state()" in check_env(Remembers).promise


def test_chance_that_no_seed_reaches_is_told_with_its_step(tmp_path):
    report = check_env(Dice)
    assert report.ok and not report.repeats
    assert report.seeds == "episode 1, step 3: another observation from the same seed and actions"
    assert report.promise.startswith("refused")
    model = tarl.SAC(Dice, run_dir=tmp_path, learning_starts=50)
    model.learn(23, callback=lambda model, step: None)
    del model
    with pytest.raises(tarl.Error, match="does not come out as it was"):
        tarl.resume(tmp_path, Dice)


def test_a_state_that_is_not_put_back_is_found_out():
    report = check_env(Forgets)
    assert report.promise == (
        "none that holds: what set_state() puts back does not go on as the environment that get_state() was asked of"
    )


@pytest.mark.parametrize(
    ("observations", "actions", "value", "problem"),
    [
        (spaces.Text(5), spaces.Discrete(2), "text", "TransformObservation"),
        (spaces.Box(0, 1, (2,)), spaces.MultiDiscrete([2, 2]), np.zeros(2, np.float32), "TransformAction"),
        (spaces.Box(0, 1, (3,)), spaces.Discrete(2), np.zeros(2, np.float32), r"shape \(2,\).*says \(3,\)"),
        (spaces.Box(0, 1, (1,)), spaces.Discrete(2), np.array([np.nan]), "not finite"),
        (spaces.Box(0, 255, (8, 8), np.uint8), spaces.Discrete(2), np.zeros((8, 8), np.uint8), "ResizeObservation"),
    ],
)
def test_what_keeps_models_from_training_is_a_problem(observations, actions, value, problem):
    class Gives(gym.Env):
        observation_space, action_space = observations, actions

        def reset(self, *, seed=None, options=None):
            return value, {}

        def step(self, action):
            return value, 0.0, True, False, {}

    report = check_env(Gives)
    assert not report.ok and len(report.problems) == 1
    with pytest.raises((TypeError, ValueError, tarl.Error), match=problem):
        tarl.DQN(Gives).learn(10)
    assert "PROBLEM" in str(report) and "nobody" in str(report)


def test_floats_of_another_kind_are_said_to_be_converted():
    wide = lambda: gym.wrappers.DtypeObservation(cartpole(), np.float64)  # noqa: E731
    assert check_env(wide).observations == "a vector of 4 numbers, converted from float64"


def test_vectors_are_checked_by_one_of_theirs():
    vector = lambda: SyncVectorEnv([cartpole] * 2)  # noqa: E731
    for what in (vector, vector()):
        with pytest.raises(TypeError, match="check one of them"):
            check_env(what)


def test_what_is_no_environment_is_named():
    class Old(Dice):  # before Gymnasium 0.26
        def step(self, action):
            return super().step(action)[:4]

    class Older(Old):
        def reset(self):
            return np.zeros(1, np.float32)

    with pytest.raises(TypeError, match=r"Old\(\): step\(\) must return \(observation, reward, terminated, truncated, "):
        check_env(Old)
    with pytest.raises(TypeError, match="seed"):
        check_env(Older)
    with pytest.raises(TypeError, match="made no gymnasium.Env but None"):
        check_env(lambda: None)


def test_what_an_environment_raises_comes_out():
    class Breaks(Dice):
        def step(self, action):
            raise ZeroDivisionError("in step")

    with pytest.raises(ZeroDivisionError, match="in step"):
        check_env(Breaks)
