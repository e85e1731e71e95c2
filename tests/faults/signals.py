# SPDX-License-Identifier: MIT
"""R6: SIGTERM, SIGINT, SIGUSR1 and SIGHUP in every phase: a durable checkpoint, soon."""
import os
import signal
import struct
import subprocess

from lib import cpu_seconds, last_line, wait_for_work, wait_while_alive

RUN = ["--algo", "ta-dqn", "--env", "minatar/breakout", "--steps", "2000000", "--seed", "5"]
PHASES = {
    "warm-up": ["learning_starts=1000000", "eval.count=1", "checkpoint.every=0"],
    "training": ["learning_starts=200", "eval.count=1", "checkpoint.every=0"],
    "evaluation": ["learning_starts=200", "eval.count=1000000", "eval.episodes=200",
                   "checkpoint.every=0"],
    "checkpoint": ["learning_starts=200", "eval.count=1", "checkpoint.every=1"],
}
LIMIT = 2.0  # seconds of processor time, on MinAtar
SIGNALS = [signal.SIGTERM, signal.SIGINT, signal.SIGUSR1, signal.SIGHUP]
AT_ONCE = (128 + signal.SIGTERM, 128 + signal.SIGINT)


def words(folder, phase):
    resume = ["--resume"] if (folder / "config.toml").exists() else []
    settings = [word for setting in PHASES[phase] for word in ("--set", setting)]
    return ["train", *RUN, *settings, "--out", folder, "--quiet", *resume]


def stop(c, folder, phase, number):
    """Signals a run in that phase; returns its exit code, the processor seconds it took, and its
    output."""
    (folder / "run.json").unlink(missing_ok=True)
    with open(c.work / "said", "w+") as said:
        child = c.start(words(folder, phase), stdout=said, stderr=said)
        # Progress, not time, brings a run into its phase.
        if not (wait_while_alive(child, (folder / "run.json").exists) and
                wait_for_work(child, c.rng.uniform(0.03, 0.25))):
            raise SystemExit(f"{phase}: ended with {child.returncode} before any signal")
        before = cpu_seconds(child.pid)
        child.send_signal(number)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        return child.returncode, used.ru_utime + used.ru_stime - before, said.read()


def phase_trials(c, phase, trials):
    folder, slowest, last_step = c.folder("run"), 0.0, 0
    for trial in range(trials):
        number = SIGNALS[trial % len(SIGNALS)]
        code, seconds, said = stop(c, folder, phase, number)
        slowest = max(slowest, seconds)
        if code != 75:
            c.fail(f"{number.name} in {phase}: exit {code}: {last_line(said)}")
            continue
        step = int(said.split("stopped at step ")[1].split(";")[0])
        saved = sorted(path.name for path in (folder / "checkpoints").glob("step_*"))
        if not saved or int(saved[-1][5:]) != step or step < last_step or "damaged" in said:
            c.fail(f"{number.name} in {phase}: stopped at {step}, saved {saved}")
        last_step = step
    c.figure(f"{trials} signals in {phase}", f"slowest answer {slowest:.2f} s of processor time",
             slowest <= LIMIT)


def second_signal(c, trials):
    """The second signal ends the process in the middle of a checkpoint, and the run is good."""
    folder = c.folder("twice")
    for _ in range(trials):
        child = c.start_held(words(folder, "checkpoint"), folder / "checkpoints",
                             c.rng.randrange(1, 60), stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)
        child.send_signal(signal.SIGTERM)
        child.send_signal(signal.SIGINT)
        # Both may wait for the process, and the smaller number is delivered first.
        if child.wait() not in AT_ONCE:
            c.fail(f"two signals: exit {child.returncode}")
        c.release()
    code, _, said = stop(c, folder, "checkpoint", signal.SIGTERM)
    if code != 75 or "damaged" in said:
        c.fail(f"after two signals: exit {code}: {last_line(said)}")
    c.figure(f"{trials} double signals in a checkpoint", "ended at once, run good after")


def report_phase(c, trials):
    """A stopped report leaves a whole page or the previous one."""
    reference, _ = c.reference()
    folder, counter = c.folder("pages"), c.work / "page-calls"
    folder.mkdir()
    page = folder / "page.html"
    command = ["report", reference, "--out", page]
    for _ in range(2):  # the first also makes folders
        c.run(command, {"root": folder, "count": counter})
    good, calls = page.read_bytes()[-8:], struct.unpack("q", counter.read_bytes())[0]
    cut = 0
    for _ in range(trials):
        child = c.start_held(command, folder, c.rng.randrange(1, calls + 1),
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        child.send_signal(signal.SIGTERM)
        c.release()
        cut += child.wait() != 0
        if page.read_bytes()[-8:] != good:
            c.fail("a stopped report left half a page")
    c.figure(f"{trials} signals in a report", f"{cut} ended it, the page is whole")


def main(c):
    trials = 60 if c.long else 8
    for phase in PHASES:
        phase_trials(c, phase, trials)
    second_signal(c, trials)
    report_phase(c, trials)
