"""The Python of the documents runs as it stands there, page by page, and so do the examples."""

import importlib.util
import re
import runpy
import warnings
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
OTHERS = {"your-training-loop.md"}  # test_loop_docs.py
PAGES = [ROOT / "README.md", *sorted(p for p in (ROOT / "docs" / "python").glob("*.md") if p.name not in OTHERS)]
EXAMPLES = ROOT / "python" / "examples"
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


def needed(code: str) -> set[str]:
    """Packages that code imports, or that a callback of ours does."""
    found = {match.split(".")[0] for match in re.findall(r"^\s*(?:import|from) ([\w.]+)", code, re.MULTILINE)}
    found |= {"pandas"} if "load_runs" in code or "study" in code else set()
    return found | ({"wandb"} if "Wandb(" in code else set())


def missing(code: str) -> list[str]:
    return sorted(name for name in needed(code) if importlib.util.find_spec(name) is None)


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("page", [pytest.param(page, id=page.name) for page in PAGES])
def test_a_page(page: Path) -> None:
    text = page.read_text()
    names: dict[str, object] = {"__name__": "page"}
    left_out = []
    for match in BLOCK.finditer(text):
        code = match[1]
        if absent := missing(code):
            left_out += absent
            continue
        line = text.count("\n", 0, match.start()) + 1
        exec(compile("\n" * line + code, str(page), "exec"), names)  # with the page's own line numbers
    if left_out:
        warnings.warn(f"{page.name}: blocks not run without {', '.join(sorted(set(left_out)))}", stacklevel=1)


@pytest.mark.parametrize("script", [pytest.param(path, id=path.name) for path in sorted(EXAMPLES.glob("[0-9]*.py"))])
def test_a_script(script: Path) -> None:
    if absent := missing(script.read_text()):
        pytest.skip(f"without {', '.join(absent)}")
    runpy.run_path(str(script), run_name="__main__")


@pytest.mark.parametrize("notebook", [pytest.param(path, id=path.name) for path in sorted(EXAMPLES.glob("*.ipynb"))])
def test_a_notebook(notebook: Path, tmp_path: Path) -> None:
    for package in ("nbclient", "nbformat", "ipykernel", "pandas"):
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"{package} is missing; make verify-python brings it")
    import nbclient
    import nbformat

    read = nbformat.read(notebook, as_version=4)
    nbclient.NotebookClient(read, timeout=None, resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = [output for cell in read.cells for output in cell.get("outputs", ()) if "data" in output]
    assert any("text/html" in output["data"] for output in shown)
