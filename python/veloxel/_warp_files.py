"""Fields of files, applied to images and labels of files, which need not fit into memory."""

from __future__ import annotations

import os

from . import _veloxel
from ._session import Session, lent
from ._warnings import tell


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
    the result is written so, with the bits of a result in memory.

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
    """
    tell(_veloxel.warp_labels_files(lent(session, device), _paths(field, labels, out), choice))


def _paths(
    field: str | os.PathLike[str], moved: str | os.PathLike[str], out: str | os.PathLike[str]
) -> dict[str, str]:
    return {"field": os.fspath(field), "input": os.fspath(moved), "out": os.fspath(out)}
