#!/usr/bin/env python3
"""Computes runs' actions with the PyTorch lines of docs/model.md, as they stand there.
Usage: check_torch.py MODEL.md BREAKOUT_RUN PENDULUM_RUN (DQN and TD3, see stored_play.py)"""
import pathlib
import re
import sys

import torch

import stored_play as play

page, breakout, pendulum = sys.argv[1:]
lines = next(code for code in re.findall(r"^```python\n(.*?)^```", pathlib.Path(page).read_text(), re.M | re.S)
             if "import torch" in code)
assert '"runs/first/model.safetensors"' in lines, "the page loads another file"


def names_for(run):
    names = {}
    exec(lines.replace("runs/first", run), names)
    return names


with torch.no_grad():
    obs, actions = play.breakout(breakout)
    play.check_greedy(names_for(breakout)["q_minatar"](torch.from_numpy(obs)).numpy(), actions)
    obs, torques = play.pendulum(pendulum)
    play.check_close(names_for(pendulum)["action"](torch.from_numpy(obs.copy())).numpy(), torques)
print(f"PyTorch {torch.__version__}: {len(actions) + len(torques)} actions follow from the model files")
