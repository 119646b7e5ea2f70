"""The flow between images."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from typing import Any, overload

import numpy as np

from . import _veloxel
from ._arguments import Progress, as_progress, whole
from ._gpu.flow import GpuFlow, gpu_flow
from ._gpu.sequence import GpuSequenceFlow, frames_on_gpu, gpu_sequence
from ._gpu.tensors import GpuImage, is_on_gpu
from ._images import as_image, as_image_beside, as_images
from ._results import FlowResult
from ._session import Session, lent
from ._warnings import tell

def settings(method: str, preset: str | None, given: dict[str, Any]) -> tuple[str, str | None, str]:
    """A method, its preset and its parameters, as the extension takes them."""

    def plain(value: Any) -> Any:
        if isinstance(value, np.generic):
            return value.item()
        raise _veloxel.ParameterError(f"{value!r} is no value of a parameter: a number, a word, true or false is")

    for name in ("spacing", "origin", "direction"):
        for word in (name, f"{name}_zyx", f"{name}_xyz"):
            if word in given:
                raise _veloxel.ParameterError(f"{word}= is of an image: veloxel.Image(array, spacing_zyx=…) says where an array lies")
    return method, preset, json.dumps(given, default=plain)


def methods() -> list[str]:
    """The names of all methods of dense flow.

    >>> import veloxel
    >>> "clg" in veloxel.methods()
    True
    """
    return _veloxel.methods()


def parameters(method: str = "clg", *, preset: str | None = None, axes: int = 3, **given: Any) -> dict[str, Any]:
    """The parameters of a method in force, by name.

    Args:
        method: One of :func:`methods`.
        preset: One of the method's presets; ``None``: its first.
        axes: 2 for pictures, 3 for volumes: presets differ.
        **given: Parameters that replace those of the preset.

    Raises:
        ParameterError: A name or a value that the method does not take; the text says which it takes.

    >>> import veloxel
    >>> veloxel.parameters("clg", alpha=0.2)["alpha"]
    0.2
    """
    if axes not in (2, 3):
        raise _veloxel.InputError(f"axes= is 2 for pictures or 3 for volumes, not {axes!r}")
    return json.loads(_veloxel.parameters(settings(method, preset, given), axes))


@overload
def flow(fixed: GpuImage, moving: GpuImage, **options: Any) -> GpuFlow: ...


@overload
def flow(
    fixed: Any,
    moving: Any,
    *frames: Any,
    method: str = "clg",
    preset: str | None = None,
    device: str | None = None,
    session: Session | None = None,
    init: Any = None,
    mask: Any = None,
    moving_mask: Any = None,
    volume_mask: Any = None,
    weight: Any = None,
    symmetric: bool = False,
    inverse_consistency: bool = False,
    refine: bool = False,
    warped: float | str | None = None,
    progress: Progress | None = None,
    **parameters: Any,
) -> FlowResult: ...


def flow(
    fixed: Any,
    moving: Any,
    *frames: Any,
    method: str = "clg",
    preset: str | None = None,
    device: str | None = None,
    session: Session | None = None,
    init: Any = None,
    mask: Any = None,
    moving_mask: Any = None,
    volume_mask: Any = None,
    weight: Any = None,
    symmetric: bool = False,
    inverse_consistency: bool = False,
    refine: bool = False,
    warped: float | str | None = None,
    progress: Progress | None = None,
    **parameters: Any,
) -> FlowResult | GpuFlow:
    """Estimates the flow from ``fixed`` to ``moving``: ``fixed(x) ≈ moving(x + d(x))``.

    Args:
        fixed, moving: Images of axes ``(y, x)`` or ``(z, y, x)``: arrays, or anything that :class:`Image` takes. The moving image may
            lie on a grid of its own. Two tensors in the memory of a CUDA GPU (or :class:`GpuImage`) stay there, and so does what is
            found: a :class:`GpuFlow`, the same bits.
        *frames: Further frames in order of time, for methods that take a window of them (``"phase"``).
        method: One of :func:`methods`.
        preset: One of the method's presets; ``None``: its first.
        device, session: Where to compute: a device by its name, or a :class:`Session`; ``None``: the fastest device there is.
        init: What the run begins from: ``"none"``, ``"centre-of-mass"``, ``"rigid"``, ``"similarity"``, ``"affine"`` (found first),
            ``"matches"`` (motion of any size), a :class:`Transform` or one of SimpleITK, a :class:`Field`, or the path of a transform
            or a field.
        mask: Where data count: not 0.
        moving_mask: Where the moving image has data, on its own grid: the rest is left out, as samples that are NaN are.
        volume_mask: Where volume is preserved.
        weight: How much data count, 0 to 1.
        symmetric: Register by a middle of both images: a field and its inverse that do not fold, as ``method="symmetric"``.
        inverse_consistency: Whether both directions are estimated: where they disagree, the confidence falls.
        refine: Whether vectors are averaged with those around them, by confidence and by likeness of the image.
        warped: Ask for the warped image, with this where there is no sample: a number or ``"edge"``.
        progress: Called with the stage and the share of it that is done; what it raises ends the run.
        **parameters: Parameters of the method by name (:func:`parameters`).

    Returns:
        The field, its confidence, the field back of a symmetric method, the transform of a linear start, and the account of the run.

    Raises:
        InputError, ParameterError, OutOfMemoryError, DeviceError: The text says what is wrong, and which argument mends it.
        KeyboardInterrupt: Ctrl-C, within a fifth of a second.

    >>> import numpy as np
    >>> import veloxel
    >>> y, x = np.mgrid[:40, :40]
    >>> still = np.sin(x / 3) + np.cos(y / 4)
    >>> veloxel.flow(still, still, device="cpu", method="lucas-kanade").field.shape
    (40, 40, 2)
    """
    names = ["the fixed image", "the moving image", *(f"frame {nth}" for nth in range(2, 2 + len(frames)))]
    chosen = settings(_symmetric(method) if symmetric else method, preset, parameters)
    options = _options(chosen, inverse_consistency, refine, warped, progress)
    if not frames and (is_on_gpu(fixed) or is_on_gpu(moving)):
        if warped is not None:
            raise _veloxel.InputError("warped= is of images in the host's memory: of tensors on a GPU, flow(…).warp(image) warps")
        beside = {
            "mask": (mask, "the mask"),
            "moving_mask": (moving_mask, "the mask of the moving image"),
            "volume_mask": (volume_mask, "the volume mask"),
            "weight": (weight, "the weight image"),
        }
        return gpu_flow(fixed, moving, options, beside, _start(init, None), session, device)
    images = as_images((fixed, moving, *frames), names)
    found = _veloxel.flow(
        lent(session, device),
        images,
        options,
        {
            "mask": as_image_beside(mask, images[0], "the mask"),
            "moving_mask": as_image_beside(moving_mask, images[1], "the mask of the moving image"),
            "volume_mask": as_image_beside(volume_mask, images[0], "the volume mask"),
            "weight": as_image_beside(weight, images[0], "the weight image"),
            "init": _start(init, images[0]),
        },
    )
    tell(found.warnings)
    # Of a window the frame that the field lives on is not known here.
    return FlowResult(found, session, images[0] if len(images) == 2 else None)


def _symmetric(method: str) -> str:
    """The method of ``symmetric=True``."""
    if method not in ("clg", "symmetric"):
        raise _veloxel.ParameterError(f"{method} has no symmetric form: leave method= or symmetric= out")
    return "symmetric"


def _start(init: Any, fixed: Any) -> Any:
    """What a run begins from, as the extension takes it: a word, a field or a transform."""
    from ._maps import as_map

    if init is None or isinstance(init, str) and init in _veloxel.starts():
        return init
    if isinstance(init, str) and not set(init) & set("./\\@") and not os.path.exists(init):
        # A word that names no file is a start that there is not: the extension lists those that there are.
        return init
    if isinstance(init, (list, tuple)) or isinstance(init, np.ndarray) and init.ndim == 2:
        from ._maps import Transform

        return Transform(init)._own
    if isinstance(init, (bool, int, float)):
        raise _veloxel.InputError(f"init= is a word, a Transform, a Field, a result of flow, or a path, not {init!r}")
    return as_map(init, fixed)


def register(fixed: Any, moving: Any, *, method: str = "symmetric", init: Any = "affine", **options: Any) -> FlowResult:
    """Registers two medical images: an affine start, then a field and its inverse, neither of which folds.

    Args:
        fixed, moving: Images as for :func:`flow`, each on a grid of its own.
        method, init: As for :func:`flow`, with ``"symmetric"`` and ``"affine"`` as defaults.
        **options: The other arguments of :func:`flow`.

    Returns:
        As :func:`flow`: ``found.field`` lives on the fixed image and points into the moving one, ``found.inverse`` the other way,
        ``found.transform`` is the affine start.

    Raises:
        As :func:`flow`.

    >>> import numpy as np
    >>> import veloxel
    >>> z, y, x = np.mgrid[:16, :20, :24]
    >>> fixed, moving = (np.exp(-((x - shift) ** 2 + (y - 10) ** 2 + (z - 8) ** 2) / 30) for shift in (11.0, 12.0))
    >>> found = veloxel.register(fixed, moving, preset="fast", device="cpu")
    >>> bool(abs(found.field[8, 10, 11, 0] - 1) < 0.2), bool(abs(found.inverse.array[8, 10, 12, 0] + 1) < 0.2)
    (True, True)
    >>> bool(abs(found.transform.points([[11, 10, 8]])[0, 0] - 12) < 0.2)
    True
    """
    return flow(fixed, moving, method=method, init=init, **options)


def _options(
    chosen: tuple[str, str | None, str],
    inverse_consistency: bool,
    refine: bool,
    warped: float | str | None,
    progress: Progress | None,
) -> dict[str, Any]:
    return {
        "settings": chosen,
        "inverse_consistency": inverse_consistency,
        "refine": refine,
        "warped": warped,
        "progress": as_progress(progress),
    }


class SequenceFlow(FlowResult):
    """A field of a sequence: a :class:`FlowResult` with its ``name`` and the frames ``fixed_frame`` and ``moving_frame``, from 0 on."""

    def __init__(self, name: str, fixed: int, moving: int, found: Any, *, session: Session | None, image: Any = None) -> None:
        super().__init__(found, session, image)
        self.name, self.fixed_frame, self.moving_frame = name, fixed, moving

    def __repr__(self) -> str:
        return f"SequenceFlow({self.name}, {self.flow!r})"

    name: str
    """``"consecutive_000_001"``, ``"reference_000_005"``."""
    fixed_frame: int
    """The frame that the field lives on, counted from 0."""
    moving_frame: int
    """The frame that the field points into."""


@overload
def sequence(frames: list[GpuImage], **options: Any) -> Iterator[GpuSequenceFlow]: ...


@overload
def sequence(
    frames: Any,
    *,
    mode: str = "consecutive",
    reference: int | None = None,
    method: str = "clg",
    preset: str | None = None,
    device: str | None = None,
    session: Session | None = None,
    mask: Any = None,
    volume_mask: Any = None,
    symmetric: bool = False,
    inverse_consistency: bool = False,
    refine: bool = False,
    warped: float | str | None = None,
    progress: Progress | None = None,
    **parameters: Any,
) -> list[SequenceFlow]: ...


def sequence(
    frames: Any,
    *,
    mode: str = "consecutive",
    reference: int | None = None,
    method: str = "clg",
    preset: str | None = None,
    device: str | None = None,
    session: Session | None = None,
    mask: Any = None,
    volume_mask: Any = None,
    symmetric: bool = False,
    inverse_consistency: bool = False,
    refine: bool = False,
    warped: float | str | None = None,
    progress: Progress | None = None,
    **parameters: Any,
) -> list[SequenceFlow] | Iterator[GpuSequenceFlow]:
    """Estimates the flows between the frames of a sequence in memory; :func:`sequence_files` takes frames that do not fit there.

    Args:
        frames: Images in order of time, an array with time as its first axis, or the path of a sequence. Tensors in the memory of a CUDA
            GPU, one with time as its first axis or a list, stay there, and so do the fields that are found; the frames are read as the
            fields are asked for, and must stay as they are until then.
        mode: ``"consecutive"`` (every frame to its successor), ``"reference"`` (the reference to every other frame) or ``"both"``.
        reference: The frame that reference fields live on; ``None``: the first.
        mask, volume_mask: One for every frame.

    The other arguments are those of :func:`flow`.

    Returns:
        The fields: consecutive ones in order, then those of the reference. Of tensors on a GPU an iterator over the fields in the order
        in which they are found, each a :class:`GpuFlow` with ``name``, ``fixed_frame`` and ``moving_frame``, the same bits.

    Raises:
        As :func:`flow`.

    >>> import numpy as np
    >>> import veloxel
    >>> y, x = np.mgrid[:32, :32]
    >>> film = np.stack([np.sin((x - t) / 3) + np.cos(y / 4) for t in range(3)])
    >>> [found.name for found in veloxel.sequence(film, device="cpu", method="lucas-kanade")]
    ['consecutive_000_001', 'consecutive_001_002']
    """
    chosen = settings(_symmetric(method) if symmetric else method, preset, parameters)
    options = _options(chosen, inverse_consistency, refine, warped, progress)
    numbered = None if reference is None else whole(reference, "reference=")
    on_gpu = frames_on_gpu(frames)
    if on_gpu is not None:
        if warped is not None:
            raise _veloxel.InputError("warped= is of images in the host's memory: of tensors on a GPU, found.warp(frame) warps")
        beside = {"mode": mode, "reference": numbered, "mask": mask, "volume_mask": volume_mask}
        return gpu_sequence(on_gpu, options, beside, session, device)
    images = [as_image(frame, f"frame {nth}") for nth, frame in enumerate(_frames(frames))]
    masks = [
        [] if one is None else [as_image_beside(one, images[0], what)] for one, what in ((mask, "the mask"), (volume_mask, "the volume mask"))
    ]
    fields = {"mode": mode, "reference": numbered, "masks": masks[0], "volume_masks": masks[1]}
    found = _veloxel.sequence(lent(session, device), images, options, fields)
    for *_, own in found:
        tell(own.warnings)
    return [SequenceFlow(*own, session=session, image=images[own[1]]) for own in found]


def _frames(frames: Any) -> Iterator[Any] | Sequence[Any]:
    if isinstance(frames, (str, os.PathLike)):
        from ._files import read_sequence

        return read_sequence(frames)
    if not hasattr(frames, "__iter__"):
        raise _veloxel.InputError(f"frames are a list of images, an array with time as its first axis, or a path, not {type(frames).__name__}")
    if getattr(frames, "ndim", 3) == 2:
        raise _veloxel.InputError(f"frames are an array with time as its first axis, (t, y, x), this one has the shape {tuple(frames.shape)}")
    return frames
