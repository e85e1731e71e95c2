# SPDX-License-Identifier: MIT
"""R18: a long run: memory, open files and threads stay constant after warm-up."""
import os
import re
import signal
import subprocess

from lib import Skip, wait_while_alive

RUN = ["--algo", "ta-dqn+reaper", "--env", "minatar/breakout", "--steps", "1000000000000", "--seed",
       "1", "--set", "eval.count=500000000", "--set", "eval.episodes=1", "--set",
       "learning_starts=500", "--set", "buffer_size=2000", "--set", "checkpoint.every=1000"]
WARM = 4000  # steps until the buffer is full and everything that a run does has been done
GROWTH = 0.25  # MB from one window to the next in the short form, too short for a slope
SLOPE = 0.1  # MB per million steps


def step_of(log):
    """The step of the newest evaluation; 0 before the first."""
    if not log.exists():
        return 0
    with open(log, "rb") as file:
        file.seek(max(0, log.stat().st_size - 200))
        lines = file.read().splitlines()
    step = lines[-1].split(b",")[0] if lines else b""
    return int(step) if step.isdigit() else 0


def reach(child, log, step):
    if not wait_while_alive(child, lambda: step_of(log) >= step):
        raise SystemExit(f"the run ended with {child.returncode} at step {step_of(log)}")


class Window:
    """So many steps of a run: its highest memory, fewest open files and numbers of threads.

    Every checkpoint takes memory and files for a while. Whatever the instants of the samples, the
    highest memory is that of such a moment, and the fewest files are those between them.
    """

    def __init__(self, child, log, steps):
        self.proc = f"/proc/{child.pid}"
        self.begin, self.fewest_files, self.threads = step_of(log), 1 << 30, set()
        with open(f"{self.proc}/clear_refs", "w") as file:
            file.write("5")  # the highest memory so far is forgotten
        self.extend(child, log, steps)

    def extend(self, child, log, steps):
        end = step_of(log) + steps
        while (step := step_of(log)) < end:
            self.fewest_files = min(self.fewest_files, len(os.listdir(f"{self.proc}/fd")))
            self.threads.add(int(self.status("Threads")))
            reach(child, log, step + 1)
        self.memory = int(self.status("VmHWM")) / 1024

    def status(self, key):
        with open(f"{self.proc}/status") as file:
            return re.search(rf"{key}:\s+(\d+)", file.read())[1]


def slope(points):
    """Least squares: growth of y by x."""
    mean_x = sum(x for x, _ in points) / len(points)
    mean_y = sum(y for _, y in points) / len(points)
    spread = sum((x - mean_x) ** 2 for x, _ in points)
    return sum((x - mean_x) * (y - mean_y) for x, y in points) / spread


def main(c):
    if c.sanitizer:
        raise Skip("memory is the sanitizer's here, which looks for leaks itself")
    count, steps = (40, 70_000) if c.long else (2, 4_000)
    folder = c.folder("soak")
    child = c.start(["train", *RUN, "--out", folder, "--quiet", "--threads", "2"],
                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    log = folder / "evaluations.csv"
    reach(child, log, WARM)
    windows = [Window(child, log, steps) for _ in range(count)]
    first, last = windows[0], windows[-1]
    for _ in range(20):  # samples may all have met a checkpoint
        if last.fewest_files > first.fewest_files:
            last.extend(child, log, steps)
    child.send_signal(signal.SIGTERM)
    code = child.wait()
    c.figure("steps after warm-up", count * steps)
    c.figure("highest memory, first and last window", f"{first.memory:.2f}, {last.memory:.2f} MB",
             c.long or last.memory - first.memory <= GROWTH)
    if c.long:
        growth = slope([(window.begin / 1e6, window.memory) for window in windows])
        c.figure("growth of memory", f"{growth:+.3f} MB a million steps", growth <= SLOPE)
    c.figure("fewest open files, first and last window",
             f"{first.fewest_files}, {last.fewest_files}", last.fewest_files <= first.fewest_files)
    threads = set().union(*(window.threads for window in windows))
    c.figure("threads", sorted(threads), len(threads) == 1)
    c.figure("ended by SIGTERM with", code, code == 75)
