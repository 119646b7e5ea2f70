"""The disparity of stereo pairs, and the features of images, that are tensors in a GPU's memory."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import _veloxel
from .._session import Session
from .._warnings import tell
from .tensors import GpuTensor, device_of, handed

if TYPE_CHECKING:
    from .._stereo import StereoResult


class GpuStereo:
    """The disparity of a stereo pair of tensors, in the memory of the GPU that they lie in: what :func:`stereo` gives for them.

    ``disparity`` counts pixels, NaN where unknown, ``confidence`` goes from 0 to 1. ``cpu()`` takes everything to the host: a
    :class:`StereoResult`, with the expected errors.

    >>> import veloxel
    >>> def disparity_of(left, right):
    ...     return veloxel.stereo(left, right).disparity.to_torch()  # two tensors on one GPU
    """

    def __init__(self, found: Any, session: Session | None) -> None:
        self._found, self._session = found, session
        self.disparity, self.confidence = GpuTensor(found.disparity), GpuTensor(found.confidence)

    disparity: GpuTensor
    """Pixels, ``(y, x)``, NaN where unknown: ``x_right = x_left − d``."""
    confidence: GpuTensor
    """How certain each disparity is, 0 to 1."""

    @property
    def report(self) -> dict[str, Any]:
        """As :attr:`StereoResult.report`, with ``copied_bytes``: how many went over the bus to the GPU and back during the run. Of pictures
        above 65,536 pixels the mean confidence is that of evenly spaced ones."""
        return json.loads(self._found.report)

    def __dlpack__(self, **options: Any) -> Any:
        """As :attr:`disparity`."""
        return self.disparity.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        """As :attr:`disparity`."""
        return self.disparity.__dlpack_device__()

    def to_torch(self) -> Any:
        """The disparity as a tensor of PyTorch where it lies, without a copy. Needs PyTorch."""
        return self.disparity.to_torch()

    def cpu(self) -> StereoResult:
        """Everything in the memory of the host, the pictures too."""
        from .._stereo import StereoResult

        return StereoResult(self._found.host(), self._session)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> None:
            from .._stereo import StereoResult

            known = not name.startswith("_") and (hasattr(StereoResult, name) or name in StereoResult.__annotations__)
            hint = f": it stays on its GPU, and found.cpu().{name} is there" if known else ""
            raise AttributeError(f"'GpuStereo' object has no attribute '{name}'{hint}")

    def __repr__(self) -> str:
        return f"GpuStereo(shape={self.disparity.shape})"


def gpu_stereo(
    left: Any, right: Any, settings: tuple[str, str | None, str], progress: Any, session: Session | None, device: Any
) -> GpuStereo:
    """The disparity of two tensors on a GPU."""
    own = device_of([left, right], session, device)
    views = [handed(left, own, "the left image"), handed(right, own, "the right image")]
    found = _veloxel.resident_stereo(own, views, settings, progress)
    tell(found.warnings)
    return GpuStereo(found, session)


class GpuFeatures(NamedTuple):
    """Features of one scale, in the memory of the GPU that the image lies in: what :func:`features` gives for a tensor there.

    >>> import veloxel
    >>> def edges(image):
    ...     return veloxel.features(image)[0].energy.to_torch()  # of a tensor on a GPU
    """

    energy: GpuTensor
    """As :attr:`Features.energy`."""
    orientation: GpuTensor
    """As :attr:`Features.orientation`."""
    phase: GpuTensor
    """As :attr:`Features.phase`."""

    def __repr__(self) -> str:
        return f"GpuFeatures(shape={self.energy.shape})"


def gpu_features(
    image: Any, settings: tuple[str, str | None, str], progress: Any, session: Session | None, device: Any
) -> list[GpuFeatures]:
    """The features of a tensor on a GPU."""
    own = device_of([image], session, device)
    found, told = _veloxel.resident_features(own, handed(image, own, "the image"), settings, progress)
    tell(told)
    return [GpuFeatures(*(GpuTensor(one) for one in maps)) for maps in found]
