# SPDX-License-Identifier: MIT
"""R18: a long run: memory, open files and threads stay what they were after warm-up."""
import os
import re
import signal
import subprocess
import time

RUN = ["--algo", "ta-dqn+reaper", "--env", "minatar/breakout", "--steps", "1000000000000", "--seed",
       "1", "--set", "eval.count=100000000", "--set", "learning_starts=500", "--set",
       "buffer_size=2000", "--set", "checkpoint.every=1000"]
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


def main(c):
    seconds = float(os.environ.get("TARL_SOAK_SECONDS", 1800 if c.long else 25))
    warm_up = min(300.0, seconds * 0.4)
    folder = c.folder("soak")
    child = c.start(["train", *RUN, "--out", folder, "--quiet", "--threads", "2"],
                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    start, samples = time.monotonic(), []
    while time.monotonic() - start < seconds and child.poll() is None:
        time.sleep(min(5.0, seconds / 50))
        samples.append((time.monotonic() - start, *sample(child.pid)))
    child.send_signal(signal.SIGTERM)
    code = child.wait(timeout=30)
    warm = [point for point in samples if point[0] > warm_up]
    # A checkpoint under way holds a copy of the state: its file is open and its memory taken.
    growth = slope([(at / 3600, memory) for at, memory, _, _ in warm])
    half = len(warm) // 2
    ceiling = [max(memory for _, memory, _, _ in part) for part in (warm[:half], warm[half:])]
    files = [max(point[2] for point in part) for part in (warm[:half], warm[half:])]
    threads = {point[3] for point in warm}
    c.figure("seconds, samples after warm-up", f"{seconds:.0f}, {len(warm)}", len(warm) >= 10)
    c.figure("highest memory, first and second half", f"{ceiling[0]:.2f}, {ceiling[1]:.2f} MB",
             ceiling[1] - ceiling[0] <= SHORT_GROWTH)
    c.figure("growth of memory", f"{growth:+.2f} MB an hour", not c.long or growth <= SLOPE)
    c.figure("open files, first and second half", f"{files[0]}, {files[1]}", files[1] <= files[0])
    c.figure("threads", sorted(threads), len(threads) == 1)
    c.figure("ended by SIGTERM with", code, code == 75)
