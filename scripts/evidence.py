#!/usr/bin/env python3
"""Runs the studies of docs/results.md and packs each into results/: evidence.py [options] [STUDY...]

The commands are those that the page states, a line each. Without names, every study whose data are not in results/ yet.
A study goes on where it stopped, so the command may be stopped (Ctrl-C, SIGTERM) and repeated.

    scripts/evidence.py                                       everything that is missing
    scripts/evidence.py minatar-replay minatar-margin         these two, again if they are there
    scripts/evidence.py minatar-replay --with "--executor local --seeds 3 --steps 2e5"    smaller, on this machine
    scripts/evidence.py --list                                what would run

make report-all then fills the page.
"""
import argparse
import pathlib
import re
import shlex
import signal
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
COMMAND = re.compile(r"^    tarl study run (\S+)(.*)$", re.M)


def commands(page):
    """What the page says to run, by the study's name."""
    found = {}
    for study, options in COMMAND.findall(page):
        name = pathlib.Path(study).stem
        if name in found:
            sys.exit(f"evidence: the page runs {name} twice; state one command for it")
        found[name] = [study, *shlex.split(options)]
    return found


def chosen(found, names, results):
    unknown = [name for name in names if name not in found]
    if unknown:
        sys.exit(f"evidence: the page has no command for {', '.join(unknown)}; it has {', '.join(found)}")
    return names or [name for name in found if not (results / name / "packed.npz").exists()]


class Calls:
    """Programs one after the other. A signal goes to the one that runs, also if it comes before that began."""

    def __init__(self):
        self.child, self.asked = None, None
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self.pass_on)

    def pass_on(self, number, _):
        self.asked = number
        if self.child:
            self.child.send_signal(number)

    def call(self, *command):
        self.child = subprocess.Popen([str(word) for word in command])
        if self.asked:
            self.child.send_signal(self.asked)
        return self.child.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("studies", nargs="*", metavar="STUDY")
    parser.add_argument("--list", action="store_true", help="print the commands and stop")
    parser.add_argument("--with", dest="extra", default="", metavar="OPTIONS", help="added to each command; the last one wins")
    parser.add_argument("--tarl", type=pathlib.Path, default=ROOT / "build/tarl")
    parser.add_argument("--page", type=pathlib.Path, default=ROOT / "docs/results.md")
    parser.add_argument("--runs", type=pathlib.Path, default=ROOT / "runs", help="where the runs are kept")
    parser.add_argument("--results", type=pathlib.Path, default=ROOT / "results")
    args = parser.parse_args()
    found = commands(args.page.read_text())
    failed, calls = [], Calls()
    for study in chosen(found, args.studies, args.results):
        run = ["study", "run", *found[study], *shlex.split(args.extra), "--out", args.runs / study]
        print(f"evidence: tarl {shlex.join(map(str, run))}", flush=True)
        if args.list:
            continue
        code = calls.call(args.tarl, *run)
        if calls.asked:
            return code if code >= 0 else 128 - code
        if code or calls.call(args.tarl, "study", "pack", args.runs / study, "--out", args.results / study):
            failed.append(study)
    if failed:
        print(f"evidence: not complete: {', '.join(failed)}; the lines above say why", file=sys.stderr)
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
