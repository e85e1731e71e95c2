#!/usr/bin/env python3
"""Microseconds that score and keep_best take together, best of many rounds: the equations in Python, and C++ for
arrays in CPU memory. PyTorch and JAX are skipped if they are not installed.

    OMP_NUM_THREADS=1 PYTHONPATH=build/python python bench/python/align.py
"""

import argparse
import importlib.util
import timeit

import numpy as np

from tarl import align


def microseconds(call, seconds=1.0, rounds=200):
    call()
    number = max(1, int(seconds / rounds / timeit.timeit(call, number=1)))
    return 1e6 * min(timeit.repeat(call, number=number, repeat=rounds)) / number


def select(q, y_online, y_offline):
    return align.keep_best(align.score(q, y_online, y_offline), len(q) // 2)


def libraries():
    """By name: a function that makes arrays, and how `select` is called."""
    yield "NumPy", np.asarray, select
    if importlib.util.find_spec("torch"):
        import torch

        torch.set_num_threads(1)
        yield "PyTorch", torch.from_numpy, select
        yield "PyTorch, compiled", torch.from_numpy, torch.compile(select, fullgraph=True)
    if importlib.util.find_spec("jax"):
        import jax

        compiled = jax.jit(select)
        yield "JAX, jit", jax.numpy.asarray, lambda *given: compiled(*given).block_until_ready()


def main():
    parser = argparse.ArgumentParser(formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--candidates", type=int, nargs="+", default=[64, 512])
    extension = align._extension
    for n in parser.parse_args().candidates:
        rows = np.random.default_rng(0).normal(size=(3, n)).astype(np.float32)
        for name, make, call in libraries():
            given = [make(row) for row in rows]
            print(f"{n} candidates, {name}: {microseconds(lambda: call(*given)):.1f} us")
            if call is select:
                align._extension = lambda: None
                print(f"{n} candidates, {name}, without C++: {microseconds(lambda: call(*given)):.1f} us")
                align._extension = extension


if __name__ == "__main__":
    main()
