"""Filters, and images whose motion is known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _veloxel
from ._arguments import Progress, as_progress, several
from ._images import Image, as_image
from ._results import Field
from ._session import Session, lent
from ._warnings import tell


def filter(
    image: Any,
    name: str,
    *,
    sigma: float | None = None,
    sigma_zyx: Sequence[float] | None = None,
    size_zyx: Sequence[int] | None = None,
    taps: Sequence[float] | None = None,
    device: str | None = None,
    session: Session | None = None,
    progress: Progress | None = None,
) -> Image:
    """Smooths an image, convolves it, or gives it another number of voxels; beyond its border the nearest sample counts.

    Args:
        image: An image of axes ``(y, x)`` or ``(z, y, x)``, or anything that :class:`Image` takes.
        name: ``"gaussian"`` (with ``sigma`` or ``sigma_zyx``), ``"resample"`` (with ``size_zyx``) or ``"convolution"`` (with
            ``taps``).
        sigma, sigma_zyx: Standard deviation in voxels, one for all axes, or one for each of ``(y, x)`` or ``(z, y, x)``.
        size_zyx: Voxels along each axis; the extent in millimetres stays.
        taps: Weights from one end to the other, odd in number and the same from both ends; taken as they are.
        device, session, progress: As for :func:`flow`.

    Raises:
        ParameterError: A filter without its setting, with one of another filter, or with numbers that do not fit the image's axes.
        InputError: Samples that are not finite.

    >>> import numpy as np
    >>> import veloxel
    >>> veloxel.filter(np.eye(5), "convolution", taps=[0.25, 0.5, 0.25], device="cpu").array[2, 2]
    np.float32(0.375)
    >>> veloxel.filter(np.zeros((4, 6)), "resample", size_zyx=(2, 3), device="cpu").shape
    (2, 3)
    """
    if sigma is not None and sigma_zyx is not None:
        raise _veloxel.ParameterError("sigma= is one number for all axes, sigma_zyx= one for each: give one of both")
    whole = None if sigma is None else [float(sigma)]
    settings = {
        "sigma": whole if sigma_zyx is None else [float(value) for value in reversed(tuple(sigma_zyx))],
        "size": None if size_zyx is None else [int(count) for count in reversed(tuple(size_zyx))],
        "taps": None if taps is None else [float(weight) for weight in taps],
    }
    own, told = _veloxel.filter(lent(session, device), as_image(image), name, settings, as_progress(progress))
    tell(told)
    return Image._of(own)


def phantoms() -> dict[str, str]:
    """The names of all phantoms that :func:`phantom` makes, and what each of them shows.

    >>> import veloxel
    >>> "shift" in veloxel.phantoms()
    True
    """
    return dict(_veloxel.phantoms())


def phantom(
    name: str,
    size_zyx: Sequence[int],
    *,
    texture: str | None = None,
    noise: float | None = None,
    seed: int | None = None,
) -> dict[str, Any]:
    """Makes images whose motion is known exactly, with that motion, by name.

    Args:
        name: One of :func:`phantoms`.
        size_zyx: Voxels along ``(y, x)`` or ``(z, y, x)``.
        texture: Of a pair: ``"smooth"``, ``"speckle"`` or ``"wall"``.
        noise: Standard deviation of the noise, where intensities go from 0 to 1.
        seed: Which texture and which noise a pair has.

    Returns:
        A dictionary of parts such as ``"fixed"``, ``"moving"`` and ``"truth"``: an :class:`Image`, a :class:`Field` (voxels), an array
        of labels, a list of frames, or a list of outlines as :func:`track` takes them.

    Raises:
        ParameterError, InputError: A name that is not there, or a setting that the phantom does not use.

    >>> import veloxel
    >>> parts = veloxel.phantom("shift", (32, 40))
    >>> parts["fixed"].shape, parts["truth"].array.shape
    ((32, 40), (32, 40, 2))
    """
    size = several(size_zyx, "size_zyx", 1)[::-1]
    if len(size) not in (2, 3):
        raise _veloxel.InputError(f"size_zyx has two or three numbers, (y, x) or (z, y, x), not {len(size)}")
    wanted = {"size": size, "texture": texture, "noise": noise, "seed": seed}
    return {part: _content(kind, own) for part, kind, own in _veloxel.phantom(lent(None, "cpu"), name, wanted)}


def _content(kind: str, own: Any) -> Any:
    if kind == "image":
        return Image._of(own)
    if kind == "labels":
        return Image._of(own).array.astype(np.int32)
    if kind == "field":
        return Field._of(own, None)
    if kind == "sequence":
        return [Image._of(frame) for frame in own]
    from ._contours import Outline

    return [Outline(word, frame, part, np.array(points)) for word, frame, part, points in own[0]]
