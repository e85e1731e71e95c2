"""Runs on disk in notebooks: tables for pandas, figures, reports.

Every number and picture is the same as in `tarl report`. Only the methods that return frames need
pandas: `pip install tarl[pandas]`.
"""

from __future__ import annotations

import base64
import csv
import html
import io
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, overload

from tarl import _tarl
from tarl.errors import UsageError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Figure", "Problem", "Report", "Run", "Runs", "load_runs", "report"]

Folder: TypeAlias = str | os.PathLike[str]
Folders: TypeAlias = Folder | Iterable[Folder]

# Columns of the report's CSV and their names in frames: as in evaluations().
_NAMES = {"environment": "env", "algorithm": "label", "timestep": "step", "updates": "trained"}
_TEXT = {"env", "label", "metric", "statistic", "scope", "compared", "base", "kind", "family", "verdict"}
_WHOLE = {"seed", "step", "seeds", "environments", "environments_won", "seeds_won"}

_IDENTITY = ("env", "algo", "label", "margin", "replay", "seed")


def _pandas() -> Any:
    try:
        import pandas
    except ImportError:
        raise ImportError("frames need pandas: pip install 'tarl[pandas]'") from None
    return pandas


def _values(name: str, cells: Iterable[str]) -> list[Any]:
    if name in _TEXT:
        return list(cells)
    if name == "trained":
        return [cell == "yes" for cell in cells]
    numbers = [float(cell) if cell else float("nan") for cell in cells]
    return [int(number) for number in numbers] if name in _WHOLE else numbers


def _frame(text: str) -> pd.DataFrame:
    """One of the report's CSVs, with types that do not depend on its content."""
    header, *rows = csv.reader(io.StringIO(text))
    names = [_NAMES.get(name, name) for name in header]
    columns = zip(*rows, strict=True) if rows else ((),) * len(names)
    frame: pd.DataFrame = _pandas().DataFrame(
        {name: _values(name, cells) for name, cells in zip(names, columns, strict=True)}
    )
    return frame


def _paths(folders: Folders) -> list[Path]:
    if isinstance(folders, (str, os.PathLike)):
        return [Path(folders)]
    return [Path(folder) for folder in folders]


@dataclass(frozen=True)
class Problem:
    """Something that a reader of the tables must know: nothing is dropped silently.

    >>> for problem in tarl.load_runs("runs/begun").problems:
    ...     print(problem)
    missing run: classic/cartpole/dqn/seed1: missing
    """

    kind: str  # "damaged file", "failed run", "missing run", ...
    where: str
    what: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.where}: {self.what}"


@dataclass(frozen=True)
class Run:
    """One run, as recorded in its folder.

    >>> run = runs[0]
    >>> run.env, run.algo, run.seed, run.status
    ('classic/cartpole', 'dqn', 0, 'finished')
    >>> run.settings["learning_rate"]
    '5e-04'
    """

    folder: Path
    env: str
    algo: str
    label: str  # its name in tables, unique among algorithms
    margin: float  # b as a multiple of the batch size m
    replay: str
    seed: int
    steps: int  # of the whole run
    status: str | None  # "finished", "running", "stopped", "failed"; None: not in run.json
    seconds: float  # of training, over all resumes; negative: not in run.json
    settings: dict[str, str]  # config.toml, by "group.key"


class Figure:
    """A figure of the report: notebooks display it, `save` writes it.

    >>> figure = runs.figure("curves")
    >>> figure.save("curves.svg")
    PosixPath('curves.svg')
    """

    def __init__(self, name: str, svg: str) -> None:
        self.name = name
        self.svg = svg

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: Folder) -> Path:
        """Writes the SVG file and returns its path."""
        out = Path(path)
        out.write_text(self.svg, encoding="utf-8")
        return out

    def __repr__(self) -> str:
        return f"Figure({self.name!r}, {len(self.svg)} bytes of SVG)"


@dataclass(frozen=True)
class Report:
    """The output of `report`; notebooks display the page itself.

    >>> written = tarl.report("runs/cartpole", "today.html")
    >>> written.page
    PosixPath('today.html')
    >>> written.verdicts
    [('ta-dqn', 'dqn', 'not shown')]
    """

    page: Path
    files: Path  # the folder beside it: figures, tables and numbers
    markdown: str  # what `tarl report` prints
    verdicts: list[tuple[str, str, str]]  # compared, base, "better" and the like
    problems: list[Problem]

    def __str__(self) -> str:
        return self.markdown

    def _repr_html_(self) -> str:
        page = html.escape(self.page.read_text(encoding="utf-8"))
        return f'<iframe srcdoc="{page}" style="width: 100%; height: 40em; border: 0"></iframe>'


class Runs(Sequence[Run]):
    """The runs below some folders, as `tarl report` reads them: see `load_runs`.

    A sequence of `Run`. `problems` says what was omitted, and why.

    >>> runs = tarl.load_runs("runs/cartpole")
    >>> runs
    Runs(4 runs below runs/cartpole)
    >>> [run.label for run in runs]
    ['dqn', 'dqn', 'ta-dqn', 'ta-dqn']
    """

    def __init__(self, folders: Folders, *, labels: Sequence[str] = (), unfinished: bool = False) -> None:
        self._folders = _paths(folders)
        self._labels = list(labels)
        self._unfinished = unfinished
        self._loaded = _tarl.LoadedRuns(self._folders, self._labels, unfinished)
        self._runs = [Run(**one) for one in self._loaded.runs()]
        self.problems: list[Problem] = [Problem(*one) for one in self._loaded.problems()]

    def __len__(self) -> int:
        return len(self._runs)

    @overload
    def __getitem__(self, place: int) -> Run: ...
    @overload
    def __getitem__(self, place: slice) -> list[Run]: ...
    def __getitem__(self, place: int | slice) -> Run | list[Run]:
        return self._runs[place]

    def __iter__(self) -> Iterator[Run]:
        return iter(self._runs)

    def __repr__(self) -> str:
        found = self._loaded.problems_summary()
        return f"Runs({len(self)} runs below {', '.join(map(str, self._folders))}{found and '; ' + found})"

    def evaluations(self) -> pd.DataFrame:
        """One row per evaluation episode, at the runs' own steps.

        >>> returns = runs.evaluations().groupby(["label", "step"])["return"].mean()
        >>> returns["ta-dqn"].index.tolist()
        [1000, 2000, 3000]
        """
        return self._joined(self._loaded.evaluations)

    def progress(self) -> pd.DataFrame:
        """One row per line of progress.csv: losses, exploration, alignment.

        Columns have Stable-Baselines3's names, tarl's own begin with "tarl/"; NaN if a run lacks
        one.

        >>> "train/loss" in runs.progress()
        True
        """
        return self._joined(self._loaded.progress)

    def episodes(self) -> pd.DataFrame:
        """One row per training episode: monitor.csv.

        >>> runs.episodes().columns.tolist()
        ['env', 'algo', 'label', 'margin', 'replay', 'seed', 'step', 'return', 'length']
        """
        return self._joined(self._loaded.episodes)

    def _joined(self, columns_of: Any) -> pd.DataFrame:
        pandas = _pandas()
        frames: list[pd.DataFrame] = []
        for place, run in enumerate(self):
            frame = pandas.DataFrame(columns_of(place))
            for at, name in enumerate(_IDENTITY):
                frame.insert(at, name, getattr(run, name))
            frames.append(frame)
        nothing: pd.DataFrame = pandas.DataFrame(columns=list(_IDENTITY))
        return pandas.concat(frames, ignore_index=True) if frames else nothing

    def curves(self) -> pd.DataFrame:
        """One row per evaluation, with its mean return, at the steps that the runs of an environment
        share.

        >>> curves = runs.curves().pivot_table(index="step", columns="label", values="score")
        >>> curves.columns.tolist()
        ['dqn', 'ta-dqn']
        """
        return _frame(self._loaded.csv("curves"))

    def scores(self) -> pd.DataFrame:
        """One row per run: nAUC, raw AUC, final and peak.

        >>> runs.scores()[["label", "seed", "nauc"]].shape
        (4, 3)
        """
        return _frame(self._loaded.csv("runs"))

    def summary(self) -> pd.DataFrame:
        """Mean, standard deviation and interval of each score by environment and algorithm.

        >>> runs.summary()["metric"].unique().tolist()
        ['nAUC', 'raw AUC', 'final', 'peak']
        """
        return _frame(self._loaded.csv("summary"))

    def aggregates(self) -> pd.DataFrame:
        """Over environments and seeds: IQM, mean, median and optimality gap with their intervals.

        >>> table = runs.aggregates()
        >>> table[table["statistic"] == "IQM"]["label"].unique().tolist()
        ['dqn', 'ta-dqn']
        """
        return _frame(self._loaded.csv("aggregates"))

    def compare(self, compared: str | None = None, base: str | None = None) -> pd.DataFrame:
        """Comparisons of algorithms on their common seeds: `compared` with `base`, or all.

        One row over all environments (`scope`), then one per environment: the paired difference in
        nAUC with its interval, the probability of improvement, p with and without Holm's correction,
        seeds needed.

        >>> runs.compare("ta-dqn", "dqn")[["scope", "seeds", "verdict"]].values.tolist()
        [['overall', 2, 'not shown'], ['environment', 2, '']]
        """
        frame = _frame(self._loaded.csv("comparisons"))
        wanted = frame
        for column, label in (("compared", compared), ("base", base)):
            if label is not None:
                wanted = wanted[wanted[column] == label]
        if len(wanted) == 0 and (compared is not None or base is not None):
            pairs = frame[["compared", "base"]].drop_duplicates().values.tolist()
            known = ", ".join(f"{a!r} with {b!r}" for a, b in pairs) or "none"
            raise UsageError(f"these runs have no comparison of {compared!r} with {base!r}; they have: {known}")
        return wanted.reset_index(drop=True)

    def figures(self) -> list[str]:
        """The names of the figures that these runs have.

        >>> "curves" in runs.figures()
        True
        """
        return self._loaded.figures()

    def figure(self, name: str = "curves") -> Figure:
        """A figure of the report by its name, see `figures`.

        >>> runs.figure("aggregates").save("aggregates.svg").stat().st_size > 1000
        True
        """
        return Figure(name, self._loaded.figure(name))

    def report(self, path: Folder | None = None) -> Report:
        """Writes the page of `tarl report`, rereading the folders.

        >>> runs.report("report.html").page.exists()
        True
        """
        return report(self._folders, path, labels=self._labels, unfinished=self._unfinished)

    def _repr_html_(self) -> str:
        parts = [f"<p>{html.escape(repr(self))}</p>"]
        if self._runs:
            # Embedded as an image, so that the figure's style sheet does not affect the notebook.
            picture = base64.b64encode(self.figure().svg.encode()).decode()
            parts = [
                f"<p>{html.escape(self._loaded.headline())}</p>",
                f'<img alt="learning curves" src="data:image/svg+xml;base64,{picture}">',
                self._loaded.table_html(),
                *parts,
            ]
        lines = "".join(f"<li>{html.escape(str(problem))}</li>" for problem in self.problems)
        return f"<div>{''.join(parts)}<ul>{lines}</ul></div>"


def load_runs(folders: Folders, *, labels: Sequence[str] = (), unfinished: bool = False) -> Runs:
    """Every run at or below one or more folders.

    `labels` names the runs of each folder, in order; `unfinished` includes runs in progress, as far as
    they have got.

    >>> runs = tarl.load_runs("runs/cartpole")
    >>> {run.label for run in runs} == {"dqn", "ta-dqn"}
    True
    """
    return Runs(folders, labels=labels, unfinished=unfinished)


def report(
    folders: Folders, out: Folder | None = None, *, labels: Sequence[str] = (), unfinished: bool = False
) -> Report:
    """Writes the page of `tarl report`: of one run, a study, or everything below some folders.

    Without `out` it is report.html in the folder or, for several, in the current directory.

    >>> tarl.report("runs/cartpole").page
    PosixPath('runs/cartpole/report.html')
    """
    written = _tarl.report_folders(_paths(folders), list(labels), unfinished, None if out is None else Path(out))
    return Report(**{**written, "problems": [Problem(*one) for one in written["problems"]]})
