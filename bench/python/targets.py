#!/usr/bin/env python3
"""Checks all speed targets of the Python package, one thread, best of several rounds: models compared with
Stable-Baselines3 and the bridge (beside_sb3.py), native environments (native_envs.py), scores (align.py). Exits with 1
if one is missed.

    PYTHONPATH=build/python .venv-verify/bin/python bench/python/targets.py

make verify-python creates .venv-verify, with Stable-Baselines3 and PyTorch. The check takes about ten minutes and needs
an idle machine; --short only tests in one minute that everything works.
"""

import argparse
import os
import sys

os.environ["OMP_NUM_THREADS"] = "1"

import align
import beside_sb3
import native_envs
import numpy as np

BREAKOUT = "minatar/breakout"
# Minimum rates, in millions of environment steps per second.
STEPS = {
    "gym.make, 1 environment": (0.6, lambda seconds: native_envs.single(BREAKOUT, seconds)),
    "make_vec, 256 environments": (5.0, lambda seconds: native_envs.several(BREAKOUT, 256, seconds)),
    "the same, copy=False": (5.0, lambda seconds: native_envs.several(BREAKOUT, 256, seconds, copy=False)),
}
# Maximum microseconds of score and keep_best of 64.
SCORES = {"NumPy": 5, "PyTorch": 12}


def steps(seconds):
    good = True
    for name, (bound, measure) in STEPS.items():
        millions = measure(seconds) / 1e6
        good &= millions >= bound
        print(f"{name:<36}{millions:>8.2f} M steps/s{bound:>8}+")
    return good


def scores(seconds):
    good = True
    rows = np.random.default_rng(0).normal(size=(3, 64)).astype(np.float32)
    makers = {name: make for name, make, _ in align.libraries() if name in SCORES}
    for name, bound in SCORES.items():
        given = [makers[name](row) for row in rows]
        took = align.microseconds(lambda given=given: align.select(*given), seconds)
        good &= took <= bound
        print(f"{'score and keep of 64, ' + name:<36}{took:>8.2f} us       {bound:>8}-")
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--sb3", default=sys.executable, help="a Python with stable-baselines3 (default: this one)")
    parser.add_argument("--short", action="store_true", help="only test that everything works: the figures are meaningless")
    options = parser.parse_args()
    if options.short:
        beside_sb3.shorten()
    seconds = 0.2 if options.short else 3
    good = [beside_sb3.show(options.sb3, 1 if options.short else options.rounds), steps(seconds), scores(seconds)]
    print("every target is met" if all(good) else "a target is missed")
    return 0 if all(good) or options.short else 1


if __name__ == "__main__":
    sys.exit(main())
