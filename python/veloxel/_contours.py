"""Outlines: of files, of labels, of clicks."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from . import _veloxel
from ._arguments import in_xyz, numbers, path_text, whole
from ._images import array_and_place, as_image, native
from ._session import lent
from ._warnings import tell

#: What the labels of label images are, as ACDC numbers them.
DEFAULT_LABELS = {"rv": 1, "muscle": 2, "lv": 3}


class Outline(NamedTuple):
    """An outline of a structure on a slice of a frame.

    >>> import veloxel
    >>> square = veloxel.Outline("endo", 0, 0, [[10, 10], [20, 10], [20, 20], [10, 20]])
    >>> len(veloxel.fit_contours([square], spacing_xyz=(1.0, 1.0))[0].points) > 4
    True
    """

    structure: str
    """``"endo"`` (the left cavity), ``"epi"`` (with its muscle), ``"rv"``, ``"rv-epi"`` or ``"region"``."""
    frame: int
    """The frame, from 0 on."""
    slice: int
    """The plane along z, from 0 on; 0 of a picture."""
    points: np.ndarray
    """The polygon's points ``(n, 2)``: x and y in pixels of the slice."""

    def __repr__(self) -> str:
        return f"Outline({self.structure!r}, frame={self.frame}, slice={self.slice}, {len(self.points)} points)"


def wrapped(outlines: Any) -> list[Outline]:
    """Outlines of the extension as those of the package."""
    return [Outline(word, frame, part, np.array(points)) for word, frame, part, points in outlines]


def are_paths(contours: Any) -> bool:
    """Whether outlines are given as the path of a file, or several."""
    if isinstance(contours, (str, os.PathLike)):
        return True
    return isinstance(contours, (list, tuple)) and bool(contours) and all(isinstance(own, (str, os.PathLike)) for own in contours)


def as_outlines(contours: Any) -> list[tuple[str, int, int, list[list[float]]]]:
    """Outlines as the extension takes them."""
    if not hasattr(contours, "__iter__"):
        raise _veloxel.InputError(f"outlines are veloxel.Outline, tuples like it, labels or a path, not {type(contours).__name__}")
    outlines = []
    for outline in contours:
        if not isinstance(outline, (tuple, list)) or len(outline) != 4:
            raise _veloxel.InputError("an outline is veloxel.Outline(structure, frame, slice, points), or a tuple of these four")
        word, frame, part, points = outline
        rows = numbers(points, "an outline's points")
        if rows.ndim != 2 or rows.shape[1] != 2:
            raise _veloxel.InputError(f"an outline has points (n, 2), x and y in pixels, this one has the shape {rows.shape}")
        outlines.append((str(word), whole(frame, "an outline's frame"), whole(part, "an outline's slice"), rows.tolist()))
    if not outlines:
        raise _veloxel.InputError("there are no outlines (contours)")
    return outlines


def holds_labels(contours: Any) -> bool:
    """Whether outlines are given as a label image, of an array or of another library."""
    if isinstance(contours, (list, tuple, str, os.PathLike, Mapping)):
        return False
    return hasattr(contours, "shape") or hasattr(contours, "GetSize")


def label_outlines(labels: Any, *, frame: int = 0, meaning: Mapping[str, int] | None = None) -> list[Outline]:
    """The outlines of a label image.

    Args:
        labels: Whole numbers ``(y, x)`` or ``(z, y, x)``, or an image of them.
        frame: The frame that the labels belong to.
        meaning: What the labels are: ``{"rv": 1, "muscle": 2, "lv": 3}``.

    Raises:
        InputError: Samples that are no whole numbers from 0 to 65535.

    >>> import numpy as np
    >>> import veloxel
    >>> y, x = np.mgrid[:32, :32]
    >>> distance = np.hypot(x - 16, y - 16)
    >>> labels = np.where(distance < 6, 3, np.where(distance < 10, 2, 0))
    >>> [outline.structure for outline in veloxel.label_outlines(labels)]
    ['endo', 'epi']
    """
    array, place = array_and_place(labels, "the label image")
    array = native(array)
    wrong = array[~((array >= 0) & (array <= 65535) & (array == np.floor(array)))]
    if wrong.size:
        raise _veloxel.InputError(f"labels are whole numbers from 0 to 65535, the label image holds {wrong.flat[0]}")
    given = DEFAULT_LABELS if meaning is None else meaning
    named = [given.get(name) for name in ("rv", "muscle", "lv")]
    found, left_out = _veloxel.label_outlines(_veloxel.Image(array, place), whole(frame, "frame="), named)
    tell([("header", text) for text in left_out])
    return wrapped(found)


def read_contours(
    path: str | os.PathLike[str],
    *,
    cine: str | os.PathLike[str] | None = None,
    frame: int = 0,
    clicked: bool = False,
    labels: Mapping[str, int] | None = None,
) -> list[Outline]:
    """Reads outlines: Veloxel's JSON, ``.csv``, texts of ``x y`` lines and folders of them, label images, 3D Slicer's curves.

    Args:
        path: The file, or a folder.
        cine: An image of the cine, where the file does not describe it.
        frame: The frame of outlines that say none.
        clicked: Whether curves and lists of points are taken as the points that were clicked, for :func:`fit_contours`.
        labels: What the labels of a label image are: ``{"rv": 1, "muscle": 2, "lv": 3}``.

    Raises:
        As :func:`read`; InputError for open lines, edges that cross, and two outlines in one place.

    >>> import os, tempfile
    >>> import veloxel
    >>> parts = veloxel.phantom("cine", (32, 32), noise=0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "outlines.json")
    ...     veloxel.write_contours(path, parts["contours"], cine=parts["cine"])
    ...     len(veloxel.read_contours(path)) == len(parts["contours"])
    True
    """
    return read_with_spacing(path, cine, frame, clicked, labels)[0]


def read_with_spacing(
    path: Any, cine: Any, frame: int, clicked: bool, labels: Mapping[str, int] | None
) -> tuple[list[Outline], Any]:
    """Outlines, and the distances of pixels where they are known."""
    given = DEFAULT_LABELS if labels is None else labels
    unsaid = {
        "cine": None if cine is None else path_text(cine),
        "frame": int(frame),
        "clicked": clicked,
        "labels": [given.get(name) for name in ("rv", "muscle", "lv")],
    }
    found, spacing, told = _veloxel.read_contours(lent(None, "cpu"), path_text(path), unsaid)
    tell(told)
    return wrapped(found), spacing


def write_contours(path: str | os.PathLike[str], contours: Any, *, cine: Any) -> None:
    """Writes outlines, ``.json`` or ``.csv``.

    Args:
        path: Where to.
        contours: :class:`Outline` objects or tuples like them.
        cine: The frames that they belong to, as :func:`track` takes them.

    Raises:
        FileError, UnsupportedError: As :func:`write`.

    >>> import os, tempfile
    >>> import veloxel
    >>> parts = veloxel.phantom("cine", (32, 32), noise=0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "outlines.csv")
    ...     veloxel.write_contours(path, parts["contours"], cine=parts["cine"])
    ...     os.path.getsize(path) > 100
    True
    """
    frames = _frames_of(cine)
    own = as_outlines(contours)
    _veloxel.write_contours(lent(None, "cpu"), path_text(path), own, frames[0], len(frames))


def _frames_of(cine: Any) -> list[Any]:
    if isinstance(cine, (str, os.PathLike)):
        frames, _, told = _veloxel.read_sequence(lent(None, "cpu"), path_text(cine))
        tell(told)
        return frames
    frames = [as_image(frame, f"frame {nth}") for nth, frame in enumerate(cine)]
    if not frames:
        raise _veloxel.InputError("the cine has no frame")
    return frames


def spacing_of(cine: Any, spacing_zyx: Any, spacing_xyz: Any) -> list[float]:
    """Distances of pixels along x and y, from whichever argument was given."""
    told = in_xyz("spacing", spacing_zyx, spacing_xyz)
    if told is not None and cine is not None:
        raise _veloxel.InputError("the spacing is given twice: spacing_zyx= or spacing_xyz=, or cine=, not both")
    if told is None and cine is None:
        text = "distances in millimetres need the spacing of pixels: give cine=, spacing_zyx= or spacing_xyz="
        raise _veloxel.InputError(text)
    if told is None:
        told = list(_frames_of(cine)[0].place[0])
    return told[:2]


def fit_contours(
    clicks: Any,
    *,
    cine: Any = None,
    spacing_zyx: Any = None,
    spacing_xyz: Any = None,
    frame: int = 0,
    elements: int = 12,
    smoothness: float = 1e-4,
) -> list[Outline]:
    """Lays smooth closed outlines through a few clicked points each.

    Args:
        clicks: :class:`Outline` objects, or tuples like them, of a few points in order around each; or the path of a file of them.
        cine: The frames that the clicks belong to, or an image of the cine by its path; it says how far pixels lie from each other.
        spacing_zyx, spacing_xyz: The same as numbers, millimetres, in the order that the name says.
        frame: The frame of clicks of a file that say none.
        elements: Elements around an outline, 4 to 64. Few: round outlines; many: every click counts for itself.
        smoothness: Weight of what is no ellipse, 1e-9 to 1000. Small: through every click; large: an ellipse.

    Raises:
        InputError: Clicks that leave an outline open, an outline that crosses itself, no spacing. ParameterError.

    >>> import veloxel
    >>> clicks = [("endo", 0, 0, [[30, 20], [20, 30], [10, 20], [20, 10]])]
    >>> outline = veloxel.fit_contours(clicks, spacing_xyz=(1.0, 1.0))[0]
    >>> bool(abs(outline.points.max() - 30) < 0.1)
    True
    """
    if isinstance(clicks, (str, os.PathLike)):
        known = cine if cine is None or isinstance(cine, (str, os.PathLike)) else None
        outlines, read = read_with_spacing(clicks, known, frame, True, None)
        needs_spacing = read is None or cine is not None and known is None
        spacing = spacing_of(cine, spacing_zyx, spacing_xyz) if needs_spacing else read
    else:
        outlines, spacing = clicks, spacing_of(cine, spacing_zyx, spacing_xyz)
    found = _veloxel.fit_contours(lent(None, "cpu"), as_outlines(outlines), spacing, elements, smoothness)
    return wrapped(found)


def parts_of(parts: Any, what: str) -> list[int]:
    """The part of each face, from an array, a result of :func:`segment` or the path of a ``.seg`` file."""
    if isinstance(parts, (str, os.PathLike)):
        return list(_veloxel.read_face_labels(lent(None, "cpu"), path_text(parts)))
    array = np.asarray(getattr(parts, "labels", parts))
    if array.ndim != 1 or array.dtype.kind not in "iu" or (array.size and int(array.min()) < 0):
        raise _veloxel.InputError(f"{what} has a whole number from 0 on for each face, (m,), not {array.dtype} of the shape {array.shape}")
    return array.tolist()


def named_truths(truths: Any) -> Sequence[tuple[str, list[int]]]:
    """Truths by their names: of a mapping, of several, or of one."""
    if isinstance(truths, Mapping):
        return [(str(name), parts_of(own, f"truth {name}")) for name, own in truths.items()]
    is_list = isinstance(truths, (list, tuple)) and not hasattr(truths, "labels") and len(truths) > 0
    several = list(truths) if is_list and not isinstance(truths[0], (int, np.integer)) else [truths]
    named = [path_text(own) if isinstance(own, (str, os.PathLike)) else f"truth {nth}" for nth, own in enumerate(several, 1)]
    return [(name, parts_of(own, name)) for name, own in zip(named, several, strict=True)]
