#!/usr/bin/env python3
"""Updates per second of a fleet of SAC and TA-SAC agents: ours and JAX's on one device, in one table.

    bench/peers/setup.sh                               # once: JAX, in .venv-peers
    python3 bench/peers/control_fleet.py               # six shapes, 1 and 60 agents
    python3 bench/peers/control_fleet.py --agents 2 --shapes Hopper --steps 3 --buffer 500

No simulator is stepped: observations are noise for JAX and replayed for tarl. --precision is JAX's (bf16 rounds
operands, sums are f32), --ours is tarl's (fp16 also rounds operands). tarl's rates come from build/bench_control_fleet;
without a GPU its column stays empty and gives the reason. Nothing else should run meanwhile.
"""

import argparse
import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def lines_of(command):
    """The JSON lines a command prints; if it fails, the last line of its stderr."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    rows = [json.loads(line) for line in done.stdout.splitlines() if line.startswith(("{", "["))]
    problem = "" if done.returncode == 0 else (done.stderr.strip().splitlines() or ["no word of why"])[-1]
    return rows, problem


def ours(program, shapes, agents, precision, seconds):
    command = [program, "--json", "--seconds", seconds, "--precision", precision]
    for count in agents:
        command += ["--agents", count]
    rows, problem = lines_of(command + shapes)
    return {(row["shape"], row["algo"], row["agents"]): row["updates_per_s"] for row in rows}, problem


def jax_rate(python, shape, algo, agents, args):
    command = [python, HERE / "jax_fleet_sac.py", "--obs", shape["obs"], "--actions", shape["actions"], "--algo", algo]
    command += ["--agents", agents, "--precision", args.precision, "--steps", args.steps, "--buffer", args.buffer]
    rows, problem = lines_of(command)
    if problem:
        sys.exit(f"{' '.join(map(str, command))}\nfailed: {problem}")
    return rows[-1]


def cell(rate):
    return "-" if rate is None else f"{rate:.0f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shapes", nargs="+", default=[], help="environments whose shapes to use (default: all six)")
    parser.add_argument("--agents", type=int, nargs="+", default=[1, 60])
    parser.add_argument("--precision", default="tf32", choices=["f32", "tf32", "bf16"], help="precision of JAX")
    parser.add_argument("--ours", default="f32", choices=["f32", "fp16"], help="precision of tarl")
    parser.add_argument("--steps", type=int, default=300, help="JAX: updates per agent in one scan")
    parser.add_argument("--buffer", type=int, default=10_000, help="JAX: rows per replay")
    parser.add_argument("--seconds", type=float, default=2, help="tarl: seconds per measurement")
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build/bench_control_fleet")
    args = parser.parse_args()
    python = ROOT / ".venv-peers/bin/python"
    if not python.exists():
        sys.exit("JAX is not installed: run bench/peers/setup.sh (several GB)")
    if not args.program.exists():
        sys.exit(f"no {args.program}: build it, or name it with --program")
    shapes, problem = lines_of([args.program, "--shapes", *args.shapes])
    if problem:
        sys.exit(problem)
    mine, without = ours(args.program, args.shapes, args.agents, args.ours, args.seconds)
    print(f"{'shape':14s} {'algo':8s} {'agents':>6s} {'tarl ' + args.ours:>10s} {'JAX ' + args.precision:>10s} {'ratio':>6s}")
    device = ""
    for shape in shapes[0]:
        for algo in ["sac", "ta-sac"]:
            for agents in args.agents:
                got = jax_rate(python, shape, algo, agents, args)
                device = got["device"]
                rate = mine.get((shape["shape"], algo, agents))
                ratio = "-" if rate is None else f"{rate / got['updates_per_s']:.2f}"
                wrong = "" if got["finite"] else "   JAX: not finite"
                print(
                    f"{shape['shape']:14s} {algo:8s} {agents:6d} {cell(rate):>10s} "
                    f"{cell(got['updates_per_s']):>10s} {ratio:>6s}{wrong}",
                    flush=True,
                )
    print(f"agent-updates/s; JAX on {device}" + (f"; tarl: {without}" if without else ""))


if __name__ == "__main__":
    main()
