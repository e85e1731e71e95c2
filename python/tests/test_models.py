"""Models: learn, act, save, load."""

import pickle
import zipfile

import gymnasium as gym
import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import save_file
from support import SMALL, StopAt, digest, small

import tarl


@pytest.mark.parametrize("kind", SMALL)
def test_same_seed_same_curve(kind):
    first, second = (small(kind).learn(400) for _ in range(2))
    assert first.num_timesteps >= 400 and first.n_updates > 0
    assert digest(first) == digest(second)
    assert digest(first) != digest(small(kind, seed=4).learn(400))


def test_learning_more_counts_on():
    model = small("gymnasium").learn(300).learn(200)
    assert (model.num_timesteps, model.total_timesteps) == (500, 500)


def test_less_than_what_is_left_ends_early_under_the_same_schedules():
    whole = small("gymnasium").learn(600)
    parts = small("gymnasium").learn(600, callback=StopAt(150))
    assert parts.num_timesteps == 150
    assert parts.learn(100).num_timesteps == 250
    assert digest(parts.learn()) == digest(whole)


def test_a_new_model_wants_to_know_how_long():
    with pytest.raises(tarl.UsageError, match="how many steps"):
        small("native").learn()
    with pytest.raises(NotImplementedError):
        small("native").learn(120).learn(50, reset_num_timesteps=True)


@pytest.mark.parametrize("kind", ["native", "gymnasium"])
def test_one_action_or_a_batch_of_them(kind):
    model = small(kind).learn(300)
    observations = np.stack([model.observation_space.sample() % 1 for _ in range(70)])
    many, state = model.predict(observations, deterministic=True)
    assert state is None and many.shape == (70,)
    for observation, action in zip(observations, many, strict=True):
        one, _ = model.predict(observation, deterministic=True)
        assert one == action and model.action_space.contains(one)


def test_continuous_actions_are_in_the_environments_own_bounds():
    model = small("continuous").learn(150)
    observations = np.stack([model.observation_space.sample() for _ in range(9)])
    actions, _ = model.predict(observations)
    assert actions.shape == (9, 1) and actions.dtype == np.float32
    assert np.abs(actions).max() <= 2
    again, _ = model.predict(observations)
    assert not np.array_equal(actions, again)  # samples


@pytest.mark.parametrize("kind", SMALL)
def test_looking_never_changes_a_run(kind):
    def look(model, step):
        model.predict(model.observation_space.sample())
        model.get_parameters()
        model.policy()
        model.evaluate(1)

    look.every = 60
    assert digest(small(kind).learn(240, callback=look)) == digest(small(kind).learn(240))


def test_predict_chooses_the_actions_of_evaluations():
    model = small("gymnasium").learn(600)
    env = gym.make("CartPole-v1")
    scores = model.evaluate(3, env=lambda: Recorder(env))
    assert len(Recorder.episodes) == 3
    for episode, length in zip(Recorder.episodes, scores.lengths, strict=True):
        assert len(episode) == length
        for observation, action in episode:
            assert model.predict(observation, deterministic=True)[0] == action


class Recorder(gym.Wrapper):
    episodes = []

    def __init__(self, env):
        super().__init__(gym.make(env.spec))

    def reset(self, **kwargs):
        self.observation, info = self.env.reset(**kwargs)
        self.episode = []
        self.episodes.append(self.episode)
        return self.observation, info

    def step(self, action):
        self.episode.append((self.observation, action))
        self.observation, *rest = self.env.step(action)
        return (self.observation, *rest)


@pytest.mark.parametrize("kind", SMALL)
@pytest.mark.parametrize("how", ["file", "pickle"])
def test_a_whole_model_goes_on_to_the_bit(kind, how, tmp_path):
    whole = small(kind).learn(400)
    model = small(kind).learn(400, callback=StopAt(180))
    env = SMALL[kind][1] if callable(SMALL[kind][1]) else None
    if how == "pickle":
        if env is not None:
            pytest.skip("a function is not in the bytes")
        copy = pickle.loads(pickle.dumps(model))
    else:
        model.save(tmp_path / "model.safetensors", full=True)
        copy = tarl.load(tmp_path / "model.safetensors", env)
    assert type(copy) is type(model) and copy.num_timesteps == model.num_timesteps
    assert digest(copy.learn()) == digest(whole)
    assert digest(model.learn()) == digest(whole)


def test_a_file_with_actions_that_its_environment_does_not_take_is_refused(tmp_path):
    small("gymnasium").learn(130).save(tmp_path / "model.safetensors", full=True)
    with safe_open(tmp_path / "model.safetensors", "np") as file:
        tensors, metadata = {name: file.get_tensor(name) for name in file.keys()}, file.metadata()
    (name,) = (name for name in tensors if name.endswith("/0/actions"))
    taken = tensors[name].tolist()
    for actions in ([*taken[:-1], -1], [*taken, 2], [10**6]):
        save_file(tensors | {name: np.array(actions, np.int32)}, tmp_path / "other.safetensors", metadata)
        with pytest.raises(tarl.Error, match="actions that its environment does not take"):
            tarl.load(tmp_path / "other.safetensors")


def test_a_saved_agent_acts_as_it_did_and_begins_a_new_run(tmp_path):
    model = small("gymnasium").learn(300)
    model.save(tmp_path / "model.safetensors")
    copy = tarl.TADQN.load(tmp_path / "model.safetensors")
    assert digest(copy) == digest(model) and copy.num_timesteps == 0
    assert copy.learn(200).n_updates > 0
    with pytest.raises(TypeError, match="TADQN, not SAC"):
        tarl.SAC.load(tmp_path / "model.safetensors")
    with pytest.raises(tarl.UsageError, match="an agent of gym/CartPole-v1, which does not fit Acrobot-v1"):
        tarl.load(tmp_path / "model.safetensors", env="Acrobot-v1")


def test_a_file_of_stable_baselines3s_is_named(tmp_path):
    file = tmp_path / "dqn_cartpole.zip"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("data", "{}")
    with pytest.raises(tarl.Error, match=r"dqn_cartpole.zip is a zip file, as Stable-Baselines3 saves.*set_parameters"):
        tarl.load(file)


def test_a_function_is_asked_for_again(tmp_path):
    small("function").save(tmp_path / "model.safetensors")
    with pytest.raises(TypeError, match="env="):
        tarl.load(tmp_path / "model.safetensors")


def test_parameters_that_are_none():
    model = small("gymnasium")
    for wrong in (None, [1, 2]):
        with pytest.raises(TypeError, match="arrays by name, as get_parameters"):
            model.set_parameters(wrong)


def test_parameters_go_out_and_in():
    model, other = small("native"), small("native", seed=9)
    assert digest(model) != digest(other)
    other.set_parameters(model.get_parameters())
    assert digest(model) == digest(other)
    parameters = model.get_parameters()
    parameters["q.out.bias"][:] = 7  # a copy
    assert digest(model) == digest(other)
    with pytest.raises(tarl.UsageError, match="missing"):
        model.set_parameters({})
    with pytest.raises(tarl.UsageError, match="no parameter 'x'"):
        model.set_parameters({**parameters, "x": [1.0]})
    with pytest.raises(tarl.UsageError, match="another shape"):
        model.set_parameters({**parameters, "q.out.bias": [1.0]})
