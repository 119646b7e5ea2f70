"""The flow of tensors that stay in a GPU's memory."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from .. import _veloxel
from .._results import FlowResult
from .._session import Session
from .._warnings import tell
from .tensors import GpuTensor, device_of, handed, handed_beside, is_on_gpu, number_of

if TYPE_CHECKING:
    from .._maps import Transform


class GpuFlow:
    """The flow of a pair of tensors, in the memory of the GPU that they lie in: what :func:`flow` gives for them.

    ``flow`` is the field, ``confidence`` how certain each vector is, ``inverse`` the field back (of symmetric methods that began from
    no motion); ``warp`` pulls tensors on that GPU back. ``cpu()`` takes everything to the host: a :class:`FlowResult`, which warps
    labels, measures, draws and saves.

    >>> import veloxel
    >>> def on_gpu(fixed, moving):
    ...     found = veloxel.flow(fixed, moving)  # two tensors on one GPU
    ...     return found.to_torch()  # (z, y, x, 3), on that GPU
    """

    def __init__(self, found: Any, session: Session | None, own: Any = None) -> None:
        # The extension's session found it: what follows is done there.
        self._found, self._session, self._lent = found, session, own
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

    def warp(
        self, image: Any, *, interpolation: str = "linear", smooth: bool = False, outside: float | str = 0.0
    ) -> GpuTensor:
        """The image as seen from the fixed one, ``warped(x) = image(x + d(x))``, in the GPU's memory: the bits of :meth:`Field.warp`.

        Nothing of it goes over the bus but a few numbers; an image with samples that are no numbers goes through the host's memory,
        which a warning says. Whole numbers of labels are pulled back by ``interpolation="nearest"``, as ``float32``.

        Args:
            image: A tensor on the GPU of the field, ``(y, x)`` or ``(z, y, x)``, or a :class:`GpuImage` on a grid of its own.
            interpolation, smooth, outside: As of :meth:`Field.warp`.

        Raises:
            InputError: An image that lies elsewhere, or of other dimension.

        >>> import veloxel
        >>> def registered(fixed, moving):
        ...     found = veloxel.flow(fixed, moving)  # two tensors on one GPU
        ...     return found.warp(moving).to_torch()
        """
        if not is_on_gpu(image):
            raise _veloxel.InputError(
                "the image lies in the memory of the host and the field in that of a GPU: found.cpu().warp(image) warps on the host, "
                "a tensor on that GPU is warped there"
            )
        number_of([image, self])
        own = self._lent if self._lent is not None else device_of([image], self._session, None)
        warped, told = self._found.warp(own, handed(image, own, "the image"), interpolation, smooth, outside)
        tell(told)
        return GpuTensor(warped)

    def cpu(self) -> FlowResult:
        """Everything in the memory of the host."""
        return FlowResult(self._found.host(), self._session)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> None:
            known = not name.startswith("_") and hasattr(FlowResult, name)
            hint = f": it stays on its GPU, and found.cpu().{name} is there" if known else ""
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'{hint}")

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
    return GpuFlow(found, session, own)
