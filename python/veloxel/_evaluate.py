"""Results against the truth."""

from __future__ import annotations

import json
from typing import Any

from . import _veloxel
from ._images import as_image
from ._results import Field, FlowResult
from ._session import lent


def _mask(mask: Any) -> Any:
    return None if mask is None else as_image(mask, "the mask")


def _field(field: Any) -> Any:
    return (field.flow if isinstance(field, FlowResult) else Field(field))._own


class evaluate:
    """Measures of results against the truth; every one gives a dictionary."""

    @staticmethod
    def flow(result: Any, truth: Any, *, mask: Any = None) -> dict[str, Any]:
        """End-point error (voxels), angular error (degrees) and density of a field, where both are known.

        Args:
            result, truth: Fields of one shape: :class:`Field`, a result of :func:`flow`, an array, or a path.
            mask: Where to measure: not 0.

        Raises:
            InputError: Two shapes, or nothing to measure.

        >>> import numpy as np
        >>> import veloxel
        >>> veloxel.evaluate.flow(np.zeros((4, 4, 2)), np.full((4, 4, 2), 3.0))["end_point_vox"]["mean"] > 4.2
        True
        """
        return json.loads(_veloxel.evaluate_flow(lent(None, "cpu"), _field(result), _field(truth), _mask(mask)))

    @staticmethod
    def disparity(result: Any, truth: Any, *, mask: Any = None) -> dict[str, Any]:
        """Absolute error, bad pixels and density of a disparity, pixels, NaN where unknown.

        Raises:
            As :meth:`flow`.
        """
        own = (as_image(result, "the result"), as_image(truth, "the truth"))
        return json.loads(_veloxel.evaluate_disparity(lent(None, "cpu"), *own, _mask(mask)))

    @staticmethod
    def labels(result: Any, truth: Any, *, mask: Any = None) -> dict[str, Any]:
        """Dice, Jaccard and Hausdorff 95 of every label.

        Raises:
            As :meth:`flow`; InputError for samples that are no whole numbers.
        """
        own = (as_image(result, "the result"), as_image(truth, "the truth"))
        return json.loads(_veloxel.evaluate_labels(lent(None, "cpu"), *own, _mask(mask)))
