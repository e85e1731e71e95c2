#!/usr/bin/env python3
"""Computes runs' actions from model.safetensors alone, as docs/model.md describes the networks, in NumPy.
Usage: check_model.py BREAKOUT_RUN PENDULUM_RUN (DQN and TD3, see stored_play.py)"""
import sys

import numpy as np
from safetensors.numpy import load_file

import stored_play as play


def linear(w, name, x):
    return x @ w[name + ".weight"].T + w[name + ".bias"]


w = load_file(f"{sys.argv[1]}/model.safetensors")
obs, actions = play.breakout(sys.argv[1])
windows = np.lib.stride_tricks.sliding_window_view(obs, (3, 3), axis=(2, 3))
x = np.einsum("nchwij,ocij->nohw", windows, w["q.conv.weight"], optimize=True) + w["q.conv.bias"][:, None, None]
x = np.maximum(linear(w, "q.fc1", np.maximum(x, 0).reshape(len(x), -1)), 0)
play.check_greedy(linear(w, "q.out", x), actions)

w = load_file(f"{sys.argv[2]}/model.safetensors")
obs, torques = play.pendulum(sys.argv[2])
x = np.maximum(linear(w, "actor.fc2", np.maximum(linear(w, "actor.fc1", obs), 0)), 0)
play.check_close(np.tanh(linear(w, "actor.mu", x)), torques)
print(f"{len(actions) + len(torques)} actions follow from the model files")
