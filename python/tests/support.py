"""What several tests share."""

import hashlib

import gymnasium as gym
import numpy as np

import tarl


def digest(model):
    """Of every bit of a model's parameters."""
    whole = hashlib.sha256()
    for name, values in sorted(model.get_parameters().items()):
        whole.update(name.encode() + np.ascontiguousarray(values).tobytes())
    return whole.hexdigest()


class StopAt(tarl.callbacks.Callback):
    """Ends learn() at a step."""

    def __init__(self, step):
        self.every = step

    def on_step(self, model, step):
        return False


def cartpole():
    """A function that makes an environment."""
    return gym.make("CartPole-v1")


# A model of each kind that learns in a second.
SMALL = {
    "native": (tarl.TADQN, "classic/cartpole", {"learning_starts": 100, "train_freq": 4}),
    "gymnasium": (tarl.TADQN, "CartPole-v1", {"learning_starts": 100}),
    "function": (tarl.DDQN, cartpole, {"learning_starts": 100, "replay": "per"}),
    "continuous": (tarl.SAC, "Pendulum-v1", {"batch_size": 16, "policy_kwargs": {"net_arch": [32, 32]}}),
    "lanes": (tarl.TATD3, "Pendulum-v1", {"batch_size": 16, "n_envs": 3, "policy_kwargs": {"net_arch": [32, 32]}}),
}


def small(kind, **more):
    make, env, settings = SMALL[kind]
    return make(env, **{"seed": 3, **settings, **more})


# What depends on settings and seed alone.
RESULTS = (
    "monitor.csv progress.csv evaluations.csv evaluations.npz best_model.safetensors model.safetensors "
    "events.out.tfevents.0.tarl"
).split()


def differing_files(run, other):
    """Of two finished runs."""
    return [name for name in RESULTS if bytes_of(run / name) != bytes_of(other / name)]


def bytes_of(path):
    return path.read_bytes() if path.exists() else None
