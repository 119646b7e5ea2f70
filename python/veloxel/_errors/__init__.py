"""What the confidence of a field means: expected errors, covariances and probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _veloxel
from .._images import Image
from .._session import lent

#: Row and column of every entry of a covariance, by the number of axes.
ENTRIES = {2: [(0, 0), (0, 1), (1, 1)], 3: [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)]}


class ErrorMaps:
    """The maps of errors of a result, by the curves of its method and preset."""

    _errors: tuple[str, str] | None
    _guide: Image | None
    confidence: Image
    flow: Any

    @property
    def expected_error(self) -> Image | None:
        """The expected length of every vector's error, voxels (pixels), ``(y, x)`` or ``(z, y, x)``: what its confidence has meant
        for this method and preset where the motion was known. None for methods of which nothing was measured.

        >>> import veloxel
        >>> parts = veloxel.phantom("shift", (32, 40))
        >>> found = veloxel.flow(parts["fixed"], parts["moving"], preset="fast", device="cpu")
        >>> found.expected_error.shape
        (32, 40)
        """
        if self._errors is None:
            return None
        return Image._of(_veloxel.expected_error(*self._errors, self.confidence._own))

    @property
    def covariance(self) -> np.ndarray | None:
        """The covariance of every vector's error, squared voxels (pixels), ``(y, x, 2, 2)`` or ``(z, y, x, 3, 3)`` along x, y, z; NaN
        where the vector is unknown. Its ellipse of 90 % held nine of ten errors where the motion was known; it is long along edges of
        the image and along jumps of the motion. None for methods of which nothing was measured.

        >>> import veloxel
        >>> parts = veloxel.phantom("shift", (32, 40))
        >>> found = veloxel.flow(parts["fixed"], parts["moving"], preset="fast", device="cpu")
        >>> found.covariance.shape
        (32, 40, 2, 2)
        """
        if self._errors is None or self._guide is None:
            return None
        session = lent(None, "cpu")
        entries = _veloxel.covariance(session, *self._errors, self._guide._own, self.flow._own, self.confidence._own)
        return matrices([Image._of(entry).array for entry in entries])

    def probability(self, within: float = 0.5) -> Image | None:
        """The probability of every vector, 0 to 1, that its error is below ``within`` voxels (pixels), from an eighth to 4. None for
        methods of which nothing was measured.

        Raises:
            InputError: A threshold at which no errors were measured.

        >>> import veloxel
        >>> parts = veloxel.phantom("shift", (32, 40))
        >>> found = veloxel.flow(parts["fixed"], parts["moving"], preset="fast", device="cpu")
        >>> bool((found.probability(1.0).array >= found.probability(0.5).array).all())
        True
        """
        if self._errors is None:
            return None
        return Image._of(_veloxel.probability(*self._errors, self.confidence._own, within))


def matrices(entries: list[np.ndarray]) -> np.ndarray:
    """Symmetric matrices as the last two axes, from the arrays of their entries."""
    axes = 2 if len(entries) == 3 else 3
    found = np.empty((*entries[0].shape, axes, axes), dtype=np.float32)
    for (row, column), entry in zip(ENTRIES[axes], entries, strict=True):
        found[..., row, column] = found[..., column, row] = entry
    return found


def entries_of(covariance: Any, owner: Any) -> list[Any]:
    """The extension's images of the entries of matrices that belong to a field, which is one of the extension's; none for ``None``."""
    if covariance is None:
        return []
    array = np.asarray(covariance, dtype=np.float32)
    axes = array.shape[-1] if array.ndim else 0
    if axes not in ENTRIES or array.shape[-2:] != (axes, axes) or array.ndim != axes + 2:
        raise _veloxel.InputError(f"covariances have axes (y, x, 2, 2) or (z, y, x, 3, 3), this array has the shape {array.shape}")
    if tuple(array.shape[:axes]) != tuple(owner.shape):
        raise _veloxel.InputError(f"covariances of {array.shape[:axes]} voxels do not belong to a field of {tuple(owner.shape)}")
    return [_veloxel.Image(np.ascontiguousarray(array[..., row, column]), owner.place) for row, column in ENTRIES[axes]]
