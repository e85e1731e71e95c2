# SPDX-License-Identifier: MIT
"""R5: the disk is full during a log, a checkpoint, a report: nothing saved is lost."""
import contextlib
import errno
import subprocess

from lib import SMALL, Skip, differences, last_line

KINDS = {"checkpoint": ["--set", "checkpoint.every=60"],
         "log": ["--set", "checkpoint.every=2000", "--set", "eval.count=300"]}


@contextlib.contextmanager
def small_disk(folder, size):
    folder.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tarl-faults", str(folder)],
                      capture_output=True).returncode != 0:
        raise Skip("no small file system can be mounted here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def fill(path):
    """Uses up every free byte."""
    with open(path, "ab", buffering=0) as ballast:
        for piece in (1 << 20, 4096, 1):
            try:
                while True:
                    ballast.write(bytes(piece))
            except OSError as problem:
                if problem.errno != errno.ENOSPC:
                    raise


def one(c, disk, args, reference, call):
    """The disk is full from that file call on; returns whether that ended the run."""
    run, ballast = disk / "run", disk / "ballast"
    subprocess.run(["rm", "-rf", str(run)], check=True)
    child = c.start_held(["train", *args, "--out", run, "--quiet"], run, call,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    fill(ballast)
    c.release()
    said = child.communicate()[0].decode(errors="replace")
    full = child.returncode != 0
    if full and (child.returncode != 1 or "No space left on device" not in said):
        c.fail(f"full disk: exit {child.returncode}: {last_line(said)}")
    ballast.unlink()
    code, said, _ = c.train(run, args)
    if code != 0 or differences(reference, run):
        c.fail(f"after space was freed: exit {code}, {differences(reference, run)} differ; "
               f"{last_line(said)}")
    if "damaged" in said:
        c.fail(f"a checkpoint is damaged: {last_line(said)}")
    return full


def report(c, disk, reference):
    """An older report stays unchanged if there is no room for the new one."""
    page, ballast = disk / "report.html", disk / "ballast"
    code, said, _ = c.run(["report", reference, "--out", page])
    if code != 0:
        c.fail(f"report: {last_line(said)}")
        return
    before = page.read_bytes()
    fill(ballast)
    code, said, _ = c.run(["report", reference, "--out", page])
    if code != 1 or "No space left" not in said or page.read_bytes() != before:
        c.fail(f"report on a full disk: exit {code}: {last_line(said)}")
    ballast.unlink()
    c.figure("report on a full disk", "refused, the older one intact", page.read_bytes() == before)


def main(c):
    with small_disk(c.folder("disk"), "32m") as disk:
        for kind, extra in KINDS.items():
            args = SMALL + extra
            reference, calls = c.reference(args)
            trials, full = 60 if c.long else 8, 0
            for trial in range(trials):
                # The first in the middle, where much is still to be written.
                call = c.rng.randrange(1, calls + 1) if trial else calls // 2
                full += one(c, disk, args, reference, call)
            c.figure(f"disk full during a {kind}", f"{full} of {trials} runs ended by it", full > 0)
        report(c, disk, reference)
    c.figure("lost or different runs", len(c.failures), not c.failures)
