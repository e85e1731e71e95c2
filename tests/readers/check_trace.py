#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Recomputes every score, scenario and kept row of a trace from its errors, as docs/tracing.md says.

usage: check_trace.py RUN_FOLDER UPDATES_BETWEEN CRITICS"""
import sys
import tomllib

import numpy as np

run, every, critics = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
trace = np.load(f"{run}/trace.npz", allow_pickle=False)
with open(f"{run}/config.toml", "rb") as file:
    config = tomllib.load(file)

q, online, offline = (trace[name].astype(np.float64) for name in ("q", "y_online", "y_offline"))
updates, n_critics, candidates = q.shape
assert n_critics == critics, n_critics
m = config["batch_size"]
assert candidates == m + int(np.floor(config["align"]["margin"] * m + 1e-9)), candidates

# The equation of src/tarl/align/align.h, in its order of operations.
delta, delta_off = online - q, offline - q
same = ((delta > 0) & (delta_off > 0)) | ((delta < 0) & (delta_off < 0))
quarter = 0.25 * np.abs(delta)
base = quarter / (quarter + np.abs(0.25 * delta - 0.25 * delta_off) + 0.25 * 1e-8)
by_critic = np.where(same & (np.abs(delta) >= np.abs(delta_off)), 1.0, base)
score = by_critic.min(axis=1)
paper = "paper_score" in trace.files
assert np.array_equal(score, trace["paper_score" if paper else "score"]), "scores"

scenario = np.where(delta == delta_off, 0, np.where(~same, 3, np.where(np.abs(delta) > np.abs(delta_off), 1, 2)))
smallest = by_critic.argmin(axis=1)  # the first of equal ones
assert np.array_equal(np.take_along_axis(scenario, smallest[:, None], 1)[:, 0], trace["scenario"]), "scenarios"

kept = np.zeros((updates, candidates), np.uint8)
if candidates == m:
    kept[:] = 1
else:  # the m best, equal scores to the lower position
    best = np.argsort(-trace["score"], axis=1, kind="stable")[:, :m]
    np.put_along_axis(kept, best, 1, axis=1)
assert np.array_equal(kept, trace["kept"]), "kept rows"

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
