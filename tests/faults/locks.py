# SPDX-License-Identifier: MIT
"""R15: two processes, one run folder: one works, the others refuse; a stale lock is recovered."""
import json
import signal
import subprocess

from lib import ENDLESS, SMALL, differences, last_line, wait_while_alive


def second_refuses(c, trials):
    folder = c.folder("busy")
    owner = c.start(["train", *ENDLESS, "--out", folder, "--quiet"], stderr=subprocess.DEVNULL)
    if not wait_while_alive(owner, (folder / "checkpoints").exists):
        raise SystemExit("the run does not start")
    for _ in range(trials):
        code, said, _ = c.run(["train", "--resume", "--out", folder])
        if code != 1 or f"process {owner.pid}" not in said:
            c.fail(f"the second process: exit {code}: {last_line(said)}")
    owner.send_signal(signal.SIGKILL)
    owner.wait()
    c.figure(f"{trials} seconds on a folder in use", "refused, the owner named")


def race(c, trials):
    """Several start at once: one runs, the others refuse, and the result is the same as ever."""
    reference, _ = c.reference()
    winners = []
    for _ in range(trials):
        folder = c.folder("race")
        folder.mkdir()
        children = [c.start(["train", *SMALL, "--out", folder, "--resume", "--quiet"],
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for _ in range(6)]
        codes = []
        for child in children:
            said = child.communicate()[1].decode(errors="replace")
            codes.append(child.returncode)
            if child.returncode not in (0, 1) or child.returncode == 1 and "in use" not in said:
                c.fail(f"race: exit {child.returncode}: {last_line(said)}")
        winners.append(codes.count(0))
        if codes.count(0) < 1 or differences(reference, folder):
            c.fail(f"race: exits {codes}, {differences(reference, folder)} differ")
    c.figure(f"{trials} races of six", f"{sum(winners)} ran or found it finished, rest refused")


def stale(c, trials):
    """The lock of a process that was killed, of a restarted machine, and a torn one."""
    reference, calls = c.reference()
    for trial in range(trials):
        folder = c.folder("stale")
        # The lock is one of the first files in the folder, and is removed only at the end.
        call = c.rng.randrange(calls // 10, calls // 2)
        c.train(folder, faults={"root": folder, "call": call, "fault": "kill"})
        lock = folder / "lock"
        if trial % 3 == 1:
            owner = json.loads(lock.read_text())
            lock.write_text(json.dumps({**owner, "boot": "another", "pid": 1}))
        if trial % 3 == 2:
            lock.write_text(lock.read_text()[:20])
        code, said, _ = c.train(folder)
        if code != 0 or differences(reference, folder):
            c.fail(f"stale lock: exit {code}: {last_line(said)}")
    c.figure(f"{trials} locks left by kills", "recovered")


def main(c):
    trials = 60 if c.long else 8
    second_refuses(c, trials)
    race(c, trials)
    stale(c, trials)
    c.figure("wrong answers", len(c.failures), not c.failures)
