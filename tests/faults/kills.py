# SPDX-License-Identifier: MIT
"""R1: kill -9 at random instants, most aimed at a checkpoint, resume, same bits (tarl selftest)."""
import re


def main(c):
    kills = 2000 if c.long else 54
    code, said, seconds = c.run(["selftest", "--kill", kills, "--seed", c.seed])
    print(said)
    total = re.search(r"(\d+) kills, (\d+) inside a checkpoint write \((\d+) %\), (\d+) differences",
                      said)
    if code != 0 or total is None:
        c.fail(f"selftest ended with {code}")
        return
    made, inside, share, different = map(int, total.groups())
    c.figure("kills", made, made >= kills)
    c.figure("inside a checkpoint write", f"{inside} ({share} %)", inside > 0)
    c.figure("differences", different, different == 0)
    c.figure("seconds", round(seconds))
