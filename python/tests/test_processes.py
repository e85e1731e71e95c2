"""Environments in processes of their own: a terminal's Ctrl-C reaches them too, and they may die or hang."""

import multiprocessing
import os
import signal
import subprocess
import sys
from pathlib import Path

import gymnasium as gym
import pytest
from gymnasium.vector import AsyncVectorEnv, AutoresetMode
from gymnasium.vector.async_vector_env import AsyncState
from support import StopAt, cartpole, digest

import tarl
from tarl._interrupts import Interrupts

QUICK = {"learning_starts": 60, "batch_size": 8, "seed": 3}


def theirs():
    return AsyncVectorEnv([cartpole] * 2, autoreset_mode=AutoresetMode.SAME_STEP)


def in_a_terminal(code):
    """Another interpreter, whose process group is its own."""
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, start_new_session=True, cwd=Path(__file__).parent
    )
    assert run.returncode == 0, run.stderr
    return run


CTRL_C = """
import os, signal
import tarl
from support import cartpole, digest
from test_processes import QUICK, theirs

def press(model, step):
    if step == 200:
        os.killpg(0, signal.SIGINT)
press.every = 100
"""


def test_a_terminals_ctrl_c_stops_between_steps_and_goes_on():
    """It reaches every process of the terminal at once."""
    code = """
model = tarl.DQN("CartPole-v1", n_envs=2, vec="async", **QUICK)
try:
    model.learn(400, callback=press)
except KeyboardInterrupt:
    print("stopped", 200 <= model.num_timesteps <= 202)
print(digest(model.learn()))
"""
    run = in_a_terminal(CTRL_C + code)
    whole = tarl.DQN("CartPole-v1", n_envs=2, vec="async", **QUICK).learn(400)
    assert run.stdout.split("\n") == ["stopped True", digest(whole), ""]
    assert run.stderr == ""


def test_a_ctrl_c_that_ends_processes_of_others_is_an_interrupt_and_no_more(tmp_path):
    code = f"""
model = tarl.DQN(theirs, run_dir={str(tmp_path)!r}, settings={{"checkpoint.every": 100}}, **QUICK)
try:
    model.learn(400, callback=press)
except KeyboardInterrupt as problem:
    print("stopped", model.num_timesteps)
del model
"""
    run = in_a_terminal(CTRL_C + code)
    assert run.stdout.startswith("stopped 20")
    with pytest.warns(RuntimeWarning, match="2 of 2 environments"):
        resumed = tarl.resume(tmp_path, theirs)
    assert resumed.num_timesteps >= 100
    assert resumed.learn().num_timesteps == 400


@pytest.mark.parametrize("way", ["theirs", "ours"])
def test_a_process_that_dies_is_named_and_nothing_that_was_saved_is_lost(way, tmp_path):
    env, more = (theirs, {}) if way == "theirs" else ("CartPole-v1", {"n_envs": 2, "vec": "async"})
    model = tarl.DQN(env, run_dir=tmp_path, settings={"checkpoint.every": 100}, **QUICK, **more)
    victim = []

    def kill(model, step):
        victim.append(multiprocessing.active_children()[0])
        os.kill(victim[0].pid, signal.SIGKILL)
        victim[0].join()

    kill.every = 250
    with pytest.raises(tarl.Error, match=r"a process .* is gone \(that of environment \d was killed by SIGKILL\)"):
        model.learn(400, callback=kill)
    with pytest.raises(tarl.Error, match="in the middle of a step"):
        model.learn()
    del model
    assert multiprocessing.active_children() == []
    if way == "ours":  # its environments are played again, to the bit
        whole = tarl.DQN(env, **QUICK, **more).learn(400)
        assert digest(tarl.resume(tmp_path).learn()) == digest(whole)


first = multiprocessing.Lock()
seen = multiprocessing.Event()


class Hanging(gym.Wrapper):
    """One of its kind is interrupted in its 50th step, which never ends."""

    steps = 0

    def __init__(self):
        super().__init__(cartpole())

    def step(self, action):
        self.steps += 1
        if self.steps == 50 and first.acquire(block=False):
            os.kill(os.getppid(), signal.SIGINT)
            seen.wait()  # signals that are not yet seen count once
            os.kill(os.getppid(), signal.SIGINT)
            signal.pause()
        return super().step(action)


def test_a_second_interrupt_leaves_a_process_that_hangs(monkeypatch):
    handle = Interrupts._handle

    def told(self, number, frame):
        seen.set()
        handle(self, number, frame)

    monkeypatch.setattr(Interrupts, "_handle", told)
    model = tarl.DQN(Hanging, n_envs=2, vec="async", **QUICK)
    with pytest.raises(KeyboardInterrupt):
        model.learn(400)
    assert model.num_timesteps == 98
    del model
    assert multiprocessing.active_children() == []


class Asleep(gym.Wrapper):
    """Never comes back from its 11th step."""

    steps = 0

    def __init__(self):
        super().__init__(cartpole())

    def step(self, action):
        self.steps += 1
        if self.steps > 10:
            signal.pause()
        return super().step(action)


def test_an_interrupt_while_steps_are_handed_out_leaves_processes_that_hang(monkeypatch):
    hand_out = AsyncVectorEnv.step_async

    def interrupted(self, actions):
        hand_out(self, actions)
        self._state = AsyncState.DEFAULT  # as before its last line
        raise KeyboardInterrupt

    def interrupt(model, step):
        monkeypatch.setattr(AsyncVectorEnv, "step_async", interrupted)

    interrupt.every = 20
    model = tarl.DQN(Asleep, n_envs=2, vec="async", **QUICK)
    with pytest.raises(KeyboardInterrupt):
        model.learn(400, callback=interrupt)
    assert model.num_timesteps == 20
    del model
    assert multiprocessing.active_children() == []


def test_processes_go_with_their_model():
    model = tarl.DQN("CartPole-v1", n_envs=2, vec="async", **QUICK).learn(200, callback=StopAt(100))
    assert len(multiprocessing.active_children()) == 2
    del model
    assert multiprocessing.active_children() == []
