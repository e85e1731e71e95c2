# SPDX-License-Identifier: MIT
"""Shared by the fault campaigns: a scratch folder, small runs with faults, tables of figures."""
import copy
import filecmp
import os
import pathlib
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time

# Everything in a run folder that depends only on settings and seed.
RESULTS = ["model.safetensors", "best_model.safetensors", "evaluations.npz", "evaluations.csv", "progress.csv", "monitor.csv",
           "events.out.tfevents.0.tarl"]

# A run of a fraction of a second with three checkpoints and three evaluations.
SMALL = ["--algo", "ta-dqn+per", "--env", "classic/cartpole", "--steps", "600", "--seed", "7",
         "--set", "learning_starts=100", "--set", "eval.count=3", "--set", "eval.episodes=1",
         "--set", "checkpoint.every=150", "--set", "buffer_size=400", "--set", "batch_size=8",
         "--set", "policy.net_arch=[16]"]


# A replay large enough to be kept in segments; needs tarl_wide.
SEGMENTED = ["--algo", "ta-dqn+reaper", "--env", "test/wide", "--steps", "3300", "--seed", "7", "--set",
           "learning_starts=100", "--set", "train_freq=50", "--set", "eval.count=2", "--set",
           "eval.episodes=1", "--set", "checkpoint.every=1100", "--set", "buffer_size=2500", "--set",
           "batch_size=8", "--set", "policy.net_arch=[4]"]

# The same run without an end.
ENDLESS = SMALL[:5] + ["1000000000"] + SMALL[6:]


def sanitizer_of(program):
    """The runtime of the sanitizer a program was built with, or None."""
    said = subprocess.run(["ldd", program], capture_output=True, text=True).stdout
    found = re.search(r"=> (\S+/lib[at]san\.so\S*)", said)
    return found[1] if found else None


def wait_while_alive(child, condition):
    """Waits for a condition, however long it takes; False if the child ends without it."""
    while not condition():
        if child.poll() is not None:
            return condition()
        time.sleep(0.002)
    return True


def cpu_seconds(pid):
    """Processor time of a process; unlike time on the clock it does not depend on the load."""
    with open(f"/proc/{pid}/stat") as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def wait_for_work(child, seconds):
    """Waits until the child has used that much more processor time; False if it has ended."""
    enough = cpu_seconds(child.pid) + seconds
    return wait_while_alive(
        child, lambda: child.returncode is None and cpu_seconds(child.pid) >= enough)


class Skip(Exception):
    """For what this machine cannot try; the reason is shown."""


class Campaign:
    def __init__(self, tarl, shim, long, seed=None):
        self.tarl = str(pathlib.Path(tarl).resolve())
        self.shim = str(pathlib.Path(shim).resolve())
        self.sanitizer = sanitizer_of(self.tarl)
        self.long = long
        self.seed = random.randrange(10**6) if seed is None else seed
        self.rng = random.Random(self.seed)
        # In memory if possible: runs sync a lot, and nothing here depends on the disk.
        memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="tarl-faults-", dir=memory))
        self.rows = []
        self.failures = []

    def with_segments(self):
        """This campaign with the program that has the environment of SEGMENTED."""
        other = copy.copy(self)
        other.tarl = str(pathlib.Path(self.tarl).with_name("tarl_wide"))
        return other

    def close(self):
        shutil.rmtree(self.work, ignore_errors=True)

    def folder(self, name):
        """A path without anything there."""
        path = self.work / name
        shutil.rmtree(path, ignore_errors=True)
        return path

    def figure(self, what, value, good=True):
        """One row of the table."""
        self.rows.append((what, value, good))
        if not good:
            self.failures.append(f"{what}: {value}")

    def fail(self, message):
        if len(self.failures) < 20:
            print(f"  FAIL {message}", flush=True)
        self.failures.append(message)

    def environment(self, faults):
        env = dict(os.environ, TMPDIR=str(self.work))
        if faults:
            # A sanitizer must come first; the calls that it intercepts it forwards to the shim.
            env["LD_PRELOAD"] = ":".join(filter(None, [self.sanitizer, self.shim]))
            env["TARL_FAULTS"] = ",".join(f"{key}={value}" for key, value in faults.items())
        return env

    def start(self, words, faults=None, **options):
        return subprocess.Popen([self.tarl, *map(str, words)], env=self.environment(faults),
                                stdin=subprocess.DEVNULL, **options)

    def start_held(self, words, root, call, **options):
        """A process that waits in that file call below `root` until release()."""
        hold = self.work / "hold"
        child = self.start(words, {"root": root, "call": call, "hold": hold}, **options)
        if not wait_while_alive(child, lambda: hold.exists() and hold.stat().st_size > 0):
            raise SystemExit(f"ended with {child.returncode} before file call {call}: {words}")
        return child

    def release(self):
        (self.work / "hold").unlink()

    def run(self, words, faults=None):
        """Runs to completion: exit code (negative: a signal), output, seconds."""
        start = time.monotonic()
        done = subprocess.run([self.tarl, *map(str, words)], env=self.environment(faults),
                              stdin=subprocess.DEVNULL, capture_output=True)
        said = (done.stdout + done.stderr).decode(errors="replace")
        return done.returncode, said, time.monotonic() - start

    def train(self, folder, args=None, faults=None, resume=None):
        """A training run in `folder`, resumed if the folder exists."""
        resume = folder.exists() if resume is None else resume
        words = ["train", *(args or SMALL), "--out", folder, "--quiet"]
        return self.run(words + (["--resume"] if resume else []), faults)

    def reference(self, args=None, name="reference"):
        """An uninterrupted run; returns its folder and how many file calls it makes there."""
        folder, counter = self.folder(name), self.work / "calls"
        code, said, _ = self.train(folder, args, {"root": folder, "count": counter})
        if code != 0:
            raise SystemExit(f"the unbroken run failed with {code}: {said}")
        return folder, struct.unpack("q", counter.read_bytes())[0]

    def trace(self, args):
        """An uninterrupted run; returns its folder and the record of its changes."""
        folder, trace = self.folder("traced"), self.work / "trace"
        trace.unlink(missing_ok=True)
        code, said, _ = self.train(folder, args, {"root": folder, "trace": trace})
        if code != 0:
            raise SystemExit(f"the traced run failed with {code}: {said}")
        return folder, trace


def differences(one, other):
    """Names of result files whose bytes differ between the folders."""
    return [name for name in RESULTS
            if not ((one / name).is_file() and (other / name).is_file() and
                    filecmp.cmp(one / name, other / name, shallow=False))]


def last_line(said):
    lines = [line for line in said.splitlines() if line.strip()]
    return lines[-1][:300] if lines else "(nothing said)"


def print_table(title, rows):
    width = max([len(what) for what, _, _ in rows] + [10])
    print(f"\n{title}")
    for what, value, good in rows:
        print(f"  {what:<{width}}  {value}{'' if good else '   <-- NOT GOOD'}")
    sys.stdout.flush()
