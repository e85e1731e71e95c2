"""tarl.align: against the reference cases, C++ against NumPy, and inside what PyTorch and JAX do to functions."""

import subprocess
import sys
from contextlib import nullcontext
from types import SimpleNamespace

import numpy as np
import pytest
import reference_cases
import tarl
from heavy import need
from tarl import align

verify = pytest.mark.verify


def without_cpp(monkeypatch):
    monkeypatch.setattr(align, "_extension", lambda: None)


def in_cpp_only(monkeypatch):
    """Fails where the equations in Python are asked instead."""
    monkeypatch.setattr(align, "_wide", lambda *arrays: pytest.fail("not in C++"))


def library(name, dtype, monkeypatch):
    """How arrays of a library are made, and how close its scores are."""
    lib = SimpleNamespace(array=np.asarray, type=np.ndarray, tolerance=1e-12, doubles=nullcontext())
    if name == "jax":
        jax = need("jax")
        lib.array, lib.type = jax.numpy.asarray, jax.Array
        if dtype == np.float64:
            lib.doubles = jax.enable_x64(True)
        else:
            lib.tolerance = 2e-6
        return lib
    if name.startswith("torch"):
        torch = need("torch")
        lib.array, lib.type = torch.from_numpy, torch.Tensor
    (in_cpp_only if name.endswith("C++") else without_cpp)(monkeypatch)
    return lib


EVERY_LIBRARY = ["numpy", "numpy C++", *(pytest.param(name, marks=verify) for name in ("torch", "torch C++", "jax"))]


@pytest.mark.parametrize("name", EVERY_LIBRARY)
@pytest.mark.parametrize("path", reference_cases.paths("alignment"), ids=lambda path: path.stem)
def test_reference_cases(path, name, monkeypatch):
    case = reference_cases.Case(path)
    errors = case["online_error"], case["offline_error"]
    checked = np.ones(len(errors[0]), bool)
    if name == "jax":  # XLA on CPUs takes denormal numbers for zero: rows of `edge_*`, and no others, hold some
        for error in errors:
            checked &= (error == 0) | ~(np.abs(error) < np.finfo(error.dtype).tiny)
        assert checked.all() or path.stem.startswith("edge_")
    lib = library(name, errors[0].dtype, monkeypatch)
    with lib.doubles:
        online, offline = map(lib.array, errors)
        q = lib.array(np.zeros_like(errors[0]))
        ways = [(align.score(q, online, offline), align.scenario(q, online, offline))]
        if not name.endswith("C++"):
            ways.append((align.score_errors(online, offline), align.scenario_errors(online, offline)))
        for score, scenario in ways:
            assert isinstance(score, lib.type) and isinstance(scenario, lib.type)
            np.testing.assert_allclose(np.asarray(score)[checked], case["score"][checked], rtol=0, atol=lib.tolerance)
            np.testing.assert_array_equal(np.asarray(scenario)[checked], case["scenario"][checked])
            check_selections(case, score, checked)


def check_selections(case, score, checked):
    for task, (m, b) in enumerate(zip(case["m"], case["b"], strict=True)):
        if checked[: m + b].all():
            kept = align.keep_best(score[: m + b], int(m))
            assert type(kept) is type(score)
            np.testing.assert_array_equal(np.asarray(kept), case[f"topm.{task}"])


def random_candidates(rng, dtype, shape):
    """Of all magnitudes, among them zeros, denormal and huge numbers, infinities and NaN."""
    limits = np.finfo(dtype)
    with np.errstate(over="ignore", under="ignore"):
        values = rng.normal(size=shape) * 10.0 ** rng.uniform(-6, 6, size=shape)
        values = values.astype(dtype)
    special = [0.0, -0.0, 1.0, limits.smallest_subnormal, limits.tiny, limits.max, -limits.max, np.inf, -np.inf, np.nan]
    where = rng.random(shape) < 0.2
    return np.where(where, rng.choice(np.array(special, dtype), shape), values)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_cpp_and_numpy_give_the_same_bits(dtype, monkeypatch):
    rng = np.random.default_rng(7)
    q, y_online, y_offline = (random_candidates(rng, dtype, 1_000_000) for _ in range(3))
    y_offline = np.where(rng.random(len(q)) < 0.1, y_online, y_offline)

    def evaluated():
        score = align.score(q, y_online, y_offline)
        twins = align.score(q.reshape(2, -1), y_online[:500_000], y_offline[:500_000], critics=0)
        return score, align.scenario(q, y_online, y_offline), twins

    with monkeypatch.context() as patch:
        without_cpp(patch)
        by_numpy = evaluated()
    in_cpp_only(monkeypatch)
    for ours, theirs in zip(evaluated(), by_numpy, strict=True):
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours, theirs)
    score, scenario, _ = by_numpy
    assert score.min() == 0 and score.max() == 1 and set(np.unique(scenario)) == {0, 1, 2, 3}


def test_cpp_and_numpy_keep_the_same_rows(monkeypatch):
    rng = np.random.default_rng(8)
    for _ in range(2000):
        scores = rng.choice([0.0, 0.25, 0.5, 1.0, np.nan, np.inf, -np.inf], size=rng.integers(0, 40))
        m = int(rng.integers(0, len(scores) + 1))
        in_cpp = align.keep_best(scores, m)
        with monkeypatch.context() as patch:
            without_cpp(patch)
            by_numpy = align.keep_best(scores, m)
        assert in_cpp.dtype == by_numpy.dtype == np.int64
        assert in_cpp.tolist() == by_numpy.tolist()


def test_oversampling_is_that_of_cpp():
    from tarl import _tarl

    for m in range(1, 300):
        for tenths in range(31):
            expected = tenths * m // 10
            assert align.oversampling(tenths / 10, m) == _tarl.align_oversampling(tenths / 10, m) == expected


@pytest.mark.parametrize("m", [-1, 4, 1.5, "2", None])
def test_a_number_of_rows_that_is_none_is_refused(m):
    with pytest.raises(tarl.UsageError, match="keep_best takes one score a candidate and at most that many m"):
        align.keep_best(np.ones(3), m)


def test_ties_go_to_the_lower_position_and_nan_comes_last():
    assert align.keep_best(np.array([np.nan, 0.5, -np.inf, 1.0, 0.5]), 5).tolist() == [3, 1, 4, 0, 2]
    assert align.keep_best(np.array([1, 3, 2]), 2).tolist() == [1, 2]  # any type of numbers
    assert align.keep_best([0.1, 0.3], 1).tolist() == [1]


def test_critics_share_targets_and_the_least_score_counts():
    q = np.array([[0.0, 0.0], [3.0, 0.0]])
    both = align.score(q, np.ones((2, 2)), np.full((2, 2), 0.5))
    assert align.score(q, np.ones(2), np.full(2, 0.5), critics=0).tolist() == both.min(0).tolist()
    assert align.score(q.T, np.ones((2, 1)), np.full((2, 1), 0.5), critics=1).tolist() == both.min(0).tolist()


def test_arrays_that_cpp_does_not_read_are_scored_all_the_same():
    q, y_online, y_offline = np.random.default_rng(3).normal(size=(3, 12))
    expected = align.score(q, y_online, y_offline)
    stretched = [np.repeat(array, 2)[::2] for array in (q, y_online, y_offline)]
    assert np.array_equal(align.score(*stretched), expected)
    assert np.array_equal(align.score(q.astype(">f8"), y_online, y_offline), expected)
    assert align.score([1], [2], [1.5]).tolist() == [1.0]  # lists, whole numbers
    assert float(align.score(1.0, 2.0, 6.0)) == pytest.approx(0.2)


@pytest.mark.parametrize("native", [True, False])
def test_shapes_that_would_be_broadcast_by_mistake_are_refused(native, monkeypatch):
    if not native:
        without_cpp(monkeypatch)
    column, row = np.zeros((4, 1)), np.zeros(4)
    for function in (align.score, align.scenario):
        with pytest.raises(tarl.UsageError, match=r"\(4, 1\), \(4,\) and \(4,\); give targets of q's"):
            function(column, row, row)
        with pytest.raises(tarl.UsageError):
            function(row, row, column)
    for m in (-1, 5):
        with pytest.raises(ValueError, match=rf"at most that many m; got \(4,\) and m = {m}"):
            align.keep_best(row, m)
    with pytest.raises(ValueError, match=r"got \(4, 1\)"):
        align.keep_best(column, 1)


@pytest.mark.parametrize("margin", [-1.0, float("nan"), float("inf")])
def test_a_margin_that_is_none_is_refused(margin):
    with pytest.raises(tarl.UsageError, match="margin is"):
        align.oversampling(margin, 32)


def test_needs_neither_the_extension_nor_gymnasium():
    code = """
import sys
sys.modules["tarl._tarl"] = sys.modules["gymnasium"] = None  # importing them fails
import numpy as np, tarl.align
print(tarl.align.keep_best(tarl.align.score(np.zeros(2), np.ones(2), np.array([2.0, 1.0])), 1))
"""
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[1]\n"


def test_importing_it_loads_numpy_alone():
    code = "import sys, tarl.align; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "numpy" in loaded
    assert not {"tarl._tarl", "gymnasium", "torch", "jax", "pandas"} & set(loaded)


@pytest.mark.parametrize("missing", ["torch", "stable_baselines3"])
def test_the_classes_for_sb3_say_what_is_missing(missing):
    if missing != "torch":
        need("torch")
    code = f"import sys; sys.modules['{missing}'] = None; import tarl; tarl.sb3"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.returncode != 0
    assert f"{missing} is missing: pip install 'tarl[sb3]'" in run.stderr.splitlines()[-1]
