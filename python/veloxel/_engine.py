"""Streams of frames."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _veloxel
from ._flow import settings
from ._gpu.engine import GpuStream, GpuStreamFrame
from ._gpu.tensors import is_on_gpu
from ._images import Image, as_image
from ._results import Field
from ._session import Session, lent
from ._stereo import Features
from ._warnings import tell


@dataclass(frozen=True, eq=False)
class StreamFrame:
    """What was found for a frame of a stream; what was not asked for, or is not there, is ``None``.

    ``frame`` is its number, ``flow`` and ``confidence`` the field to the next one, ``disparity`` and ``disparity_confidence`` what stereo
    found, ``features`` the scales, finest first, ``report`` its times.

    :class:`PhaseEngine` makes them:

    >>> import numpy as np
    >>> import veloxel
    >>> film = np.random.default_rng(1).uniform(0, 255, (6, 48, 64))
    >>> with veloxel.PhaseEngine(device="cpu") as engine:
    ...     [found.frame for found in engine.run(film) if found.flow is not None]
    [2, 3]
    """

    frame: int
    """The number of the frame, from 0 on."""
    flow: Field | None
    """The field on this frame, which leads into the next one, voxels."""
    confidence: Image | None
    """How certain each vector is, 0 to 1."""
    disparity: Image | None
    """Pixels, NaN where unknown: ``x_right = x_left − d``."""
    disparity_confidence: Image | None
    """How certain each disparity is, 0 to 1."""
    features: list[Features]
    """Energy, orientation (radians) and phase (radians) of each scale, finest first; empty where they were not asked for."""
    arrays: dict[str, Any]
    """With ``samples``: every result as an array of its type, ``flow`` as ``(y, x, 2)`` (volumes: ``(z, y, x, 3)``, pixels or voxels),
    ``confidence``, ``disparity``, ``disparity_confidence``, ``energy``, ``orientation`` and ``phase`` as ``(y, x)``, those of coarser
    scales as ``energy_1``; then the other attributes are ``None``. Empty without ``samples``. They cannot be written to."""
    report: dict[str, Any]
    """Times of this frame (milliseconds), and the shares of its pixels that are known."""


class PhaseEngine:
    """Finds flow, disparity and features of a stream of frames of one size, as the frames come.

    The results of a frame come once the frames that it needs are there: with windows of five frames, two frames later. ``method``
    can be one of pairs, too (``"clg"``): it finds the flow of every frame, picture or volume, to the next one.

    Args:
        flow, stereo, features: What is wanted; ``stereo`` needs the right camera's frames.
        confidence: Whether confidences come with flow and disparity.
        all_scales: Whether features of the coarser scales come, too.
        samples: The types in which results come, rounded where they are found, as arrays of NumPy in :attr:`StreamFrame.arrays`: one
            type for all (``"f16"``, ``numpy.float16``), or one for some (``{"flow": "f16", "confidence": "u8"}``; the others are
            ``f32``). Results are ``flow``, ``disparity``, ``confidence``, ``energy``, ``orientation`` and ``phase``. ``u8`` is for
            confidences (255 is 1), and for orientation and phase (0 to 254 are shares of a period of π or 2π, 255 is unknown).
        method, preset, parameters: As for :func:`flow`.
        device, session: As for :func:`flow`; the stream has a session of its own on that device.

    Raises:
        ParameterError: A parameter that the method does not take.
        InputError: Results that the method does not have; a frame of another size; the stream has ended.

    >>> import numpy as np
    >>> import veloxel
    >>> y, x = np.mgrid[:48, :64]
    >>> film = [128 + 60 * np.sin((x - 0.5 * t) / 2) + 40 * np.cos(y / 3) for t in range(6)]
    >>> with veloxel.PhaseEngine(flow=True, features=True, device="cpu") as engine:
    ...     found = list(engine.run(film))
    >>> len(found), found[2].flow.array.shape, found[0].features[0].phase.shape
    (6, (48, 64, 2), (48, 64))
    """

    def __init__(
        self,
        *,
        flow: bool = True,
        stereo: bool = False,
        features: bool = False,
        confidence: bool = True,
        all_scales: bool = False,
        samples: Any = None,
        method: str = "phase",
        preset: str | None = None,
        device: str | None = None,
        session: Session | None = None,
        **parameters: Any,
    ) -> None:
        if not (flow or stereo or features):
            raise _veloxel.InputError("a stream has to find something: flow=True, stereo=True or features=True")
        self._is_stereo = stereo
        stream = {
            "settings": settings(method, preset, parameters),
            "flow": flow,
            "stereo": stereo,
            "features": features,
            "confidence": confidence,
            "all_scales": all_scales,
            "samples": _types(samples),
        }
        self._where = (stream, session, device)
        self._own = _veloxel.Engine(lent(session, device), stream)
        self._gpu: GpuStream | None = None
        self._frames = 0

    def push(self, left: Any, right: Any = None) -> Any:
        """Takes the next frame, and the right camera's with it; what is found now, for this frame or an earlier one.

        Args:
            left, right: Pictures ``(y, x)``, anything that :class:`Image` takes; volumes ``(z, y, x)`` for methods of pairs.
                Samples that are NaN or infinite are left out, with confidence 0. Tensors in the memory of a CUDA GPU stay there, all of
                a stream, by ``"phase"`` and without ``samples``; they are taken as they are, and refused where they hold NaN or padding.

        Returns:
            The results, a :class:`StreamFrame`, or ``None`` where more frames must come first. Of tensors on a GPU a
            :class:`GpuStreamFrame`, the same bits.

        Raises:
            InputError: A frame of another size, a frame without a number, a stream that has ended.
        """
        if self._is_stereo and right is None:
            raise _veloxel.InputError("stereo needs the right camera's frame too: push(left, right), or run with tuples (left, right)")
        on_gpu = is_on_gpu(left) or is_on_gpu(right)
        if on_gpu and self._frames == 0:
            self._gpu = GpuStream(left if is_on_gpu(left) else right, *self._where)
        if on_gpu != (self._gpu is not None):
            raise _veloxel.InputError(
                "the frames of a stream lie in one place, all in the memory of the host or all in that of a GPU: `.cpu()` takes a tensor to the host"
            )
        self._frames += 1
        if self._gpu is not None:
            return self._gpu.push(left, right)
        other = None if right is None else as_image(right, "the right frame")
        return _frame(self._own.push(as_image(left, "the frame"), other))

    def drain(self) -> Any:
        """At the end of the stream: the results of the next of the last frames, which have no flow; ``None`` once all are out."""
        return _frame(self._own.drain()) if self._gpu is None else self._gpu.drain()

    def run(self, frames: Iterable[Any]) -> Iterator[Any]:
        """Takes all frames of a source, and gives what is found as it comes, the last frames included.

        Args:
            frames: Frames as :meth:`push` takes them; of stereo tuples ``(left, right)``.

        Raises:
            As :meth:`push`; InputError at the end of a stream of too few frames.
        """
        for frame in frames:
            left, right = frame if isinstance(frame, tuple) else (frame, None)
            found = self.push(left, right)
            if found is not None:
                yield found
        while (last := self.drain()) is not None:
            yield last
        (self._gpu or self._own).finish()

    def __reduce__(self) -> Any:
        raise TypeError("a stream belongs to its process and cannot be copied or pickled: make one in each process")

    def close(self) -> None:
        """Ends the stream, and gives its memory on the device back."""
        if self._gpu is not None:
            self._gpu.close()
        self._own.close()

    def __enter__(self) -> PhaseEngine:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _types(samples: Any) -> str | None:
    """The types of samples as text."""

    def name(kind: Any) -> str:
        if isinstance(kind, str) and kind in ("f32", "f16", "u8"):
            return kind
        try:
            named = np.dtype(kind).name
        except TypeError:
            return str(kind)
        return {"float32": "f32", "float16": "f16", "uint8": "u8"}.get(named, named)

    if samples is None:
        return None
    if isinstance(samples, Mapping):
        return ",".join(f"{result}={name(kind)}" for result, kind in samples.items()) or "f32"
    return samples if isinstance(samples, str) else name(samples)


def _arrays(delivered: Any) -> dict[str, Any]:
    """Every result as an array; only the flow is copied, to have its components last."""
    arrays = {}
    for result, kind, shape, planes in delivered.arrays():
        maps = [plane.view(kind).reshape(shape) for plane in planes]
        arrays[result] = maps[0] if len(maps) == 1 else np.stack(maps, axis=-1)
        arrays[result].setflags(write=False)
    return arrays


def _frame(own: Any) -> StreamFrame | None:
    if own is None:
        return None
    tell(own.warnings)

    def image(one: Any) -> Image | None:
        return None if one is None else Image._of(one)

    return StreamFrame(
        frame=own.frame,
        flow=None if own.flow is None else Field._of(own.flow, None),
        confidence=image(own.flow_confidence),
        disparity=image(own.disparity),
        disparity_confidence=image(own.disparity_confidence),
        features=[Features(*(Image._of(map) for map in scale)) for scale in own.features],
        arrays={} if own.delivered is None else _arrays(own.delivered),
        report=json.loads(own.report),
    )
