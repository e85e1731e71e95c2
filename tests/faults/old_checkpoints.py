# SPDX-License-Identifier: MIT
"""R19: run folders of every release load, or are refused in one line; never misread."""
import pathlib
import shutil

from lib import last_line

GOLDEN = pathlib.Path(__file__).parent / "golden"


def main(c):
    loaded = refused = 0
    for golden in sorted(path for path in GOLDEN.iterdir() if path.is_dir()):
        folder = c.folder("old")
        shutil.copytree(golden, folder)
        code, said, _ = c.run(["train", "--resume", "--out", folder, "--quiet"])
        if code == 0 and "no checkpoint" not in said and "damaged" not in said:
            loaded += 1
        elif code in (1, 2) and len(said.strip().splitlines()) == 1:
            refused += 1
        else:
            c.fail(f"{golden.name}: exit {code}: {last_line(said)}")
    c.figure("run folders of releases", loaded + refused, loaded + refused > 0)
    c.figure("continued, refused in one line", f"{loaded}, {refused}", not c.failures)
