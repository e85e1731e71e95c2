# SPDX-License-Identifier: MIT
"""R16: faults during faults: kills while recovering from damage, signals on a full disk."""
import signal
import subprocess

from disk_full import fill, small_disk
from lib import SMALL, Skip, differences, last_line

ARGS = SMALL + ["--set", "checkpoint.every=50"]


def damage(c, folder, damaged):
    """Flips one bit, cuts or empties one file of the newest of two good checkpoints.

    `damaged` are those hit before; returns the one hit now, or None.
    """
    generations = sorted((folder / "checkpoints").glob("step_*"))
    if len(generations) < 2 or any(path in damaged for path in generations):
        return None
    path = c.rng.choice(sorted(generations[-1].iterdir()))
    data = bytearray(path.read_bytes())
    kind = c.rng.randrange(3)
    if kind == 0:
        data[c.rng.randrange(len(data))] ^= 1 << c.rng.randrange(8)
    elif kind == 1:
        del data[c.rng.randrange(len(data)):]
    else:
        start = c.rng.randrange(len(data))
        data[start:start + 512] = bytes(len(data[start:start + 512]))
        data[start] ^= 0xFF
    path.write_bytes(data)
    return generations[-1]


def killed_while_recovering(c, trials):
    reference, calls = c.reference(ARGS)
    damages = kills = 0
    for _ in range(trials):
        folder, damaged = c.folder("compound"), set()
        for _ in range(c.rng.randrange(2, 5)):
            struck = {"root": folder, "call": c.rng.randrange(1, calls // 2), "fault": "kill"}
            code, said, _ = c.train(folder, ARGS, struck)
            kills += code == -signal.SIGKILL
            if code not in (0, -signal.SIGKILL):
                c.fail(f"while recovering: exit {code}: {last_line(said)}")
            if hit := damage(c, folder, damaged):
                damaged.add(hit)
                damages += 1
        code, said, _ = c.train(folder, ARGS)
        if code != 0 or differences(reference, folder):
            c.fail(f"kill while recovering: exit {code}, {differences(reference, folder)} differ; "
                   f"{last_line(said)}")
    c.figure("kills while recovering from damage", f"{kills} kills, {damages} damaged files, "
             f"{trials} runs")
    return reference, calls


def signalled_on_a_full_disk(c, trials, reference, calls):
    full = 0
    with small_disk(c.folder("disk"), "32m") as disk:
        for _ in range(trials):
            run, ballast = disk / "run", disk / "ballast"
            subprocess.run(["rm", "-rf", str(run)], check=True)
            child = c.start_held(["train", *ARGS, "--out", run, "--quiet"], run,
                                 c.rng.randrange(1, calls + 1), stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT)
            fill(ballast)
            child.send_signal(signal.SIGTERM)
            c.release()
            said = child.communicate()[0].decode(errors="replace")
            full += child.returncode == 1
            if child.returncode not in (0, 1, 75):
                c.fail(f"signal on a full disk: exit {child.returncode}: {last_line(said)}")
            ballast.unlink()
            code, said, _ = c.train(run, ARGS)
            if code != 0 or differences(reference, run):
                c.fail(f"after a signal on a full disk: exit {code}: {last_line(said)}")
    c.figure("signals on a full disk", f"{trials} runs, {full} could not save and said so")


def main(c):
    trials = 100 if c.long else 12
    reference, calls = killed_while_recovering(c, trials)
    try:
        signalled_on_a_full_disk(c, trials, reference, calls)
    except Skip as reason:
        print(f"  SKIP {reason}")
    c.figure("lost or different runs", len(c.failures), not c.failures)
