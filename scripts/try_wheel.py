#!/usr/bin/env python3
"""In the environment of an installed wheel: trains, and prints digests that every Python must share."""

import hashlib
import importlib.metadata
import subprocess
import sys
import tempfile
from pathlib import Path

import gymnasium as gym
import numpy as np

import tarl
import tarl.envs

LICENSES = {"MIT", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "Zlib"}


def say(what: str, value: object) -> None:
    print(f"{what}: {value}")


def digest(arrays: dict[str, np.ndarray]) -> str:
    sums = hashlib.sha256()
    for name in sorted(arrays):
        sums.update(name.encode() + np.ascontiguousarray(arrays[name]).tobytes())
    return sums.hexdigest()[:16]


def trained(kind: type, env: str, steps: int, **options: object) -> str:
    return digest(kind(env, seed=0, **options).learn(steps).get_parameters())


def command(*words: str) -> str:
    """The command on the PATH of this environment."""
    program = Path(sys.executable).with_name("tarl")
    return subprocess.run([program, *words], check=True, capture_output=True, text=True).stdout


def main() -> None:
    if "site-packages" not in Path(tarl.__file__).parts:
        sys.exit("try_wheel: this is the tree's package, not an installed one")
    about = importlib.metadata.metadata("tarl")
    assert set(about["License-Expression"].split(" AND ")) == LICENSES, about["License-Expression"]
    say("native environments", len(tarl.envs.names()))
    say("TA-DQN on Gymnasium's CartPole", trained(tarl.TADQN, "CartPole-v1", 2000, learning_starts=100))
    say("TA-DQN on MinAtar", trained(tarl.TADQN, "minatar/breakout", 600, learning_starts=100))
    say("SAC on MuJoCo", trained(tarl.SAC, "mujoco/hopper", 200, learning_starts=100))
    say("TD3 on Box2D", trained(tarl.TD3, "box2d/bipedal_walker", 200, learning_starts=100))
    envs = gym.make_vec("tarl/minatar-breakout-v1", num_envs=4)
    first, _ = envs.reset(seed=0)
    say("a vector of native environments", digest({"obs": first}))
    with tempfile.TemporaryDirectory() as folder:
        run = f"{folder}/run"
        command("train", "--quiet", "--algo", "dqn", "--env", "CartPole-v1", "--steps", "2000", "--out", run)
        say("tarl train", hashlib.sha256(Path(run, "model.safetensors").read_bytes()).hexdigest()[:16])
        assert len(tarl.load_runs(run)) == 1
        tarl.report(run)
    say("version", f"{about['Version']}, {command('--version').strip()}")


if __name__ == "__main__":
    main()
