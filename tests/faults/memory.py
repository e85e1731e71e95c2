# SPDX-License-Identifier: MIT
"""R14: the k-th allocation is refused, through start-up, training and checkpoints."""
import signal
import struct

from lib import Skip, differences, last_line


def main(c):
    if c.sanitizer:
        raise Skip("allocations are the sanitizer's here")
    reference, _ = c.reference()
    counter = c.work / "allocations"
    folder = c.folder("counted")
    code, said, _ = c.train(folder, faults={"allocations": counter})
    if code != 0:
        raise SystemExit(f"the counted run failed: {said}")
    total = struct.unpack("q", counter.read_bytes())[0]
    tries = sorted({c.rng.randrange(1, total + 1) if number % 2 else
                    int(total ** c.rng.random()) for number in range(3000 if c.long else 150)})
    refused = before_main = unclear = 0
    for k in tries:
        folder = c.folder("poor")
        code, said, _ = c.train(folder, faults={"allocation": k})
        if code == 0:
            if differences(reference, folder):
                c.fail(f"allocation {k}: unnoticed, but files differ")
            continue
        refused += 1
        uncaught = code == -signal.SIGABRT and "bad_alloc" in said
        if not folder.exists() and (uncaught or (code == -signal.SIGSEGV and not said)):
            before_main += 1
            continue
        if code in (-signal.SIGABRT, -signal.SIGSEGV, 2):
            unclear += 1
        elif code != 1 or "memory" not in said.lower():
            c.fail(f"allocation {k}: exit {code}: {last_line(said)}")
        code, said, _ = c.train(folder)
        if code != 0 or differences(reference, folder) or "damaged" in said:
            c.fail(f"allocation {k}: resume gives {code}: {last_line(said)}")
    c.figure("allocations of the run", total)
    c.figure("refused", f"{len(tries)}, of which {refused} ended the run")
    # Allocations of the C++ runtime and the libraries before main() are beyond tarl's control.
    c.figure("of those, before main()", before_main)
    # The JSON and TOML libraries do not always survive it, or mistake it for an unreadable number.
    c.figure("ended without the true reason", unclear, unclear <= len(tries) // 25)
    c.figure("damaged or different runs", len(c.failures), not c.failures)
