# SPDX-License-Identifier: MIT
"""R6: SIGTERM, SIGINT and SIGUSR1 in every phase: a durable checkpoint within two seconds."""
import signal
import subprocess
import time

from lib import last_line

RUN = ["--algo", "ta-dqn", "--env", "minatar/breakout", "--steps", "2000000", "--seed", "5"]
PHASES = {
    "warm-up": ["learning_starts=1000000", "eval.count=1", "checkpoint.every=0"],
    "training": ["learning_starts=200", "eval.count=1", "checkpoint.every=0"],
    "evaluation": ["learning_starts=200", "eval.count=1000000", "eval.episodes=200",
                   "checkpoint.every=0"],
    "checkpoint": ["learning_starts=200", "eval.count=1", "checkpoint.every=1"],
}
LIMIT = 2.0  # seconds, on MinAtar
SIGNALS = [signal.SIGTERM, signal.SIGINT, signal.SIGUSR1]


def wait_for(path, child):
    for _ in range(5000):
        if path.exists() or child.poll() is not None:
            return
        time.sleep(0.002)


def settings(phase):
    return RUN + [word for setting in PHASES[phase] for word in ("--set", setting)]


def stop(c, folder, phase, number, twice=False):
    """Signals a run in that phase; returns exit code, seconds and what it said."""
    resume = ["--resume"] if (folder / "config.toml").exists() else []
    (folder / "run.json").unlink(missing_ok=True)
    child = c.start(["train", *settings(phase), "--out", folder, "--quiet", *resume],
                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    wait_for(folder / "run.json", child)
    time.sleep(c.rng.uniform(0.02, 0.25))
    start = time.monotonic()
    child.send_signal(number)
    if twice:
        time.sleep(c.rng.uniform(0, 0.005))
        child.send_signal(signal.SIGINT)
    said = child.communicate(timeout=60)[0].decode(errors="replace")
    return child.returncode, time.monotonic() - start, said


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
    c.figure(f"{trials} signals in {phase}", f"slowest answer {slowest:.2f} s", slowest <= LIMIT)


def second_signal(c, trials):
    """The second signal ends the process at once, and the run is still good."""
    folder, at_once = c.folder("twice"), 0
    for _ in range(trials):
        code, _, said = stop(c, folder, "checkpoint", signal.SIGTERM, twice=True)
        at_once += code == 128 + signal.SIGINT
        if code not in (75, 128 + signal.SIGINT):
            c.fail(f"two signals: exit {code}: {last_line(said)}")
    code, _, said = stop(c, folder, "training", signal.SIGTERM)
    if code != 75 or "damaged" in said:
        c.fail(f"after two signals: exit {code}: {last_line(said)}")
    c.figure(f"{trials} double signals", f"{at_once} ended at once, run good after", at_once > 0)


def report_phase(c, trials):
    """A report that is stopped leaves a whole page or the one before."""
    reference, _ = c.reference()
    page = c.work / "page.html"
    c.run(["report", reference, "--out", page])
    good, cut = page.read_bytes()[-8:], 0
    for _ in range(trials):
        child = c.start(["report", reference, "--out", page], stdout=subprocess.DEVNULL,
                        stderr=subprocess.DEVNULL)
        time.sleep(c.rng.uniform(0, 0.1))
        child.send_signal(signal.SIGTERM)
        cut += child.wait(timeout=60) != 0
        if page.read_bytes()[-8:] != good:
            c.fail("a stopped report left half a page")
    c.figure(f"{trials} signals in a report", f"{cut} ended it, the page is whole")


def main(c):
    trials = 60 if c.long else 6
    for phase in PHASES:
        phase_trials(c, phase, trials)
    second_signal(c, trials)
    report_phase(c, trials)
