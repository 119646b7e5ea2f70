"""The flows between frames that are tensors in a GPU's memory, one at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .. import _veloxel
from .._session import Session
from .._warnings import tell
from .flow import GpuFlow
from .tensors import GpuImage, device_of, handed, handed_beside, is_on_gpu


class GpuSequenceFlow(GpuFlow):
    """A field of a sequence of tensors: a :class:`GpuFlow` with its ``name`` and the frames ``fixed_frame`` and ``moving_frame``, from 0
    on."""

    def __init__(self, name: str, fixed: int, moving: int, found: Any, *, session: Session | None, own: Any = None) -> None:
        super().__init__(found, session, own)
        self.name, self.fixed_frame, self.moving_frame = name, fixed, moving

    name: str
    """``"consecutive_000_001"``, ``"reference_000_005"``."""
    fixed_frame: int
    """The frame that the field lives on, counted from 0."""
    moving_frame: int
    """The frame that the field points into."""

    def __repr__(self) -> str:
        return f"GpuSequenceFlow({self.name}, shape={self.flow.shape})"


def frames_on_gpu(frames: Any) -> list[Any] | None:
    """The frames of a tensor on a GPU with time as its first axis, or of a list in which there are such tensors; ``None`` of all others."""
    if isinstance(frames, (list, tuple)):
        return list(frames) if any(is_on_gpu(frame) for frame in frames) else None
    if isinstance(frames, GpuImage) or not is_on_gpu(frames):
        return None
    shape = tuple(frames.shape)
    if len(shape) not in (3, 4):
        raise _veloxel.InputError(f"frames are a tensor with time as its first axis, (t, y, x) or (t, z, y, x), this one has the shape {shape}")
    return [frames[nth] for nth in range(shape[0])]


def gpu_sequence(
    frames: list[Any],
    options: dict[str, Any],
    fields: dict[str, Any],
    session: Session | None,
    device: Any,
) -> Iterator[GpuSequenceFlow]:
    """The flows between tensors on a GPU; the frames are looked at now, and read again as the fields are asked for."""
    own = device_of(frames, session, device)
    taken = [handed(frame, own, f"frame {nth}") for nth, frame in enumerate(frames)]
    beside = {
        name: handed_beside(fields[name], own, what, taken[0], is_mask=True)
        for name, what in (("mask", "the mask"), ("volume_mask", "the volume mask"))
    }
    steps = _veloxel.resident_sequence(own, taken, options, {**fields, **beside})
    return _found(steps, session, own)


def _found(steps: Any, session: Session | None, own: Any) -> Iterator[GpuSequenceFlow]:
    while (field := steps.next()) is not None:
        name, fixed, moving, found = field
        tell(found.warnings)
        yield GpuSequenceFlow(name, fixed, moving, found, session=session, own=own)
