#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Opens pages of `tarl inspect` in headless Chromium: browser_test.py [path of tarl] [--screenshots DIR].

Trains short runs of every kind of picture that this build has, and checks their pages as those of reports
are checked: each tests itself, and is measured at phone, laptop and wide width. Exit 77, said aloud, if
there is no Chromium.
"""
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "report"))
from browser_test import MAX_BYTES, SKIP, WIDTHS, browse, check_layout, check_page, layout_pages  # noqa: E402

HARD = ["target_update_interval=400"]
RUNS = {  # name: algorithm, environment, steps, settings
    "minatar": ("ta-dqn", "minatar/breakout", 1500, HARD),
    "per": ("ta-dqn+per", "minatar/seaquest", 1500, HARD),
    "plain": ("dqn", "classic/cartpole", 1000, HARD),
    "walker": ("ta-td3", "box2d/bipedal_walker", 400, []),
    "bars": ("ta-dqn", "box2d/lunar_lander", 800, HARD),
    "hopper": ("ta-sac", "mujoco/hopper", 400, []),
    "atari": ("ta-ddqn", "atari/pong", 500,
              ["buffer_size=400", "batch_size=16", "target_update_interval=80", "eval.epsilon=1"]),
}


def write_page(tarl, root, name):
    """The page of a short run; nothing if its environment is not in the build."""
    algo, env, steps, more = RUNS[name]
    known = subprocess.run([tarl, "list", "envs", env], capture_output=True, text=True).stdout
    if env not in known.split():
        print(f"{name}: built without {env}")
        return None
    settings = ["learning_starts=300", "eval.count=1", "eval.episodes=1", "checkpoint.keep=true", *more]
    words = [word for setting in settings for word in ("--set", setting)]
    run, page = root / name, root / f"{name}.html"
    subprocess.run([tarl, "train", "--algo", algo, "--env", env, "--steps", str(steps), "--quiet", *words,
                    "--out", run], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([tarl, "inspect", run, "--out", page, "--rows", "1024"], check=True,
                   stdout=subprocess.DEVNULL)
    return page


def main():
    arguments = sys.argv[1:]
    shots = None
    if "--screenshots" in arguments:
        at = arguments.index("--screenshots")
        shots = Path(arguments[at + 1])
        shots.mkdir(parents=True, exist_ok=True)
        del arguments[at:at + 2]
    tarl = arguments[0] if arguments else "build/tarl"
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        print("SKIP: no chromium here; install it to test pages in a browser")
        return SKIP
    problems = []
    with tempfile.TemporaryDirectory() as scratch:
        for name in RUNS:
            page = write_page(tarl, Path(scratch), name)
            if page is None:
                continue
            if page.stat().st_size >= MAX_BYTES:
                problems.append(f"{page.name} has {page.stat().st_size} bytes")
            checked, files = layout_pages(page)
            problems += check_page(chromium, page, WIDTHS[0])
            for width in WIDTHS:
                problems += [f"{page.name} at {width}: {problem}"
                             for problem in check_layout(chromium, checked, width)]
                if shots:
                    picture = (shots / f"{name}_{width}.png").resolve()
                    browse(chromium, page.as_uri(), width, f"--screenshot={picture}", height=6000)
            if name == "minatar":  # it has every figure
                problems += check_layout(chromium, files, WIDTHS[-1])
    for problem in problems:
        print("FAIL", problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
