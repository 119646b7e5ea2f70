"""Points that were followed: their ways over an image."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _veloxel
from .._images import as_image
from .look import INK, Plot, grey_range, new_figure, picture_axes, require_matplotlib

#: Colours that tell neighbouring points apart, as in the command's pictures.
COLOURS = ("#e6503c", "#46aaf0", "#fabe28", "#5ac86e", "#c86ee6", "#3cd7cd")


def trails_plot(tracks: Any, on: Any, frame: int | None, trail: int | None) -> Plot:
    """The tracks up to a frame, over an image.

    Raises:
        InputError: A frame that there is not, a trail below 0, an image that is no picture.
    """
    require_matplotlib()
    last = tracks.frames - 1
    at = last if frame is None else int(frame) + tracks.frames if int(frame) < 0 else int(frame)
    if not 0 <= at <= last:
        raise _veloxel.InputError(f"there is no frame {frame}: frames go from 0 to {last}")
    if trail is not None and trail < 0:
        raise _veloxel.InputError(f"a trail has 0 frames or more, not {trail}")
    image = None
    if on is not None:
        own = as_image(on, "the image below")
        if len(own.shape) != 2:
            raise _veloxel.InputError(f"points lie on a picture (y, x), the image below has the shape {tuple(own.shape)}")
        image = own.samples().reshape(own.shape)
    whole = tracks.positions
    first = 0 if trail is None else max(at - int(trail), 0)
    return _drawn(image, whole[first : at + 1], whole[at], f"frame {at}")


def _drawn(image: np.ndarray | None, ways: np.ndarray, ends: np.ndarray, place: str) -> Plot:
    from matplotlib.collections import LineCollection
    from matplotlib.patheffects import withStroke

    known = ways[np.isfinite(ways).all(axis=-1)]
    shape = image.shape if image is not None else tuple(int(np.ceil(own)) + 8 for own in (known.max(axis=0)[::-1] if len(known) else (56, 56)))
    figure = new_figure((7.0, min(max(7.0 * shape[0] / shape[1] + 0.6, 2.5), 9.0)))
    axes = figure.subplots()
    alive = np.isfinite(ends).all(axis=-1)
    picture_axes(axes, f"{int(alive.sum())} of {len(ends)} points in {place}", shape)
    if image is not None:
        low, high = grey_range(image)
        axes.imshow(image, cmap="gray", vmin=low, vmax=high, interpolation="nearest")
    dark = [withStroke(linewidth=2.4, foreground="#101216")]
    width = float(np.interp(len(ends), (50, 2000), (1.6, 0.7)))
    inks = [COLOURS[nth % len(COLOURS)] for nth in range(len(ends))]
    # A way through NaN is not drawn: pieces between neighbouring frames.
    pieces = np.stack([ways[:-1], ways[1:]], axis=2).reshape(-1, 2, 2)
    seen = np.isfinite(pieces).all(axis=(1, 2))
    colours = [ink for ink, own in zip(inks * (len(ways) - 1), seen) if own]
    axes.add_collection(LineCollection(list(pieces[seen]), colors=colours, linewidths=width, path_effects=dark), autolim=False)
    axes.scatter(*ends[alive].T, s=12 * width, c=[ink for ink, own in zip(inks, alive) if own] or None, edgecolors="#101216", linewidths=0.6, zorder=3)
    before = {0: "", 1: "; a line: its way from the frame before"}.get(len(ways) - 1, f"; a line: its way through the {len(ways) - 1} frames before")
    note = f"a dot: where a point is in {place}{before}"
    figure.supxlabel(note, fontsize=8, color=INK)
    return Plot(figure, f"{int(alive.sum())} of {len(ends)} tracks reach {place}")
