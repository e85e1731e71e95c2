#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Opens reports in headless Chromium: browser_test.py [path of tarl] [--screenshots DIR].

Writes made-up runs, makes `tarl report` turn them into pages, and lets each page test itself
(#selftest drives every control and writes the outcome into the title) at phone, laptop and wide
width; layout_check.js measures every text on the pages and in the files beside them. Exit 77, said
aloud, if there is no Chromium.
"""
import io
import math
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

WIDTHS = (390, 1280, 1920)
MAX_BYTES = 3_000_000
SKIP = 77
LONG = "A condition whose name has sixty letters, as some people like"  # and a word without a break
WORD = "Averylongwordwithoutanyplacetobreakitanywherewhatsoeverindeed1"


def npy(shape, values, kind):
    """One array in numpy's format; kind is 'd' (float64) or 'q' (int64)."""
    descr = {"d": "<f8", "q": "<i8"}[kind]
    dims = ", ".join(map(str, shape)) + ("," if len(shape) == 1 else "")
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': ({dims}), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    data = struct.pack(f"<{len(values)}{kind}", *values)
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data


def write_run(folder, env, algo, seed, margin, evaluations, skill):
    folder.mkdir(parents=True)
    steps, episodes, rng = 2_000_000, 5, random.Random(f"{env} {algo} {seed}")
    times = [steps * (t + 1) // evaluations for t in range(evaluations)]
    returns = [0.4 + skill * (1 - math.exp(-4 * t / steps)) * rng.gauss(1, 0.2)
               for t in times for _ in range(episodes)]
    shape = (evaluations, episodes)
    with zipfile.ZipFile(folder / "evaluations.npz", "w") as archive:
        archive.writestr("timesteps.npy", npy((evaluations,), times, "q"))
        archive.writestr("results.npy", npy(shape, returns, "d"))
        archive.writestr("ep_lengths.npy", npy(shape, [10] * len(returns), "q"))
    replay = algo.split("+")[1] if "+" in algo else "uniform"
    (folder / "config.toml").write_text(
        f'algo = "{algo}"\nenv = "{env}"\nseed = {seed}\nsteps = {steps}\nbatch_size = 32\n'
        f"[align]\nmargin = {margin}\n[eval]\ncount = {evaluations}\n"
        f'[replay]\nkind = "{replay}"\n')
    (folder / "run.json").write_text('{"status": "finished", "training_seconds": 300}\n')
    rows = io.StringIO()
    rows.write("time/total_timesteps,tarl/alignment_mean,tarl/alignment_min\n")
    for t in times:
        rows.write(f"{t},{0.8 + 0.1 * t / steps},{0.4}\n")
    if margin > 0:
        (folder / "progress.csv").write_text(rows.getvalue())


def write_study(root, envs, seeds, evaluations):
    for env in envs:
        for replay in ("", "+per", "+reaper"):
            for algo, margin in (("dqn", 0.0), ("ta-dqn", 1.0)):
                for seed in range(seeds):
                    folder = root / env / (algo + replay) / f"seed{seed}"
                    write_run(folder, env, algo + replay, seed, margin, evaluations, 6 + 3 * margin)


def write_long_labels(root, seeds, evaluations):
    """A study of five conditions with long names, and every kind of figure."""
    game = "minatar/breakout"
    labels = [LONG, WORD, LONG + " 2", WORD + "2", "DQN"]
    conditions = ""
    for i, label in enumerate(labels):
        aligned = i % 2 == 1
        conditions += f'[[conditions]]\nlabel = "{label}"\nalgo = "{"ta-dqn" if aligned else "dqn"}"\n'
        if aligned:
            conditions += f'against = "{labels[i - 1]}"\n'
        slug = re.sub(r"[^a-z0-9+.]+", "-", label.lower()).strip("-")
        for seed in range(seeds):
            write_run(root / game / slug / f"seed{seed}", game, "ta-dqn" if aligned else "dqn", seed,
                      float(aligned), evaluations, 1000 * (i + 1))
    (root / "study.toml").write_text(
        f'seeds = {seeds}\nenvs = ["{game}"]\ncovers = ["Figure 9"]\n{conditions}')


def browse(chromium, page, width, *more, height=1000):
    command = [chromium, "--headless=new", "--no-sandbox", "--disable-gpu",
               "--disable-dev-shm-usage", "--hide-scrollbars", "--enable-logging=stderr",
               f"--window-size={width},{height}", *more]
    return subprocess.run(command + [page], capture_output=True, text=True)


def check_page(chromium, page, width):
    """Problems found on a page at a width."""
    seen = browse(chromium, f"{page.as_uri()}#selftest", width, "--dump-dom")
    title = re.search(r"<title>(.*?)</title>", seen.stdout)
    outcome = title.group(1) if title else "no page"
    problems = [] if outcome.startswith("SELFTEST OK") else [outcome]
    problems += [line for line in seen.stderr.splitlines() if "CONSOLE" in line]
    print(f"{page.name} at {width}: {outcome}")
    return problems


def check_layout(chromium, page, width):
    """Problems of a page with layout_check.js in it, shown in a frame of that width."""
    frame = page.with_name(f"frame_{width}_{page.name}")
    source = page.as_uri().replace("&", "&amp;")
    frame.write_text(f"""<!doctype html><body style="margin:0"><iframe src="{source}" onload="
        setTimeout(() => document.title = this.contentDocument ? this.contentDocument.title : '?', 900)"
        style="border:0;width:{width}px;height:4000px"></iframe>""")
    seen = browse(chromium, frame.as_uri(), max(width, 600), "--dump-dom",
                  "--allow-file-access-from-files", "--virtual-time-budget=8000", height=4000)
    title = re.search(r"<title>(.*?)</title>", seen.stdout, re.S)
    outcome = title.group(1) if title else "no page"
    print(f"{page.name} in {width} px: {outcome}")
    return [] if outcome.startswith("LAYOUT OK") else [outcome]


def layout_pages(page):
    """The page, and all figure files on one, each with the check in it."""
    check = f"<script>{(Path(__file__).parent / 'layout_check.js').read_text()}</script>"
    checked = page.with_name(f"checked_{page.name}")
    checked.write_text(page.read_text().replace("</body>", f"{check}</body>"))
    files = page.with_name(f"files_{page.name}")
    figures = sorted((page.parent / f"{page.stem}_files").glob("*.svg"))
    files.write_text("<!doctype html><meta charset=utf-8><title></title><body>" +
                     "<br>".join(figure.read_text() for figure in figures) + check + "</body>")
    return checked, files


def main():
    arguments = sys.argv[1:]
    shots = None
    if "--screenshots" in arguments:
        at = arguments.index("--screenshots")
        shots = Path(arguments[at + 1])
        del arguments[at:at + 2]
    tarl = arguments[0] if arguments else "build/tarl"
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        print("SKIP: no chromium here; install it to test reports in a browser")
        return SKIP
    games = ["minatar/asterix", "minatar/breakout", "minatar/freeway", "minatar/space_invaders"]
    problems = []
    with tempfile.TemporaryDirectory() as scratch:
        for name, write in (("full", lambda runs: write_study(runs, games, 5, 100)),
                            ("tiny", lambda runs: write_study(runs, games[:1], 1, 3)),
                            ("long", lambda runs: write_long_labels(runs, 2, 8))):
            runs = Path(scratch) / name
            write(runs)
            page = Path(scratch) / f"{name}.html"
            subprocess.run([tarl, "report", runs, "--out", page], check=True,
                           stdout=subprocess.DEVNULL)
            size = page.stat().st_size
            print(f"{page.name}: {size} bytes")
            if size > MAX_BYTES:
                problems.append(f"{page.name} has {size} bytes")
            for width in WIDTHS:
                problems += [f"{page.name} at {width}: {problem}"
                             for problem in check_page(chromium, page, width)]
                if name != "tiny":
                    problems += [f"{page.name} at {width}: {problem}"
                                 for problem in check_layout(chromium, layout_pages(page)[0], width)]
                if shots:
                    shots.mkdir(parents=True, exist_ok=True)
                    picture = (shots / f"{name}_{width}.png").resolve()
                    browse(chromium, page.as_uri(), width, f"--screenshot={picture}", height=12000)
            if name == "long":  # files have one width
                problems += check_layout(chromium, layout_pages(page)[1], WIDTHS[-1])
    for problem in problems:
        print("FAIL", problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
