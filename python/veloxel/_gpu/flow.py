"""The flow of tensors that stay in a GPU's memory."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _veloxel
from .._results import FlowResult
from .._session import Session
from .._warnings import tell
from .tensors import device_of, handed, handed_beside

if TYPE_CHECKING:
    from .._maps import Transform


class GpuTensor:
    """A result in the memory of a GPU: ``torch.from_dlpack(tensor)``, ``cupy.from_dlpack(tensor)`` or ``jax.dlpack.from_dlpack(tensor)``
    see it without a copy.

    The memory is given to later runs once this object and everything that sees it are gone. ``float32``; what writes to a view writes
    to the result.

    >>> import veloxel
    >>> def mean_confidence(found):
    ...     return found.confidence.to_torch().mean()  # of a veloxel.GpuFlow, on its GPU
    """

    def __init__(self, own: Any) -> None:
        self._own = own

    def __dlpack__(self, **options: Any) -> Any:
        """The samples where they lie, for a reader's stream (``stream=``)."""
        return self._own.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        """The kind and the number of the GPU."""
        return self._own.__dlpack_device__()

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of samples along the axes; of a field the last one is the component along x, y, z."""
        return tuple(self._own.shape)

    def numpy(self) -> np.ndarray:
        """A copy in the memory of the host."""
        shape = self.shape
        flat = self._own.numpy()
        if len(shape) > 1 and shape[-1] == len(shape) - 1:
            return np.moveaxis(flat.reshape(shape[-1], *shape[:-1]), 0, -1)
        return flat.reshape(shape)

    def to_torch(self) -> Any:
        """The samples as a tensor of PyTorch where they lie, without a copy. Needs PyTorch."""
        import torch

        return torch.from_dlpack(self)

    def __repr__(self) -> str:
        return f"GpuTensor(shape={self.shape})"


class GpuFlow:
    """The flow of a pair of tensors, in the memory of the GPU that they lie in: what :func:`flow` gives for them.

    ``flow`` is the field, ``confidence`` how certain each vector is, ``inverse`` the field back (of symmetric methods that began from
    no motion). ``cpu()`` takes everything to the host: a :class:`FlowResult`, which warps, measures, draws and saves.

    >>> import veloxel
    >>> def on_gpu(fixed, moving):
    ...     found = veloxel.flow(fixed, moving)  # two tensors on one GPU
    ...     return found.to_torch()  # (z, y, x, 3), on that GPU
    """

    def __init__(self, found: Any, session: Session | None) -> None:
        self._found, self._session = found, session
        self.flow = GpuTensor(found.field)
        self.confidence = GpuTensor(found.confidence)
        self.inverse = None if found.inverse is None else GpuTensor(found.inverse)

    flow: GpuTensor
    """Displacements in voxels, ``(y, x, 2)`` or ``(z, y, x, 3)``, along x, y, z; NaN where unknown."""
    confidence: GpuTensor
    """How certain each vector is, 0 to 1."""
    inverse: GpuTensor | None
    """The field back, on the moving image's grid: of symmetric methods that began from no motion. After a linear start (as by
    :func:`register`) ``cpu().inverse`` makes it of the field, on the host."""

    @property
    def field(self) -> GpuTensor:
        """As :attr:`flow`."""
        return self.flow

    @property
    def transform(self) -> Transform | None:
        """The linear map that the run began from, as :attr:`FlowResult.transform`."""
        from .._maps import Transform

        own = self._found.transform
        return None if own is None else Transform._of(own)

    @property
    def report(self) -> dict[str, Any]:
        """Device, times by stage (milliseconds), parameters in force, statistics of the field, warnings, and ``copied_bytes``: how many
        went over the bus to the GPU and back during the run."""
        return json.loads(self._found.report)

    def __dlpack__(self, **options: Any) -> Any:
        """As :attr:`flow`."""
        return self.flow.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        """As :attr:`flow`."""
        return self.flow.__dlpack_device__()

    def to_torch(self) -> Any:
        """The field as a tensor of PyTorch where it lies, without a copy. Needs PyTorch."""
        return self.flow.to_torch()

    def cpu(self) -> FlowResult:
        """Everything in the memory of the host."""
        return FlowResult(self._found.host(), self._session)

    def __repr__(self) -> str:
        return f"GpuFlow(shape={self.flow.shape})"


def gpu_flow(
    fixed: Any,
    moving: Any,
    options: dict[str, Any],
    beside: dict[str, Any],
    start: Any,
    session: Session | None,
    device: Any,
) -> GpuFlow:
    """The flow between two tensors on a GPU."""
    own = device_of([fixed, moving], session, device)
    images = [handed(fixed, own, "the fixed image"), handed(moving, own, "the moving image")]
    known: dict[str, Any] = {"init": start}
    for name, (image, what) in beside.items():
        place = images[1] if name == "moving_mask" else images[0]
        known[name] = handed_beside(image, own, what, place, is_mask=name != "weight")
    found = _veloxel.resident_flow(own, images, options, known)
    tell(found.warnings)
    return GpuFlow(found, session)
