"""Fields, and what belongs to the flow of a pair."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _veloxel
from ._arguments import direction_rows, in_xyz, missing, plain_array, point_rows, refuse_bare
from ._errors import ErrorMaps
from ._images import (
    Image,
    as_image,
    exported,
    is_vector_image,
    labels_and_place,
    native,
    placed_vectors,
    ras_affine,
    tensor_array,
    to_itk,
    to_sitk,
)
from ._plots.pictures import Picture, Shown, field_picture
from ._session import Session, lent
from ._warnings import tell

if TYPE_CHECKING:
    from ._maps import Transform


class Field(Shown):
    """A displacement for every voxel of a fixed image: ``fixed(x) ≈ moving(x + d(x))``.

    Args:
        field: An array ``(y, x, 2)`` or ``(z, y, x, 3)``, displacements in voxels along x, y, z in this order, NaN where unknown; an
            image of vectors in LPS millimetres of SimpleITK or ITK; or a path.
        like: An image whose place the field has.
        spacing_zyx, spacing_xyz, origin_zyx, origin_xyz, direction: The place itself, as for :class:`Image`.
        spacing, origin: Refused: nobody sees their order.

    Raises:
        InputError: An array of another shape, or a place that is impossible.

    >>> import numpy as np
    >>> import veloxel
    >>> field = veloxel.Field(np.full((6, 8, 2), 0.5))
    >>> field.points([[2.0, 3.0]]).tolist()
    [[2.5, 3.5]]
    """

    def __init__(
        self,
        field: Any,
        *,
        like: Any = None,
        spacing_zyx: Any = None,
        spacing_xyz: Any = None,
        origin_zyx: Any = None,
        origin_xyz: Any = None,
        direction: Any = None,
        spacing: None = None,
        origin: None = None,
        session: Session | None = None,
    ) -> None:
        refuse_bare(spacing=spacing, origin=origin)
        self._session = session
        self._own: _veloxel.Field
        if isinstance(field, (str, os.PathLike)):
            from ._files import read_field

            self._own = read_field(field)._own
            return
        if isinstance(field, (Field, FlowResult)):
            self._own = field._own if isinstance(field, Field) else field.flow._own
            return
        if is_vector_image(field):
            self._own = _veloxel.Field.of_mm(*placed_vectors(field))
            return
        place = as_image(like).place if like is not None else (None, None, None)
        on_device = not isinstance(field, np.ndarray) and hasattr(field, "__dlpack_device__")
        array = native(tensor_array(field, "the field") if on_device else plain_array(field, "the field"))
        if array.ndim not in (3, 4) or array.shape[-1] != array.ndim - 1:
            raise _veloxel.InputError(f"a field has the shape (y, x, 2) or (z, y, x, 3), this array has {array.shape}")
        spaced = in_xyz("spacing", spacing_zyx, spacing_xyz, array.ndim - 1) or place[0]
        begun = in_xyz("origin", origin_zyx, origin_xyz, array.ndim - 1) or place[1]
        turned = place[2] if direction is None else direction_rows(direction)
        self._own = _veloxel.Field(np.moveaxis(array, -1, 0), (spaced, begun, turned))

    @classmethod
    def _of(cls, own: Any, session: Session | None) -> Field:
        field = cls.__new__(cls)
        field._own, field._session = own, session
        return field

    @classmethod
    def _again(cls, planar: np.ndarray, place: Any) -> Field:
        return cls._of(_veloxel.Field(planar, place), None)

    def __reduce__(self) -> tuple[Any, ...]:
        """Fields are pickled and copied with their place, without a session."""
        return Field._again, (np.array(np.moveaxis(self.array, -1, 0)), self._own.place)

    def _components(self, flat: np.ndarray, count: int) -> np.ndarray:
        return np.moveaxis(flat.reshape(count, *self._own.shape), 0, -1)

    @property
    def array(self) -> np.ndarray:
        """Displacements in voxels, ``(y, x, 2)`` or ``(z, y, x, 3)``, along x, y, z; a view that cannot be written."""
        return self._components(self._own.planar_vox(), len(self._own.shape))

    @property
    def array_mm(self) -> np.ndarray:
        """Displacements in LPS millimetres, ``(y, x, 3)`` or ``(z, y, x, 3)``, along the world's x, y, z."""
        return self._components(self._own.planar_mm(), 3)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        array = self.array if dtype is None else self.array.astype(dtype, copy=False)
        return array.copy() if copy else array

    def __dlpack__(self, **options: Any) -> Any:
        """Displacements in voxels for another library, ``torch.from_dlpack(field)``: as :meth:`Image.__dlpack__`."""
        return exported(self.array, options)

    def __dlpack_device__(self) -> tuple[int, int]:
        """The memory of the host."""
        return 1, 0

    @property
    def shape(self) -> tuple[int, ...]:
        """The array's shape: voxels, then components."""
        return (*self._own.shape, len(self._own.shape))

    @property
    def spacing_zyx(self) -> tuple[float, ...]:
        """Millimetres between neighbours along the array's axes."""
        return tuple(reversed(self._own.place[0][: len(self._own.shape)]))

    def warp(
        self, image: Any, *, interpolation: str = "linear", smooth: bool = False, outside: float | str = 0.0
    ) -> Image:
        """The image as seen from the fixed one: ``warped(x) = image(x + d(x))``.

        Args:
            image: An image, on a grid of its own: voxels are looked up by their place in space.
            interpolation: ``"nearest"``, ``"linear"``, ``"cubic"`` (a B-spline) or ``"cubic-convolution"``.
            smooth: Whether an image that is finer than the field is smoothed to the field's voxel size first; without it every
                sample is the image's own at one place.
            outside: What the result holds where the image has no sample (NaN is none): a number, or ``"edge"``.

        Raises:
            InputError: An image of other dimension, or without a sample that is a number.
        """
        own = as_image(image)
        session = lent(self._session, None)
        warped, told = _veloxel.warp_image(session, self._own, own, interpolation, smooth, outside)
        tell(told)
        return Image._of(warped)

    def warp_labels(self, labels: Any, *, choice: str = "most-weight") -> np.ndarray:
        """Labels as seen from the fixed image, ``int32``, axes as the field's; 0 where the field leaves them.

        Args:
            labels: Whole numbers, ``(y, x)`` or ``(z, y, x)``, an image of them, or a path.
            choice: ``"most-weight"`` (smooth borders) or ``"nearest"``.

        Raises:
            InputError: Labels that are no whole numbers, or of other dimension.
        """
        array, place = labels_and_place(labels, "the label image")
        session = lent(self._session, None)
        flat, told = _veloxel.warp_labels(session, self._own, array, place, choice)
        tell(told)
        return flat.reshape(self._own.shape)

    def points(self, points: Any) -> np.ndarray:
        """Points of the fixed image, moved into the moving one.

        Args:
            points: Rows ``(x, y)`` in pixels for fields of pictures, rows ``(x, y, z)`` in LPS millimetres for volumes.

        Returns:
            An array of the same shape, ``float64``; NaN where the field is unknown or ends.

        Raises:
            InputError: Another number of columns.
        """
        axes = len(self._own.shape)
        rows = point_rows(points, axes)
        whole = np.zeros((len(rows), 3))
        whole[:, :axes] = rows
        moved = _veloxel.move_points(lent(self._session, None), self._own, whole).reshape(-1, 3)
        return moved[:, :axes].copy()

    @property
    def jacobian(self) -> Image:
        """The determinant of ``I + ∇d`` at every voxel, in the field's own axes: 1 keeps volume, 0 and less folds."""
        return Image._of(_veloxel.jacobian(lent(self._session, None), self._own)[0][1])

    @property
    def strain(self) -> dict[str, Image]:
        """The strain tensor's components (``"strain_xx"`` …) and the principal strains (``"principal_1"`` …), by name."""
        maps = _veloxel.strain(lent(self._session, None), self._own)
        return {name: Image._of(own) for name, own in maps}

    def plot(self, *, on: Any = None, plane: str | None = None, scale: float | None = None, key: bool = True) -> Picture:
        """The field in colours: hue is the direction, strength the length; of a volume one plane.

        Args:
            on: An image on the field's grid to draw it over, in grey, such as the fixed one.
            plane: ``"axial"``, ``"coronal"``, ``"sagittal"`` (each where most moves), or an axis with a voxel, ``"z=120"``; ``None``:
                axial.
            scale: The length with full colour, millimetres (of pictures without spacing pixels); ``None``: a round number that 99 % of
                the vectors do not exceed.
            key: Whether a strip below has the wheel of directions, the plane and the scale.

        Raises:
            InputError: A plane that there is not, or an image on another grid.
        """
        return field_picture(self._own, self._session, on, overlay=on is not None, plane=plane, scale=scale, key=key)

    def _facts(self) -> dict[str, str]:
        lengths = np.linalg.norm(self.array_mm, axis=-1)
        known = lengths[np.isfinite(lengths)]
        length = f"mean {known.mean():.3g}, largest {known.max():.3g} mm" if known.size else "unknown everywhere"
        return {"shape": str(self.shape), "spacing (z, y, x)": str(self.spacing_zyx), "length": length}

    def _picture(self) -> Picture:
        return self.plot()

    def to_sitk(self) -> Any:
        """The field as SimpleITK has it: vectors in LPS millimetres, ``float64``, for ``DisplacementFieldTransform``."""
        axes = len(self._own.shape)
        vectors = np.ascontiguousarray(self.array_mm[..., :axes], dtype=np.float64)
        return to_sitk(vectors, self._own.place, is_vector=True)

    def to_itk(self) -> Any:
        """The field as ITK has it: an image of vectors in LPS millimetres, ``float32``. Needs ITK."""
        axes = len(self._own.shape)
        return to_itk(self.array_mm[..., :axes], self._own.place, is_vector=True)

    def to_nibabel(self) -> Any:
        """The field as a NIfTI image with a vector of LPS millimetres for each voxel, as ITK writes it. Needs nibabel."""
        import nibabel

        vectors = self.array_mm.astype(np.float32)
        if vectors.ndim == 3:
            vectors = vectors[np.newaxis]
        image = nibabel.Nifti1Image(vectors.transpose(2, 1, 0, 3)[:, :, :, np.newaxis], ras_affine(self._own.place))
        image.header.set_intent("vector")
        return image

    def to_xarray(self) -> Any:
        """Displacements in voxels as a ``DataArray`` of xarray: the axes of an image, then ``component``. Needs xarray."""
        import xarray

        like = Image._again(np.zeros(self._own.shape, dtype=np.float32), self._own.place).to_xarray()
        coordinates = {**like.coords, "component": list("xyz"[: len(self._own.shape)])}
        return xarray.DataArray(self.array, dims=(*like.dims, "component"), coords=coordinates)

    def to_torch(self) -> Any:
        """Displacements in voxels as a tensor of PyTorch on the processor, a copy of its own. Needs PyTorch."""
        import torch

        return torch.from_numpy(np.ascontiguousarray(self.array))

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> None:
            raise AttributeError(missing(self, name, "displacements"))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the field in the format that the path's ending names: ``.nii.gz``, ``.mha``, ``.nrrd``, ``.flo``, ``.npy`` …"""
        from ._files import write

        write(path, self)

    def __repr__(self) -> str:
        return f"Field(shape={self.shape}, spacing_zyx={self.spacing_zyx})"


def _transform(own: Any) -> Transform:
    # Maps are made of fields, so their module needs this one first.
    from ._maps import Transform

    return Transform._of(own)


class FlowResult(ErrorMaps, Shown):
    """The flow of a pair, with its confidence and the account of the run.

    ``flow`` is the field with its place and ``field`` its array, ``confidence`` how certain each vector is, ``inverse`` the field back
    (of symmetric methods), ``transform`` the linear start, ``warped`` the warped moving image (where ``warped=`` asked for it), ``occlusion`` what is hidden in the moving
    image (of runs that began from matches); what there is not is ``None``.

    :func:`flow` makes it:

    >>> import veloxel
    >>> parts = veloxel.phantom("shift", (32, 40))
    >>> found = veloxel.flow(parts["fixed"], parts["moving"], preset="fast", device="cpu")
    >>> found.field.shape, found.confidence.shape, found.inverse is None
    ((32, 40, 2), (32, 40), True)
    """

    def __init__(self, found: Any, session: Session | None, fixed: Any = None) -> None:
        self._report: str = found.report
        self._errors: tuple[str, str] | None = found.errors
        self._fixed = None if fixed is None else Image._of(fixed)
        guide = found.fixed if found.fixed is not None else fixed
        self._guide = None if guide is None else Image._of(guide)
        self.flow = Field._of(found.field, session)
        self.inverse = None if found.inverse is None else Field._of(found.inverse, session)
        self.transform = None if found.transform is None else _transform(found.transform)
        self.confidence = Image._of(found.confidence)
        self.warped = None if found.warped is None else Image._of(found.warped)
        self.occlusion = None if found.occlusion is None else Image._of(found.occlusion)

    flow: Field
    """The field with its place; ``field`` is its array."""
    inverse: Field | None
    """The field back, from the moving image to the fixed one, on the moving image's grid: of symmetric methods, which find both
    together (``symmetric=True``, :func:`register`); :func:`invert` makes one of any other field."""
    transform: Transform | None
    """The linear map that the run began from, given or found first (``init="affine"`` and the like), from points of the fixed image's
    space to the moving one's, LPS millimetres (pixels where pictures have no place); its ``save`` writes it as ``.tfm``, ``.mat`` or
    ``.txt``. None where the run began from something else, of images without contrast, and of pictures that no 2-D transform
    describes: across the world's x and y, or of which one alone has a place."""
    confidence: Image
    """How certain each vector is, 0 to 1."""
    warped: Image | None
    """The moving image as seen from the fixed one, if it was asked for (``warped=``)."""
    occlusion: Image | None
    """1 where a voxel is hidden in the moving image; where the run began from matches."""

    @property
    def field(self) -> np.ndarray:
        """Displacements in voxels, ``(y, x, 2)`` or ``(z, y, x, 3)``, along x, y, z; NaN where unknown. It cannot be written:
        ``found.field.copy()`` can."""
        return self.flow.array

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        """As :attr:`field`, for ``numpy.asarray(found)``."""
        return self.flow.__array__(dtype, copy)

    @property
    def report(self) -> dict[str, Any]:
        """Device, times by stage (milliseconds), parameters in force, statistics of the field, warnings."""
        return json.loads(self._report)

    @property
    def jacobian(self) -> Image:
        """As :attr:`Field.jacobian`."""
        return self.flow.jacobian

    @property
    def strain(self) -> dict[str, Image]:
        """As :attr:`Field.strain`."""
        return self.flow.strain

    def warp(self, image: Any, **options: Any) -> Image:
        """As :meth:`Field.warp`."""
        return self.flow.warp(image, **options)

    def warp_labels(self, labels: Any, **options: Any) -> np.ndarray:
        """As :meth:`Field.warp_labels`."""
        return self.flow.warp_labels(labels, **options)

    def points(self, points: Sequence[Sequence[float]] | np.ndarray) -> np.ndarray:
        """As :meth:`Field.points`."""
        return self.flow.points(points)

    def plot(
        self, *, overlay: bool = False, plane: str | None = None, scale: float | None = None, key: bool = True
    ) -> Picture:
        """As :meth:`Field.plot`, in the plane in which most of the fixed image moves; with ``overlay`` over that image."""
        own, session = self.flow._own, self.flow._session
        return field_picture(own, session, self._fixed, overlay=overlay, plane=plane, scale=scale, key=key)

    def _picture(self) -> Picture:
        return self.plot()

    def _facts(self) -> dict[str, str]:
        report = self.report
        confidence = {"confidence": f"mean {float(np.mean(self.confidence.array)):.2f}"}
        times = {"time": f"{sum(stage['time_ms'] for stage in report['stages']):.1f} ms"} if report.get("stages") else {}
        return {**self.flow._facts(), **confidence, "device": str(report["device"]["name"]), **times}

    def to_sitk(self) -> Any:
        """As :meth:`Field.to_sitk`."""
        return self.flow.to_sitk()

    def to_itk(self) -> Any:
        """As :meth:`Field.to_itk`."""
        return self.flow.to_itk()

    def to_nibabel(self) -> Any:
        """As :meth:`Field.to_nibabel`."""
        return self.flow.to_nibabel()

    def to_xarray(self) -> Any:
        """As :meth:`Field.to_xarray`."""
        return self.flow.to_xarray()

    def to_torch(self) -> Any:
        """As :meth:`Field.to_torch`."""
        return self.flow.to_torch()

    def save(self, path: str | os.PathLike[str]) -> None:
        """As :meth:`Field.save`."""
        self.flow.save(path)

    def __repr__(self) -> str:
        return f"FlowResult({self.flow!r})"
