"""Stable-Baselines3's own tools on our models and environments."""

import gymnasium as gym
import numpy as np
import pytest
from heavy import need
from support import small

import tarl.envs
from tarl.envs import gym_id

need("stable_baselines3")
from stable_baselines3.common.env_checker import check_env  # noqa: E402
from stable_baselines3.common.evaluation import evaluate_policy  # noqa: E402
from stable_baselines3.common.vec_env import DummyVecEnv  # noqa: E402

pytestmark = pytest.mark.verify
NAMES = [name for name in tarl.envs.names() if not name.startswith("atari/")]  # those need ROMs


@pytest.mark.parametrize(("kind", "env"), [("gymnasium", "CartPole-v1"), ("continuous", "Pendulum-v1")])
def test_it_evaluates_our_models(kind, env):
    model = small(kind).learn(300)
    vector = DummyVecEnv([lambda: gym.make(env)])
    vector.seed(7)
    returns, lengths = evaluate_policy(model, vector, 4, return_episode_rewards=True, warn=False)

    own, expected = gym.make(env), []
    obs, _ = own.reset(seed=7)
    while len(expected) < 4:
        rewards = []
        while True:
            obs, reward, terminated, truncated, _ = own.step(model.predict(obs, deterministic=True)[0])
            rewards.append(reward)
            if terminated or truncated:
                break
        expected.append(rewards)
        obs, _ = own.reset()
    assert lengths == [len(rewards) for rewards in expected]
    np.testing.assert_allclose(returns, [sum(rewards) for rewards in expected], rtol=1e-5)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.filterwarnings("ignore::UserWarning")  # about spaces that are not normalised
def test_our_environments_pass_its_checker(name):
    check_env(gym.make(gym_id(name)))
