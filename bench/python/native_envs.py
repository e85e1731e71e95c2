#!/usr/bin/env python3
"""Steps per second of native environments through Gymnasium: one by gym.make, several by gym.make_vec,
and the same task stepped by Gymnasium's own SyncVectorEnv. Actions are drawn beforehand; finished
episodes are reset.

    PYTHONPATH=build/python python bench/python/native_envs.py
    PYTHONPATH=build/python python bench/python/native_envs.py --env mujoco/hopper --threads 1 4
"""

import argparse
import time

import gymnasium as gym

from tarl.envs import gym_id

ROUNDS = 1000  # calls between clock readings


def rate(call, steps_per_call, seconds):
    """Environment steps per second of the fastest round."""
    best, end = 0.0, time.perf_counter() + seconds
    while time.perf_counter() < end or best == 0:
        start = time.perf_counter()
        for _ in range(max(1, ROUNDS // steps_per_call)):
            call()
        best = max(best, max(1, ROUNDS // steps_per_call) * steps_per_call / (time.perf_counter() - start))
    return best


def single(name, seconds):
    env = gym.make(gym_id(name))
    env.reset(seed=0)
    env.action_space.seed(0)
    actions = [env.action_space.sample() for _ in range(64)]
    at = 0

    def step():
        nonlocal at
        at = (at + 1) % len(actions)
        _, _, terminated, truncated, _ = env.step(actions[at])
        if terminated or truncated:
            env.reset()

    return rate(step, 1, seconds)


def several(name, count, seconds, **how):
    envs = gym.make_vec(gym_id(name), num_envs=count, **how)
    envs.reset(seed=0)
    envs.action_space.seed(0)
    actions = [envs.action_space.sample() for _ in range(16)]
    at = 0

    def step():
        nonlocal at
        at = (at + 1) % len(actions)
        envs.step(actions[at])

    return rate(step, count, seconds)


def main():
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    add = parser.add_argument
    add("--env", default="minatar/breakout", help="a name of `tarl list envs` (%(default)s)")
    add("--counts", type=int, nargs="+", default=[1, 16, 256], help="numbers of environments for make_vec")
    add("--threads", type=int, nargs="+", default=[1], help="numbers of threads for make_vec")
    add("--seconds", type=float, default=2, help="seconds per measurement (%(default)s)")
    options = parser.parse_args()

    rows = [("gym.make", single(options.env, options.seconds))]
    for count in options.counts:
        for threads in options.threads:
            for copy in (True, False):
                label = f"make_vec, {count} environments, {threads} thread{'s' * (threads > 1)}"
                speed = several(options.env, count, options.seconds, threads=threads, copy=copy)
                rows.append((label + ("" if copy else ", copy=False"), speed))
    count = max(options.counts)
    speed = several(options.env, count, options.seconds, vectorization_mode="sync")
    rows.append((f"SyncVectorEnv, {count} environments", speed))
    print(f"{options.env}, environment steps per second")
    for label, speed in rows:
        print(f"  {label:<46} {speed:>12,.0f}")


if __name__ == "__main__":
    main()
