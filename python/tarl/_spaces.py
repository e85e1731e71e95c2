"""Gymnasium spaces as the arrays that C++ reads."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from gymnasium import spaces

from tarl import _tarl


@dataclass(frozen=True)
class Part:
    """A part of an observation that is one array: where it is, and how its numbers are encoded."""

    kind: str  # "numbers"; "choices": each one-hot; "image": bytes; "bits"
    shape: tuple[int, ...]  # as the environment returns it
    keys: tuple[Any, ...] = ()  # from the whole observation to this array
    choices: tuple[int, ...] = ()  # number of choices, for each number
    starts: tuple[int, ...] = ()  # the first choice

    @property
    def size(self) -> int:
        return sum(self.choices) if self.kind == "choices" else prod(self.shape)


def parts_of(name: str, space: spaces.Space[Any], keys: tuple[Any, ...] = ()) -> list[Part]:
    """The arrays that make up an observation, in the order of gymnasium.spaces.flatten."""
    where = name + "".join(f"[{key!r}]" for key in keys)
    if isinstance(space, spaces.Dict):
        inner = [parts_of(name, part, (*keys, key)) for key, part in space.spaces.items()]
    elif isinstance(space, spaces.Tuple):
        inner = [parts_of(name, part, (*keys, at)) for at, part in enumerate(space.spaces)]
    elif isinstance(space, spaces.Discrete):
        return [Part("choices", (), keys, (int(space.n),), (int(space.start),))]
    elif isinstance(space, spaces.MultiDiscrete):
        sizes, starts = (tuple(int(n) for n in values.ravel()) for values in (space.nvec, space.start))
        return [Part("choices", space.nvec.shape, keys, sizes, starts)]
    elif isinstance(space, spaces.MultiBinary):
        return [Part("numbers", space.shape, keys)]
    elif isinstance(space, spaces.Box):
        return [_box(where, space, keys)]
    else:
        raise TypeError(
            f"{where}: observations of type {type(space).__name__} are not supported; give arrays, by "
            "gymnasium.wrappers.TransformObservation for example"
        )
    parts = [part for group in inner for part in group]
    if not parts:
        raise TypeError(f"{where}: observations without any part ({space}) are nothing to learn from")
    if len(parts) != 1 and any(part.kind in ("image", "bits") for part in parts):
        raise TypeError(
            f"{where}: observations that have images among other parts are not supported; keep one with "
            "gymnasium.wrappers.FilterObservation, or take all as numbers with FlattenObservation"
        )
    return parts


def _box(where: str, space: spaces.Box, keys: tuple[Any, ...]) -> Part:
    if space.dtype == np.bool_ and len(space.shape) == 3:
        return Part("bits", space.shape, keys)
    if space.dtype == np.uint8 and len(space.shape) in (2, 3):
        return Part("image", space.shape, keys)
    if len(space.shape) > 2:
        raise TypeError(
            f"{where}: observations of shape {space.shape} and type {space.dtype} are not supported: images are "
            "uint8 (gymnasium.wrappers.DtypeObservation), everything else is a vector "
            "(gymnasium.wrappers.FlattenObservation)"
        )
    if space.dtype is None or space.dtype.kind not in "biuf":
        raise TypeError(f"{where}: observations of type {space.dtype} are not supported: give numbers")
    if prod(space.shape) == 0:
        raise TypeError(f"{where}: observations of shape {space.shape} hold no number to learn from")
    return Part("numbers", space.shape, keys)


def picture(name: str, part: Part) -> tuple[tuple[int, int, int], bool]:
    """Channels, height and width, and whether channels come last."""
    if len(part.shape) == 2:
        (height, width), channels, last = part.shape, 1, False
    elif part.kind == "bits" or part.shape[2] < part.shape[0]:
        (height, width, channels), last = part.shape, True
    elif part.shape[0] < part.shape[2]:
        (channels, height, width), last = part.shape, False
    else:
        raise TypeError(
            f"{name}: which axis of {part.shape} has the channels is not to be seen; put them first or last, and "
            "let them be fewer than the pixels of a side"
        )
    least = _tarl.LEAST_IMAGE_SIDE
    if part.kind == "image" and min(height, width) < least:
        raise TypeError(
            f"{name}: the network for images needs {least}x{least} pixels or more, and these have "
            f"{height}x{width}; enlarge them with gymnasium.wrappers.ResizeObservation, or learn from their "
            "numbers with gymnasium.wrappers.FlattenObservation"
        )
    return (channels, height, width), last


def check_actions(name: str, space: spaces.Space[Any]) -> None:
    """Raises TypeError with what to do instead for actions that no algorithm supports."""
    if isinstance(space, spaces.Discrete):
        return
    if not isinstance(space, spaces.Box) or space.dtype not in (np.float32, np.float64):
        raise TypeError(
            f"{name}: actions from {space} are not supported: Discrete for DQN, a Box of floats for SAC and TD3; "
            "gymnasium.wrappers.TransformAction makes one of the other"
        )
    with np.errstate(over="ignore"):
        width = space.high.astype(np.float32) - space.low.astype(np.float32)
    if not np.isfinite(width).all():
        raise TypeError(
            f"{name}: actions without bounds, or with bounds that a float cannot hold, are not supported; give them some with "
            "gymnasium.wrappers.TransformAction and a bounded Box"
        )
    if not 0 < prod(space.shape) <= _tarl.MOST_ACTION_DIMENSIONS:
        raise TypeError(
            f"{name}: actions of {prod(space.shape)} dimensions are not supported: "
            f"at most {_tarl.MOST_ACTION_DIMENSIONS}"
        )


def as_array(value: Any, part: Part, name: str) -> np.ndarray[Any, Any]:
    """Converts any array-like to the contiguous array that C++ reads, or ValueError if its shape is
    wrong."""
    dtype = {"numbers": np.float32, "choices": np.int64, "image": np.uint8, "bits": np.bool_}[part.kind]
    what = f"an observation{''.join(f'[{key!r}]' for key in part.keys)} of {name}"
    try:
        array = np.asarray(value)
    except ValueError as problem:
        raise ValueError(f"{what} is no array of one shape: {problem}") from None
    if array.shape != part.shape:
        raise ValueError(f"{what} has shape {array.shape}, but its observation_space says {part.shape}")
    exact = part.kind in ("image", "choices")
    if array.dtype.kind not in "biufO" or (exact and not np.can_cast(array.dtype, dtype, "same_kind")):
        raise ValueError(f"{what} is of type {array.dtype}, but its observation_space says {np.dtype(dtype)}")
    return np.asarray(array, dtype, order="C")  # ascontiguousarray would turn a scalar into a row
