"""Models come and go without a trace, and threads and onlookers change no bit."""

import gc
import subprocess
import sys
import weakref
from pathlib import Path

import gymnasium as gym
import pytest
from support import SMALL, cartpole, digest, small

import tarl


@pytest.mark.parametrize("kind", SMALL)
def test_threads_and_callbacks_change_no_bit(kind):
    def watch(model, step):
        pass

    watch.every = 1
    whole = digest(small(kind).learn(130))
    assert digest(small(kind, threads=4).learn(130)) == whole
    assert digest(small(kind).learn(130, callback=watch)) == whole


class Watched(gym.Wrapper):
    """Counts those that are there and those that were not closed."""

    living = weakref.WeakSet()
    opened = closed = 0

    def __init__(self):
        super().__init__(cartpole())
        Watched.living.add(self)
        Watched.opened += 1

    def close(self):
        Watched.closed += 1
        super().close()


def used(kind, cycle):
    """What is left of a model that trained, acted, was watched and may refer to itself."""
    model = small(kind) if kind != "watched" else tarl.TADQN(Watched, learning_starts=20, n_envs=2)
    model.learn(120, callback=lambda model, step: None)
    model.policy().predict(model.observation_space.sample())
    model.evaluate(1)
    if cycle:
        model.myself = model
        model.learn(10, callback=tarl.callbacks.EvalCallback(every=5, episodes=1))
    return weakref.ref(model)


@pytest.mark.parametrize("kind", [*SMALL, "watched"])
@pytest.mark.parametrize("cycle", [False, True])
def test_a_model_that_nobody_holds_is_gone(kind, cycle):
    left = used(kind, cycle)
    gc.collect()
    assert left() is None
    assert len(Watched.living) == 0 and Watched.opened == Watched.closed


@pytest.mark.parametrize("vec", [None, "sync"])
def test_a_model_in_a_cycle_with_its_environments_closes_them(vec, monkeypatch):
    told, closed = [], []
    monkeypatch.setattr(sys, "unraisablehook", lambda problem: told.append(problem.exc_value))

    class Knows(gym.Wrapper):
        model = None

        def close(self):
            closed.append(1)
            super().close()

    env = []

    def make():
        env.append(Knows(cartpole()))
        return env[-1]

    model = tarl.DQN(make, vec=vec, n_envs=2)
    for one in env:
        one.model = model
    left, count = weakref.ref(model), len(env)
    del model, one, make
    env.clear()
    gc.collect()
    assert left() is None and (len(closed), told) == (count, [])


def resident():
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 2**20


def test_a_hundred_models_take_no_more_memory_than_ten():
    def use(count):
        for i in range(count):
            model = small(("native", "gymnasium", "continuous")[i % 3], buffer_size=200_000)
            model.learn(110)
            model.policy()
        del model
        gc.collect()
        return resident()

    # One that stayed would keep its replay and its networks, a megabyte and more.
    assert use(100) - use(10) < 40


QUIETLY = """
import gc
from support import small
{before}
model = small("{kind}")
model.learn(120)
policy = model.policy()
model.myself = model
{after}
"""
ENDS = {
    "alive": ("", ""),
    "in a module": ("", "import tarl; tarl.kept = model"),
    "without garbage collection": ("gc.disable()", ""),
    "by an exception": ("", "raise SystemExit"),
    "after another thread": ("", "from threading import Thread; t = Thread(target=model.learn, args=[50]); t.start()"),
}


@pytest.mark.parametrize("kind", ["native", "gymnasium", "lanes"])
@pytest.mark.parametrize("end", ENDS)
def test_the_interpreter_ends_without_a_word(kind, end):
    before, after = ENDS[end]
    code = QUIETLY.format(kind=kind, before=before, after=after)
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=Path(__file__).parent)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
