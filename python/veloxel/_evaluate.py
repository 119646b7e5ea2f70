"""Results against the truth."""

from __future__ import annotations

import json
import os
from typing import Any

from . import _veloxel
from ._arguments import path_text
from ._contours import as_outlines, named_truths, parts_of, spacing_of
from ._errors import entries_of
from ._images import as_image, as_image_beside
from ._meshes import Mesh
from ._results import Field, FlowResult
from ._session import Session, lent
from ._warnings import tell


def _mask(mask: Any, owner: Any) -> Any:
    return as_image_beside(mask, owner, "the mask")


def _field(field: Any) -> Any:
    return (field.flow if isinstance(field, FlowResult) else Field(field))._own


class evaluate:
    """Measures of results against the truth; every one gives a dictionary."""

    def __new__(cls, *_: Any, **__: Any) -> evaluate:
        raise TypeError("evaluate is a group of functions: evaluate.flow, .flow_files, .disparity, .labels, .label_files, .contours and .segmentation")

    @staticmethod
    def flow(
        result: Any,
        truth: Any,
        *,
        mask: Any = None,
        confidence: Any = None,
        expected_error: Any = None,
        probability: Any = None,
        within: float = 0.5,
        covariance: Any = None,
    ) -> dict[str, Any]:
        """End-point error (voxels), angular error (degrees) and density of a field, where both are known, the cells in
        which the field folds (``"cells"``), and whether what is given of its errors holds (``"certainty"``): the sparsification curve and
        AUSE of a confidence, expected calibration errors and reliability diagrams, and how many errors ellipses hold.

        Args:
            result, truth: Fields of one shape: :class:`Field`, a result of :func:`flow`, an array, or a path.
            mask: Where to measure: not 0.
            confidence: Confidences of the field, larger is better.
            expected_error: Expected errors, voxels.
            probability: Probabilities, 0 to 1, that errors are below ``within`` voxels.
            covariance: Covariances, squared voxels, ``(y, x, 2, 2)`` or ``(z, y, x, 3, 3)``.

        Raises:
            InputError: Two shapes, or nothing to measure.

        >>> import numpy as np
        >>> import veloxel
        >>> veloxel.evaluate.flow(np.zeros((4, 4, 2)), np.full((4, 4, 2), 3.0))["end_point_vox"]["mean"] > 4.2
        True
        """
        own = (_field(result), _field(truth))
        claims = {
            "confidence": as_image_beside(confidence, own[0], "the confidence"),
            "expected_error": as_image_beside(expected_error, own[0], "the expected error"),
            "probability": as_image_beside(probability, own[0], "the probability"),
            "within": within,
            "covariance": entries_of(covariance, own[0]),
        }
        return json.loads(_veloxel.evaluate_flow(lent(None, "cpu"), *own, claims, _mask(mask, own[0])))

    @staticmethod
    def flow_files(
        result: str | os.PathLike[str],
        truth: str | os.PathLike[str],
        *,
        mask: str | os.PathLike[str] | None = None,
        session: Session | None = None,
    ) -> dict[str, Any]:
        """The numbers of :meth:`flow` for fields in files, as ``veloxel evaluate flow`` gives them.

        Fields of volumes need not fit into memory: where the session has a ``max_memory`` that both do not fit into, files in OME-Zarr, or
        in NIfTI, MetaImage or NRRD without compression, are read in parts, twice. A run that was ended goes on when it is called again with the
        same arguments; until then its sums lie beside the result.

        Args:
            result, truth: The files.
            mask: A file whose voxels that are not 0 count alone; ``labels.nii.gz=2,3`` are those with the values 2 and 3.
            session: Whose memory is bounded.

        Raises:
            InputError, OutOfMemoryError, FileError: The text says what is wrong.

        >>> import os, tempfile
        >>> import numpy as np
        >>> import veloxel
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     field, truth = (os.path.join(folder, name) for name in ("field.mha", "truth.mha"))
        ...     veloxel.write(field, veloxel.Field(np.zeros((2, 4, 6, 3))))
        ...     veloxel.write(truth, veloxel.Field(np.full((2, 4, 6, 3), [3.0, 4.0, 0.0])))
        ...     veloxel.evaluate.flow_files(field, truth)["end_point_vox"]["mean"]
        5.0
        """
        own = lent(session, None if session else "cpu")
        text, told = _veloxel.evaluate_flow_files(own, path_text(result), path_text(truth), None if mask is None else path_text(mask))
        tell(told)
        return json.loads(text)

    @staticmethod
    def disparity(result: Any, truth: Any, *, mask: Any = None) -> dict[str, Any]:
        """Absolute error, bad pixels and density of a disparity, pixels, NaN where unknown.

        Raises:
            As :meth:`flow`.

        >>> import numpy as np
        >>> import veloxel
        >>> veloxel.evaluate.disparity(np.full((4, 5), 3.0), np.full((4, 5), 3.5))["absolute_px"]["mean"]
        0.5
        """
        own = (as_image(result, "the result"), as_image(truth, "the truth"))
        return json.loads(_veloxel.evaluate_disparity(lent(None, "cpu"), *own, _mask(mask, own[0])))

    @staticmethod
    def labels(result: Any, truth: Any, *, mask: Any = None) -> dict[str, Any]:
        """Dice, Jaccard and Hausdorff 95 of every label.

        Raises:
            As :meth:`flow`; InputError for samples that are no whole numbers.

        >>> import numpy as np
        >>> import veloxel
        >>> labels = np.eye(6, dtype=int)
        >>> veloxel.evaluate.labels(labels, labels)["labels"][0]["dice"]
        1.0
        """
        own = (as_image(result, "the result"), as_image(truth, "the truth"))
        return json.loads(_veloxel.evaluate_labels(lent(None, "cpu"), *own, _mask(mask, own[0])))

    @staticmethod
    def label_files(
        result: str | os.PathLike[str],
        truth: str | os.PathLike[str],
        *,
        mask: str | os.PathLike[str] | None = None,
        session: Session | None = None,
    ) -> dict[str, Any]:
        """The numbers of :meth:`labels` for label images in files, as ``veloxel evaluate labels`` gives them.

        Label images need not fit into memory: where the session has a ``max_memory`` that both do not fit into, files in OME-Zarr, or in
        NIfTI, MetaImage or NRRD without compression, are read in parts: once for the overlap, and once or more for the surfaces.

        Args:
            result, truth: The files.
            mask: A file whose voxels that are not 0 count alone; ``labels.nii.gz=2,3`` are those with the values 2 and 3.
            session: Whose memory is bounded.

        Raises:
            InputError, OutOfMemoryError, FileError: The text says what is wrong.

        >>> import os, tempfile
        >>> import numpy as np
        >>> import veloxel
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "labels.mha")
        ...     veloxel.write(path, veloxel.Image(np.eye(6, dtype=np.uint8)[None].repeat(2, axis=0)))
        ...     veloxel.evaluate.label_files(path, path)["mean_dice"]
        1.0
        """
        own = lent(session, None if session else "cpu")
        text, told = _veloxel.evaluate_label_files(own, path_text(result), path_text(truth), None if mask is None else path_text(mask))
        tell(told)
        return json.loads(text)

    @staticmethod
    def contours(
        result: Any, truth: Any, *, cine: Any = None, spacing_zyx: Any = None, spacing_xyz: Any = None
    ) -> dict[str, Any]:
        """Distances of outlines, millimetres, by structure.

        Args:
            result, truth: Both :class:`Outline` objects or tuples like them, or both the path of a file of outlines.
            cine: The frames that they belong to, or an image of the cine by its path: it says how far pixels lie from each other.
            spacing_zyx, spacing_xyz: The same as numbers, millimetres, in the order that the name says.

        Raises:
            InputError: No outline that both have, or no spacing.

        >>> import veloxel
        >>> inner, outer = ([("endo", 0, 0, [[a, a], [b, a], [b, b], [a, b]])] for a, b in ((10, 20), (9, 21)))
        >>> found = veloxel.evaluate.contours(inner, outer, spacing_xyz=(2.0, 2.0))
        >>> 1.9 < found["structures"][0]["mean_mm"] < 2.5
        True
        """
        paths = [isinstance(own, (str, os.PathLike)) for own in (result, truth)]
        if all(paths) and (cine is None or isinstance(cine, (str, os.PathLike))) and spacing_zyx is None and spacing_xyz is None:
            image = None if cine is None else path_text(cine)
            text, told = _veloxel.evaluate_contour_files(lent(None, "cpu"), path_text(result), path_text(truth), image)
            tell(told)
            return json.loads(text)
        if any(paths):
            raise _veloxel.InputError("outlines are compared with outlines, or a file of them with a file: veloxel.read_contours reads one")
        spacing = spacing_of(cine, spacing_zyx, spacing_xyz)
        return json.loads(_veloxel.evaluate_contours(lent(None, "cpu"), as_outlines(result), as_outlines(truth), spacing))

    @staticmethod
    def segmentation(result: Any, truths: Any, *, mesh: Any = None, triangles: Any = None) -> dict[str, Any]:
        """Rand index, Hamming distance, consistency errors and, with the mesh, cut discrepancy of the parts of a mesh.

        Args:
            result: The part of each face, ``(m,)``, a result of :func:`segment`, or the path of a ``.seg`` file.
            truths: What is true, likewise: one truth, a list of several, or several by name.
            mesh, triangles: The mesh, as for :class:`Mesh`.

        Returns:
            ``"mean"`` over the truths, and ``"truths"``, each of them.

        Raises:
            InputError: Another number of faces, or no truth.

        >>> import veloxel
        >>> veloxel.evaluate.segmentation([0, 0, 1, 1], [1, 1, 0, 0])["mean"]["rand"]
        0.0
        """
        own = None if mesh is None else Mesh(mesh, triangles)._own
        parts = parts_of(result, "the result")
        return json.loads(_veloxel.evaluate_segmentation(lent(None, "cpu"), parts, named_truths(truths), own))
