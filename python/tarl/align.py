"""Target alignment in your own training loop: score candidates, learn from the best of them.

Takes NumPy arrays, PyTorch tensors on any device (also inside `torch.compile`) and JAX arrays (also inside
`jit`, `vmap` and `grad`). Results are of the same kind, on the same device, and detached from gradients.

Needs only NumPy. If tarl's extension is installed, arrays in CPU memory are scored in C++, bit-identically.

>>> q = np.array([1.0, 1.0, 1.0, 1.0])                      # Q(s, a) of m + b = 4 candidates
>>> y_online = np.array([2.0, 2.0, 2.0, 0.5])               # their targets by the online network
>>> y_offline = np.array([1.5, 6.0, 0.0, 0.5])              # and by the target network
>>> score = tarl.align.score(q, y_online, y_offline)
>>> kept = tarl.align.keep_best(score, 2)                   # m rows, to learn from as ever
>>> kept.tolist()
[0, 3]
"""

from __future__ import annotations

import functools
import math
import sys
from enum import IntEnum
from typing import Any, Protocol, TypeVar, overload

import numpy as np
import numpy.typing as npt

from tarl.errors import UsageError

__all__ = ["Scenario", "keep_best", "oversampling", "scenario", "scenario_errors", "score", "score_errors"]

EPSILON = 1e-8  # the paper's, in equation 9


class _AnyArray(Protocol):
    @property
    def shape(self) -> Any: ...
    @property
    def ndim(self) -> int: ...


Array = TypeVar("Array", bound=_AnyArray)
NumPyArray = npt.NDArray[Any]


class Scenario(IntEnum):
    """How the offline step relates to the online one (figure 1 of the paper).

    PERFECT: both errors are equal. UNDERSHOOT: the same sign, the offline error is smaller. OVERSHOOT: the
    same sign, the offline error is larger. MISALIGNED: opposite signs, or one of them zero, NaN or Inf.

    >>> tarl.align.Scenario(2).name
    'OVERSHOOT'
    """

    PERFECT = 0
    UNDERSHOOT = 1
    OVERSHOOT = 2
    MISALIGNED = 3


@overload
def score(
    q: NumPyArray, y_online: NumPyArray, y_offline: NumPyArray, *, critics: int | None = None
) -> npt.NDArray[np.float64]: ...
@overload
def score(q: Array, y_online: Array, y_offline: Array, *, critics: int | None = None) -> Array: ...
def score(q: Any, y_online: Any, y_offline: Any, *, critics: int | None = None) -> Any:
    """How far the online network supports the step towards each candidate's target, in [0, 1].

    `q` holds predictions for the actions taken, in any shape; `y_online` and `y_offline` are the targets of the
    online and of the target network, of that shape or broadcast to it. `critics` is the axis of `q` that holds the
    critics of a twin or an ensemble: the result is the minimum over it. Candidates with non-finite errors score 0.
    Scores are float64 (float32 in JAX without x64, and on devices without float64).

    >>> tarl.align.score(np.array([1.0, 1.0]), np.array([2.0, 2.0]), np.array([1.5, 6.0])).round(3)
    array([1. , 0.2])
    >>> twins = np.array([[1.0, 1.0], [1.0, 9.0]])          # [critics, candidates]
    >>> tarl.align.score(twins, np.array([2.0, 2.0]), np.array([1.5, 6.0]), critics=0).round(3)
    array([1. , 0.2])
    """
    found = _in_cpp("align_score", np.float64, q, y_online, y_offline)
    if found is None:
        found = _evaluate(_score_targets, q, y_online, y_offline)
    if critics is None:
        return found
    return found.amin(critics) if hasattr(found, "amin") else found.min(critics)


@overload
def score_errors(online_error: NumPyArray, offline_error: NumPyArray) -> npt.NDArray[np.float64]: ...
@overload
def score_errors(online_error: Array, offline_error: Array) -> Array: ...
def score_errors(online_error: Any, offline_error: Any) -> Any:
    """As `score`, from errors: target minus prediction, by the online and by the target network.

    >>> tarl.align.score_errors(np.array([1.0, 1.0, -1.0, 0.0]), np.array([0.5, 5.0, 1.0, 1.0])).round(3)
    array([1.   , 0.2  , 0.333, 0.   ])
    """
    return _evaluate(_score, online_error, offline_error)


@overload
def scenario(q: NumPyArray, y_online: NumPyArray, y_offline: NumPyArray) -> npt.NDArray[np.int32]: ...
@overload
def scenario(q: Array, y_online: Array, y_offline: Array) -> Array: ...
def scenario(q: Any, y_online: Any, y_offline: Any) -> Any:
    """The `Scenario` of each candidate, as int32; arguments as of `score`.

    >>> tarl.align.scenario(np.array([1.0, 1.0]), np.array([2.0, 2.0]), np.array([1.5, 6.0]))
    array([1, 2], dtype=int32)
    """
    found = _in_cpp("align_scenario", np.int32, q, y_online, y_offline)
    return _evaluate(_scenario_targets, q, y_online, y_offline) if found is None else found


@overload
def scenario_errors(online_error: NumPyArray, offline_error: NumPyArray) -> npt.NDArray[np.int32]: ...
@overload
def scenario_errors(online_error: Array, offline_error: Array) -> Array: ...
def scenario_errors(online_error: Any, offline_error: Any) -> Any:
    """As `scenario`, from errors: target minus prediction, by the online and by the target network.

    >>> tarl.align.scenario_errors(np.array([1.0, 1.0, -1.0, 0.0]), np.array([1.0, 5.0, 1.0, 1.0]))
    array([0, 2, 3, 3], dtype=int32)
    """
    return _evaluate(_scenario, online_error, offline_error)


@overload
def keep_best(scores: NumPyArray, m: int) -> npt.NDArray[np.int64]: ...
@overload
def keep_best(scores: Array, m: int) -> Array: ...
def keep_best(scores: Any, m: int) -> Any:
    """Indices of the `m` highest scores, best first; ties go to the lower index, NaN comes last.

    >>> tarl.align.keep_best(np.array([0.5, 1.0, 0.0, 1.0, 0.5]), 3).tolist()
    [1, 3, 0]
    """
    shape = tuple(np.shape(scores))
    if len(shape) != 1 or not hasattr(m, "__index__") or not 0 <= m <= shape[0]:
        raise UsageError(f"keep_best takes one score a candidate and at most that many m; got {shape} and m = {m}")
    views = _views(scores)
    if views is not None and views[0].dtype == np.float64:
        kept = np.empty(m, np.int64)
        _extension().align_keep_best(*views, kept)
        return _like(scores, kept)
    xp, (wide,) = _wide(scores)
    ranked = xp.where(wide == wide, wide, -math.inf)
    if xp is np:
        return np.argsort(-ranked, kind="stable")[:m]
    if xp.__name__ == "torch":
        return xp.argsort(ranked, descending=True, stable=True)[:m]
    return _module("jax").lax.top_k(ranked, m)[1]  # guarantees the lower index first


def oversampling(margin: float, m: int) -> int:
    """How many candidates are drawn beyond the batch size `m`: floor(margin * m).

    >>> tarl.align.oversampling(1.0, 32), tarl.align.oversampling(0.1, 30)
    (32, 3)
    """
    if not 0 <= margin < math.inf:
        raise UsageError(f"margin is {margin}; it must be 0 or more: candidates to draw besides, in batch sizes")
    return math.floor(margin * m + 1e-9)


# The equations, shared by all three libraries: `xp` is numpy, torch or jax.numpy.


def _same_sign(online: Any, offline: Any) -> Any:
    """Tests signs: the product of tiny errors would underflow."""
    return ((online > 0) & (offline > 0)) | ((online < 0) & (offline < 0))


def _score(xp: Any, online: Any, offline: Any) -> Any:
    magnitude = xp.abs(online)
    whole = _same_sign(online, offline) & (magnitude >= xp.abs(offline))
    quarter = 0.25 * magnitude  # so that the sum of two huge errors stays finite
    partial = quarter / (quarter + xp.abs(0.25 * online - 0.25 * offline) + 0.25 * EPSILON)
    return xp.where(xp.isfinite(online) & xp.isfinite(offline), xp.where(whole, 1.0, partial), 0.0)


def _scenario(xp: Any, online: Any, offline: Any) -> Any:
    larger = xp.where(xp.abs(online) > xp.abs(offline), int(Scenario.UNDERSHOOT), int(Scenario.OVERSHOOT))
    other = xp.where(_same_sign(online, offline), larger, int(Scenario.MISALIGNED))
    finite = xp.isfinite(online) & xp.isfinite(offline)
    code = xp.where(finite, xp.where(online == offline, int(Scenario.PERFECT), other), int(Scenario.MISALIGNED))
    return code.to(xp.int32) if xp.__name__ == "torch" else code.astype(xp.int32)


def _errors(q: Any, y_online: Any, y_offline: Any) -> tuple[Any, Any]:
    online, offline = y_online - q, y_offline - q
    if online.shape != q.shape or offline.shape != q.shape:
        shapes = [tuple(array.shape) for array in (q, y_online, y_offline)]
        raise UsageError("q, y_online and y_offline have the shapes {}, {} and {}; give targets of q's".format(*shapes))
    return online, offline


def _score_targets(xp: Any, q: Any, y_online: Any, y_offline: Any) -> Any:
    return _score(xp, *_errors(q, y_online, y_offline))


def _scenario_targets(xp: Any, q: Any, y_online: Any, y_offline: Any) -> Any:
    return _scenario(xp, *_errors(q, y_online, y_offline))


# Array libraries. Only those that the caller has imported are used.


def _module(name: str) -> Any:
    return sys.modules.get(name)


def _is_torch(array: Any) -> bool:
    torch = _module("torch")
    return torch is not None and isinstance(array, torch.Tensor)


def _is_jax(array: Any) -> bool:
    jax = _module("jax")
    return jax is not None and isinstance(array, jax.Array)  # tracers are, too


def _wide(*arrays: Any) -> tuple[Any, list[Any]]:
    """The arrays' library, and the arrays without gradients, as doubles if it has them."""
    for array in arrays:
        if _is_torch(array):
            torch, device = _module("torch"), array.device
            dtype = torch.float32 if device.type == "mps" else torch.float64
            tensors = (a if _is_torch(a) else torch.as_tensor(a, device=device) for a in arrays)
            return torch, [tensor.detach().to(dtype) for tensor in tensors]
        if _is_jax(array):
            jax = _module("jax")
            return jax.numpy, [jax.lax.stop_gradient(jax.numpy.asarray(a)).astype(float) for a in arrays]
    return np, [np.asarray(a, np.float64) for a in arrays]


def _evaluate(equation: Any, *arrays: Any) -> Any:
    xp, wide = _wide(*arrays)
    if xp is not np:
        return equation(xp, *wide)
    with np.errstate(invalid="ignore", over="ignore"):  # inf - inf gives a score of 0
        return equation(np, *wide)


# The same in C++ (python/bindings/align.cpp).

_READ_IN_CPP = np.dtype(np.float32), np.dtype(np.float64)


@functools.cache
def _extension() -> Any:
    try:
        from tarl import _tarl
    except ImportError:  # the pure wheel
        return None
    return _tarl


def _traced(torch: Any) -> bool:
    """Whether PyTorch is tracing (compile, export, jit.trace, make_fx), so that values must not be used."""
    return bool(torch.compiler.is_compiling() or torch.jit.is_tracing() or torch._C._len_torch_dispatch_stack())


def _views(*arrays: Any) -> list[NumPyArray] | None:
    """The arrays in a form that C++ can read; None if the equations above must be used."""
    kind, torch = type(arrays[0]), _module("torch")
    if kind is not np.ndarray and (not _is_torch(arrays[0]) or _traced(torch)):
        return None
    views: list[NumPyArray] = []
    for array in arrays:
        if type(array) is not kind:
            return None
        view = array if kind is np.ndarray else _view(array)
        if view is None or view.dtype not in _READ_IN_CPP or not view.flags.c_contiguous:
            return None
        if views and view.dtype != views[0].dtype:
            return None
        views.append(view)
    return views if _extension() is not None else None


def _view(tensor: Any) -> NumPyArray | None:
    if not tensor.is_cpu:
        return None
    try:
        view: NumPyArray = (tensor.detach() if tensor.requires_grad else tensor).numpy()
    except (RuntimeError, TypeError):  # inside vmap or grad, or of a type unknown to NumPy
        return None
    return view


def _like(model: Any, values: NumPyArray) -> Any:
    return values if type(model) is np.ndarray else _module("torch").from_numpy(values)


def _in_cpp(function: str, dtype: type[np.generic], q: Any, y_online: Any, y_offline: Any) -> Any:
    """None if C++ cannot take these arrays."""
    views = _views(q, y_online, y_offline)
    if views is None:
        return None
    shape = views[0].shape
    for view in views:
        if view.shape != shape[len(shape) - view.ndim :]:
            return None
    result = np.empty(shape, dtype)
    getattr(_extension(), function)(*views, result)
    return _like(q, result)
