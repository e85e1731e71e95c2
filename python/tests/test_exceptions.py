"""What an environment or a callback raises comes out of learn() as it is, and nothing is lost by it."""

import gc
import sys
import threading
import traceback

import gymnasium as gym
import pytest
from support import cartpole, differing_files, digest, small

import tarl


class Boom(Exception):
    """Not one that anybody else raises."""


class Raising(gym.Wrapper):
    """Raises in one of its methods, at the n-th call of all environments of its kind."""

    where, at, calls = "", 0, 0

    def __init__(self):
        super().__init__(cartpole())

    @classmethod
    def armed(cls, where, at):
        cls.where, cls.at, cls.calls = where, at, 0
        return cls

    def count(self, where):
        if where != Raising.where:
            return
        Raising.calls += 1
        if Raising.calls == Raising.at:
            raise Boom(f"in {where}")

    def reset(self, **kwargs):
        self.count("reset")
        return super().reset(**kwargs)

    def step(self, action):
        self.count("step")
        return super().step(action)

    def close(self):
        self.count("close")
        super().close()


def lines_of(caught):
    return [frame.name for frame in traceback.extract_tb(caught.tb)]


@pytest.mark.parametrize("vec", [None, "sync"])
@pytest.mark.parametrize(("where", "at"), [("reset", 9), ("step", 1), ("step", 150)])
def test_what_an_environment_raises(where, at, vec):
    model = tarl.TADQN(Raising.armed(where, at), n_envs=2, vec=vec, learning_starts=50)
    with pytest.raises(Boom, match=f"^in {where}$") as caught:
        model.learn(1000)
    assert lines_of(caught)[-2:] == [where, "count"]  # the user's own lines
    with pytest.raises(tarl.Error, match="in the middle of a step"):
        model.learn()
    assert model.policy().predict(model.observation_space.sample())[0] in (0, 1)  # its agent is whole


def test_a_run_goes_on_from_its_last_checkpoint(tmp_path):
    def model(make, folder):
        settings = {"checkpoint.every": 100, "log.tensorboard": False}
        return tarl.DDQN(make, seed=3, learning_starts=50, run_dir=tmp_path / folder, settings=settings)

    whole = model(Raising.armed("", 0), "whole").learn(400)
    broken = model(Raising.armed("step", 250), "broken")
    with pytest.raises(Boom):
        broken.learn(400)
    assert 'status": "failed' in (tmp_path / "broken" / "run.json").read_text()
    del broken
    resumed = tarl.resume(tmp_path / "broken", Raising.armed("", 0))
    assert resumed.num_timesteps == 200
    assert digest(resumed.learn()) == digest(whole)
    assert differing_files(tmp_path / "broken", tmp_path / "whole") == []


def test_an_evaluation_that_raises_leaves_the_model_as_it_was():
    model = small("gymnasium").learn(200)
    with pytest.raises(Boom, match="in step"):
        model.evaluate(2, env=Raising.armed("step", 7))
    assert digest(model.learn(100)) == digest(small("gymnasium").learn(200).learn(100))


def test_an_evaluation_on_the_way_raises():
    model = tarl.DQN("CartPole-v1", eval_env=Raising.armed("step", 30), learning_starts=50)
    with pytest.raises(Boom):
        model.learn(300, n_evaluations=10)


def test_an_environment_that_cannot_begin_makes_no_model():
    def make():
        raise Boom("no screen")

    with pytest.raises(Boom, match="no screen"):
        tarl.DQN(make)
    with pytest.raises(Boom, match="in reset"):
        tarl.DQN(Raising.armed("reset", 1))


def test_an_exception_that_drops_a_model_is_the_one_that_arrives():
    def refuse(model):
        raise Boom("on the way")

    with pytest.raises(Boom, match="on the way"):
        refuse(tarl.DQN(cartpole))


def test_what_close_raises_is_told_and_does_no_harm(monkeypatch):
    told = []
    monkeypatch.setattr(sys, "unraisablehook", lambda problem: told.append(str(problem.exc_value)))
    model = tarl.DQN(Raising.armed("close", 1), learning_starts=50).learn(100)
    del model
    gc.collect()
    assert told == ["in close"]


HOOKS = {
    "on_start": (),
    "on_step": (100,),
    "on_episode": (1, 2),
    "on_evaluation": (1, 2),
    "on_log": (1, 2),
    "on_checkpoint": (1, 2),
    "on_end": (),
}


def raising(hook):
    """A callback that raises in its third call of a hook, or in its first where there is but one."""

    def call(self, *args):
        self.calls += 1
        if self.calls == (3 if HOOKS[hook] else 1):
            raise Boom(hook)

    one = type("Raises", (tarl.callbacks.Callback,), {hook: call, "calls": 0, "every": 60})
    return one()


@pytest.mark.parametrize("hook", HOOKS)
@pytest.mark.parametrize("kind", ["native", "gymnasium"])
def test_after_an_exception_in_a_callback_the_model_goes_on(kind, hook, tmp_path):
    def run(folder):
        settings = {"checkpoint.every": 50, "log.tensorboard": False}
        return small(kind, run_dir=tmp_path / folder, settings=settings)

    plan = {"n_evaluations": 8, "n_eval_episodes": 1}
    model = run("broken")
    with pytest.raises(Boom, match=f"^{hook}$") as caught:
        model.learn(400, callback=raising(hook), **plan)
    assert lines_of(caught)[-1] == "call"
    rest = {} if model.num_timesteps else {"total_timesteps": 400, **plan}
    model.learn(**rest)
    assert digest(model) == digest(run("whole").learn(400, **plan))
    assert differing_files(tmp_path / "broken", tmp_path / "whole") == []


def test_the_first_exception_counts_and_nobody_is_called_after_it():
    called = []

    def second(model, step):
        called.append(step)

    def first(model, step):
        raise Boom("first")

    first.every = second.every = 50
    with pytest.raises(Boom, match="first"):
        small("native").learn(200, callback=[first, second])
    assert called == []


def test_exceptions_come_out_in_the_thread_that_learns():
    caught = []

    def learn():
        try:
            tarl.DQN(Raising.armed("step", 70), learning_starts=50).learn(500)
        except Boom as problem:
            caught.append(problem)

    thread = threading.Thread(target=learn)
    thread.start()
    thread.join()
    assert [str(problem) for problem in caught] == ["in step"]


def test_a_model_is_one_threads_at_a_time():
    problems = []

    def other(model):
        for call in (lambda: model.learn(10), model.get_parameters, lambda: model.predict([0, 0, 0, 0])):
            try:
                call()
            except RuntimeError as problem:
                problems.append(str(problem))

    def check(model, step):
        thread = threading.Thread(target=other, args=[model])
        thread.start()
        thread.join()
        with pytest.raises(RuntimeError, match="cannot call it again"):
            model.learn(10)
        return False

    check.every = 100
    model = small("gymnasium").learn(300, callback=check)
    assert len(problems) == 3 and all("in use in another thread" in problem for problem in problems)
    assert digest(model.learn()) == digest(small("gymnasium").learn(300))
