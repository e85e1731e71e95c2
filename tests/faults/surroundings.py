# SPDX-License-Identifier: MIT
"""R22: wrong clocks, odd paths, no terminal, closed or full output: fine, or a clear message."""
import os
import subprocess

from lib import SMALL, differences, last_line

YEAR = 365 * 24 * 3600


def same(c, reference, folder, code, said, what):
    good = code == 0 and not differences(reference, folder)
    c.figure(what, "same bits" if good else f"exit {code}: {last_line(said)}", good)


def refused(c, words, what, **options):
    done = subprocess.run([c.tarl, *map(str, words)], capture_output=True, stdin=subprocess.DEVNULL,
                          **options)
    said = done.stderr.decode(errors="replace").strip()
    good = done.returncode in (1, 2) and len(said.splitlines()) == 1 and "bug" not in said
    c.figure(what, said[:110] if good else f"exit {done.returncode}: {said[-300:]}", good)


def clocks(c, reference):
    for years in (-1, 1):
        folder = c.folder("clock")
        c.train(folder, SMALL, {"clock": years * YEAR, "root": folder, "call": 60, "fault": "kill"})
        code, said, _ = c.train(folder, faults={"clock": -years * YEAR})
        same(c, reference, folder, code, said, f"clock off by {years:+d} year, then the other way")


def paths(c, reference):
    for name, what in (("with space, comma and 'quotes'", "a name with spaces and quotes"),
                       ("\u00fcml\u00e4ut \u96ea", "a name in other scripts")):
        folder = c.folder(name)
        same(c, reference, folder, *c.train(folder)[:2], what)
    odd = os.fsencode(c.work) + b"/not-\xff\xfe-utf8"
    code = subprocess.run([os.fsencode(c.tarl), b"train", *map(os.fsencode, SMALL), b"--out", odd,
                           b"--quiet"], capture_output=True)
    good = code.returncode == 0 and os.path.exists(odd + b"/model.safetensors")
    c.figure("a name that is not UTF-8", "trained" if good else code.stderr[-200:], good)
    code = subprocess.run([os.fsencode(c.tarl), b"report", odd, b"--out", odd + b"/r.html",
                           b"--unfinished"], capture_output=True)
    c.figure("a report of it", "written" if code.returncode == 0 else code.stderr[-200:],
             code.returncode == 0)
    long = c.work
    while len(str(long)) < 3800:
        long /= "d" * 200
    folder = long / "run"
    same(c, reference, folder, *c.train(folder)[:2], f"a path of {len(str(folder))} letters")
    refused(c, ["train", *SMALL, "--out", "/tmp/" + "x/" * 3000], "a path of 6000 letters")
    refused(c, ["train", *SMALL, "--out", c.work / ("n" * 300)], "a name of 300 letters")
    refused(c, ["train", *SMALL, "--out", "/proc/nothing/here"], "a folder in /proc")
    (c.work / "file").write_text("a file")
    refused(c, ["train", *SMALL, "--out", c.work / "file"], "a file where the folder should be")
    refused(c, ["train", *SMALL, "--out", c.work / "file" / "run"], "a file on the way to it")


def read_only(c):
    folder = c.folder("read-only")
    folder.mkdir()
    mount = subprocess.run(["mount", "-t", "tmpfs", "-o", "ro", "tarl-faults", str(folder)],
                           capture_output=True)
    if mount.returncode != 0:
        print("  SKIP no read-only file system can be mounted here")
        return
    try:
        refused(c, ["train", *SMALL, "--out", folder / "run"], "a read-only disk")
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def outputs(c, reference):
    words = " ".join(f"'{word}'" for word in SMALL)
    cases = {"stdout closed": ">&-", "stderr closed": "2>&-",
             "all three closed": "<&- >&- 2>&-", "a full device as stdout": ">/dev/full",
             "a full device as stderr": "2>/dev/full"}
    for what, how in cases.items():
        folder = c.folder("output")
        done = subprocess.run(["bash", "-c", f"'{c.tarl}' train {words} --out '{folder}' {how}"],
                              capture_output=True)
        same(c, reference, folder, done.returncode, done.stderr.decode(), what)
    folder = c.folder("output")
    reader = f"'{c.tarl}' train {words} --out '{folder}' 2>&1 | head -c 1 >/dev/null; exit 0"
    done = subprocess.run(["bash", "-c", reader], capture_output=True)
    same(c, reference, folder, done.returncode, "", "a reader that goes away")
    folder = c.folder("output")
    done = subprocess.run([c.tarl, "train", *SMALL, "--out", str(folder)], capture_output=True,
                          stdin=subprocess.DEVNULL, start_new_session=True, env={})
    same(c, reference, folder, done.returncode, done.stderr.decode(), "no terminal, no environment")


def main(c):
    reference, _ = c.reference()
    clocks(c, reference)
    paths(c, reference)
    read_only(c)
    outputs(c, reference)
