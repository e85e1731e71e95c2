"""Studies: grids of algorithms, environments and seeds, run to completion despite interruptions.

A study runs as `tarl study run` does, in the same folders: the command line can continue what
Python began, and vice versa. Runs train in native environments.
"""

from __future__ import annotations

import os
import sys
import time
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from tarl import _tarl
from tarl._program import program
from tarl._text import setting_text
from tarl.errors import UsageError
from tarl.results import Folder, Runs, _pandas, load_runs

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Study", "study"]

Executor = Literal["local", "slurm", "fleet"]

_REDRAW_SECONDS = 1.0


def _names(given: str | Sequence[str] | None) -> list[str]:
    return [given] if isinstance(given, str) else list(given or ())


class _Quiet:
    """Progress of a running study, see `Listener` in studies.cpp."""

    failed: dict[str, str]

    def __init__(self) -> None:
        self.failed = {}

    def begun(self, runs: int, finished: int, executor: str) -> None:
        pass

    def event(self, kind: str, run: str, detail: str, seconds: float) -> None:
        if kind == "failed":
            self.failed[run] = detail

    def tick(self) -> None:
        pass

    def notice(self, line: str) -> None:
        warnings.warn(line, stacklevel=2)

    def close(self) -> None:
        pass


class _Progress(_Quiet):
    """Lines on stderr; on a terminal and in a notebook the last one is redrawn in place."""

    def __init__(self, plan: _tarl.StudyPlan, out: Path) -> None:
        super().__init__()
        self._plan, self._out = plan, out
        self._redraws = sys.stderr.isatty() or _in_a_notebook()
        self._drawn, self._next = 0, 0.0
        self._runs = self._finished = 0

    def begun(self, runs: int, finished: int, executor: str) -> None:
        self._runs, self._finished = runs, finished
        self.notice(f"{runs} runs, {finished} done ({executor})")

    def event(self, kind: str, run: str, detail: str, seconds: float) -> None:
        super().event(kind, run, detail, seconds)
        self._finished += kind == "finished"
        if kind == "finished":
            self.notice(f"[{self._finished}/{self._runs}] {run} in {seconds:.0f} s")
        elif kind != "started":
            self.notice(f"{kind}: {run}{detail and ': ' + detail}")

    def tick(self) -> None:
        if not self._redraws or time.monotonic() < self._next:
            return
        rows = self._plan.status(self._out)
        share = sum(row["step"] for row in rows) / max(1, sum(row["steps"] for row in rows))
        running = sum(row["phase"] == "running" for row in rows)
        line = f"{self._finished}/{self._runs} runs done, {running} running, {share:.0%} of all steps"
        self._write("\r" + line.ljust(self._drawn))
        self._drawn = len(line)
        self._next = time.monotonic() + _REDRAW_SECONDS

    def notice(self, line: str) -> None:
        self.close()
        self._write(line + "\n")

    def close(self) -> None:
        if self._drawn:
            self._write("\r" + " " * self._drawn + "\r")
        self._drawn = 0

    @staticmethod
    def _write(text: str) -> None:
        sys.stderr.write(text)
        sys.stderr.flush()


def _in_a_notebook() -> bool:
    ipython = sys.modules.get("IPython")
    return ipython is not None and hasattr(ipython.get_ipython(), "kernel")


class Study:
    """A grid of conditions, environments and seeds: a built-in study by name, or a TOML file.

    Every other argument overrides it: `steps` of every run, `seeds` 0 to n - 1, only these `envs`,
    and `settings` of every run by the names of `tarl show-config`.

    >>> study = tarl.Study("minatar-replay", seeds=3, steps=200_000, envs=["minatar/breakout"])
    >>> len(study.labels), study.seeds
    (6, 3)
    >>> runs = study.run("runs/replay")  # doctest: +SKIP
    """

    def __init__(
        self,
        name_or_file: str | os.PathLike[str],
        *,
        steps: int | float | None = None,
        seeds: int | None = None,
        envs: str | Sequence[str] | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        self._change(_tarl.find_study(os.fspath(name_or_file)), steps, seeds, _names(envs), settings or {})

    @classmethod
    def grid(
        cls,
        algos: str | Sequence[str],
        envs: str | Sequence[str],
        seeds: int = 5,
        *,
        steps: int | float | None = None,
        name: str = "grid",
        preset: str | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> Study:
        """Every algorithm in every environment; an aligned one is compared with its plain version.

        `preset` is a name of `tarl list presets` or a file; by default the environments' own.

        >>> study = tarl.Study.grid(["dqn", "ta-dqn"], ["CartPole-v1"], seeds=2, steps=50_000)
        >>> study.envs
        ['classic/cartpole']
        """
        grid = cls.__new__(cls)
        grid._change(_tarl.study_of(name, _names(algos), _names(envs), preset), steps, seeds, (), settings or {})
        return grid

    def _change(
        self,
        plan: _tarl.StudyPlan,
        steps: int | float | None,
        seeds: int | None,
        envs: Sequence[str],
        settings: Mapping[str, Any],
    ) -> None:
        for key, argument in (("seed", "seeds"), ("seeds", "seeds"), ("steps", "steps")):
            if key in settings:
                raise UsageError(f"{key} cannot be among a study's settings; use its argument {argument}")
        texts = [f"{key}={setting_text(value)}" for key, value in settings.items()]
        length = None if steps is None else str(int(steps))
        self._plan = plan.changed(seeds=seeds, steps=length, envs=list(envs), settings=texts)

    @property
    def name(self) -> str:
        """The study's name."""
        return self._plan.name

    @property
    def labels(self) -> list[str]:
        """The conditions compared."""
        return self._plan.labels

    @property
    def envs(self) -> list[str]:
        """The environments, by tarl's names."""
        return self._plan.envs

    @property
    def seeds(self) -> int:
        """The number of seeds per condition and environment."""
        return self._plan.seeds

    def __repr__(self) -> str:
        return f"Study({self.name!r}, {self.labels} in {self.envs}, {self.seeds} seeds)"

    def folder(self, out: Folder | None = None) -> Path:
        """Where the runs are: `out`, or runs/<name>.

        >>> tarl.Study("mujoco-sac").folder()
        PosixPath('runs/mujoco-sac')
        """
        return Path(out) if out is not None else self._plan.usual_folder()

    def run(
        self,
        out: Folder | None = None,
        *,
        executor: Executor = "local",
        jobs: int | None = None,
        retries: int = 3,
        progress: bool = True,
        wait: bool = True,
        slurm_args: Sequence[str] = (),
    ) -> Runs:
        """Computes the missing runs of the study and returns all runs in its folder.

        `executor` is "local" (child processes), "fleet" (this machine's GPU) or "slurm" (a job array;
        `slurm_args` go to sbatch, with `wait=False` it only submits). `jobs` is the number of concurrent
        runs, `retries` how often a crashed run is retried from its checkpoint. Ctrl-C lets every run
        write a checkpoint, then raises KeyboardInterrupt; the same call continues. Failed runs leave the
        others alone; they are among the `problems` of the result, and cause a warning.

        >>> study = tarl.Study.grid(["dqn"], ["CartPole-v1"], seeds=1, steps=1000)
        >>> len(study.run("runs/one", progress=False))
        1
        """
        folder = self.folder(out)
        told = _Progress(self._plan, folder) if progress else _Quiet()
        try:
            self._plan.run(folder, executor, program(), jobs or 0, retries, wait, list(slurm_args), told)
        finally:
            told.close()
        if told.failed:
            warnings.warn(
                f"of {len(self.envs) * len(self.labels) * self.seeds} runs {len(told.failed)} failed, which the same "
                "call tries once more: " + "; ".join(f"{run}: {why}" for run, why in told.failed.items()),
                stacklevel=2,
            )
        return load_runs(folder)

    def status(self, out: Folder | None = None) -> pd.DataFrame:
        """One row per run: its phase ("missing", "running", "done", ...), step, score and folder.

        >>> study = tarl.Study.grid(["dqn"], ["CartPole-v1"], seeds=2)
        >>> study.status("runs/nothing-yet")["phase"].tolist()
        ['missing', 'missing']
        """
        frame: pd.DataFrame = _pandas().DataFrame(self._plan.status(self.folder(out)))
        return frame


def study(
    name_or_file: str | os.PathLike[str],
    out: Folder | None = None,
    *,
    steps: int | float | None = None,
    seeds: int | None = None,
    envs: Sequence[str] | None = None,
    settings: Mapping[str, Any] | None = None,
    **run: Any,
) -> Runs:
    """Runs a study to completion: `Study(name_or_file, ...).run(out, ...)` in one call.

    >>> runs = tarl.study("minatar-replay", seeds=3, steps=2e5, executor="fleet")  # doctest: +SKIP
    """
    return Study(name_or_file, steps=steps, seeds=seeds, envs=envs, settings=settings).run(out, **run)
