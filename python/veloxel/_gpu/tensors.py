"""Tensors of other libraries in a GPU's memory, by what they can do: none of these libraries is imported here."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _veloxel
from .._arguments import direction_rows, in_xyz, plain_array, refuse_colours
from .._images import Image, Place, as_image, native, place_of_affine
from .._session import Session, lent

#: What CUDA's memory is called by DLPack.
CUDA = 2


class GpuTensor:
    """A result in the memory of a GPU: ``torch.from_dlpack(tensor)``, ``cupy.from_dlpack(tensor)`` or ``jax.dlpack.from_dlpack(tensor)``
    see it without a copy.

    The memory is given to later runs once this object and everything that sees it are gone. ``float32``; what writes to a view writes
    to the result.

    >>> import veloxel
    >>> def mean_confidence(found):
    ...     return found.confidence.to_torch().mean()  # of a veloxel.GpuFlow, on its GPU
    """

    def __init__(self, own: Any) -> None:
        self._own = own

    def __dlpack__(self, **options: Any) -> Any:
        """The samples where they lie, for a reader's stream (``stream=``)."""
        return self._own.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        """The kind and the number of the GPU."""
        return self._own.__dlpack_device__()

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of samples along the axes; of a field the last one is the component along x, y, z."""
        return tuple(self._own.shape)

    def numpy(self) -> np.ndarray:
        """A copy in the memory of the host."""
        shape = self.shape
        flat = self._own.numpy()
        if self._own.is_field:
            return np.moveaxis(flat.reshape(shape[-1], *shape[:-1]), 0, -1)
        return flat.reshape(shape)

    def cpu(self) -> np.ndarray:
        """As :meth:`numpy`."""
        return self.numpy()

    def to_torch(self) -> Any:
        """The samples as a tensor of PyTorch where they lie, without a copy. Needs PyTorch."""
        import torch

        return torch.from_dlpack(self)

    def __repr__(self) -> str:
        return f"GpuTensor(shape={self.shape})"


def is_on_gpu(image: Any) -> bool:
    """Whether an image is a tensor in a GPU's memory, or a :class:`GpuImage`."""
    if isinstance(image, GpuImage):
        return True
    if isinstance(image, np.ndarray) or not hasattr(image, "__dlpack_device__"):
        return False
    return int(image.__dlpack_device__()[0]) == CUDA


class GpuImage:
    """A tensor in a GPU's memory with its place in space: what :class:`Image` is for arrays.

    Calls take tensors of PyTorch, CuPy and JAX as they are, without a place; make a ``GpuImage`` to say where one lies. It holds the
    tensor and copies nothing.

    Args:
        tensor: Axes ``(y, x)`` or ``(z, y, x)``, of any type of real number, in the memory of a CUDA GPU.
        spacing_zyx, spacing_xyz: Millimetres between neighbours, in the order that the name says: one of both.
        origin_zyx, origin_xyz: The position of the first voxel, LPS millimetres.
        direction: Three rows; column ``a`` is the direction of axis ``a`` of ``x, y, z``, as ITK has it.

    Raises:
        InputError: No tensor in a GPU's memory.

    >>> import veloxel
    >>> try:
    ...     veloxel.GpuImage([[1.0, 2.0]])
    ... except veloxel.InputError as error:
    ...     print(error)
    a GpuImage holds a tensor in the memory of a GPU, not a list: veloxel.Image takes what lies in the host's memory
    """

    def __init__(
        self,
        tensor: Any,
        *,
        spacing_zyx: Any = None,
        spacing_xyz: Any = None,
        origin_zyx: Any = None,
        origin_xyz: Any = None,
        direction: Any = None,
    ) -> None:
        if isinstance(tensor, GpuImage) or not is_on_gpu(tensor):
            raise _veloxel.InputError(
                f"a GpuImage holds a tensor in the memory of a GPU, not a {type(tensor).__name__}: veloxel.Image takes what lies in the "
                "host's memory"
            )
        self._tensor, known = _ordered(tensor)
        axes = len(self._tensor.shape)
        spaced = in_xyz("spacing", spacing_zyx, spacing_xyz, axes)
        begun = in_xyz("origin", origin_zyx, origin_xyz, axes)
        turned = None if direction is None else direction_rows(direction)
        own = (spaced, begun, turned)
        self._place: Place = tuple(new if new is not None else old for new, old in zip(own, known, strict=True))  # type: ignore[assignment]

    @property
    def tensor(self) -> Any:
        """The tensor, axes ``(y, x)`` or ``(z, y, x)``."""
        return self._tensor

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of voxels along ``(y, x)`` or ``(z, y, x)``."""
        return tuple(self._tensor.shape)

    def __dlpack__(self, **options: Any) -> Any:
        """The tensor's samples, as it hands them out."""
        return self._tensor.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        """The kind and the number of the GPU."""
        return self._tensor.__dlpack_device__()

    def cpu(self) -> Image:
        """The same image in the memory of the host, at its place."""
        tensor = self._tensor
        # PyTorch's and ours, CuPy's, JAX'.
        array = tensor.cpu() if hasattr(tensor, "cpu") else tensor.get() if hasattr(tensor, "get") else np.asarray(tensor)
        bare = _veloxel.Image(native(plain_array(array, "the image")), self._place)
        return Image._of(bare)

    def __repr__(self) -> str:
        return f"GpuImage(shape={self.shape})"


def _ordered(tensor: Any) -> tuple[Any, Place]:
    """A tensor with axes ``(y, x)`` or ``(z, y, x)``, and its place: MONAI's have a channel first and axes x, y, z."""
    nowhere: Place = (None, None, None)
    if hasattr(tensor, "affine") and hasattr(tensor, "meta"):
        affine = tensor.affine
        affine = np.asarray(affine.cpu() if hasattr(affine, "cpu") else affine, dtype=float)
        plain = tensor.as_tensor() if hasattr(tensor, "as_tensor") else tensor
        if plain.ndim in (3, 4) and plain.shape[0] == 1:
            plain = plain[0]
        refuse_colours(plain, "the image", channels_first=True)
        return plain.permute(*reversed(range(plain.ndim))), place_of_affine(affine)
    return tensor, nowhere


def number_of(images: list[Any]) -> int:
    """The number of the GPU in whose memory all images lie.

    Raises:
        InputError: Images of which one lies elsewhere.
    """
    numbers = {int(_tensor_of(image).__dlpack_device__()[1]) for image in images if is_on_gpu(image)}
    if len(numbers) != 1 or not all(is_on_gpu(image) for image in images):
        raise _veloxel.InputError(
            "one image is a tensor in the memory of a GPU and another is elsewhere: bring both to one place, to the host with `.cpu()`"
        )
    (number,) = numbers
    return number


def device_of(images: list[Any], session: Session | None, device: Any) -> Any:
    """The session of a call with tensors on a GPU: the one that is given, or one on that GPU.

    Raises:
        InputError: Images of which one lies elsewhere, or a session on another device.
    """
    number = number_of(images)
    own = lent(session, f"cuda:{number}" if session is None and device is None else device)
    name = own.device()[0]
    try:
        kind, ordinal, _ = own.tensor_place()
    except _veloxel.UnsupportedError:
        kind, ordinal = 0, 0
    if (kind, ordinal) != (CUDA, number):
        raise _veloxel.InputError(
            f"the images are tensors in the memory of cuda:{number} and the session computes on {name}: leave device= out, or take them to "
            "the host with `.cpu()`"
        )
    return own


def _tensor_of(image: Any) -> Any:
    return image.tensor if isinstance(image, GpuImage) else image


def handed(image: Any, own: Any, what: str) -> tuple[Any, Place]:
    """A tensor as the extension takes it: a capsule of float32 in C order, complete on the session's stream; and its place.

    Raises:
        InputError: Another number of axes, or numbers that are not real.
    """
    tensor, place = (image.tensor, image._place) if isinstance(image, GpuImage) else _ordered(image)
    if isinstance(tensor, GpuTensor):
        if tensor._own.is_field:
            raise _veloxel.InputError(f"{what} is a field of displacements: give one of its components, or another image")
        return tensor.__dlpack__(stream=own.tensor_place()[2]), place
    if tensor.ndim not in (2, 3):
        raise _veloxel.InputError(f"{what} has axes (y, x) or (z, y, x), this tensor has the shape {tuple(tensor.shape)}")
    if not isinstance(image, GpuImage):
        refuse_colours(tensor, what, channels_first=True)
    if "complex" in str(tensor.dtype):
        raise _veloxel.InputError(f"{what} has complex numbers: give their real part or their absolute value")
    if hasattr(tensor, "detach"):
        # PyTorch's.
        tensor = tensor.detach().float().contiguous()
    else:
        tensor = tensor.astype("float32")
        if hasattr(tensor, "flags") and not tensor.flags.c_contiguous:
            # CuPy's; arrays of JAX lie in C order.
            tensor = tensor.copy(order="C")
    _, _, stream = own.tensor_place()
    return tensor.__dlpack__(stream=stream), place


def handed_beside(image: Any, own: Any, what: str, fixed: tuple[Any, Place], *, is_mask: bool) -> Any:
    """A mask or weights beside an image on a GPU: a tensor there, or anything that :class:`Image` takes, which is sent there."""
    if image is None:
        return None
    if not is_on_gpu(image):
        beside = as_image(image, what)
        array = np.asarray(beside.samples()).reshape(beside.shape)
        return _veloxel.Image(array, fixed[1]) if isinstance(image, np.ndarray) else beside
    if is_mask and not isinstance(_tensor_of(image), GpuTensor):
        bare = _tensor_of(image) != 0
        place = image._place if isinstance(image, GpuImage) else fixed[1]
        return handed(bare, own, what)[0], place
    capsule, place = handed(image, own, what)
    return capsule, place if isinstance(image, GpuImage) else fixed[1]
