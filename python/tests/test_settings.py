"""Settings of models: the program's own table, under Stable-Baselines3's names."""

import inspect
import pickle
import subprocess
import sys
from pathlib import Path

import gymnasium as gym
import pytest
from support import cartpole, digest, small

import tarl
from tarl import models

SCRIPTS = Path(__file__).parents[2] / "scripts"


def test_the_generated_keyword_arguments_are_current():
    check = [sys.executable, SCRIPTS / "python_settings.py", "--check"]
    assert subprocess.run(check, capture_output=True, text=True).stderr == ""


@pytest.mark.parametrize("name", models.CLASSES)
def test_help_and_signature_have_every_setting(name):
    one = models.CLASSES[name]
    table = tarl.settings(one.algo())
    settled = {"algo", "env", "steps", "seed", "n_envs", "eval.count", "eval.episodes", "extended.from", "extended.at"}
    assert {key for key in table if f" {key} = " in one.__doc__} == set(table) - settled
    parameters = inspect.signature(one).parameters
    assert {key for key in table if "." not in key} - {"algo", "env", "steps"} <= set(parameters)
    aligned = parameters["margin"].default is None
    assert aligned and table["align.margin"].value == (1.0 if name.startswith("TA") else 0.0)


def test_a_model_tells_its_settings():
    model = tarl.TADQN("CartPole-v1", batch_size=64, replay="per", policy_kwargs={"net_arch": [32]}, gamma=0.9)
    settings = model.settings
    assert settings["algo"].value == "ta-dqn+per" and settings["env"].value == "gym/CartPole-v1"
    assert (settings["batch_size"].value, settings["batch_size"].default) == (64, 32)
    assert settings["policy.net_arch"].value == [32] and settings["align.margin"].value == 1.0
    assert settings["learning_rate"].value == 1e-4 and settings["replay.alpha"].value == 0.6
    assert "gamma = 0.9  # discount; number, 0 to 1" in repr(settings)
    assert "<td>gamma</td><td>0.9</td>" in settings._repr_html_()
    with pytest.raises(KeyError, match="did you mean 'batch_size'"):
        settings["batch_sizes"]


def test_settings_of_an_algorithm_without_a_model():
    assert tarl.settings("sac", "Pendulum-v1")["learning_rate"].value == 3e-4
    assert tarl.settings("dqn+per", "classic/cartpole")["replay.kind"].value == "per"
    assert tarl.settings("td3")["policy_delay"].value == 2


WRONG = [
    ({"learning_rat": 1e-3}, "tarl.TADQN: no setting is called 'learning_rat'; did you mean 'learning_rate'"),
    ({"run_dirr": "x"}, "did you mean 'run_dir'"),
    ({"gamma": 1.5}, r"tarl.TADQN: gamma = 1.5 is not a number from 0 to 1 \(discount\)"),
    ({"batch_size": "many"}, "tarl.TADQN: batch_size = many is not a whole number"),
    ({"optimizer": "sgd"}, "optimizer = sgd is not one of rmsprop, adam"),
    ({"settings": {"align.mod": "filter"}}, "did you mean 'align.mode'"),
    ({"replay": "rank"}, "replay = 'rank': choose one of uniform, per, reaper"),
    ({"train_freq": (4, "step")}, r"train_freq = \(4, 'step'\) is no number.* rather than"),
    ({"seed2": 1}, r"did you mean 'seed'\?"),
    ({"n_envs": 0}, "n_envs"),
    ({"env_state": "guess"}, "auto, replay, protocol, restart"),
    ({"preset": "nothing"}, "nothing"),
    ({"n_envs": "2"}, "n_envs = '2' is not a whole number from 1 to 1e"),
    ({"threads": 0}, "threads = 0 is not a whole number from 1"),
    ({"frame_stack": 1.5}, "frame_stack = 1.5 is not a whole number"),
    ({"policy_kwargs": [64, 64]}, r"policy_kwargs is a dict of settings, not list \[64, 64\]"),
    ({"settings": ["gamma"]}, "settings is a dict of settings"),
    ({"replay": 3}, "replay is a dict"),
    ({"policy_kwargs": {"net_arch": {"pi": [64]}}}, r"policy.net_arch = \{'pi': \[64\]\} is no .*\[256, 256\]"),
    ({"learning_rate": lambda left: 1e-3}, "learning_rate = <function .* is no number.*lin_1e-3"),
    ({"settings": {"steps": 100}}, r"steps is not among the settings here: learn\(total_timesteps\) takes it"),
    ({"steps": 100}, r"learn\(total_timesteps\) takes it"),
    ({"settings": {"eval.count": 4}}, r"learn\(n_evaluations=...\) takes it"),
    ({"settings": {"algo": "sac"}}, "the class is the algorithm"),
    ({"settings": {"extended.at": [5]}}, "makes a run longer"),
    ({"gamma": 0.5, "settings": {"gamma": 0.9}}, "gamma is given twice, as 0.5 and as 0.9"),
    ({"margin": 1, "align": {"margin": 2}}, "align.margin is given twice"),
    # Arguments of Stable-Baselines3's that have another home.
    ({"policy": "MlpPolicy"}, "'policy': observations choose the network"),
    ({"verbose": 1}, "progress_bar=True"),
    ({"device": "cuda"}, "models run on the CPU"),
    ({"tensorboard_log": "logs"}, r"tarl.callbacks.TensorBoard\(folder\)"),
]


@pytest.mark.parametrize(("wrong", "message"), WRONG)
def test_what_is_wrong_is_named_in_pythons_words(wrong, message):
    with pytest.raises(ValueError, match=message) as caught:
        tarl.TADQN("CartPole-v1", **wrong)
    assert "--set" not in str(caught.value) and "show-config" not in str(caught.value)


def test_the_order_of_stable_baselines3s_arguments_is_answered_with_ours():
    for given in (("MlpPolicy", "CartPole-v1"), ("CnnPolicy",), ("CartPole-v1", 1e-3)):
        with pytest.raises(tarl.UsageError, match=r"takes the environment alone, tarl.TASAC\(env\)"):
            tarl.TASAC(*given)


def test_evaluations_that_do_not_fit_leave_the_model_as_it_was(tmp_path):
    model = tarl.DQN("CartPole-v1", learning_starts=50)
    with pytest.raises(tarl.UsageError, match="n_evaluations = 20 do not fit into 10 steps") as caught:
        model.learn(10, n_evaluations=20)
    assert "--" not in str(caught.value)
    model.save(tmp_path / "model")
    assert tarl.load(tmp_path / "model").learn(100).num_timesteps == model.learn(100).num_timesteps == 100


def test_later_evaluations_are_those_of_the_first_call():
    model = tarl.DQN("CartPole-v1", learning_starts=50)
    model.learn(200, n_evaluations=2, n_eval_episodes=1)
    model.learn(100, n_evaluations=1, n_eval_episodes=1).learn(100)
    assert model.evaluations.timesteps.tolist() == [100, 200, 300, 400]
    for asked in ({"n_evaluations": 4, "n_eval_episodes": 1}, {"n_evaluations": 1}):
        with pytest.raises(tarl.UsageError, match="these steps have 1 of 1 episodes.*EvalCallback"):
            model.learn(100, **asked)
    model = tarl.DQN("CartPole-v1", learning_starts=50).learn(60)
    with pytest.raises(tarl.UsageError, match="n_evaluations = 4: the first learn.. of a run settles.* have 0 of"):
        model.learn(100, n_evaluations=4)
    assert model.learn(40).num_timesteps == 100  # it is as it was


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda model: model.learn(0), "total_timesteps = 0 is not a whole number from 1"),
        (lambda model: model.learn("100"), "total_timesteps = '100' is not"),
        (lambda model: model.learn(1e30), "total_timesteps = 1e.30 is not a whole number from 1 to 1e.15"),
        (lambda model: model.learn(float("nan")), "total_timesteps = nan is not"),
        (lambda model: model.learn(100, n_evaluations=-1), "n_evaluations = -1 is not a whole number from 0"),
        (lambda model: model.learn(100, n_evaluations=2.5), "n_evaluations = 2.5 is not"),
        (lambda model: model.learn(100, n_eval_episodes=0), "n_eval_episodes = 0 is not"),
        (lambda model: model.set_parameters({}), "parameter 'q.fc1.bias' is missing"),
        (lambda model: model.evaluate(0), "episodes = 0 is not a whole number from 1"),
        (lambda model: model.evaluate(1, seed=-1), "seed = -1 is not"),
    ],
)
def test_numbers_that_are_none(call, message):
    with pytest.raises(tarl.UsageError, match=message):
        call(tarl.DQN("CartPole-v1"))


@pytest.mark.parametrize(
    ("env", "message"),
    [
        ("Cartpole", "did you mean 'CartPole-v1'"),
        ("CartPole-v9", r"did you mean 'CartPole-v1'.*\(tarl.envs.names\(\) lists"),
        ("minatar/brekout", r"did you mean 'minatar/breakout'"),
        ("nothing like it", r"no environment is called 'nothing like it' \(tarl.envs.names\(\) lists all\)"),
    ],
)
def test_environments_that_are_none(env, message):
    with pytest.raises(tarl.UsageError, match=message) as caught:
        tarl.DQN(env)
    assert "--" not in str(caught.value)


def test_an_algorithm_that_is_none_is_not_answered_with_flags():
    with pytest.raises(tarl.UsageError, match="did you mean 'dqn'") as caught:
        tarl.settings("dqnn")
    assert "--" not in str(caught.value)


def test_a_simulator_that_gymnasium_lacks_is_answered_with_ours(monkeypatch):
    def lacks(id, **kwargs):
        raise gym.error.DependencyNotInstalled("no Box2D")

    monkeypatch.setattr(gym, "make", lacks)
    with pytest.raises(gym.error.DependencyNotInstalled, match="no Box2D; tarl has .* 'box2d/lunar_lander'"):
        tarl.DQN("LunarLander-v3")


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("")
    for folder in ("file", "file/below"):
        with pytest.raises(tarl.Error, match=f"{folder}"):
            tarl.DQN("CartPole-v1", run_dir=tmp_path / folder).learn(100)


def test_a_model_shows_itself(tmp_path):
    model = small("native", run_dir=tmp_path / "run")
    assert repr(model) == f"<tarl.TADQN in classic/cartpole: 0 steps, run_dir={str(tmp_path / 'run')!r}>"
    assert "<svg" not in model._repr_html_() and len(model.evaluations) == 0
    model.learn(300, n_evaluations=3, n_eval_episodes=2)
    assert model.evaluations.timesteps.tolist() == [100, 200, 300]
    assert model.evaluations.returns.shape == model.evaluations.lengths.shape == (3, 2)
    assert "300 steps" in repr(model)
    assert "<svg" in model._repr_html_() and "<td>gamma</td>" in model._repr_html_()


def test_pickles_take_along_the_function_that_makes_the_environment():
    model = tarl.DQN(cartpole, learning_starts=50).learn(100)
    assert digest(pickle.loads(pickle.dumps(model)).learn(100)) == digest(model.learn(100))
    with pytest.raises((pickle.PicklingError, AttributeError), match="lambda"):
        pickle.dumps(tarl.DQN(lambda: cartpole(), learning_starts=50))


# Where SB3 says it otherwise: the schedule of its noise and networks, what only concerns its logs, PyTorch's devices.
RENAMED = {"learning_rate_schedule", "action_noise", "ent_coef", "target_entropy"}


@pytest.mark.parametrize("name", ["DQN", "SAC", "TD3", "DDPG"])
def test_defaults_on_gymnasiums_environments_are_stable_baselines3s(name):
    sb3 = pytest.importorskip("stable_baselines3", reason="stable-baselines3 is not installed")
    theirs = {
        key: parameter.default
        for key, parameter in inspect.signature(getattr(sb3, name)).parameters.items()
        if parameter.default not in (inspect.Parameter.empty, None)
    }
    env = "CartPole-v1" if name == "DQN" else "Pendulum-v1"
    ours = tarl.settings(name.lower(), env)
    compared = [key for key in theirs if key in ours and key not in RENAMED and key != "seed"]
    assert len(compared) >= 8
    assert {key: ours[key].value for key in compared} == {key: theirs[key] for key in compared}
