#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Recomputes the output of `tarl inspect --json` from the candidates beside its page.

check_inspect.py NUMBERS.json RUN LAGS
"""
import json
import sys
import tomllib
from pathlib import Path

import numpy as np
from trace_rules import recomputed

numbers = json.load(open(sys.argv[1]))
config = tomllib.load(open(Path(sys.argv[2]) / "config.toml", "rb"))
t = np.load(Path(numbers["files"]) / "candidates.npz")


def close(name, ours, theirs):
    assert np.allclose(ours, theirs, rtol=1e-9, atol=1e-12), (name, ours, theirs)


paper, kept = recomputed(t, config["batch_size"])
assert numbers["draws"] == len(paper) and numbers["candidates"] == paper.size and numbers["kept"] == kept.sum()
assert numbers["env"] == config["env"] and numbers["algo"] == config["algo"]
close("alignment", paper.mean(), numbers["alignment"])
close("kept_alignment", paper[kept == 1].mean(), numbers["kept_alignment"])
for kind in numbers["kinds"]["terminal"]:
    those = t["terminal"] == (kind["kind"] == "terminal")
    assert those.sum() == kind["candidates"] and kept[those].sum() == kind["kept"]
    close("terminals", paper[those].mean(), kind["alignment"])
assert [kind["candidates"] for kind in numbers["kinds"]["scenario"]] == [
    n for n in np.bincount(t["scenario"].ravel()) if n]
lags = np.unique(t["lag"])
assert len(lags) == int(sys.argv[3]), lags
if numbers["period"] is None:
    assert numbers["trained_in_memory"] == 0
else:
    assert lags.min() >= 2 and lags.max() <= numbers["period"], lags
for lag in numbers["lags"]:
    of = t["lag"] == lag["lag"]
    close("lag", paper[of].mean(), lag["alignment"])
    close("kept at a lag", paper[of][kept[of] == 1].mean(), lag["kept_alignment"])
    close("quartiles", np.quantile(paper[of], (0.25, 0.75)), lag["quartiles"])
assert len(numbers["lags"]) == (len(lags) if len(lags) > 1 else 0)
error = np.abs(t["y_offline"].astype(float) - t["q"]).mean(axis=1).ravel()
low = 0
for band in numbers["offline_errors"]:  # as sorted, equal errors in one band
    order = np.sort(error)[low:low + band["candidates"]]
    close("band", np.median(order), band["error"])
    those = (error >= order[0]) & (error <= order[-1])
    assert those.sum() == band["candidates"]
    close("scores of a band", paper.ravel()[those].mean(), band["alignment"])
    low += band["candidates"]
assert low == error.size
