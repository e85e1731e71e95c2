"""What type checkers see of names that are loaded when they are asked for; mypy need not be there."""

import os
import shutil
from pathlib import Path

import pytest
import tarl

PACKAGE = Path(tarl.__file__).parent
STUBS = [PACKAGE / "_tarl.pyi", PACKAGE.parent / "_tarl.pyi"]  # installed; in a build folder

USER = """
import tarl

runs = tarl.load_runs("runs/replay", labels=["new"])
for run in runs:
    reveal_type(run)
reveal_type(runs.figure("curves").save("curves.svg"))
reveal_type(tarl.Study("minatar-replay", seeds=3).run("runs/replay", jobs=2))
reveal_type(tarl.report("runs/replay").verdicts)
"""


@pytest.fixture(scope="module")
def typed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package as it is installed, the stub beside the extension."""
    pytest.importorskip("mypy")
    folder = tmp_path_factory.mktemp("typed")
    shutil.copytree(PACKAGE, folder / "tarl", ignore=shutil.ignore_patterns("*.so", "bin", "__pycache__"))
    stub = next(path for path in STUBS if path.exists())
    shutil.copy(stub, folder / "tarl" / "_tarl.pyi")
    return folder


def mypy(folder: Path, *arguments: str) -> str:
    from mypy import api

    before = Path.cwd()
    os.chdir(folder)
    try:
        out, err, _ = api.run(["--strict", "--no-incremental", "--ignore-missing-imports", *arguments])
    finally:
        os.chdir(before)
    return out + err


def test_users_see_the_types(typed: Path) -> None:
    (typed / "user.py").write_text(USER)
    found = mypy(typed, "user.py")
    assert "user.py" not in "".join(line for line in found.splitlines() if " error:" in line)
    revealed = [line.split('"')[1] for line in found.splitlines() if "Revealed" in line]
    assert revealed == ["tarl.results.Run", "pathlib.Path", "tarl.results.Runs", "list[tuple[str, str, str]]"], found
