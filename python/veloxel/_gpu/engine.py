"""Streams of frames that are tensors in a GPU's memory."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from .. import _veloxel
from .._session import Session
from .._warnings import tell
from .stereo import GpuFeatures
from .tensors import GpuTensor, device_of, handed, number_of


@dataclass(frozen=True, eq=False)
class GpuStreamFrame:
    """What was found for a frame of a stream of tensors, in the memory of their GPU; what was not asked for, or is not there, is ``None``.

    ``frame`` is its number, ``flow`` and ``confidence`` the field to the next one, ``disparity`` and ``disparity_confidence`` what stereo
    found, ``features`` the scales, finest first, ``report`` the shares of its pixels that are known, and ``copied_bytes``.

    :class:`PhaseEngine` makes them of tensors on a GPU:

    >>> import veloxel
    >>> def flows(frames):
    ...     with veloxel.PhaseEngine() as engine:
    ...         for found in engine.run(frames):  # tensors (y, x) on one GPU
    ...             if found.flow is not None:
    ...                 yield found.flow.to_torch()
    """

    frame: int
    """The number of the frame, from 0 on."""
    flow: GpuTensor | None
    """The field on this frame, which leads into the next one, ``(y, x, 2)``, pixels, NaN where unknown."""
    confidence: GpuTensor | None
    """How certain each vector is, 0 to 1."""
    disparity: GpuTensor | None
    """Pixels, NaN where unknown: ``x_right = x_left − d``."""
    disparity_confidence: GpuTensor | None
    """How certain each disparity is, 0 to 1."""
    features: list[GpuFeatures]
    """Energy, orientation (radians) and phase (radians) of each scale, finest first; empty where they were not asked for."""
    report: dict[str, Any]
    """The shares of the frame's pixels that are known, and how many bytes went over the bus to the GPU and back (``copied_bytes``)."""


class GpuStream:
    """The engine of a stream of tensors."""

    def __init__(self, first: Any, stream: dict[str, Any], session: Session | None, device: Any) -> None:
        self._session = device_of([first], session, device)
        self._own = _veloxel.ResidentStream(self._session, stream)

    def push(self, left: Any, right: Any) -> GpuStreamFrame | None:
        """Takes the next frame."""
        frames = [left] if right is None else [left, right]
        number_of(frames)
        taken = [handed(frame, self._session, what) for frame, what in zip(frames, ("the frame", "the right frame"))]
        try:
            return _frame(self._own.push(*taken))
        except _veloxel.InputError as error:
            if "memory of the host" not in str(error):
                raise
            raise _veloxel.InputError(f"{error}; `.cpu()` takes a tensor there") from None

    def drain(self) -> GpuStreamFrame | None:
        """The next of the last frames."""
        return _frame(self._own.drain())

    def finish(self) -> None:
        """Ends the stream."""
        self._own.finish()

    def close(self) -> None:
        """Drops the stream."""
        self._own.close()


def _frame(own: Any) -> GpuStreamFrame | None:
    if own is None:
        return None
    tell(own.warnings)

    def tensor(one: Any) -> GpuTensor | None:
        return None if one is None else GpuTensor(one)

    return GpuStreamFrame(
        frame=own.frame,
        flow=tensor(own.flow),
        confidence=tensor(own.flow_confidence),
        disparity=tensor(own.disparity),
        disparity_confidence=tensor(own.disparity_confidence),
        features=[GpuFeatures(*(GpuTensor(map) for map in scale)) for scale in own.features],
        report=json.loads(own.report),
    )
