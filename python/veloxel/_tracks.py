"""Points followed through frames."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _veloxel
from ._arguments import Progress, as_progress, numbers, whole
from ._flow import _frames
from ._images import Image, as_image
from ._plots.look import Plot
from ._plots.pictures import Picture, Shown, drawn
from ._session import Session, lent
from ._warnings import tell


@dataclass(frozen=True, eq=False, repr=False)
class PointTracks(Shown):
    """A row for every frame that a track reaches, and for the one that it ends in, in the order of the frames.

    ``positions`` has the same as an array over frames and tracks; ``frame``, ``id``, ``xy``, ``status``, ``error``,
    ``forward_backward``, ``expected_error`` and ``expected_drift`` are the columns of the rows, ``frames``, ``tracks`` and ``alive`` are counts, ``image`` is the last frame.

    :func:`track_points` makes it:

    >>> import numpy as np
    >>> import veloxel
    >>> still = np.random.default_rng(1).uniform(0, 255, (64, 64))
    >>> veloxel.track_points([still, still], corners=5, device="cpu").positions.shape
    (2, 5, 2)
    """

    frame: np.ndarray
    """The number of the frame, from 0 on, ``(n,)``."""
    id: np.ndarray
    """The number of the track, from 0 on, ``(n,)``."""
    xy: np.ndarray
    """Positions ``(n, 2)``: x and y in pixels, NaN where there is none."""
    status: list[str]
    """``"begins"``, ``"found"``, ``"left"`` (the picture), ``"flat"``, ``"inconsistent"``, ``"hole"``, ``"undefined"`` or ``"outside"``."""
    error: np.ndarray
    """Mean absolute difference of the windows, intensities; NaN without a position before."""
    forward_backward: np.ndarray
    """How far the way there and back ends from its beginning, pixels; NaN without a check."""
    expected_error: np.ndarray
    """The expected error of the step from the frame before, pixels: what ``forward_backward`` has meant where the motion was known; NaN
    where nothing is found, and without a check."""
    expected_drift: np.ndarray
    """The expected distance from where the point has gone that the track began at, pixels, by the expected errors of all its steps so far;
    NaN where nothing is found, and without a check."""
    frames: int
    """Number of frames."""
    tracks: int
    """Number of tracks."""
    alive: int
    """Number of tracks that reach the last frame."""
    image: Image
    """The last frame."""

    @property
    def positions(self) -> np.ndarray:
        """Positions ``(frames, tracks, 2)``: x and y in pixels, ``float32``, NaN where a track is not there."""
        whole = np.full((self.frames, self.tracks, 2), np.nan, dtype=np.float32)
        whole[self.frame, self.id] = self.xy
        return whole

    def plot(self, *, on: Any = None, frame: int | None = None, trail: int | None = None) -> Plot:
        """The points of a frame with their ways through the frames before. Needs matplotlib.

        Args:
            on: The picture ``(y, x)`` to draw over, such as ``frames[frame]``; ``None``: the last frame, which the result keeps.
            frame: Whose points are drawn, from 0 on or from the end; ``None``: the last one's.
            trail: How many frames back a way reaches; ``None``: to the first.

        Raises:
            InputError: A frame that there is not; an image that is no picture.
        """
        from ._plots.trails import trails_plot

        return trails_plot(self, self.image if on is None and frame is None else on, frame, trail)

    def _picture(self) -> Picture | None:
        return drawn(self.plot)

    def _facts(self) -> dict[str, str]:
        ends = {word: self.status.count(word) for word in dict.fromkeys(self.status) if word not in ("begins", "found")}
        facts = {"frames": str(self.frames), "tracks": f"{self.tracks}, of which {self.alive} reach the last frame"}
        return facts | ({"ended": ", ".join(f"{count} {word}" for word, count in ends.items())} if ends else {})

    def __repr__(self) -> str:
        return f"PointTracks({self.tracks} tracks over {self.frames} frames, {self.alive} reach the last one)"


def track_points(
    frames: Any,
    points: Any = None,
    *,
    corners: int = 500,
    corner_distance: float = 8.0,
    replenish: bool = False,
    window: int = 21,
    levels: int = 4,
    check: float = 1.0,
    device: str | None = None,
    session: Session | None = None,
    progress: Progress | None = None,
) -> PointTracks:
    """Follows points through pictures, each by a small window around it.

    Args:
        frames: Two pictures or more ``(y, x)`` of one size in order of time, an array with time as its first axis, or a path.
        points: Rows ``(x, y)``, pixels of the first frame; ``None``: corners of the first frame.
        corners: How many corners, at most.
        corner_distance: Least distance between corners, pixels.
        replenish: Whether new tracks begin at corners where others have ended.
        window: Side of the window, pixels: odd, 3 to 31.
        levels: Most levels of the pyramid: each further one doubles the motion that is found.
        check: Longest distance between a point and the end of its way there and back, pixels; 0: no check, half the work.
        device, session, progress: As for :func:`flow`.

    Raises:
        InputError: Fewer than two frames, or frames of several sizes or smaller than the window; points of another shape.

    >>> import numpy as np
    >>> import veloxel
    >>> rng = np.random.default_rng(1)
    >>> texture = veloxel.filter(rng.uniform(0, 255, (64, 80)), "gaussian", sigma=1.5, device="cpu").array
    >>> film = [texture[:, shift:shift + 64] for shift in (4, 3)]
    >>> found = veloxel.track_points(film, [[30, 32]], device="cpu")
    >>> bool(abs(found.positions[1, 0] - [31, 32]).max() < 0.1)
    True
    """
    images = [as_image(frame, f"frame {nth}") for nth, frame in enumerate(_frames(frames))]
    rows = None if points is None else numbers(points, "points")
    if rows is not None and rows.ndim != 2:
        raise _veloxel.InputError(f"points are rows (x, y), this array has the shape {rows.shape}")
    found = _veloxel.track_points(
        lent(session, device),
        images,
        {
            "points": rows,
            "corners": whole(corners, "corners="),
            "corner_distance": corner_distance,
            "replenish": replenish,
            "window": whole(window, "window=", 3),
            "levels": whole(levels, "levels=", 1),
            "check": check,
            "progress": as_progress(progress),
        },
    )
    tell(found.warnings)
    return PointTracks(
        frame=found.frame,
        id=found.id,
        xy=np.stack([found.x, found.y], axis=-1),
        status=found.status,
        error=found.error,
        forward_backward=found.forward_backward,
        expected_error=found.expected_error,
        expected_drift=found.expected_drift,
        frames=found.frames,
        tracks=found.tracks,
        alive=found.alive,
        image=Image._of(images[-1]),
    )
