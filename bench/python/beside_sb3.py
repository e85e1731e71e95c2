#!/usr/bin/env python3
"""Models in Gymnasium's environments compared with Stable-Baselines3, and the cost of the bridge: one thread each,
interleaved, best of several rounds by processor time.

    python -m venv /tmp/sb3 && /tmp/sb3/bin/pip install 'stable-baselines3>=2.7'
    PYTHONPATH=build/python .venv/bin/python bench/python/beside_sb3.py --sb3 /tmp/sb3/bin/python

With --check it exits with 1 if a figure misses its bound; targets.py also checks the bounds of the other benchmarks.
"""

import argparse
import json
import os
import subprocess
import sys
import time

import gymnasium as gym
import numpy as np

EVERY_STEP = {"learning_starts": 100, "batch_size": 32, "train_freq": 1, "gradient_steps": 1, "seed": 0}
ZOO = {  # RL Zoo's for CartPole
    "learning_rate": 2.3e-3,
    "batch_size": 64,
    "buffer_size": 100_000,
    "learning_starts": 1000,
    "target_update_interval": 10,
    "train_freq": 256,
    "gradient_steps": 128,
    "exploration_fraction": 0.16,
    "exploration_final_eps": 0.04,
    "seed": 0,
}
SAC = {"learning_starts": 100, "batch_size": 256, "seed": 0}
WIDE = {"policy_kwargs": {"net_arch": [256, 256]}}
# Both: algorithm, environment, settings, timed steps of tarl and of SB3.
LEARNING = {
    "dqn64": ("DQN", "CartPole-v1", EVERY_STEP | {"policy_kwargs": {"net_arch": [64, 64]}}, 20_000, 1_000),
    "dqn256": ("DQN", "CartPole-v1", EVERY_STEP | WIDE, 5_000, 600),
    "sac": ("SAC", "Pendulum-v1", SAC | WIDE, 400, 150),
}
WHOLE = ("DQN", "CartPole-v1", ZOO | WIDE, 50_000, 50_000)
# The figures and their bounds: at least (a ratio to SB3) or at most (a cost).
AT_LEAST = {"dqn64": 40, "dqn256": 12, "sac": 2.5, "whole": 8}
AT_MOST = {"bridge_us": 0.8, "cartpole_ratio": 1.15, "predict_us": 5, "callback_us": 0.5}


def make(library, name, env, settings):
    if library == "tarl":
        import tarl

        return getattr(tarl, name)(env, **settings)
    import stable_baselines3
    import torch

    torch.set_num_threads(1)
    return getattr(stable_baselines3, name)("MlpPolicy", env, **settings)


def seconds(call):
    start = time.process_time()
    call()
    return time.process_time() - start


def rate(library, name, env, settings, ours, theirs):
    """Environment steps, each with an update, per second."""
    steps = ours if library == "tarl" else theirs
    model = make(library, name, env, settings)
    model.learn(200)
    return steps / seconds(lambda: model.learn(steps, reset_num_timesteps=False))


def whole(library):
    """Seconds of a whole run, and the return its agent reaches."""
    name, env, settings, steps, _ = WHOLE
    model = make(library, name, env, settings)
    took = seconds(lambda: model.learn(steps))
    if library == "tarl":
        return took, model.evaluate(20).mean
    from stable_baselines3.common.evaluation import evaluate_policy

    return took, float(evaluate_policy(model, gym.make(env), 20, warn=False)[0])


def predict_us(library):
    model = make(library, "DQN", "CartPole-v1", {})
    obs = np.zeros(4, np.float32)
    count = 20_000 if library == "tarl" else 500
    return seconds(lambda: [model.predict(obs, deterministic=True) for _ in range(count)]) / count * 1e6


class Empty(gym.Env):
    """Does nothing."""

    observation_space = gym.spaces.Box(-1, 1, (4,))
    action_space = gym.spaces.Discrete(2)
    answer = np.zeros(4, np.float32), 0.0, False, False, {}

    def reset(self, *, seed=None, options=None):
        return self.answer[0], {}

    def step(self, action):
        return self.answer


def step_us(env, count=100_000):
    """The rate of a Python loop that plays at random."""
    env.reset(seed=0)
    actions = np.random.default_rng(0).integers(2, size=count).tolist()

    def play():
        for action in actions:
            _, _, terminated, truncated, _ = env.step(action)
            if terminated or truncated:
                env.reset()

    return seconds(play) / count * 1e6


def learn_us(env, count=100_000, callback=None):
    """The same for a model that only stores."""
    import tarl

    model = tarl.DQN(env, learning_starts=10**9, buffer_size=10_000, settings={"log.every": 0})
    return seconds(lambda: model.learn(count, callback=callback)) / count * 1e6


def bridge():
    def nothing(model, step):
        return None

    nothing.every = 1
    return {
        "empty_loop": step_us(Empty()),
        "empty": learn_us(Empty),
        "empty_told": learn_us(Empty, callback=nothing),
        "cartpole_loop": step_us(gym.make("CartPole-v1", disable_env_checker=True)),
        "cartpole": learn_us("CartPole-v1"),
    }


def costs(least):
    """Costs of the bridge, from the smallest microseconds per step of each kind."""
    return {
        "bridge_us": least["empty"] - least["empty_loop"],
        "cartpole_ratio": least["cartpole"] / least["cartpole_loop"],
        "callback_us": least["empty_told"] - least["empty"],
    }


def one_round(library):
    out = {name: rate(library, *what) for name, what in LEARNING.items()}
    out["predict_us"] = predict_us(library)
    return out | (bridge() if library == "tarl" else {})


def shorten():
    """For a smoke test: hundredths of the steps, and meaningless figures."""
    global WHOLE
    for name, (algo, env, settings, ours, theirs) in LEARNING.items():
        LEARNING[name] = (algo, env, settings, max(20, ours // 100), max(20, theirs // 100))
    WHOLE = (*WHOLE[:3], 2_000, 2_000)


def ask(python, library, what):
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONWARNINGS": "ignore"}  # for runs without an update
    words = [python, __file__, "--as", library, "--part", what, *(["--short"] if LEARNING["sac"][3] < 100 else [])]
    said = subprocess.run(words, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout
    return json.loads(said.splitlines()[-1])


def best(rounds):
    """The smallest costs and the highest rates."""
    return {name: (max if name in LEARNING else min)(one[name] for one in rounds) for name in rounds[0]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sb3", default=sys.executable, help="a Python with stable-baselines3 (default: this one)")
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--check", action="store_true", help="exit with 1 if a figure misses its bound")
    parser.add_argument("--short", action="store_true", help="only test that everything works: the figures are meaningless")
    parser.add_argument("--as", dest="library", choices=["tarl", "sb3"], help=argparse.SUPPRESS)
    parser.add_argument("--part", choices=["round", "whole"], help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.short:
        shorten()
    if options.library:
        print(json.dumps(one_round(options.library) if options.part == "round" else whole(options.library)))
        return 0
    good = show(options.sb3, options.rounds)
    return 0 if good or not options.check else 1


def show(sb3, rounds):
    """Measures and prints; returns whether every bound holds. `sb3` is a Python with
    Stable-Baselines3."""
    pythons = {"tarl": sys.executable, "sb3": sb3}
    taken = [{name: ask(python, name, "round") for name, python in pythons.items()} for _ in range(rounds)]
    ours, theirs = (best([one[name] for one in taken]) for name in pythons)
    ours |= costs(ours)
    runs = {name: ask(python, name, "whole") for name, python in pythons.items()}
    good = True
    print(f"{'':<16}{'tarl':>10}{'SB3':>10}{'ratio':>9}{'bound':>9}")
    for name, bound in AT_LEAST.items():
        pair = [runs[one][0] for one in pythons] if name == "whole" else [ours[name], theirs[name]]
        ratio = pair[1] / pair[0] if name == "whole" else pair[0] / pair[1]
        good &= ratio >= bound
        print(f"{name:<16}{pair[0]:>10.1f}{pair[1]:>10.1f}{ratio:>9.1f}{bound:>8}+")
    print(f"{'whole, return':<16}{runs['tarl'][1]:>10.1f}{runs['sb3'][1]:>10.1f}")
    for name, bound in AT_MOST.items():
        good &= ours[name] <= bound
        other = f"{theirs[name]:.2f}" if name in theirs else ""
        print(f"{name:<16}{ours[name]:>10.2f}{other:>10}{'':>9}{bound:>8}-")
    return good


if __name__ == "__main__":
    sys.exit(main())
