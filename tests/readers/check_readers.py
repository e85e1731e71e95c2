#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Opens every file of a run folder with the packages its users read it with.

usage: check_readers.py RUN_FOLDER

Needs numpy, safetensors and tensorboard; uses stable_baselines3 where it is installed. Checks that
each file opens and that the files agree with each other; exits 1 with one line per fault.
"""

import csv
import json
import sys
from pathlib import Path

import numpy
import safetensors.numpy
from tensorboard.backend.event_processing import event_file_loader
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

faults = []


def check(condition, what):
    if not condition:
        faults.append(what)


def read_table(lines):
    """The columns of a CSV by name, as lists of text."""
    rows = list(csv.reader(lines))
    check(rows and len({len(row) for row in rows}) == 1, "a CSV with rows of different lengths")
    return {name: [row[i] for row in rows[1:]] for i, name in enumerate(rows[0])}


def check_evaluations(run):
    with numpy.load(run / "evaluations.npz", allow_pickle=False) as file:
        steps, results, lengths = (file[name] for name in ("timesteps", "results", "ep_lengths"))
    check(steps.dtype == numpy.int64 and steps.ndim == 1, "evaluations.npz: timesteps")
    check(results.dtype == numpy.float64 and results.ndim == 2, "evaluations.npz: results")
    check(lengths.dtype == numpy.int64 and lengths.shape == results.shape, "evaluations.npz: ep_lengths")
    check(len(results) == len(steps), "evaluations.npz: one row an evaluation")
    check((numpy.diff(steps) > 0).all(), "evaluations.npz: timesteps must grow")

    with open(run / "evaluations.csv", newline="") as file:
        table = read_table(file)
    episodes = results.shape[1]
    expected = {
        "timesteps": numpy.repeat(steps, episodes),
        "episode": numpy.tile(numpy.arange(episodes), len(steps)),
        "return": results.ravel(),
        "length": lengths.ravel(),
    }
    check(list(table) == list(expected), "evaluations.csv: columns")
    for name, values in expected.items():
        written = numpy.array([float(cell) for cell in table[name]])
        check(numpy.array_equal(written, values, equal_nan=True), f"evaluations.csv and .npz differ in {name}")
    return f"{len(steps)} evaluations of {episodes}"


def check_monitor(run):
    with open(run / "monitor.csv", newline="") as file:
        first = file.readline()
        check(first.startswith("#"), "monitor.csv: first line")
        header = json.loads(first[1:])
        table = read_table(file)
    check({"t_start", "env_id"} <= header.keys(), "monitor.csv: t_start and env_id")
    check(list(table) == ["r", "l", "t"], "monitor.csv: columns")
    times = [float(cell) for cell in table["t"]]
    check(times == sorted(times), "monitor.csv: times must not fall")
    check(all(int(cell) > 0 for cell in table["l"]), "monitor.csv: lengths")
    try:
        from stable_baselines3.common.monitor import load_results
    except ImportError:
        return f"{len(times)} episodes (stable_baselines3 is not installed: load_results not tried)"
    loaded = load_results(str(run))
    check(list(loaded["r"]) == [float(cell) for cell in table["r"]], "load_results: returns")
    check(list(loaded["t"]) == times, "load_results: times")
    return f"{len(loaded)} episodes, load_results agrees"


def check_progress(run):
    with open(run / "progress.csv", newline="") as file:
        table = read_table(file)
    steps = [int(cell) for cell in table["time/total_timesteps"]]
    check(steps == sorted(set(steps)), "progress.csv: steps must grow")
    return table


def check_events(run, table):
    files = sorted(run.glob("events.out.tfevents.*"))
    check(len(files) == 1, f"{len(files)} event files, expected one")
    events = list(event_file_loader.EventFileLoader(str(files[0])).Load())
    check(events[0].file_version == "brain.Event:2", "events: first record")
    accumulator = EventAccumulator(str(files[0]), size_guidance={"scalars": 0})
    accumulator.Reload()
    check(set(accumulator.Tags()["scalars"]) == set(table), "events: tags are not the columns of progress.csv")
    steps = [int(cell) for cell in table["time/total_timesteps"]]
    for name in accumulator.Tags()["scalars"]:
        written = [(step, numpy.float32(cell)) for step, cell in zip(steps, table[name]) if cell != ""]
        seen = [(event.step, numpy.float32(event.value)) for event in accumulator.Scalars(name)]
        # nan is not equal to itself: compare the text of both.
        check(str(seen) == str(written), f"events: {name} differs from progress.csv")
    return f"{len(events) - 1} events, {len(table)} tags"


def check_tensors(path):
    tensors = safetensors.numpy.load_file(path)
    check(len(tensors) > 0, f"{path.name}: no tensors")
    return f"{path.name} {len(tensors)} tensors"


def check_checkpoints(run):
    generations = sorted((run / "checkpoints").glob("step_*")) if (run / "checkpoints").is_dir() else []
    for generation in generations:
        manifest = json.loads((generation / "manifest.json").read_text())
        check(generation.name == f"step_{manifest['step']:012d}", f"{generation.name}: step of its manifest")
        state = generation / "state.safetensors"
        check(manifest["files"]["state.safetensors"]["size"] == state.stat().st_size, f"{generation.name}: size")
        check_tensors(state)
    return f"{len(generations)} checkpoints"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    run = Path(sys.argv[1])
    said = [check_evaluations(run), check_monitor(run)]
    table = check_progress(run)
    said += [f"{len(table['time/total_timesteps'])} progress rows", check_events(run, table), check_checkpoints(run)]
    if (run / "model.safetensors").exists():
        said.append(check_tensors(run / "model.safetensors"))
    if (run / "run.json").exists():
        said.append("run.json " + json.loads((run / "run.json").read_text())["status"])
    for fault in faults:
        print("FAULT", fault)
    print("; ".join(said))
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
