"""What a run without updates and without exploration has stored: observations and the model's own actions."""
import glob

import numpy as np
from safetensors.numpy import load_file

RANDOM_STEPS = 100  # learning_starts of these runs
CHANNELS = 4  # of MinAtar Breakout


def stored(run):
    state = load_file(glob.glob(f"{run}/checkpoints/*/state.safetensors")[0])
    rows = "loop/replay/storage/tail/"
    return {key.removeprefix(rows): value for key, value in state.items() if key.startswith(rows)}


def breakout(run):
    """Observations [n, channels, 10, 10] and actions [n]."""
    rows = stored(run)
    actions = rows["action_index"]
    bits = np.unpackbits(rows["frames"].reshape(len(actions), -1), axis=1, bitorder="little")[:, : 100 * CHANNELS]
    obs = bits.reshape(-1, 10, 10, CHANNELS).transpose(0, 3, 1, 2).astype(np.float32)
    return obs[RANDOM_STEPS:], actions[RANDOM_STEPS:]


def pendulum(run):
    """Observations [n, 3] and actions [n, 1]."""
    rows = stored(run)
    actions = rows["action"].reshape(-1, 1)
    return rows["frames"].view(np.float32).reshape(len(actions), -1)[RANDOM_STEPS:], actions[RANDOM_STEPS:]


def check_greedy(q, actions):
    """Sums are rounded in another order elsewhere: an action may differ only between values that nearly tie."""
    assert len(actions) > 1000 and len(set(actions)) > 1, "too little was compared"
    behind = (q.max(axis=1) - q[np.arange(len(q)), actions]).max()
    assert behind < 1e-5, f"an action is {behind} behind the best"


def check_close(mine, actions):
    assert len(actions) > 300 and actions.std() > 0.01, "too little was compared"
    apart = np.abs(mine - actions).max()
    assert apart < 1e-5, f"an action is {apart} away"
