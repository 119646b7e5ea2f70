"""Hearts: outlines followed over a cine."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from . import _veloxel
from ._arguments import Progress, as_progress, path_text, several, words
from ._contours import DEFAULT_LABELS, Outline, are_paths, as_outlines, holds_labels, label_outlines, wrapped
from ._flow import _frames, settings
from ._images import Image, array_and_place, as_image, as_image_beside
from ._plots.look import Plot
from ._plots.pictures import Picture, Shown, drawn
from ._results import Field
from ._session import Session, lent
from ._warnings import tell


@dataclass(frozen=True, eq=False, repr=False)
class HeartMotion(Shown):
    """What a method found over a cine.

    ``contours``, ``fields`` and ``labels`` are lists over the frames; ``function`` has areas and volumes, ``strain`` and ``distances``
    are columns of tables (``None`` where there are none) as are ``expected_errors``, ``measures`` everything measured, ``tables`` the command's texts.

    :func:`track` makes it:

    >>> import veloxel
    >>> parts = veloxel.phantom("cine", (32, 32), noise=0)
    >>> beat = veloxel.track(parts["cine"], parts["contours"], start_frames=[0], device="cpu")
    >>> sorted(beat.function)[:2]
    ['endo_slice0_mm2', 'epi_slice0_mm2']
    """

    method: str
    """The method's name."""
    preset: str
    """The preset that its parameters started from."""
    contours: list[Outline]
    """Outlines on every frame."""
    fields: list[Field]
    """The motion from the reference frame to every frame, voxels, on the region's grid; NaN in slices that were not followed."""
    labels: list[Image]
    """The inside of the outlines as labels, for every frame, on the cine's grid."""
    function: dict[str, np.ndarray]
    """Areas (mm²) and volumes (ml) over time by name, a number for each frame; times are ``"time_ms"``."""
    strain: dict[str, np.ndarray] | None
    """Columns of the table of strain (shares of a length; rates per second) by slice, segment and frame, NaN where nothing is known;
    ``None`` without a wall."""
    distances: dict[str, np.ndarray] | None
    """Columns of the table of distances to readers (mm), frame by frame; ``None`` without them."""
    expected_errors: dict[str, np.ndarray] | None
    """Columns of the table of expected errors, an outline a row: how far it moved, the distance to a reader's outline to expect, and the
    one that nine of ten stay below (modified Hausdorff, mm); ``None`` of methods that no heart was measured with."""
    measures: dict[str, Any]
    """Everything measured: ventricles, walls, drift, folded voxels, parameters in force."""
    tables: dict[str, str]
    """The texts of ``function.csv``, ``strain.csv``, ``distances.csv`` and ``expected_errors.csv``, as the command writes them."""

    def plot(self, what: str = "all") -> Plot:
        """Curves over the beat, and bull's-eyes with numbered segments. Needs matplotlib.

        Args:
            what: ``"all"``; ``"volumes"`` of cavities (ml; of a single slice its area, cm²); ``"strain"`` of the whole ring (Lagrangian,
                %); ``"segments"``, a curve for each; or ``"bulls-eye"``, the extreme of each segment (%).

        Raises:
            InputError: Another word; strain of outlines that enclose no wall.
        """
        from ._plots.hearts import heart_plot

        return heart_plot(self, what)

    def _picture(self) -> Picture | None:
        return drawn(self.plot)

    def _facts(self) -> dict[str, str]:
        facts = {"method": f"{self.method}:{self.preset}", "frames": str(len(self.fields))}
        for side, name in (("left", "lv"), ("right", "rv")):
            chamber = self.measures["ventricles"].get(name)
            if chamber is None:
                continue
            share, areas = f"{100 * chamber['ejection_fraction']:.1f} %", chamber["areas_cm2"]
            volumes = f"ejection fraction {share}, EDV {chamber['edv_ml']:.1f} ml, ESV {chamber['esv_ml']:.1f} ml"
            facts[f"{side} ventricle"] = (
                volumes if areas is None else f"area change {share} of slice {chamber['slices'][0]} alone, {areas[0]:.1f} to {areas[1]:.1f} cm²"
            )
        for kind in ("circumferential", "radial", "longitudinal"):
            whole = next((own[kind] for own in self.measures["strain_summary"] if own["slice"] is None and own["segment"] is None), None)
            if whole is not None:
                facts[f"{kind} strain, extreme"] = f"{100 * whole['extreme']:+.1f} % on frame {whole['extreme_frame']}".replace("-", "−")
        return facts

    def __repr__(self) -> str:
        wall = "no strain" if self.strain is None else f"strain of {len({*self.strain['segment'].tolist()} - {'all'})} segments"
        return f"HeartMotion({self.method}:{self.preset}, {len(self.fields)} frames, {len(self.contours)} outlines, {wall})"


class HeartResult(NamedTuple):
    """What several methods found over a cine.

    :func:`track_methods` makes it:

    >>> import veloxel
    >>> parts = veloxel.phantom("cine", (32, 32), noise=0)
    >>> found = veloxel.track_methods(parts["cine"], parts["contours"], start_frames=[0], device="cpu")
    >>> len(found.runs), found.cine["start_frames"]
    (1, [0])
    """

    runs: list[HeartMotion]
    """One for each method, in the order asked for."""
    cine: dict[str, Any]
    """What was followed: size, spacing (mm), frames, start frames, slices, region."""

    def _repr_html_(self) -> str:
        return "".join(run._repr_html_() for run in self.runs)


def track(
    cine: Any,
    contours: Any,
    *,
    methods: Sequence[str] | str | None = None,
    **options: Any,
) -> HeartMotion:
    """Follows outlines of a heart over a cine by one method: outlines on every frame, fields, strain, volumes.

    Args:
        cine: Frames ``(y, x)`` or ``(z, y, x)`` in order of time, an array with time as its first axis, or the path of a cine.
        contours: Outlines on the frames to start from: :class:`Outline` objects or tuples like them; a label image of the first start
            frame (an array of whole numbers, or an image of another library), or ``{frame: labels}`` of several; or the path of a file of
            outlines or of a label image, or a list of paths.
        methods: One method with its preset, ``["clg:cine"]``; ``None``: the preset of CLG that suits the frames.
        **options: As for :func:`track_methods`.

    Raises:
        As :func:`track_methods`.

    >>> import veloxel
    >>> parts = veloxel.phantom("cine", (32, 32), noise=0)
    >>> beat = veloxel.track(parts["cine"], parts["contours"], start_frames=[0], device="cpu")
    >>> len(beat.fields) == len(parts["cine"])
    True
    """
    runs = track_methods(cine, contours, methods=methods, **options).runs
    if len(runs) != 1:
        raise _veloxel.InputError(f"track takes one method, not {len(runs)}: veloxel.track_methods compares several")
    return runs[0]


def track_methods(
    cine: Any,
    contours: Any,
    *,
    methods: Sequence[str] | str | None = None,
    parameters: Mapping[str, Any] | None = None,
    truth: Mapping[str, Any] | None = None,
    frame_interval_ms: float | None = None,
    start_frames: Sequence[int] | int = (),
    labels: Mapping[str, int] | None = None,
    region: Any = "auto",
    motion: str = "in-plane",
    placement: str = "stack",
    cavities: str = "rim",
    periodic: str = "auto",
    estimate: str = "closed",
    weight: Any = None,
    device: str | None = None,
    session: Session | None = None,
    progress: Progress | None = None,
) -> HeartResult:
    """Follows outlines of a heart over a cine by several methods, and measures each of them.

    Args:
        cine, contours: As for :func:`track`.
        methods: Methods with their presets, ``["clg:cine", "fe"]``.
        parameters: Parameters of all methods by name.
        truth: Readers' true outlines by their names, each as ``contours``; distances to them are measured.
        frame_interval_ms: Milliseconds between frames; a file says it itself.
        start_frames: Frames whose outlines are carried along, the reference of motion and strain first; empty: frame 0, or the only one
            with outlines.
        labels: What the labels of label images are: ``{"rv": 1, "muscle": 2, "lv": 3}``.
        region: Where motion is estimated: ``"auto"`` (around the outlines), ``"all"``, pixels ``(x, y, width, height)``, or a mask.
        motion: ``"in-plane"`` or ``"volume"``.
        placement: ``"stack"`` or ``"drawn"``: where outlines of the left ventricle are carried from.
        cavities: ``"rim"`` or ``"moved"``: how outlines of cavities follow.
        periodic: ``"auto"``, ``"yes"`` or ``"no"``: whether the last frame is followed by the first.
        estimate: ``"forward"``, ``"backward"``, ``"blended"``, ``"reference"``, ``"closed"`` or ``"whole"``.
        weight: How much data count, 0 to 1, on the cine's grid.
        device, session, progress: As for :func:`flow`.

    Raises:
        InputError: Fewer than two frames, no outlines on the start frame, outlines that enclose nothing or come twice.
        ParameterError, OutOfMemoryError, DeviceError, FileError: The text says what is wrong.

    >>> import veloxel
    >>> parts = veloxel.phantom("cine", (32, 32), noise=0)
    >>> found = veloxel.track_methods(parts["cine"], parts["contours"], methods=["clg:fast", "lucas-kanade"], device="cpu",
    ...     start_frames=[0])
    >>> [run.method for run in found.runs]
    ['clg', 'lucas-kanade']
    """
    images, interval = _cine(cine)
    named = [str(own).partition(":") for own in words(methods or ())]
    meaning = DEFAULT_LABELS if labels is None else labels
    starts = several(start_frames, "start_frames=")
    start = starts[0] if starts else 0
    size = tuple(images[0].shape) if images else ()
    following = {
        "contours": _drawn(contours, start, meaning, size),
        "truth": [(name, _drawn(own, start, meaning, size)) for name, own in (truth or {}).items()],
        "frame_interval_ms": interval if frame_interval_ms is None else frame_interval_ms,
        "start_frames": starts,
        "labels": [meaning.get(name) for name in ("rv", "muscle", "lv")],
        "region": _region(region, images[0] if images else None),
        "motion": motion,
        "placement": placement,
        "cavities": cavities,
        "periodic": periodic,
        "estimate": estimate,
        "methods": [settings(method, preset or None, dict(parameters or {})) for method, _, preset in named],
        "weight": as_image_beside(weight, images[0] if images else None, "the weight image"),
        "progress": as_progress(progress),
    }
    if parameters and not named:
        raise _veloxel.ParameterError("parameters= belong to methods that are named: give methods=, too")
    runs, whole, _, told = _veloxel.track(lent(session, device), images, following)
    tell(told)
    return HeartResult([_run(own) for own in runs], json.loads(whole))


def _cine(cine: Any) -> tuple[list[Any], float | None]:
    """The frames, and the milliseconds between them where a file says so."""
    if isinstance(cine, (str, os.PathLike)):
        frames, interval, told = _veloxel.read_sequence(lent(None, "cpu"), path_text(cine))
        tell(told)
        return frames, interval
    return [as_image(frame, f"frame {nth}") for nth, frame in enumerate(_frames(cine))], None


def _drawn(contours: Any, start: int, meaning: Mapping[str, int], size: tuple[int, ...]) -> Any:
    """Paths, or outlines as the extension takes them; labels have the size of the cine's frames."""
    if are_paths(contours):
        given = [contours] if isinstance(contours, (str, os.PathLike)) else contours
        return [path_text(own) for own in given]
    if holds_labels(contours):
        contours = {start: contours}
    if isinstance(contours, Mapping):
        for frame, own in contours.items():
            shape = array_and_place(own, f"the label image of frame {frame}")[0].shape
            if shape != size:
                raise _veloxel.InputError(f"the label image of frame {frame} has the shape {shape}, the cine's frames have {size}")
        of_frames = [label_outlines(own, frame=frame, meaning=meaning) for frame, own in contours.items()]
        contours = [outline for outlines in of_frames for outline in outlines]
    return as_outlines(contours)


def _region(region: Any, frame: Any) -> Any:
    if isinstance(region, str):
        return region
    if isinstance(region, Sequence) and len(region) == 4 and not hasattr(region[0], "__len__"):
        return [int(value) for value in region]
    return as_image_beside(region, frame, "the region's mask")


def _run(own: Any) -> HeartMotion:
    texts = {
        "function.csv": own.function,
        "strain.csv": own.strain,
        "distances.csv": own.distances,
        "expected_errors.csv": own.expected_errors,
    }
    return HeartMotion(
        method=own.method,
        preset=own.preset,
        contours=wrapped(own.contours),
        fields=[Field._of(field, None) for field in own.fields],
        labels=[Image._of(frame) for frame in own.labels],
        function=_columns(own.function),
        strain=None if own.strain is None else _columns(own.strain),
        distances=None if own.distances is None else _columns(own.distances),
        expected_errors=None if own.expected_errors is None else _columns(own.expected_errors),
        measures=json.loads(own.measures),
        tables={name: text for name, text in texts.items() if text is not None},
    )


def _columns(text: str) -> dict[str, np.ndarray]:
    """The columns of a table: numbers where all of a column's cells are, empty ones being NaN; else words."""
    rows = list(csv.reader(line for line in text.splitlines() if not line.startswith("#")))
    return {name: _column([row[nth] for row in rows[1:]]) for nth, name in enumerate(rows[0])}


def _column(cells: list[str]) -> np.ndarray:
    try:
        return np.array([float(cell) if cell else np.nan for cell in cells])
    except ValueError:
        return np.array(cells)
