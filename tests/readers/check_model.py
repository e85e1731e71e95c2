#!/usr/bin/env python3
"""Replays a run's greedy actions from model.safetensors alone, as docs/model.md describes the network.

The run explores nothing and makes no update, so every action in its replay is the model's own.
Usage: check_model.py RUN (DQN on MinAtar Breakout, random until step 100)"""
import glob
import sys

import numpy as np
from safetensors.numpy import load_file

RANDOM_STEPS = 100
CHANNELS = 4

run = sys.argv[1]
w = load_file(f"{run}/model.safetensors")
state = load_file(glob.glob(f"{run}/checkpoints/*/state.safetensors")[0])
rows = "loop/replay/storage/tail/"
actions = state[rows + "action_index"]

packed = state[rows + "frames"].reshape(len(actions), -1)
bits = np.unpackbits(packed, axis=1, bitorder="little")[:, : 100 * CHANNELS]
obs = bits.reshape(-1, 10, 10, CHANNELS).transpose(0, 3, 1, 2).astype(np.float32)

windows = np.lib.stride_tricks.sliding_window_view(obs, (3, 3), axis=(2, 3))
x = np.einsum("nchwij,ocij->nohw", windows, w["q.conv.weight"], optimize=True) + w["q.conv.bias"][:, None, None]
x = np.maximum(x, 0).reshape(len(x), -1)
x = np.maximum(x @ w["q.fc1.weight"].T + w["q.fc1.bias"], 0)
q = x @ w["q.out.weight"].T + w["q.out.bias"]

# Sums are rounded in another order here: an action may differ only between values that nearly tie.
chosen = q[np.arange(len(q)), actions][RANDOM_STEPS:]
behind = (q.max(axis=1)[RANDOM_STEPS:] - chosen).max()
assert behind < 1e-5, f"an action is {behind} behind the best"
assert len(chosen) > 1000 and len(set(actions[RANDOM_STEPS:])) > 1, "too little was compared"
print(f"{len(chosen)} actions follow from the model file")
