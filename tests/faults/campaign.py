#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The fault campaigns: campaign.py [--long] [--seed N] [NAME]... runs them and prints their figures.

Without --long each runs in a short form, for every change; --long is for releases.
"""
import argparse
import importlib
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from lib import Campaign, Skip, print_table  # noqa: E402

NAMES = ["kills", "failure_points", "unsynced", "disk_full", "signals", "same_seed", "memory", "locks",
         "compound", "hostile_serve", "old_checkpoints", "surroundings", "soak"]
SKIPPED = 77


def run_one(name, arguments):
    module = importlib.import_module(name)
    campaign = Campaign(arguments.tarl, arguments.shim, arguments.long, arguments.seed)
    start = time.monotonic()
    try:
        module.main(campaign)
    except Skip as reason:
        print(f"SKIP {name}: {reason}")
        return SKIPPED
    finally:
        campaign.close()
    print_table(f"{module.__doc__.strip()}\n  ({name}, seed {campaign.seed}, "
                f"{time.monotonic() - start:.0f} s)", campaign.rows)
    return 1 if campaign.failures else 0


def main():
    build = pathlib.Path(__file__).resolve().parents[2] / "build"
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(NAMES))
    parser.add_argument("--long", action="store_true", help="as a release is measured; hours")
    parser.add_argument("--seed", type=int, help="of the random instants (default: another each time)")
    parser.add_argument("--tarl", default=build / "tarl")
    parser.add_argument("--shim", default=build / "libtarl_faults.so")
    arguments = parser.parse_args()
    unknown = [name for name in arguments.names if name not in NAMES]
    if unknown:
        parser.error(f"no campaign is called {unknown[0]} ({', '.join(NAMES)})")
    results = {name: run_one(name, arguments) for name in arguments.names or NAMES}
    if len(results) == 1:
        return next(iter(results.values()))
    bad = [name for name, code in results.items() if code == 1]
    print(f"\n{len(results) - len(bad)} of {len(results)} campaigns good"
          f"{': not ' + ', '.join(bad) if bad else ''}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
