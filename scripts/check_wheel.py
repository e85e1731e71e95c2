#!/usr/bin/env python3
"""Checks the contents of the wheels in dist without installing them: check_wheel.py [DIST]."""

import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

MOST_BYTES = 6_000_000
MOST_PURE_BYTES = 200_000
EXPECTED = [
    r"tarl/_tarl\.abi3\.so",
    r"tarl/_tarl\.pyi",
    r"tarl/bin/tarl",
    r"tarl/py\.typed",
    r"tarl/__main__\.py",
    r"tarl/libtarl\.so",
    r"tarl/libmujoco\.so\.[\d.]+",
    r"tarl-[^/]*\.dist-info/entry_points\.txt",
]
LICENSES = [
    "LICENSE",
    "NOTICE",
    "mujoco-LICENSE",
    "mujoco-LICENSES_THIRD_PARTY.md",
    "gymnasium-LICENSE",
    "box2d.txt",
    "nanobind.txt",
    "libtomlplusplus-dev.txt",
    "nlohmann-json3-dev.txt",
    "libxxhash-dev.txt",
]

problems: list[str] = []


def complain(what: str) -> None:
    problems.append(what)
    print(f"check_wheel: {what}")


def the_only(dist: Path, pattern: str) -> Path:
    found = sorted(dist.glob(pattern))
    if len(found) != 1:
        sys.exit(f"check_wheel: {dist} has {len(found)} files {pattern}; run make wheel")
    return found[0]


def text_of(wheel: Path, ending: str) -> str:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith(ending)]
        return archive.read(name).decode()


def check_metadata(wheel: Path) -> None:
    metadata = text_of(wheel, ".dist-info/METADATA")
    for line in (
        "Requires-Python: >=3.10",
        "License-Expression: MIT AND Apache-2.0 AND BSD-2-Clause AND BSD-3-Clause AND Zlib",
    ):
        if line not in metadata:
            complain(f"METADATA lacks '{line}'")
    if re.search(r"^Requires-Dist: nanobind-backend.*[<=]=?\d", metadata.replace(">=", ""), re.MULTILINE):
        complain("nanobind-backend has an upper bound or is pinned")
    if "tarl = tarl.__main__:main" not in text_of(wheel, "entry_points.txt"):
        complain("the command tarl is no entry point")
    if "Root-Is-Purelib: false" not in text_of(wheel, ".dist-info/WHEEL"):
        complain("WHEEL calls the wheel pure")


def check_no_ale(wheel: Path) -> None:
    """The Arcade Learning Environment is GPL-2.0-only: no symbol of it may be in a wheel."""
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if not name.endswith((".so", "bin/tarl")):
                continue
            file = archive.extract(name, folder)
            symbols = subprocess.run(["nm", "-DC", file], capture_output=True, text=True, check=True).stdout
            strings = Path(file).read_bytes()
            if re.search(r"\bale::|\bALEInterface\b|\bstella\b", symbols) or b"ALEInterface" in strings:
                complain(f"{name} has the Arcade Learning Environment inside")


def check_native(wheel: Path) -> None:
    if not re.search(r"-cp310-abi3-manylinux_2_\d+_x86_64\.whl$", wheel.name):
        complain(f"{wheel.name} is not for every Python from 3.10 on and a manylinux")
    if wheel.stat().st_size > MOST_BYTES:
        complain(f"{wheel.name} has {wheel.stat().st_size} bytes, more than {MOST_BYTES}")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    for pattern in EXPECTED:
        if not any(re.fullmatch(pattern, name) for name in names):
            complain(f"{wheel.name} lacks {pattern}")
    inside = {Path(name).name for name in names if ".dist-info/licenses/" in name}
    for name in LICENSES:
        if name not in inside:
            complain(f"{wheel.name} lacks the licence {name}")
    for name in names:
        if not name.startswith(("tarl/", "tarl-")) or "test" in Path(name).name:
            complain(f"{wheel.name} has {name}, which is not for users")
    check_metadata(wheel)
    check_no_ale(wheel)


def check_pure(wheel: Path) -> None:
    if wheel.stat().st_size > MOST_PURE_BYTES:
        complain(f"{wheel.name} has {wheel.stat().st_size} bytes, more than {MOST_PURE_BYTES}")
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if name.endswith((".so", ".a")) or "/bin/" in name:
                complain(f"{wheel.name} has {name}, which is not Python")


def main() -> None:
    dist = Path(sys.argv[1] if len(sys.argv) > 1 else "dist")
    native = the_only(dist, "tarl-*-abi3-*.whl")
    check_native(native)
    check_pure(the_only(dist, "tarl-*-py3-none-any.whl"))
    the_only(dist, "tarl-*.tar.gz")
    if not problems:
        print(f"check_wheel: {native.name} and the rest of {dist} are as they should be")
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
