"""Maps between spaces: linear transforms, inverses, several maps as one, and files as seen through a field."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from . import _veloxel
from ._arguments import numbers, path_text, point_rows
from ._images import Image, as_image
from ._results import Field, FlowResult
from ._session import Session, lent
from ._warnings import tell


class Transform:
    """A linear map from points of the fixed image's space to where they are found in the moving one's, as ITK's resampling has it.

    One of these says what the map is; a matrix without the name of its space is an error, since LPS and RAS differ in two signs.

    Args:
        transform: A path (``.tfm``, ``.mat``, ``.txt``), a linear transform of SimpleITK or ITK, or a :class:`Transform`.
        lps: A matrix ``(4, 4)`` for points ``(x, y, z, 1)`` in LPS millimetres (ITK, SimpleITK, ANTs, DICOM).
        ras: The same in RAS millimetres (nibabel, FreeSurfer, 3D Slicer's scene).
        xy: A matrix ``(3, 3)`` for points ``(x, y, 1)`` of pictures, in millimetres, or in pixels where pictures have no spacing.

    Raises:
        InputError: A matrix of another shape, one that is singular or mirrors, or one whose space is not said.
        FileError, UnsupportedError: As :func:`read`.

    >>> import numpy as np
    >>> import veloxel
    >>> shift = veloxel.Transform(lps=[[1, 0, 0, 5], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
    >>> shift.points([[1.0, 2.0, 3.0]]).tolist(), shift.inverse.points([[6.0, 2.0, 3.0]]).tolist()
    ([[6.0, 2.0, 3.0]], [[1.0, 2.0, 3.0]])
    """

    def __init__(self, transform: Any = None, *, lps: Any = None, ras: Any = None, xy: Any = None) -> None:
        given = {"transform": transform, "lps": lps, "ras": ras, "xy": xy}
        names = [name for name, value in given.items() if value is not None]
        if len(names) != 1:
            raise _veloxel.InputError(f"a transform is one of a file, lps=, ras= or xy=, not {len(names)} of them")
        self._own: _veloxel.Transform
        if transform is not None:
            self._own = _given(transform)
        else:
            self._own = _of_matrix(given[names[0]], names[0])

    @classmethod
    def _of(cls, own: Any) -> Transform:
        transform = cls.__new__(cls)
        transform._own = own
        return transform

    @classmethod
    def _again(cls, axes: int, matrix: Any, offset: Any) -> Transform:
        return cls._of(_veloxel.Transform(axes, matrix, offset))

    def __reduce__(self) -> tuple[Any, ...]:
        """Transforms are pickled and copied with all their digits."""
        return Transform._again, (self._own.axes, self._own.matrix, self._own.offset)

    @property
    def matrix(self) -> np.ndarray:
        """The map as a matrix, ``float64``: ``(4, 4)`` in LPS millimetres, or ``(3, 3)`` for points ``(x, y, 1)`` of pictures."""
        axes = self._own.axes
        matrix = np.eye(axes + 1)
        matrix[:axes, :axes] = np.array(self._own.matrix)[:axes, :axes]
        matrix[:axes, axes] = self._own.offset[:axes]
        return matrix

    @property
    def inverse(self) -> Transform:
        """The way back."""
        own, _ = _veloxel.invert(lent(None, "cpu"), self._own)
        return Transform._of(own)

    def points(self, points: Any) -> np.ndarray:
        """Where points go, an array of the same shape, ``float64``.

        Args:
            points: Rows ``(x, y, z)`` in LPS millimetres, rows ``(x, y)`` of pictures.

        Raises:
            InputError: Another number of columns.
        """
        axes = self._own.axes
        rows = point_rows(points, axes)
        whole = np.zeros((len(rows), 3))
        whole[:, :axes] = rows
        return self._own.apply(whole).reshape(-1, 3)[:, :axes].copy()

    def to_sitk(self) -> Any:
        """The map as an ``AffineTransform`` of SimpleITK. Needs SimpleITK."""
        import SimpleITK

        axes = self._own.axes
        transform = SimpleITK.AffineTransform(axes)
        transform.SetMatrix(self.matrix[:axes, :axes].ravel().tolist())
        transform.SetTranslation(self.matrix[:axes, axes].tolist())
        return transform

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the transform: ``.tfm`` as ITK's, ``.mat`` as a 4×4 matrix in RAS, ``.txt`` as one in LPS that says so."""
        from ._files import write

        write(path, self)

    def __repr__(self) -> str:
        return f"Transform({self.matrix.tolist()})"


def _of_matrix(matrix: Any, name: str) -> Any:
    """The extension's transform of a homogeneous matrix in a named space."""
    rows = numbers(matrix, f"{name}=")
    if not np.isfinite(rows).all():
        raise _veloxel.InputError(f"{name}= holds numbers that are not finite")
    axes = 2 if name == "xy" else 3
    if rows.shape != (axes + 1, axes + 1):
        raise _veloxel.InputError(f"{name}= is a matrix {(axes + 1, axes + 1)}, this array has the shape {rows.shape}")
    if rows[axes].tolist() != [0.0] * axes + [1.0]:
        raise _veloxel.InputError(f"the last row of {name}= is {[0] * axes + [1]} in a linear map, not {rows[axes].tolist()}")
    if name == "ras":
        # Both of the map's spaces have x and y the other way round.
        signs = np.array([-1.0, -1.0, 1.0, 1.0])
        rows = signs[:, np.newaxis] * rows * signs
    return _padded(axes, rows[:axes, :axes], rows[:axes, axes])


def _padded(axes: int, matrix: np.ndarray, offset: np.ndarray) -> Any:
    """The extension's transform of a matrix and an offset of two or three axes."""
    whole, shift = np.eye(3), np.zeros(3)
    whole[:axes, :axes], shift[:axes] = matrix, offset
    return _veloxel.Transform(axes, whole.tolist(), shift.tolist())


def _given(transform: Any) -> Any:
    """The extension's transform of a path, or of a transform of another library."""
    if isinstance(transform, Transform):
        return transform._own
    if isinstance(transform, (str, os.PathLike)):
        return read_transform(transform)._own
    if is_foreign(transform):
        return _of_points(transform)
    if isinstance(transform, (np.ndarray, list, tuple)):
        text = "a matrix does not say which axes it is for: give Transform(lps=…) or Transform(ras=…), of pictures Transform(xy=…)"
        raise _veloxel.InputError(text)
    raise _veloxel.InputError(f"{type(transform).__name__} is no linear transform: a path, a Transform, or one of SimpleITK is")


def is_foreign(transform: Any) -> bool:
    """Whether an object is a transform of SimpleITK or ITK."""
    return hasattr(transform, "TransformPoint") and hasattr(transform, "IsLinear")


def _of_points(transform: Any) -> Any:
    """A linear transform of SimpleITK or ITK by where it leads the origin and the ends of the axes."""
    if not transform.IsLinear():
        name = transform.GetName() if hasattr(transform, "GetName") else type(transform).__name__
        raise _veloxel.InputError(f"a {name} is no linear transform: give its field as an image of vectors, veloxel.Field(…)")
    axes = int(transform.GetDimension() if hasattr(transform, "GetDimension") else transform.GetInputSpaceDimension())
    ends = [list(transform.TransformPoint([float(a == axis) for a in range(axes)])) for axis in range(-1, axes)]
    offset = np.array(ends[0])
    return _padded(axes, np.array(ends[1:]).T - offset[:, np.newaxis], offset)


def read_transform(path: str | os.PathLike[str]) -> Transform:
    """Reads a linear transform: ITK's and 3D Slicer's ``.tfm``, ``.txt`` and ``.mat``, of ANTs too, and 4×4 matrices as texts.

    Raises:
        As :func:`read`; UnsupportedError for fields, splines and the files of other programs, by name.

    >>> import os, tempfile
    >>> import numpy as np
    >>> import veloxel
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "turn.tfm")
    ...     veloxel.write(path, veloxel.Transform(lps=np.diag([1.0, 2.0, 1.0, 1.0])))
    ...     veloxel.read_transform(path).matrix[1].tolist()
    [0.0, 2.0, 0.0, 0.0]
    """
    own, told = _veloxel.read_transform(lent(None, "cpu"), path_text(path))
    tell(told)
    return Transform._of(own)


def as_map(given: Any, owner: Any = None) -> Any:
    """The extension's field or transform of anything that holds one; an array lies where ``owner``, one of its images, does."""
    if isinstance(given, (Field, Transform)):
        return given._own
    if isinstance(given, FlowResult):
        return given.flow._own
    if isinstance(given, (str, os.PathLike)):
        return read_transform(given)._own if _veloxel.is_named_transform(path_text(given)) else Field(given)._own
    if owner is not None and isinstance(given, np.ndarray):
        return Field(given, like=Image._of(owner))._own
    return _of_points(given) if is_foreign(given) else Field(given)._own


def _wrapped(own: Any) -> Field | Transform:
    return Transform._of(own) if isinstance(own, _veloxel.Transform) else Field._of(own, None)


def _grid(grid: Any) -> Any:
    return None if grid is None else as_image(grid, "the image of the grid")


def invert(field: Any, *, grid: Any = None) -> Field | Transform:
    """The way back of a field or a transform: where ``field`` leads from x to y, the result leads from y to x.

    Args:
        field: A :class:`Field`, a result of :func:`flow`, a :class:`Transform`, an array of voxels ``(…, 2)`` or ``(…, 3)``, or a
            path.
        grid: An image on whose grid the result lies, such as the moving one; ``None``: the field's own.

    Returns:
        A :class:`Field`, to 0.0001 voxel, NaN where nothing inside of the field's grid leads; a :class:`Transform` of a transform
        without ``grid``.

    Raises:
        InputError: A field that folds, with the count of its folded cells; a grid of other dimension.

    >>> import numpy as np
    >>> import veloxel
    >>> back = veloxel.invert(np.full((6, 8, 2), [1.0, 0.0]))
    >>> back.array[3, 4].tolist(), bool(np.isnan(back.array[3, 0, 0]))
    ([-1.0, 0.0], True)
    """
    own, told = _veloxel.invert(lent(None, "cpu"), as_map(field), _grid(grid))
    tell(told)
    return _wrapped(own)


def compose(*maps: Any, grid: Any = None) -> Field | Transform:
    """Several fields and transforms as one: ``x → last(… first(x))``.

    Args:
        *maps: The maps, each as :func:`invert` takes it; the first one leads from the fixed image's space, the last one into the
            moving one's.
        grid: An image on whose grid the result lies; needed where a transform comes first and a field follows.

    Returns:
        A :class:`Transform` if all maps are and there is no ``grid``, else a :class:`Field` on the grid of the first one; NaN where the
        way leads out of a field.

    Raises:
        InputError: No map, maps of several dimensions, no grid, or no voxel with a way through all maps.

    >>> import numpy as np
    >>> import veloxel
    >>> there = np.full((6, 8, 2), [1.0, 0.5])
    >>> veloxel.compose(there, there).array[2, 2].tolist()
    [2.0, 1.0]
    """
    own, told = _veloxel.compose(lent(None, "cpu"), [as_map(given) for given in maps], _grid(grid))
    tell(told)
    return _wrapped(own)


def invert_files(
    field: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    grid: str | os.PathLike[str] | None = None,
    session: Session | None = None,
) -> None:
    """Writes the way back of a field or a transform, as ``veloxel invert`` does.

    Fields of volumes need not fit into memory: where a session on the processor has a ``max_memory`` that field and result do not fit
    into, and ``out`` is a folder named ``.ome.zarr``, files in OME-Zarr, or in NIfTI, MetaImage or NRRD without compression, are read in
    parts, and the result is written so, with the bits of a result in memory. A run that was ended goes on when it is called again with the
    same arguments.

    Args:
        field: The file of a field, or of a transform.
        out: Where the way back goes.
        grid: An image on whose grid it lies; ``None``: the field's own.
        session: Whose memory is bounded.

    Raises:
        InputError, OutOfMemoryError, FileError: As :func:`invert`; the text says what is wrong.

    >>> import os, tempfile
    >>> import numpy as np
    >>> import veloxel
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     field, out = (os.path.join(folder, name) for name in ("field.mha", "back.mha"))
    ...     veloxel.write(field, veloxel.Field(np.full((2, 4, 6, 3), 0.5)))
    ...     veloxel.invert_files(field, out)
    ...     veloxel.read_field(out).array[1, 2, 3].tolist()
    [-0.5, -0.5, -0.5]
    """
    tell(_veloxel.invert_files(lent(session, None if session else "cpu"), _map_files([field], out, grid)))


def compose_files(
    *maps: str | os.PathLike[str],
    out: str | os.PathLike[str],
    grid: str | os.PathLike[str] | None = None,
    session: Session | None = None,
) -> None:
    """Writes several fields and transforms as one, as ``veloxel compose`` does; they need not fit into memory, as of :func:`invert_files`.

    Args:
        *maps: The files of fields and transforms, the first one first.
        out: Where the result goes: a transform if all are and there is no ``grid``, else a field.
        grid: An image on whose grid the field lies; needed where a transform comes first and a field follows.
        session: Whose memory is bounded.

    Raises:
        InputError, OutOfMemoryError, FileError: As :func:`compose`; the text says what is wrong.

    >>> import os, tempfile
    >>> import numpy as np
    >>> import veloxel
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     field, out = (os.path.join(folder, name) for name in ("field.mha", "twice.mha"))
    ...     veloxel.write(field, veloxel.Field(np.full((2, 4, 6, 3), [1.0, 0.5, 0.0])))
    ...     veloxel.compose_files(field, field, out=out)
    ...     veloxel.read_field(out).array[1, 2, 3].tolist()
    [2.0, 1.0, 0.0]
    """
    tell(_veloxel.compose_files(lent(session, None if session else "cpu"), _map_files(list(maps), out, grid)))


def _map_files(
    maps: list[str | os.PathLike[str]], out: str | os.PathLike[str], grid: str | os.PathLike[str] | None
) -> dict[str, Any]:
    where = None if grid is None else os.fspath(grid)
    return {"maps": [os.fspath(path) for path in maps], "grid": where, "out": os.fspath(out)}


def warp_files(
    field: str | os.PathLike[str],
    image: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    interpolation: str = "linear",
    smooth: bool = False,
    outside: float | str = 0.0,
    device: str | None = None,
    session: Session | None = None,
) -> None:
    """Writes an image as seen through a field, ``out(x) = image(x + d(x))``, as ``veloxel warp image`` does.

    Volumes need not fit into memory: where a session on the processor has a ``max_memory`` that field and image do not fit into, and
    ``out`` is a folder named ``.ome.zarr``, files in OME-Zarr, or in NIfTI, MetaImage or NRRD without compression, are read in parts, and
    the result is written so, with the bits of a result in memory. A run that was ended goes on when it is called again with the same
    arguments.

    Args:
        field, image: The files of the field, and of what it moves.
        out: Where the result goes, on the field's grid.
        interpolation, smooth, outside: As of :meth:`Field.warp`; in parts nothing is smoothed.
        device, session: As of :func:`flow`.

    Raises:
        InputError, ParameterError, OutOfMemoryError, DeviceError, FileError: The text says what is wrong.

    >>> import os, tempfile
    >>> import numpy as np
    >>> import veloxel
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     field, image, out = (os.path.join(folder, name) for name in ("field.mha", "image.mha", "out.mha"))
    ...     veloxel.write(image, np.arange(48.0).reshape(2, 4, 6))
    ...     veloxel.write(field, veloxel.Field(np.ones((2, 4, 6, 3))))
    ...     veloxel.warp_files(field, image, out, device="cpu")
    ...     veloxel.read(out).array[0, 0].tolist()
    [31.0, 32.0, 33.0, 34.0, 35.0, 0.0]
    """
    files = _paths(field, image, out)
    tell(_veloxel.warp_image_files(lent(session, device), files, interpolation, smooth, outside))


def warp_labels_files(
    field: str | os.PathLike[str],
    labels: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    choice: str = "most-weight",
    device: str | None = None,
    session: Session | None = None,
) -> None:
    """Writes labels as seen through a field, as ``veloxel warp labels`` does; they need not fit into memory, as of :func:`warp_files`.

    Args:
        field, labels: The files of the field, and of what it moves.
        out: Where the result goes, on the field's grid.
        choice: As of :meth:`Field.warp_labels`.
        device, session: As of :func:`flow`.

    Raises:
        InputError, ParameterError, OutOfMemoryError, DeviceError, FileError: The text says what is wrong.

    >>> import os, tempfile
    >>> import numpy as np
    >>> import veloxel
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     field, labels, out = (os.path.join(folder, name) for name in ("field.mha", "labels.mha", "out.mha"))
    ...     veloxel.write(labels, np.repeat([[[1, 1, 7, 7, 9, 9]]], 4, axis=1).repeat(2, axis=0))
    ...     veloxel.write(field, veloxel.Field(np.ones((2, 4, 6, 3))))
    ...     veloxel.warp_labels_files(field, labels, out, device="cpu")
    ...     veloxel.read_labels(out)[0, 0].tolist()
    [1, 7, 7, 9, 9, 0]
    """
    tell(_veloxel.warp_labels_files(lent(session, device), _paths(field, labels, out), choice))


def _paths(
    field: str | os.PathLike[str], moved: str | os.PathLike[str], out: str | os.PathLike[str]
) -> dict[str, str]:
    return {"field": os.fspath(field), "input": os.fspath(moved), "out": os.fspath(out)}
