# SPDX-License-Identifier: MIT
"""R15: two processes, one run folder: one works, the others refuse; a stale lock is recovered."""
import json
import signal
import subprocess
import time

from lib import LONGER, SMALL, differences, last_line

ENDLESS = SMALL[:5] + ["100000000"] + SMALL[6:]


def wait_until_running(folder):
    for _ in range(5000):
        if (folder / "checkpoints").exists():
            return
        time.sleep(0.002)
    raise SystemExit("the run does not start")


def second_refuses(c, trials):
    folder = c.folder("busy")
    owner = c.start(["train", *ENDLESS, "--out", folder, "--quiet"], stderr=subprocess.DEVNULL)
    wait_until_running(folder)
    for _ in range(trials):
        code, said, _ = c.run(["train", "--resume", "--out", folder])
        if code != 1 or f"process {owner.pid}" not in said:
            c.fail(f"the second process: exit {code}: {last_line(said)}")
    owner.send_signal(signal.SIGKILL)
    owner.wait()
    c.figure(f"{trials} seconds on a folder in use", "refused, the owner named")


def race(c, trials):
    """Several start at once: one runs, the others refuse, and the result is the usual one."""
    reference, _ = c.reference()
    winners = []
    for _ in range(trials):
        folder = c.folder("race")
        folder.mkdir()
        children = [c.start(["train", *SMALL, "--out", folder, "--resume", "--quiet"],
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for _ in range(6)]
        codes = []
        for child in children:
            said = child.communicate(timeout=120)[1].decode(errors="replace")
            codes.append(child.returncode)
            if child.returncode not in (0, 1) or child.returncode == 1 and "in use" not in said:
                c.fail(f"race: exit {child.returncode}: {last_line(said)}")
        winners.append(codes.count(0))
        if codes.count(0) < 1 or differences(reference, folder):
            c.fail(f"race: exits {codes}, {differences(reference, folder)} differ")
    c.figure(f"{trials} races of six", f"{sum(winners)} ran or found it finished, rest refused")


def stale(c, trials):
    """The lock of a process that was killed, of a restarted machine, and a torn one."""
    reference, seconds = c.reference(LONGER)
    left = 0
    for trial in range(trials):
        folder = c.folder("stale")
        owner = c.start(["train", *LONGER, "--out", folder, "--quiet"], stdout=subprocess.DEVNULL,
                        stderr=subprocess.DEVNULL)
        time.sleep(c.rng.uniform(0.01, seconds))
        owner.send_signal(signal.SIGKILL)
        owner.wait()
        lock = folder / "lock"
        left += lock.exists()
        if lock.exists() and trial % 3 == 1 and lock.read_text():
            owner = json.loads(lock.read_text())
            lock.write_text(json.dumps({**owner, "boot": "another", "pid": 1}))
        if lock.exists() and trial % 3 == 2:
            lock.write_text(lock.read_text()[:20])
        code, said, _ = c.train(folder, LONGER)
        if code != 0 or differences(reference, folder):
            c.fail(f"stale lock: exit {code}: {last_line(said)}")
    c.figure(f"{left} locks left by {trials} kills", "recovered", left > 0)


def main(c):
    trials = 60 if c.long else 8
    second_refuses(c, trials)
    race(c, trials)
    stale(c, trials)
    c.figure("wrong answers", len(c.failures), not c.failures)
