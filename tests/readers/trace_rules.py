# SPDX-License-Identifier: MIT
"""What follows from the predictions of a trace, as docs/tracing.md says."""
import numpy as np


def recomputed(trace, m):
    """The paper's score of every candidate, and which m each update keeps; both and the scenarios are compared."""
    q, online, offline = (trace[name].astype(np.float64) for name in ("q", "y_online", "y_offline"))
    updates, _, candidates = q.shape
    # The equation of src/tarl/align/align.h, in its order of operations.
    delta, delta_off = online - q, offline - q
    same = ((delta > 0) & (delta_off > 0)) | ((delta < 0) & (delta_off < 0))
    quarter = 0.25 * np.abs(delta)
    base = quarter / (quarter + np.abs(0.25 * delta - 0.25 * delta_off) + 0.25 * 1e-8)
    by_critic = np.where(same & (np.abs(delta) >= np.abs(delta_off)), 1.0, base)
    score = by_critic.min(axis=1)
    assert np.array_equal(score, trace["paper_score" if "paper_score" in trace.files else "score"]), "scores"

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
    return score, kept
