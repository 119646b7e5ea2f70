"""Images of other libraries, by what they can do: none of these libraries is imported here."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _veloxel
from ._arguments import direction_rows, in_xyz, missing, plain_array, refuse_bare, refuse_colours, refuse_gpu

#: ``(spacing, origin, direction)``: millimetres and LPS axes, in the order x, y, z; ``None`` where nothing is known.
Place = tuple[Any, Any, Any]
_NOWHERE: Place = (None, None, None)


class Image:
    """Samples of an image with their place in space.

    Calls take arrays and images of other libraries as they are; make an ``Image`` to say where an array lies, or to use one image
    several times. It is what results come as: ``np.asarray(image)`` or ``image.array`` are its samples, without a copy.

    Args:
        image: An array of axes ``(y, x)`` or ``(z, y, x)``, of any type of number; a path; or an image of SimpleITK, ITK, nibabel,
            PIL, xarray, MONAI or a tensor.
        spacing_zyx, spacing_xyz: Millimetres between neighbours, in the order that the name says: one of both.
        origin_zyx, origin_xyz: The position of the first voxel, LPS millimetres.
        direction: Three rows; column ``a`` is the direction of axis ``a`` of ``x, y, z``, as ITK has it.
        spacing, origin: Refused: nobody sees their order.

    Samples of a masked array that are masked are NaN. An array ``(y, x, 3)`` or ``(y, x, 4)`` is refused as a picture in colour; three
    numbers of a spacing say that it is a volume.

    Raises:
        InputError: Samples that are no numbers, another number of axes, colours, a place that is impossible or given twice.

    >>> import numpy as np
    >>> import veloxel
    >>> image = veloxel.Image(np.zeros((3, 4, 5)), spacing_zyx=(2.5, 1, 1))
    >>> image.shape, image.spacing_zyx
    ((3, 4, 5), (2.5, 1.0, 1.0))
    """

    def __init__(
        self,
        image: Any,
        *,
        spacing_zyx: Any = None,
        spacing_xyz: Any = None,
        origin_zyx: Any = None,
        origin_xyz: Any = None,
        direction: Any = None,
        spacing: None = None,
        origin: None = None,
    ) -> None:
        refuse_bare(spacing=spacing, origin=origin)
        given = spacing_zyx if spacing_xyz is None else spacing_xyz
        own = as_image(image, is_volume=hasattr(given, "__len__") and len(given) == 3)
        spaced = in_xyz("spacing", spacing_zyx, spacing_xyz, len(own.shape))
        begun = in_xyz("origin", origin_zyx, origin_xyz, len(own.shape))
        if spaced is not None or begun is not None or direction is not None:
            known = own.place
            turned = known[2] if direction is None else direction_rows(direction)
            place = (known[0] if spaced is None else spaced, known[1] if begun is None else begun, turned)
            own = _veloxel.Image(_samples(own), place)
        self._own = own

    @classmethod
    def _of(cls, own: Any) -> Image:
        image = cls.__new__(cls)
        image._own = own
        return image

    @classmethod
    def _again(cls, array: np.ndarray, place: Place) -> Image:
        return cls._of(_veloxel.Image(array, place))

    def __reduce__(self) -> tuple[Any, ...]:
        """Images are pickled and copied with their samples and their place."""
        return Image._again, (np.array(self.array), self._own.place)

    @property
    def array(self) -> np.ndarray:
        """The samples, ``float32``, axes ``(y, x)`` or ``(z, y, x)``; a view that cannot be written."""
        return _samples(self._own)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        array = self.array if dtype is None else self.array.astype(dtype, copy=False)
        return array.copy() if copy else array

    def __dlpack__(self, **options: Any) -> Any:
        """The samples for another library, ``torch.from_dlpack(image)``: without a copy for consumers of DLPack 1.0, which know that they
        must not be written; a copy for older ones."""
        return exported(self.array, options)

    def __dlpack_device__(self) -> tuple[int, int]:
        """The memory of the host."""
        return 1, 0

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of voxels along ``(y, x)`` or ``(z, y, x)``."""
        return tuple(self._own.shape)

    @property
    def spacing_zyx(self) -> tuple[float, ...]:
        """Millimetres between neighbours along the array's axes."""
        return tuple(reversed(self._own.place[0][: len(self.shape)]))

    @property
    def origin_xyz(self) -> tuple[float, float, float]:
        """The position of the first voxel, LPS millimetres."""
        return tuple(self._own.place[1])

    @property
    def direction(self) -> np.ndarray:
        """The direction matrix, ``(3, 3)``: column ``a`` is the direction of axis ``a`` of ``x, y, z``."""
        return np.array(self._own.place[2])

    def to_sitk(self) -> Any:
        """The image as one of SimpleITK, with its place. Needs SimpleITK."""
        return to_sitk(self.array, self._own.place, is_vector=False)

    def to_itk(self) -> Any:
        """The image as one of ITK, with its place. Needs ITK."""
        return to_itk(self.array, self._own.place, is_vector=False)

    def to_nibabel(self) -> Any:
        """The image as a ``Nifti1Image`` of nibabel, with its place in RAS. Needs nibabel."""
        import nibabel

        return nibabel.Nifti1Image(np.asarray(self.array.T), ras_affine(self._own.place))

    def to_xarray(self) -> Any:
        """The image as a ``DataArray`` of xarray, with coordinates in millimetres along each axis. Needs xarray."""
        import xarray

        names = "zyx"[-self.array.ndim :]
        origin = list(reversed(self.origin_xyz[: self.array.ndim]))
        along = zip(names, origin, self.spacing_zyx, self.shape, strict=True)
        coordinates = {name: first + step * np.arange(count) for name, first, step, count in along}
        return xarray.DataArray(self.array, dims=tuple(names), coords=coordinates)

    def to_torch(self) -> Any:
        """The samples as a tensor of PyTorch on the processor, a copy of its own. Needs PyTorch."""
        import torch

        return torch.from_numpy(self.array.copy())

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> None:
            raise AttributeError(missing(self, name, "samples"))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the image in the format that the path's ending names."""
        from ._files import write

        write(path, self)

    def __repr__(self) -> str:
        return f"Image(shape={self.shape}, spacing_zyx={self.spacing_zyx})"


def _samples(own: Any) -> np.ndarray:
    return own.samples().reshape(own.shape)


def as_image(image: Any, what: str = "the image", *, is_volume: bool = False) -> Any:
    """The extension's image of anything that holds one; ``is_volume``: an array ``(…, 3)`` is known to be no picture in colour."""
    if isinstance(image, Image):
        return image._own
    if isinstance(image, (str, os.PathLike)):
        from ._files import read

        return read(image)._own
    array, place = array_and_place(image, what)
    if place is _NOWHERE and not is_volume:
        is_tensor = not isinstance(image, np.ndarray) and hasattr(image, "__dlpack_device__")
        refuse_colours(array, what, channels_first=is_tensor)
    return _veloxel.Image(native(array), place)


def as_images(images: Iterable[Any], names: Iterable[str]) -> list[Any]:
    """The extension's images of one run: either all of them have a place, or none, since arrays do not say where they lie."""
    own, placed, bare = [], "", ""
    for image, name in zip(images, names, strict=True):
        own.append(as_image(image, name))
        says_nothing = isinstance(image, np.ndarray)
        placed, bare = (placed, bare or name) if says_nothing else (placed or name, bare)
    if placed and bare and any(image.place != own[0].place for image in own):
        raise _veloxel.InputError(
            f"{placed} has a place in the world and {bare} is an array without one: give it as veloxel.Image(array, spacing_zyx=…, "
            "origin_zyx=…, direction=…), or the arrays of both"
        )
    return own


def as_image_beside(image: Any, owner: Any, what: str) -> Any:
    """The extension's image of a mask, weights or labels that belong to ``owner``, which is one of the extension's: an array without
    a place of its own lies where that does, and has its shape. ``None`` stays."""
    if image is None:
        return None
    if owner is None or isinstance(image, (Image, str, os.PathLike)):
        return as_image(image, what)
    array, place = array_and_place(image, what)
    if place is _NOWHERE:
        if tuple(array.shape) != tuple(owner.shape):
            raise _veloxel.InputError(
                f"{what} has the shape {tuple(array.shape)} and no place of its own, the image that it belongs to has {tuple(owner.shape)}"
            )
        place = owner.place
    return _veloxel.Image(native(array), place)


def array_and_place(image: Any, what: str = "the image") -> tuple[np.ndarray, Place]:
    """The samples ``(z, y, x)`` of a foreign image, and its place."""
    if isinstance(image, Image):
        return image.array, image._own.place
    kind = type(image).__module__.split(".")[0]
    if hasattr(image, "GetDirection") and hasattr(image, "GetSpacing"):
        return _from_itk(image, kind, what)
    if hasattr(image, "affine") and hasattr(image, "dataobj"):
        if image.affine is None:
            raise _veloxel.InputError(f"{what} is of nibabel and has no affine: it does not say where it lies; give its array, or an affine")
        return _from_affine(np.asanyarray(image.dataobj), np.asarray(image.affine))
    if kind == "monai" and hasattr(image, "affine"):
        samples = tensor_array(image, what)
        # Channels come first, also those of pictures.
        if samples.ndim in (3, 4) and samples.shape[0] == 1:
            samples = samples[0]
        refuse_colours(samples, what, channels_first=True)
        return _from_affine(samples, np.asarray(image.affine))
    if hasattr(image, "dims") and hasattr(image, "coords"):
        return _from_xarray(image)
    if kind == "PIL":
        grey = image if image.mode in ("L", "I", "F", "I;16", "1") else image.convert("L")
        return np.asarray(grey), _NOWHERE
    if hasattr(image, "scale") and hasattr(image, "translation") and hasattr(image, "data") and hasattr(image, "dims"):
        return _from_ngff(image)
    if not isinstance(image, np.ndarray) and hasattr(image, "__dlpack_device__"):
        return tensor_array(image, what), _NOWHERE
    return plain_array(image, what), _NOWHERE


def tensor_array(tensor: Any, what: str) -> np.ndarray:
    """The samples of a tensor of PyTorch, JAX, CuPy or another library that speaks DLPack, without a copy.

    Raises:
        InputError: A tensor in a GPU's memory.
    """
    refuse_gpu(tensor, what)
    if hasattr(tensor, "detach"):
        tensor = tensor.detach()
    # NumPy has no such type; these numbers are a part of float32's.
    if str(getattr(tensor, "dtype", "")) in ("torch.bfloat16", "bfloat16"):
        tensor = tensor.float() if hasattr(tensor, "float") else tensor.astype("float32")
    try:
        return np.from_dlpack(tensor)
    except (BufferError, RuntimeError, TypeError):
        # Tensors that cannot be written, of libraries that have no word for that.
        return np.asarray(tensor)


def exported(array: np.ndarray, options: dict[str, Any]) -> Any:
    """A result's samples as a capsule of DLPack: a view for those that know of samples which must not be written, else a copy."""
    newest = options.get("max_version")
    wants_view = options.get("copy") is not True and newest is not None and newest >= (1, 0)
    if wants_view:
        try:
            return array.__dlpack__(**options)
        except (BufferError, TypeError):
            # NumPy before 2.1 hands no such samples out.
            pass
    if options.get("copy") is False:
        raise BufferError("the samples of a result must not be written: a view is for consumers of DLPack 1.0 and newer")
    return array.copy().__dlpack__(stream=options.get("stream"))


def labels_and_place(labels: Any, what: str) -> tuple[np.ndarray, Place]:
    """The whole numbers ``(z, y, x)`` of anything that holds labels, a path too, and their place."""
    if isinstance(labels, (str, os.PathLike)):
        labels = Image(labels)
    array, place = array_and_place(labels, what)
    # The extension refuses floats that are no whole numbers.
    return native(array.astype(np.float64) if array.dtype == np.longdouble else array), place


def native(array: np.ndarray) -> np.ndarray:
    """The same samples, aligned, in a type that the extension takes: in either byte order."""
    if array.dtype == np.longdouble and array.dtype.itemsize > 8:
        return array.astype(np.float32)
    # Arrays out of messages and files that are mapped may begin anywhere.
    return array if array.flags.aligned else array.copy()


def _from_itk(image: Any, kind: str, what: str) -> tuple[np.ndarray, Place]:
    """An image of SimpleITK or ITK: both say where they lie in the same words."""
    if kind == "itk" or "itk" in sys.modules and type(image).__name__.startswith("itkImage"):
        import itk

        array = itk.array_from_image(image)
        direction = itk.array_from_matrix(image.GetDirection())
    else:
        import SimpleITK

        if image.GetNumberOfComponentsPerPixel() != 1:
            raise _veloxel.InputError(f"{what} has several numbers a voxel: veloxel.Field takes a field")
        array = SimpleITK.GetArrayFromImage(image)
        direction = np.asarray(image.GetDirection())
    spacing = in_xyz("spacing", None, list(image.GetSpacing()))
    origin = in_xyz("origin", None, list(image.GetOrigin()))
    return array, (spacing, origin, direction_rows(direction))


def is_vector_image(image: Any) -> bool:
    """Whether an object is an image of SimpleITK or ITK with several numbers a voxel."""
    return hasattr(image, "GetDirection") and hasattr(image, "GetSpacing") and image.GetNumberOfComponentsPerPixel() > 1


def placed_vectors(image: Any) -> tuple[np.ndarray, Place]:
    """The components of an image of vectors, each on the image's axes, as an array of three, LPS millimetres; and its place."""
    kind = type(image).__module__.split(".")[0]
    if kind == "SimpleITK":
        import SimpleITK

        array, direction = SimpleITK.GetArrayFromImage(image), np.asarray(image.GetDirection())
    else:
        import itk

        array, direction = itk.array_from_image(image), itk.array_from_matrix(image.GetDirection())
    axes = array.ndim - 1
    if array.shape[-1] != axes:
        raise _veloxel.InputError(f"a field on {axes} axes has vectors of {axes} numbers, this one has {array.shape[-1]}")
    whole = np.zeros((3, *array.shape[:-1]))
    whole[:axes] = np.moveaxis(array, -1, 0)
    spacing = in_xyz("spacing", None, list(image.GetSpacing()))
    origin = in_xyz("origin", None, list(image.GetOrigin()))
    return whole, (spacing, origin, direction_rows(direction))


def _from_affine(samples: np.ndarray, affine: np.ndarray) -> tuple[np.ndarray, Place]:
    """Samples of axes x, y, z with an affine map to RAS millimetres, as nibabel has them."""
    if samples.ndim not in (2, 3):
        raise _veloxel.InputError(f"an image has axes (x, y, z) here, this one has the shape {samples.shape}")
    return samples.T, place_of_affine(affine)


def place_of_affine(affine: np.ndarray) -> Place:
    """Where a map from voxels x, y, z to RAS millimetres puts an image."""
    to_lps = np.diag([-1.0, -1.0, 1.0])
    columns = to_lps @ affine[:3, :3]
    spacing = np.linalg.norm(columns, axis=0)
    direction = columns / np.where(spacing > 0, spacing, 1.0)
    origin = to_lps @ affine[:3, 3]
    return spacing.tolist(), origin.tolist(), direction.tolist()


def ras_affine(place: Place) -> np.ndarray:
    """The map from voxels x, y, z to RAS millimetres."""
    spacing, origin, direction = (np.asarray(part, dtype=float) for part in place)
    affine = np.eye(4)
    affine[:3, :3] = direction * spacing
    affine[:3, 3] = origin
    return np.diag([-1.0, -1.0, 1.0, 1.0]) @ affine


def _from_xarray(image: Any) -> tuple[np.ndarray, Place]:
    """A DataArray whose axes are named x, y and z; coordinates that are evenly spaced say where they lie."""
    if hasattr(image, "data_vars"):
        raise _veloxel.InputError("a Dataset of xarray holds several arrays: give one of them, dataset[name]")
    names = [name for name in ("z", "y", "x") if name in image.dims]
    if sorted(map(str, image.dims)) != sorted(names) or len(names) < 2:
        raise _veloxel.InputError(f"an image has the axes y and x, or z, y and x; this one has {tuple(image.dims)}")
    ordered = image.transpose(*names)
    spacing, origin = [1.0, 1.0, 1.0], [0.0, 0.0, 0.0]
    for name in names:
        if name in ordered.coords and ordered.sizes[name] > 1:
            values = np.asarray(ordered.coords[name], dtype=float)
            steps = np.diff(values)
            if not np.allclose(steps, steps[0], rtol=1e-3) or steps[0] <= 0:
                raise _veloxel.InputError(f"the coordinates along {name} do not rise in even steps")
            axis = "xyz".index(name)
            spacing[axis], origin[axis] = float(steps.mean()), float(values[0])
    return np.asarray(ordered.values), (spacing, origin, None)


def _from_ngff(image: Any) -> tuple[np.ndarray, Place]:
    """An NgffImage: scales and translations by the names of its axes."""
    names = [str(name) for name in image.dims]
    array = np.asarray(image.data)
    kept = [nth for nth, name in enumerate(names) if name in "zyx"]
    wrong = [names[nth] for nth in range(len(names)) if nth not in kept and array.shape[nth] != 1]
    if wrong:
        raise _veloxel.InputError(f"the axis {wrong[0]} has several entries: choose one of them")
    array = array.reshape([array.shape[nth] for nth in kept])
    at = [names[nth] for nth in kept]
    spacing = in_xyz("spacing", [image.scale.get(name, 1.0) for name in at], None)
    origin = in_xyz("origin", [image.translation.get(name, 0.0) for name in at], None)
    return array, (spacing, origin, None)


def to_sitk(array: np.ndarray, place: Place, *, is_vector: bool) -> Any:
    """An array with its place as an image of SimpleITK."""
    import SimpleITK

    axes = array.ndim - int(is_vector)
    image = SimpleITK.GetImageFromArray(np.ascontiguousarray(array), isVector=is_vector)
    spacing, origin, direction = place
    image.SetSpacing([float(v) for v in spacing[:axes]])
    image.SetOrigin([float(v) for v in origin[:axes]])
    image.SetDirection([float(direction[row][column]) for row in range(axes) for column in range(axes)])
    return image


def to_itk(array: np.ndarray, place: Place, *, is_vector: bool) -> Any:
    """An array with its place as an image of ITK."""
    import itk

    axes = array.ndim - int(is_vector)
    if is_vector:
        kind = itk.Image[itk.Vector[itk.F, axes], axes]
        image = itk.image_from_array(np.ascontiguousarray(array, dtype=np.float32), ttype=(kind,))
    else:
        image = itk.image_from_array(np.ascontiguousarray(array))
    spacing, origin, direction = place
    image.SetSpacing([float(v) for v in spacing[:axes]])
    image.SetOrigin([float(v) for v in origin[:axes]])
    image.SetDirection(itk.matrix_from_array(np.array(direction, dtype=float)[:axes, :axes].copy()))
    return image
