"""Stereo and features."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from . import _veloxel
from ._flow import Progress, settings
from ._images import Image, as_image
from ._session import Session, lent
from ._warnings import tell


class StereoResult(NamedTuple):
    """The disparity of a stereo pair."""

    disparity: Image
    """Pixels, NaN where unknown: ``x_right = x_left − d``."""
    confidence: Image
    """How certain each disparity is, 0 to 1."""
    report: dict[str, Any]
    """Device, times, parameters, levels, warnings."""


class Features(NamedTuple):
    """Features of one scale."""

    energy: Image
    """Sum of the squared magnitudes over orientations, intensity²."""
    orientation: Image
    """Radians across the edge or line, from 0 to π, from x towards y; NaN where there is none."""
    phase: Image
    """Radians, from −π to π."""


def stereo(
    left: Any,
    right: Any,
    *,
    preset: str | None = None,
    device: str | None = None,
    session: Session | None = None,
    mask: Any = None,
    progress: Progress | None = None,
    **parameters: Any,
) -> StereoResult:
    """Finds the disparity of the left image of a rectified pair, by semi-global matching around local phase.

    The presets ``"fast"`` and ``"paper"``, and ``stereo_smoothing="off"``, take local phase alone. Where a match would lie outside
    of the right image the disparity is NaN; what only the left one sees is filled in, with a confidence of 0. Images whose rows do
    not fit are told by a warning.

    Args:
        left, right: Images of axes ``(y, x)``.
        preset, device, session, progress: As for :func:`flow`.
        mask: Where disparities are wanted: not 0.
        **parameters: Parameters of the method ``"phase"``.

    Raises:
        As :func:`flow`.

    >>> import numpy as np
    >>> import veloxel
    >>> y, x = np.mgrid[:64, :96]
    >>> left, right = (128 + 50 * np.sin((x + shift) / 2) + 40 * np.cos((x + shift) / 5 + y / 3) for shift in (0, 2))
    >>> veloxel.stereo(left, right, device="cpu").disparity.shape
    (64, 96)
    """
    own = (as_image(left, "the left image"), as_image(right, "the right image"))
    disparity, confidence, report, told = _veloxel.stereo(
        lent(session, device),
        *own,
        settings("phase", preset, parameters),
        None if mask is None else as_image(mask, "the mask"),
        progress,
    )
    tell(told)
    return StereoResult(Image._of(disparity), Image._of(confidence), json.loads(report))


def features(
    image: Any,
    *,
    preset: str | None = None,
    device: str | None = None,
    session: Session | None = None,
    progress: Progress | None = None,
    **parameters: Any,
) -> list[Features]:
    """Finds local energy, orientation and phase on every scale, finest first.

    Args:
        image: An image of axes ``(y, x)``.
        preset, device, session, progress, parameters: As for :func:`stereo`.

    Raises:
        As :func:`flow`.

    >>> import numpy as np
    >>> import veloxel
    >>> scales = veloxel.features(np.random.default_rng(1).uniform(0, 255, (64, 64)), device="cpu")
    >>> scales[0].phase.shape
    (64, 64)
    """
    found, told = _veloxel.features(
        lent(session, device), as_image(image), settings("phase", preset, parameters), progress
    )
    tell(told)
    return [Features(*(Image._of(own) for own in scale)) for scale in found]
