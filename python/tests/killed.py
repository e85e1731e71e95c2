"""Runs of Python environments in processes that are killed and resumed.

    PYTHONPATH=build/python python python/tests/killed.py --kills 50

kills each run at random instants, in training, evaluations and writes of checkpoints, resumes it until it is
finished, and compares its files with those of the run that nobody killed.
"""

import argparse
import json
import multiprocessing
import os
import random
import signal
import sys
import tempfile
import threading
import time
from pathlib import Path

import gymnasium as gym
import numpy as np
from support import differing_files

import tarl

STEPS = 360
CHECKPOINT_EVERY = 40
ROOM = 30  # steps in which a blow falls that was ordered


class Blocks(gym.Env):
    """Images in which a block moves; a point for catching it at the edge."""

    observation_space = gym.spaces.Box(0, 255, (40, 40, 1), np.uint8)
    action_space = gym.spaces.Discrete(3)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.row, self.column, self.bar = 0, int(self.np_random.integers(36)), 18
        return self.picture(), {}

    def step(self, action):
        self.row += 4
        self.column = int(np.clip(self.column + self.np_random.integers(-2, 3), 0, 36))
        self.bar = int(np.clip(self.bar + 4 * (action - 1), 0, 36))
        over = self.row >= 36
        return self.picture(), float(over and abs(self.bar - self.column) < 4), over, False, {}

    def picture(self):
        image = np.zeros((40, 40, 1), np.uint8)
        image[self.row : self.row + 4, self.column : self.column + 4] = 255
        image[38:, self.bar : self.bar + 4] = 128
        return image


class Remembers(gym.Wrapper):
    """CartPole, without a limit, whose state can be taken out and put back."""

    def __init__(self):
        super().__init__(gym.make("CartPole-v1", max_episode_steps=-1))

    def get_state(self):
        inner = self.unwrapped
        state = inner.state.tolist(), inner.steps_beyond_terminated, inner.np_random.bit_generator.state
        return json.dumps(state).encode()

    def set_state(self, saved):
        inner = self.unwrapped
        state, inner.steps_beyond_terminated, inner.np_random.bit_generator.state = json.loads(saved)
        inner.state = np.array(state)


QUICK = {"learning_starts": 60, "batch_size": 8}
NARROW = QUICK | {"policy_kwargs": {"net_arch": [16, 16]}}
KINDS = {
    "cartpole": (tarl.TADQN, "CartPole-v1", QUICK),
    "acrobot": (tarl.DDQN, "Acrobot-v1", QUICK | {"replay": "per"}),
    "pendulum": (tarl.TASAC, "Pendulum-v1", NARROW),
    "mountaincar": (tarl.TD3, "MountainCarContinuous-v0", NARROW | {"n_envs": 2, "action_noise": 0.1}),
    "image": (tarl.DQN, Blocks, QUICK | {"frame_stack": 2, "buffer_size": 300, "train_freq": 16}),
    "vector": (tarl.TADQN, "CartPole-v1", QUICK | {"n_envs": 3, "vec": "sync"}),
    "processes": (tarl.DQN, "CartPole-v1", QUICK | {"n_envs": 2, "vec": "async"}),
    "protocol": (tarl.DQN, Remembers, QUICK),
}


def begin(kind, folder):
    make, env, settings = KINDS[kind]
    cadence = {"checkpoint.every": CHECKPOINT_EVERY}
    return make(env, seed=5, run_dir=folder, settings=cadence, **settings)


def learn(kind, folder, callback=None):
    """A run to its end, from wherever it is."""
    if (folder / "config.toml").exists():
        env = KINDS[kind][1]
        model = tarl.resume(folder, None if isinstance(env, str) else env)
    else:
        model = begin(kind, folder)
    if model.num_timesteps or model.total_timesteps == STEPS:
        return model.learn(callback=callback)
    return model.learn(STEPS, n_evaluations=4, n_eval_episodes=1, callback=callback)


class Blow(tarl.callbacks.Callback):
    """kill -9 at a random instant after a random step, half of them where a checkpoint is due."""

    every = 1

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.thread = None

    def on_start(self, model):
        now = model.num_timesteps
        self.at = now + self.rng.randrange(1, 3 * CHECKPOINT_EVERY)
        if self.rng.random() < 0.5:
            self.at = -(-self.at // CHECKPOINT_EVERY) * CHECKPOINT_EVERY

    def on_step(self, model, step):
        if self.thread is None and step >= self.at and step + ROOM < STEPS:
            self.at = step
            self.thread = threading.Thread(target=self.fall, daemon=True)
            self.thread.start()
        elif self.thread is not None and step >= self.at + ROOM:
            self.thread.join()  # for good

    def fall(self):
        time.sleep(self.rng.random() ** 3 * 0.02)
        os.kill(os.getpid(), signal.SIGKILL)


def victim(kind, folder, seed, said):
    with open(said, "w") as file:
        os.dup2(file.fileno(), 2)  # environments in processes of their own say that they lost their parent
    learn(kind, folder, None if seed is None else Blow(seed))


def killed_and_resumed(kind, folder, rng, most):
    """A run that is killed up to `most` times. Returns how often it was, and how often within a checkpoint."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tarl.models", "numpy.testing"])
    kills = inside = 0
    said = folder.with_name(folder.name + ".txt")
    while True:
        seed = rng.randrange(10**9) if kills < most else None
        process = context.Process(target=victim, args=(kind, folder, seed, said))
        process.start()
        process.join()
        if process.exitcode == 0:
            return kills, inside
        if process.exitcode != -signal.SIGKILL:
            raise AssertionError(f"{kind}: a resumed run ended with {process.exitcode}:\n{said.read_text()}")
        kills += 1
        inside += any(folder.glob("checkpoints/tmp-*"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=50, help="of all runs together (%(default)s)")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6), help="of the instants")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    options = parser.parse_args()
    rng = random.Random(options.seed)
    kills = inside = runs = different = 0
    with tempfile.TemporaryDirectory() as work:
        unbroken = {kind: Path(work) / kind for kind in options.kinds}
        for kind, folder in unbroken.items():
            learn(kind, folder)
        while kills < options.kills or runs % len(unbroken):
            kind = options.kinds[runs % len(unbroken)]
            folder = Path(work) / f"killed{runs}"
            made, within = killed_and_resumed(kind, folder, rng, 10)
            kills, inside, runs = kills + made, inside + within, runs + 1
            if names := differing_files(folder, unbroken[kind]):
                different += 1
                print(f"DIFFERENT {kind}: {', '.join(names)} (seed {options.seed})")
    print(f"{kills} kills, {inside} inside a checkpoint write, {runs} runs compared, {different} differences")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
