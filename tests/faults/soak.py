# SPDX-License-Identifier: MIT
"""R18: a long run: memory, open files and threads stay what they were after warm-up."""
import os
import re
import signal
import statistics
import subprocess
import time

from lib import Skip

RUN = ["--algo", "ta-dqn+reaper", "--env", "minatar/breakout", "--steps", "1000000000000", "--seed",
       "1", "--set", "eval.count=500000000", "--set", "learning_starts=500", "--set",
       "buffer_size=2000", "--set", "checkpoint.every=1000"]
WARM_EVALUATIONS = 3
SLOPE = 1.0  # MB an hour
SHORT_GROWTH = 1.0  # MB in the short form, too short for a slope


def sample(pid):
    """Resident MB, open files, threads."""
    with open(f"/proc/{pid}/status") as file:
        text = file.read()
    return (int(re.search(r"VmRSS:\s+(\d+)", text)[1]) / 1024, len(os.listdir(f"/proc/{pid}/fd")),
            int(re.search(r"Threads:\s+(\d+)", text)[1]))


def slope(points):
    """Least squares: growth of y by x."""
    mean_x = sum(x for x, _ in points) / len(points)
    mean_y = sum(y for _, y in points) / len(points)
    spread = sum((x - mean_x) ** 2 for x, _ in points)
    return sum((x - mean_x) * (y - mean_y) for x, y in points) / spread


def warm(folder, child):
    """Waits until everything that a run does has been done: the buffer full, evaluations, checkpoints."""
    evaluations = os.path.join(folder, "evaluations.csv")
    deadline = time.monotonic() + 300
    while child.poll() is None and time.monotonic() < deadline:
        time.sleep(0.2)
        if os.path.exists(evaluations):
            with open(evaluations) as file:
                if sum(1 for _ in file) > WARM_EVALUATIONS:
                    return True
    return False


def main(c):
    if c.sanitizer:
        raise Skip("memory is the sanitizer's here, which looks for leaks itself")
    seconds = float(os.environ.get("TARL_SOAK_SECONDS", 1800 if c.long else 15))
    folder = c.folder("soak")
    child = c.start(["train", *RUN, "--out", folder, "--quiet", "--threads", "2"],
                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    c.figure("warmed up", "yes" if warm(folder, child) else "no", child.poll() is None)
    if c.long:
        time.sleep(min(300.0, seconds / 4))
    start, samples = time.monotonic(), []
    while time.monotonic() - start < seconds and child.poll() is None:
        time.sleep(min(5.0, seconds / 50))
        samples.append((time.monotonic() - start, *sample(child.pid)))
    child.send_signal(signal.SIGTERM)
    code = child.wait(timeout=30)
    halves = samples[:len(samples) // 2], samples[len(samples) // 2:]
    # A checkpoint under way has its file open and a copy of the state in memory: what leaks is
    # seen between checkpoints, in the median of memory and the fewest open files.
    growth = slope([(at / 3600, memory) for at, memory, _, _ in samples])
    memory = [statistics.median(point[1] for point in half) for half in halves]
    files = [min(point[2] for point in half) for half in halves]
    threads = {point[3] for point in samples}
    c.figure("seconds, samples after warm-up", f"{seconds:.0f}, {len(samples)}", len(samples) >= 10)
    c.figure("median memory, first and second half", f"{memory[0]:.2f}, {memory[1]:.2f} MB",
             memory[1] - memory[0] <= SHORT_GROWTH)
    c.figure("growth of memory", f"{growth:+.2f} MB an hour", not c.long or growth <= SLOPE)
    c.figure("fewest open files, first and second half", f"{files[0]}, {files[1]}",
             files[1] <= files[0])
    c.figure("threads", sorted(threads), len(threads) == 1)
    c.figure("ended by SIGTERM with", code, code == 75)
