"""Ctrl-C and other signals while a model learns: it stops between two steps, and goes on to the same bits."""

import os
import random
import signal
import subprocess
import sys
import threading
import time

import gymnasium as gym
import pytest
from support import cartpole, differing_files, digest, small

import tarl

STEPS = 800
STRIKES = 50  # of each kind
ROOM = 6  # steps after an order to strike at which it has been carried out


class Striker(tarl.callbacks.Callback):
    """Interrupts the process at random instants after given steps, each before ROOM more steps are over."""

    every = 1

    def __init__(self, steps, rng):
        self.steps = sorted(steps)
        self.delays = [rng.random() * 1e-3 for _ in steps]
        self.interrupted = []
        self.ordered = 0
        self.thread = None

    def on_step(self, model, step):
        if step >= self.ordered + ROOM:
            self.wait()  # and Python calls the handler
        if self.thread is None and self.steps and step >= self.steps[0]:
            self.ordered = self.steps.pop(0)
            self.thread = threading.Thread(target=self.strike, args=[self.delays.pop()])
            self.thread.start()

    def strike(self, delay):
        time.sleep(delay)
        os.kill(os.getpid(), signal.SIGINT)

    def wait(self):
        if self.thread is not None:
            self.thread.join()
            self.thread = None

    def learn(self, model):
        """To the end, through all interruptions."""
        steps = STEPS
        while True:
            try:
                model.learn(steps, callback=self)
            except KeyboardInterrupt:
                self.wait()
                self.interrupted.append(model.num_timesteps)
                steps = None
            else:
                return


@pytest.mark.parametrize("kind", ["native", "function"])
@pytest.mark.parametrize("on_disk", [False, True], ids=["memory", "folder"])
def test_interrupted_anywhere_the_same_bits(kind, on_disk, tmp_path):
    def run(folder):
        settings = {"log.tensorboard": False, "eval.epsilon": 0.0}
        return small(kind, settings=settings, run_dir=tmp_path / folder if on_disk else None)

    handler = signal.getsignal(signal.SIGINT)
    seed = random.randrange(10**6)
    print("seed", seed)
    rng = random.Random(seed)
    whole = run("whole").learn(STEPS)
    striker = Striker(rng.sample(range(1, STEPS - ROOM, ROOM + 1), STRIKES), rng)
    model = run("interrupted")
    striker.learn(model)
    assert len(striker.interrupted) == STRIKES and striker.interrupted == sorted(striker.interrupted)
    assert model.num_timesteps == STEPS and digest(model) == digest(whole)
    assert signal.getsignal(signal.SIGINT) is handler
    if on_disk:
        assert differing_files(tmp_path / "interrupted", tmp_path / "whole") == []


def strike_at(step, number=signal.SIGINT):
    def strike(model, now):
        if now == step:
            signal.raise_signal(number)

    strike.every = 1
    return strike


def test_an_interrupted_run_can_be_resumed_by_another_process(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        small("gymnasium", run_dir=tmp_path / "run").learn(400, callback=strike_at(150))
    resumed = tarl.resume(tmp_path / "run")
    assert resumed.num_timesteps == 150
    assert digest(resumed.learn()) == digest(small("gymnasium").learn(400))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGUSR1])
def test_other_signals_end_the_process_where_the_run_is_saved(number, tmp_path):
    with pytest.raises(SystemExit) as caught:
        small("native", run_dir=tmp_path).learn(400, callback=strike_at(150, number))
    assert caught.value.code == 128 + number
    del caught  # and with it the model, which holds the folder
    assert signal.getsignal(number) is signal.SIG_DFL
    assert tarl.resume(tmp_path).num_timesteps == 150


def test_handlers_of_others_are_left_alone(tmp_path):
    seen = []
    before = {number: signal.signal(number, lambda *_: seen.append(1)) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        model = small("native", run_dir=tmp_path)
        model.learn(300, callback=[strike_at(100), strike_at(200, signal.SIGTERM)])
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    assert model.num_timesteps == 300 and len(seen) == 2


def test_a_handler_that_raises_ends_learning_after_the_step():
    class Alarm(Exception):
        pass

    def ring(*_):
        raise Alarm

    before = signal.signal(signal.SIGALRM, ring)
    try:
        model = small("native")
        with pytest.raises(Alarm):
            model.learn(400, callback=strike_at(150, signal.SIGALRM))
    finally:
        signal.signal(signal.SIGALRM, before)
    assert digest(model.learn()) == digest(small("native").learn(400))


class Hanging(gym.Wrapper):
    """Waits in its 50th step until it is interrupted for the second time."""

    steps = 0

    def __init__(self):
        super().__init__(cartpole())

    def step(self, action):
        Hanging.steps += 1
        if Hanging.steps == 50:
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)
        return super().step(action)


def test_a_second_interrupt_raises_at_once():
    model = tarl.DQN(Hanging, learning_starts=10)
    handler = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        model.learn(200)
    assert Hanging.steps == 50 and model.num_timesteps == 49
    assert signal.getsignal(signal.SIGINT) is handler
    with pytest.raises(tarl.Error, match="in the middle of a step"):
        model.learn()


def test_stop_comes_from_any_thread():
    model = small("native")
    reached = threading.Event()

    def wait(model, step):
        reached.set()
        stopper.join()

    wait.every = 100
    stopper = threading.Thread(target=lambda: (reached.wait(), model.stop()))
    stopper.start()
    assert model.learn(1000, callback=wait).num_timesteps == 100


def python(code):
    """Another interpreter, where `code` ends up."""
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=os.path.dirname(__file__))


def test_an_interrupt_nobody_catches_ends_the_process_as_usual():
    code = """
import signal
from support import small
def strike(model, step): signal.raise_signal(signal.SIGINT)
strike.every = 50
small("gymnasium").learn(300, callback=strike)
"""
    ended = python(code)
    assert ended.returncode == -signal.SIGINT and "KeyboardInterrupt" in ended.stderr


@pytest.mark.parametrize("kind", ["native", "gymnasium", "lanes"])
def test_the_interpreter_ends_quietly_while_a_thread_learns(kind):
    code = f"""
import threading
from support import small
learning = threading.Event()
model = small("{kind}")
def report(model, step): learning.set()
report.every = 200
threading.Thread(target=lambda: model.learn(10**9, callback=report), daemon=True).start()
learning.wait()
"""
    ended = python(code)
    assert (ended.returncode, ended.stderr) == (0, "")
