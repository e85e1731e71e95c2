"""A page with a look inside a run, made by the package's own program."""

import json
import subprocess
from os import PathLike
from pathlib import Path
from typing import Any

from tarl.errors import Error, UsageError

_PROGRAM = Path(__file__).parent / "bin" / "tarl"
_USAGE = 2  # the program's exit code for usage errors


def inspect(
    run: str | PathLike[str],
    *,
    rows: int | None = None,
    steps_since_sync: int | None = None,
    seed: int = 0,
    out: str | PathLike[str] = "inspect.html",
) -> tuple[Path, dict[str, Any]]:
    """Draws candidates as a run's learner would, and writes the page of `tarl inspect` about them.

    Returns the page and its numbers, as `tarl inspect --json` prints them; every candidate is in
    `candidates.npz` in the folder named by `"files"`.

    >>> page, numbers = tarl.inspect("runs/first", steps_since_sync=200)
    >>> numbers["kept_alignment"] >= numbers["alignment"]
    True
    """
    command = [str(_PROGRAM), "inspect", f"--seed={seed}", f"--out={Path(out)}", "--json"]
    if rows is not None:
        command.append(f"--rows={rows}")
    if steps_since_sync is not None:
        command.append(f"--steps-since-sync={steps_since_sync}")
    done = subprocess.run([*command, str(Path(run))], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or [f"{_PROGRAM} ended with exit code {done.returncode}"]
        raise (UsageError if done.returncode == _USAGE else Error)(lines[-1].removeprefix("tarl: "))
    numbers: dict[str, Any] = json.loads(done.stdout)
    return Path(numbers["page"]), numbers
