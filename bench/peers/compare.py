#!/usr/bin/env python3
"""Runs tarl and the other libraries one after another on this machine and prints one table.

    bench/peers/setup.sh                     # once: the peers, in .venv-peers
    python3 bench/peers/compare.py           # MinAtar: DQN and TA-DQN, one thread
    python3 bench/peers/compare.py --what sac --threads 2

Peers and tarl are interleaved over --rounds rounds; the best mean of each counts, and ratios are taken
between bests of the same invocation. Environment steps/s are means over each run, updates/s those of the
best short window, for all of them. Nothing else should run meanwhile.
"""
import argparse
import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def rival(script, *args, threads):
    command = [str(ROOT / ".venv-peers/bin/python"), str(HERE / script), "--threads", str(threads), *args]
    return [json.loads(line) for line in output(command).splitlines() if line.startswith("{")][-1]


def ours(algo, env, threads, seconds, preset=None):
    command = [str(ROOT / "build/tarl"), "bench", "--json", "--algo", algo, "--env", env,
               "--threads", str(threads), "--seconds", str(seconds)]
    return json.loads(output(command + (["--preset", preset] if preset else [])))


def output(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\nfailed: {done.stderr.strip()[-400:]}")
    return done.stdout


def minatar(threads, seconds):
    """name -> (env steps/s, updates/s)"""
    listing = "paper-listing"
    rows = {}
    mine = ours("dqn", "minatar/breakout-v0", threads, seconds, listing)
    rows["DQN: tarl"] = mine["env_steps_per_s"], mine["updates_per_s"]
    for label, script, extra in [("lean JAX", "lean_dqn_jax.py", []), ("lean PyTorch", "lean_dqn_torch.py", []),
                                 ("Stable-Baselines3", "sb3_dqn_minatar.py", [])]:
        got = rival(script, "--env", "breakout", "--steps", "3000", *extra, threads=threads)
        rows[f"DQN: {label}"] = got["env_steps_per_s"], got["update_only_per_s_best"]
    mine = ours("ta-dqn", "minatar/breakout-v0", threads, seconds, listing)
    rows["TA-DQN: tarl"] = mine["env_steps_per_s"], mine["updates_per_s"]
    got = rival("tarl_torch.py", "--algo", "dqn", "--impl", "reforward", "--seconds", "6", threads=threads)
    rows["TA-DQN: lean PyTorch"] = None, got["ta_updates_per_s_best"]
    return rows


def sac(threads, seconds):
    rows = {}
    for env, gym in [("mujoco/hopper", "Hopper-v4"), ("mujoco/humanoid", "Humanoid-v4")]:
        for algo in ["sac", "ta-sac"]:
            mine = ours(algo, env, threads, seconds)
            rows[f"{algo.upper()} {gym}: tarl"] = mine["env_steps_per_s"], mine["updates_per_s"]
        for label, script in [("SBX", "sbx_sac.py"), ("Stable-Baselines3", "sb3_sac.py")]:
            got = rival(script, "--env", gym, "--steps", "800", threads=threads)
            rows[f"SAC {gym}: {label}"] = got["env_steps_per_s"], got["update_only_per_s_best"]
    return rows


def atari(threads, seconds):
    rows = {}
    for algo in ["ddqn", "ta-ddqn"]:
        mine = ours(algo, "atari/breakout", threads, seconds)
        rows[f"{algo.upper()} ALE Breakout: tarl"] = mine["env_steps_per_s"], mine["updates_per_s"]
    got = rival("sb3_dqn_atari.py", "--env", "BreakoutNoFrameskip-v4", threads=threads)
    rows["DQN ALE Breakout: Stable-Baselines3"] = got["env_steps_per_s"], got["update_only_per_s_best"]
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--what", choices=["minatar", "sac", "atari"], default="minatar")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--seconds", type=int, default=6, help="duration of each of tarl's two measurements")
    args = parser.parse_args()
    if not (ROOT / ".venv-peers/bin/python").exists():
        sys.exit("the peers are not installed: run bench/peers/setup.sh (several GB)")
    best = {}
    for round_number in range(args.rounds):
        print(f"round {round_number + 1} of {args.rounds}", file=sys.stderr)
        for name, rates in {"minatar": minatar, "sac": sac, "atari": atari}[args.what](args.threads, args.seconds).items():
            old = best.get(name, (None, None))
            best[name] = tuple(max((x for x in pair if x is not None), default=None) for pair in zip(old, rates))
    print(f"{'':40s} {'env steps/s':>12s} {'updates/s':>10s}   (threads: {args.threads}, best of {args.rounds})")
    for name, rates in best.items():
        print(f"{name:40s} " + " ".join(f"{'-' if r is None else format(r, '.0f'):>{w}s}" for r, w in zip(rates, (12, 10))))


if __name__ == "__main__":
    main()
