# SPDX-License-Identifier: MIT
"""R3: the power fails at a random instant and everything not synced is lost, kept or torn."""
from crash_states import crash_states
from lib import differences, last_line


def problem_of(c, reference, write):
    """What is wrong with the run after a cut; empty where nothing is."""
    folder = c.folder("cut")
    write(folder)
    code, said, _ = c.train(folder)
    if code != 0:
        return f"resume fails with {code}: {last_line(said)}"
    if differences(reference, folder):
        return f"{differences(reference, folder)} differ"
    return f"a checkpoint is damaged: {said}" if "damaged" in said else ""


def main(c):
    reference, _ = c.reference()
    _, trace = c.count_calls()
    root, cuts = c.work / "counted", 2000 if c.long else 60
    for point, write in crash_states(trace, root, cuts, c.rng):
        if problem := problem_of(c, reference, write):
            c.fail(f"cut after record {point}: {problem}")
    c.figure("power cuts", cuts)
    c.figure("unreadable runs, differences", len(c.failures), not c.failures)
    # The campaign itself: on a disk that ignores syncs it must find something.
    found = sum(bool(problem_of(c, reference, write)) for _, write in
                crash_states(trace, root, cuts // 4, c.rng, syncs=False))
    c.figure("found on a disk that ignores syncs", f"{found} of {cuts // 4}", found > 0)
