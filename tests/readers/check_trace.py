#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Recomputes every score, scenario and kept row of a trace from its errors, as docs/tracing.md says.

usage: check_trace.py RUN_FOLDER UPDATES_BETWEEN CRITICS"""
import sys
import tomllib

import numpy as np
from trace_rules import recomputed

run, every, critics = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
trace = np.load(f"{run}/trace.npz", allow_pickle=False)
with open(f"{run}/config.toml", "rb") as file:
    config = tomllib.load(file)

m = config["batch_size"]
score, kept = recomputed(trace, m)
updates, critics_of_trace, candidates = trace["q"].shape
assert critics_of_trace == critics, critics_of_trace
assert candidates == m + int(np.floor(config["align"]["margin"] * m + 1e-9)), candidates
paper = "paper_score" in trace.files

terminal = trace["terminal"].astype(bool)
if config["align"].get("terminals") == "exempt":  # terminals pass if they are among the first m
    passes = np.arange(candidates) < m
    placed = np.where(terminal, np.where(passes, np.inf, -np.inf), score)
    assert paper and np.array_equal(placed, trace["score"]), "places of terminals"
else:
    assert not paper, "a second score that is the first"
assert np.array_equal(trace["y_online"][:, 0][terminal], trace["reward"][terminal]), "targets of terminals"
assert np.array_equal(np.diff(trace["update"]), np.full(updates - 1, every)), "updates between"
step, slot, age = trace["step"], trace["slot"], trace["age"]
held = np.minimum(step, config["buffer_size"])[:, None]
assert (np.diff(step) > 0).all() and (age >= 0).all() and (age < held).all() and (slot >= 0).all(), "ages"
assert np.array_equal((step[:, None] - 1 - age) % config["buffer_size"], slot), "slots"
assert updates > 20 and (candidates == m or not kept.all()), "too little was compared"
assert terminal.any() or config["env"].startswith("classic/"), "no terminal transition was drawn"
print(f"{updates} updates of {candidates} candidates follow from their errors")
