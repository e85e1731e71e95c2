# SPDX-License-Identifier: MIT
"""R3: the power fails at a random instant and everything not synced is lost, kept or torn."""
from crash_states import crash_states
from lib import SEGMENTED, SMALL, differences, last_line


def problem_of(c, args, reference, write):
    """What is wrong with the run after a cut; empty if nothing is."""
    folder = c.folder("cut")
    write(folder)
    code, said, _ = c.train(folder, args)
    if code != 0:
        return f"resume fails with {code}: {last_line(said)}"
    if differences(reference, folder):
        return f"{differences(reference, folder)} differ"
    return f"a checkpoint is damaged: {said}" if "damaged" in said else ""


def cut(c, args, cuts, syncs=True):
    """The problems after so many power cuts at random instants of that run."""
    reference, _ = c.reference(args)
    folder, trace = c.trace(args)
    states = crash_states(trace, folder, cuts, c.rng, syncs)
    found = [(point, problem_of(c, args, reference, write)) for point, write in states]
    return [f"cut after record {point}: {problem}" for point, problem in found if problem]


def main(c):
    small, segmented = (2000, 300) if c.long else (60, 8)
    problems = cut(c, SMALL, small) + cut(c.with_segments(), SEGMENTED, segmented)
    for problem in problems:
        c.fail(problem)
    c.figure("power cuts", f"{small}, and {segmented} with segments")
    c.figure("unreadable runs, differences", len(problems), not problems)
    # The campaign itself: on a disk that ignores syncs it must find something.
    found = len(cut(c, SMALL, small // 3, syncs=False))
    c.figure("found on a disk that ignores syncs", f"{found} of {small // 3}", found > 0)
