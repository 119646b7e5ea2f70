"""Files of every format that the command reads and writes."""

from __future__ import annotations

import json
import os
from typing import Any

import numpy as np

from . import _veloxel
from ._arguments import path_text
from ._images import Image, array_and_place, native
from ._meshes import Mesh
from ._results import Field, FlowResult
from ._session import lent
from ._warnings import tell

Path = str | os.PathLike[str]


def _session() -> Any:
    return lent(None, "cpu")


def read(path: Path, *, orient: bool = False) -> Image:
    """Reads an image: NIfTI, MetaImage, NRRD, DICOM (a file or a folder), PNG, TIFF, JPEG, NumPy and others.

    Args:
        path: The file, or the folder of DICOM files.
        orient: Turn a picture of JPEG or PNG as its EXIF data say; without it a warning tells of them.

    Raises:
        FileError: The file is not there, or is damaged; the text says where.
        UnsupportedError: A format or a variant of one that is not read.

    >>> import os, tempfile
    >>> import numpy as np
    >>> import veloxel
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "image.mha")
    ...     veloxel.write(path, veloxel.Image(np.zeros((4, 5)), spacing_zyx=(2, 1)))
    ...     veloxel.read(path)
    Image(shape=(4, 5), spacing_zyx=(2.0, 1.0))
    """
    own, told = _veloxel.read_image(_session(), path_text(path), orient)
    tell(told)
    return Image._of(own)


def read_field(path: Path) -> Field:
    """Reads a displacement field: of ITK (vectors in millimetres), ``.flo``, KITTI's PNG, NumPy and others.

    Raises:
        As :func:`read`.

    >>> import os, tempfile
    >>> import numpy as np
    >>> import veloxel
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "field.flo")
    ...     veloxel.write(path, veloxel.Field(np.full((4, 5, 2), 0.5)))
    ...     veloxel.read_field(path).array[0, 0].tolist()
    [0.5, 0.5]
    """
    own, told = _veloxel.read_field(_session(), path_text(path))
    tell(told)
    return Field._of(own, None)


def read_sequence(path: Path) -> list[Image]:
    """Reads the frames of a sequence: a file with a time axis, a folder, or a pattern such as ``"frames/*.png"``.

    Raises:
        As :func:`read`.

    >>> import os, tempfile
    >>> import numpy as np
    >>> import veloxel
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for nth in range(3):
    ...         veloxel.write(os.path.join(folder, f"frame_{nth}.mha"), veloxel.Image(np.full((4, 5), nth)))
    ...     [float(frame.array.mean()) for frame in veloxel.read_sequence(folder)]
    [0.0, 1.0, 2.0]
    """
    frames, _, told = _veloxel.read_sequence(_session(), path_text(path))
    tell(told)
    return [Image._of(own) for own in frames]


def read_labels(path: Path) -> np.ndarray:
    """Reads labels, whole numbers, as ``int32`` of axes ``(y, x)`` or ``(z, y, x)``.

    Raises:
        As :func:`read`; InputError for samples that are no whole numbers.

    >>> import os, tempfile
    >>> import numpy as np
    >>> import veloxel
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "labels.nii.gz")
    ...     veloxel.write(path, np.array([[0, 1], [2, 3]]))
    ...     veloxel.read_labels(path).tolist()
    [[0, 1], [2, 3]]
    """
    flat, place, told = _veloxel.read_labels(_session(), path_text(path))
    tell(told)
    return flat.reshape(place.shape)


def read_mesh(path: Path) -> Mesh:
    """Reads a surface: PLY, OBJ, OFF, STL, glTF, GLB, VTK and others.

    Raises:
        As :func:`read`.

    >>> import os, tempfile
    >>> import veloxel
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "triangle.off")
    ...     with open(path, "w", encoding="utf-8") as file:
    ...         _ = file.write("OFF\\n3 1 0\\n0 0 0\\n1 0 0\\n0 1 0\\n3 0 1 2\\n")
    ...     veloxel.read_mesh(path).points.shape
    (3, 3)
    """
    own, told = _veloxel.read_mesh(_session(), path_text(path))
    tell(told)
    return Mesh._of(own)


def write(path: Path, content: Any) -> None:
    """Writes an :class:`Image`, a :class:`Field`, a :class:`Transform`, or labels, in the format that the path's ending names: whole, or not at all.

    Args:
        path: Where to; a file of that name is replaced once the new one is whole.
        content: What to write; of a result of :func:`flow` its field. Arrays of whole numbers are labels, other arrays are images; without a place of their own they get
            spacing 1.

    Raises:
        FileError: The file cannot be written.
        UnsupportedError: The format does not hold such content.

    >>> import numpy as np, tempfile, os
    >>> import veloxel
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "image.nii.gz")
    ...     veloxel.write(path, veloxel.Image(np.ones((2, 3, 4)), spacing_zyx=(2, 1, 1)))
    ...     veloxel.read(path)
    Image(shape=(2, 3, 4), spacing_zyx=(2.0, 1.0, 1.0))
    """
    from ._maps import Transform

    if isinstance(content, (str, os.PathLike)):
        raise _veloxel.InputError("write takes the path first, then what is written there")
    if isinstance(content, FlowResult):
        content = content.flow
    if isinstance(content, Mesh):
        raise _veloxel.InputError("write takes an Image, a Field, a Transform, a result of flow, or labels; trimesh and others write meshes")
    own: Any
    if isinstance(content, (Field, Image, Transform)):
        own = content._own
    else:
        array, place = array_and_place(content, "what is written")
        array = native(array)
        own = (array, place) if array.dtype.kind in "iub" else _veloxel.Image(array, place)
    tell(_veloxel.write(_session(), path_text(path), own))


def info(path: Path) -> dict[str, Any]:
    """What a file's header says: format, kind, size, spacing, origin, direction, sample type, frames.

    Raises:
        As :func:`read`.

    >>> import os, tempfile
    >>> import numpy as np
    >>> import veloxel
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "image.mha")
    ...     veloxel.write(path, veloxel.Image(np.zeros((4, 5))))
    ...     veloxel.info(path)["size"]
    [5, 4, 1]
    """
    return json.loads(_veloxel.info(_session(), path_text(path)))
