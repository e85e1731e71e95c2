# SPDX-License-Identifier: MIT
"""R2: the k-th file call fails, for every k until the run succeeds without noticing."""
import struct

from lib import SEGMENTED, SMALL, differences, last_line

# Fault, calls in a row, whether the program may notice, and the share of k tried in CI.
FAULTS = [("ENOSPC", -1, True, 6), ("EIO", 1, True, 6), ("ENOSPC", 1, True, 18), ("EIO", -1, True, 18),
          ("EINTR", 3, False, 10), ("short", 2, False, 10), ("kill", 1, True, 6)]
MAIN_FAULTS = [fault for fault in FAULTS if fault[3] == 6]
CAUSES = {"ENOSPC": "No space left on device", "EIO": "Input/output error",
          "EINTR": "Interrupted system call"}


def first_published(trace):
    """Whether a trace so far holds a whole checkpoint."""
    return any(b"rename" in line and b"\t" in line and b"/checkpoints/step_" in line.split(b"\t")[1]
               for line in trace.read_bytes().split(b"\n") if line.startswith(b"rename"))


def one(c, args, reference, fault, times, k, noticed_allowed):
    """Strikes call k; returns whether the program noticed."""
    folder, trace = c.folder("struck"), c.work / "struck.trace"
    trace.unlink(missing_ok=True)
    faults = {"root": folder, "call": k, "fault": fault, "times": times, "trace": trace}
    code, said, _ = c.train(folder, args, faults)
    where = f"{fault} x{times} at call {k}"
    if code == 0:
        if differences(reference, folder):
            c.fail(f"{where}: unnoticed, but {differences(reference, folder)} differ")
        return False
    if not noticed_allowed:
        c.fail(f"{where}: exit {code}: {last_line(said)}")
    if fault == "kill":
        if code != -9:
            c.fail(f"{where}: exit {code}: {last_line(said)}")
    else:
        if code != 1:
            c.fail(f"{where}: exit {code}, not 1: {last_line(said)}")
        if str(folder) not in said or CAUSES.get(fault, "") not in said:
            c.fail(f"{where}: no path or cause in: {last_line(said)}")
    had_checkpoint = trace.exists() and first_published(trace)
    code, said, _ = c.train(folder, args)
    if code != 0:
        c.fail(f"{where}: resume fails with {code}: {last_line(said)}")
    elif differences(reference, folder):
        c.fail(f"{where}: {differences(reference, folder)} differ after the resume")
    elif (had_checkpoint and "starting from the beginning" in said) or "damaged" in said:
        c.fail(f"{where}: a checkpoint was lost: {said}")
    return True


def sweep(c, what, args, faults, thinner):
    """Strikes every call of that run; in CI one of `thinner` times the fault's share."""
    reference, calls = c.reference(args)
    c.figure(what, f"{calls} file calls")
    tried = 0
    for fault, times, may_notice, share in faults:
        step = 1 if c.long else share * thinner * (5 if c.sanitizer else 1)
        struck = [k for k in range(1, calls + 2) if (k + c.seed) % step == 0]
        ended = sum(one(c, args, reference, fault, times, k, may_notice) for k in struck)
        tried += len(struck)
        name = f"  {fault} {'for ever' if times < 0 else f'{times} in a row'}"
        c.figure(name, f"{len(struck)} of {calls + 1} calls struck, {ended} ended the run")
    return tried


def sweep_report(c):
    """A report that cannot be written leaves the one before."""
    reference, _ = c.reference(name="reported")
    out, counter = c.folder("page"), c.work / "report-calls"
    out.mkdir()
    page = out / "report.html"
    c.run(["report", reference, "--out", page], {"root": out, "count": counter})
    before, calls = page.read_bytes(), struct.unpack("q", counter.read_bytes())[0]
    struck, step = 0, 1 if c.long else 12
    for fault, times in (("ENOSPC", -1), ("EIO", 1), ("kill", 1)):
        for k in range(1 + c.seed % step, calls + 1, step):
            faults = {"root": out, "call": k, "fault": fault, "times": times}
            code, said, _ = c.run(["report", reference, "--out", page], faults)
            struck += 1
            if not page.is_file() or page.read_bytes() != before:
                c.fail(f"report, {fault} at call {k}: the page is gone or half written")
            if code != 0 and fault != "kill" and CAUSES[fault] not in said:
                c.fail(f"report, {fault} at call {k}: exit {code}: {last_line(said)}")
    c.figure("a report", f"{calls} file calls, {struck} struck")
    return struck


def main(c):
    tried = sweep_report(c)
    tried += sweep(c, "a small run", SMALL, FAULTS, 1)
    tried += sweep(c.with_segments(), "a run whose replay is in segments", SEGMENTED, MAIN_FAULTS, 10)
    c.figure("calls struck in all", tried)
    c.figure("lost checkpoints, differences, unclear ends", len(c.failures), not c.failures)
