"""What calls are given, checked before it is used: one sentence says what is wrong, where, and what to give."""

from __future__ import annotations

import operator
import os
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from . import _veloxel



class Bar(Protocol):
    """What a bar of tqdm has, on a terminal or in a notebook."""

    n: Any
    total: Any

    def refresh(self) -> Any: ...
    def set_description(self, desc: str, refresh: bool) -> Any: ...


#: Called with the stage (``"solve"``, …) and the share of it that is done, 0 to 1.
Told = Callable[[str, float], Any]
Progress = Told | Bar


def whole(value: Any, what: str, least: int = 0) -> int:
    """A whole number that is not below the least one.

    Raises:
        InputError: Something else; 2.0 is no whole number either, as for NumPy.
    """
    try:
        number = operator.index(value)
    except TypeError:
        raise _veloxel.InputError(f"{what} is a whole number from {least} on, not {value!r}") from None
    if number < least:
        raise _veloxel.InputError(f"{what} is a whole number from {least} on, not {number}")
    return number


def several(values: Any, what: str, least: int = 0) -> list[int]:
    """Whole numbers; one alone is a list of it."""
    if isinstance(values, str) or not hasattr(values, "__iter__"):
        values = [values]
    return [whole(value, what, least) for value in values]


def words(given: Any) -> list[Any]:
    """Words; one alone is a list of it."""
    return [given] if isinstance(given, str) else list(given)


def numbers(values: Any, what: str) -> np.ndarray:
    """An array of ``float64``.

    Raises:
        InputError: What holds no numbers, or rows of several lengths, or lies in the memory of a GPU.
    """
    refuse_gpu(values, what)
    try:
        return np.require(values, np.float64, "A")
    except (TypeError, ValueError):
        raise _veloxel.InputError(f"{what} are numbers in rows of one length, not {_shown(values)}") from None


def point_rows(points: Any, axes: int) -> np.ndarray:
    """Points as rows of two or three numbers, ``float64``.

    Raises:
        InputError: Another shape.
    """
    rows = numbers(points, "points")
    names = "(x, y)" if axes == 2 else "(x, y, z)"
    if rows.ndim != 2 or rows.shape[1] != axes:
        raise _veloxel.InputError(f"points are rows {names}, {axes} columns, this array has the shape {rows.shape}")
    return rows


def path_text(path: Any) -> str:
    """A path as text: a string, bytes, or an object of ``pathlib``.

    Raises:
        InputError: Something else.
    """
    try:
        text = os.fsdecode(path)
    except TypeError:
        raise _veloxel.InputError(f"a path is a string or an object of pathlib, not {_shown(path)}") from None
    if not text:
        raise _veloxel.InputError("the path is empty: name a file")
    return text


def as_progress(progress: Any) -> Told | None:
    """A function for the extension: one of the user's, or a bar of tqdm.

    Raises:
        InputError: Neither of both.
    """
    if progress is None or callable(progress):
        return progress
    if all(hasattr(progress, name) for name in ("n", "total", "refresh", "set_description")):
        return lambda stage, done: _move(progress, stage, done)
    raise _veloxel.InputError(f"progress= is a function of the stage and the share that is done, or a bar of tqdm, not {_shown(progress)}")


def _move(bar: Any, stage: str, done: float) -> None:
    if bar.total is None:
        bar.total = 1.0
    bar.set_description(stage, False)
    bar.n = round(done * bar.total, 4)
    bar.refresh()


def in_xyz(what: str, zyx: Any, xyz: Any, axes: int | None = None) -> list[float] | None:
    """A spacing or an origin in the order x, y, z, from whichever argument was given; a volume needs three numbers."""
    if zyx is not None and xyz is not None:
        raise _veloxel.InputError(f"the {what} is given twice: {what}_zyx= or {what}_xyz=, not both")
    if zyx is None and xyz is None:
        return None
    name, given = (f"{what}_zyx", zyx) if xyz is None else (f"{what}_xyz", xyz)
    row = numbers(given, f"{name}=")
    if row.ndim != 1 or len(row) not in ((3,) if axes == 3 else (2, 3)):
        count = "three numbers, of a volume" if axes == 3 else "two or three numbers"
        raise _veloxel.InputError(f"{name}= has {count}, not {_shown(given)}")
    if not np.isfinite(row).all():
        raise _veloxel.InputError(f"{name}= has numbers that are finite, not {row.tolist()}")
    values: list[float] = (row[::-1] if xyz is None else row).tolist()
    return values + [0.0 if what == "origin" else 1.0] * (3 - len(values))


def direction_rows(direction: Any) -> list[list[float]]:
    """A direction matrix as three rows."""
    matrix = numbers(direction, "direction=")
    if matrix.size not in (4, 9):
        raise _veloxel.InputError(f"a direction matrix has two or three rows, this one has {matrix.size} numbers")
    side = 2 if matrix.size == 4 else 3
    turned = np.eye(3)
    turned[:side, :side] = matrix.reshape(side, side)
    return turned.tolist()


def refuse_bare(**given: Any) -> None:
    """Refuses ``spacing=`` and ``origin=``, whose order nobody can see."""
    for name, value in given.items():
        if value is not None:
            raise _veloxel.InputError(f"{name}= does not say its order: {name}_zyx= has that of an array's axes, {name}_xyz= that of ITK")


#: Kinds of DLPack's devices whose memory the processor reads: its own, and that which CUDA or ROCm pinned.
_HOST_MEMORY = {1, 3, 11}


def refuse_gpu(tensor: Any, what: str) -> None:
    """Refuses a tensor, or a result, in the memory of a GPU, where a call works in that of the host.

    Raises:
        InputError: The text says how it gets there.
    """
    if isinstance(tensor, np.ndarray) or not hasattr(tensor, "__dlpack_device__"):
        return
    if int(tensor.__dlpack_device__()[0]) in _HOST_MEMORY:
        return
    library = type(tensor).__module__.split(".")[0]
    if library == "cupy":
        way = "`.get()`"
    elif library == "veloxel":
        way = "`.cpu()`"
    else:
        way = "`.cpu()`, of JAX `jax.device_get`,"
    place = getattr(tensor, "device", None) or "a GPU"
    raise _veloxel.InputError(
        f"{what} is a tensor in the memory of {place}; this call works in the memory of the host: {way} takes it there "
        "(flow, register, sequence, stereo, features, PhaseEngine and GpuFlow.warp take tensors of a CUDA GPU where they lie)"
    )


def plain_array(image: Any, what: str) -> np.ndarray:
    """The array of anything that NumPy takes; masked samples are NaN.

    Raises:
        InputError: What holds no array of numbers, or lies in the memory of a GPU.
    """
    refuse_gpu(image, what)
    if hasattr(image, "filled") and hasattr(image, "mask"):
        whole = image.astype(np.float64 if image.dtype.itemsize > 2 else np.float32)
        return np.asarray(whole.filled(np.nan))
    try:
        array = np.asarray(image)
    except (TypeError, ValueError):
        raise _veloxel.InputError(f"{what} has rows of several lengths, or is no array of numbers") from None
    if array.dtype == object or array.ndim == 0:
        inside = "array of objects" if isinstance(image, np.ndarray) else type(image).__name__
        raise _veloxel.InputError(f"{what} is of type {inside}, which holds no array of numbers")
    return array


#: Pictures have more rows and columns than this; volumes that are three or four voxels thick may have fewer.
_THIN = 16


def refuse_colours(array: np.ndarray, what: str, *, channels_first: bool = False) -> None:
    """Refuses channels of colour behind the axes of a picture, or of a tensor before them: they would be a volume of a few voxels.

    Raises:
        InputError: An array ``(y, x, 1)``, ``(y, x, 3)`` or ``(y, x, 4)``; a tensor ``(1, y, x)``, ``(3, y, x)`` or ``(4, y, x)`` as well.
    """
    if array.ndim != 3:
        return
    if channels_first and array.shape[0] in (1, 3, 4) and min(array.shape[1:]) > _THIN:
        way = "`tensor[0]` is the picture" if array.shape[0] == 1 else "one channel, or `tensor[:3].mean(0)`, is a picture in grey"
        raise _veloxel.InputError(
            f"{what} has the shape {array.shape}, as tensors with channels have: {way}; a volume so thin is veloxel.Image(tensor, spacing_zyx=(…))"
        )
    if array.shape[2] in (1, 3, 4) and min(array.shape[:2]) > _THIN:
        way = "`array[..., 0]` is the picture" if array.shape[2] == 1 else "one channel, or `array[..., :3].mean(axis=-1)`, is a picture in grey"
        raise _veloxel.InputError(
            f"{what} has the shape {array.shape}, as pictures in colour have: {way}; a volume so thin is veloxel.Image(array, spacing_zyx=(…))"
        )


def missing(own: Any, name: str, what: str) -> str:
    """What is said of an attribute that there is not; arrays have many that images and fields have not."""
    kind = type(own).__name__
    hint = f": its {what} are an array, and have it: .array.{name}" if not name.startswith("_") and hasattr(np.ndarray, name) else ""
    return f"'{kind}' object has no attribute '{name}'{hint}"


def _shown(value: Any) -> str:
    """A value in a message: short ones as they are, others by their type."""
    text = repr(value)
    return text if len(text) <= 40 and "\n" not in text else type(value).__name__
