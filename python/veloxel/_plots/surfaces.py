"""Meshes in the colours of their parts, from two sides."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _veloxel
from .look import CARD, INK, SOFT, Plot, new_figure, require_matplotlib, titled

#: Where the eye stands: degrees around the axis that points up, and above the plane across it.
VIEWS = (("from the front", 30.0), ("from behind", 210.0))
ELEVATION = 20.0


def part_rgb(part: int) -> np.ndarray:
    """The colour of a part, as the command's files and pages have it: hues a golden section apart, in three lightnesses."""
    hue = 6.0 * ((0.58 + part * 0.618_033_988_749_894_9) % 1.0)
    value, chroma = ((0.95, 0.62), (0.75, 0.6), (0.88, 0.42))[part % 3]
    around = (hue + np.array([5.0, 3.0, 1.0])) % 6.0
    return np.round(255.0 * (value - chroma * np.clip(np.minimum(around, 4.0 - around), 0.0, 1.0))) / 255.0


def parts_plot(parts: Any, certainty: bool, up: str) -> Plot:
    """The mesh from two sides, a colour a part.

    Raises:
        InputError: An axis that there is not.
    """
    require_matplotlib()
    if up not in ("x", "y", "z"):
        raise _veloxel.InputError(f"up is an axis of the mesh, 'x', 'y' or 'z', not {up!r}")
    points, triangles = parts.mesh.points, parts.mesh.triangles
    corners = np.roll(points, -("xyz".index(up) + 1), axis=1)[triangles]
    labels = parts.labels
    count = int(labels.max()) + 1 if labels.size else 0
    palette = np.array([part_rgb(nth) for nth in range(count)]).reshape(-1, 3)
    sure = parts.certainty[:, np.newaxis] if certainty else 1.0
    colours = 1.0 - sure * (1.0 - palette[labels])
    shown = min(count, 24)
    figure = new_figure((8.6, 4.6 + 0.22 * -(-shown // 6)))
    for axes, (name, azimuth) in zip(figure.subplots(1, 2), VIEWS):
        titled(axes, f"{count} parts, {name}" if azimuth == VIEWS[0][1] else name.capitalize())
        _view(axes, corners, colours, azimuth)
    _names(figure, labels, palette, shown, certainty)
    return Plot(figure, f"{count} parts" + ("; white: not certain" if certainty else ""))


def _view(axes: Any, corners: np.ndarray, colours: np.ndarray, azimuth: float) -> None:
    """Triangles that face the eye, from the farthest to the nearest, lit from beside the eye."""
    from matplotlib.collections import PolyCollection

    turn, lift = np.radians(azimuth), np.radians(ELEVATION)
    right = np.array([-np.sin(turn), np.cos(turn), 0.0])
    towards = np.array([np.cos(lift) * np.cos(turn), np.cos(lift) * np.sin(turn), np.sin(lift)])
    above = np.cross(towards, right)
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    lengths = np.linalg.norm(normals, axis=1)
    normals /= np.where(lengths > 0, lengths, 1.0)[:, np.newaxis]
    light = towards + 0.4 * above - 0.3 * right
    # A surface that is open, or turned inside out, has its other side lit as well.
    shade = 0.45 + 0.55 * np.abs(normals @ (light / np.linalg.norm(light)))
    order = np.argsort((corners @ towards).mean(axis=1), kind="stable")
    flat = np.stack([corners @ right, corners @ above], axis=-1)
    shaded = np.clip(colours * shade[:, np.newaxis], 0.0, 1.0)[order]
    axes.add_collection(PolyCollection(list(flat[order]), facecolors=shaded, edgecolors=shaded, linewidths=0.25), autolim=False)
    low, high = flat.reshape(-1, 2).min(axis=0), flat.reshape(-1, 2).max(axis=0)
    margin = 0.06 * max(float((high - low).max()), 1e-9)
    axes.set_xlim(low[0] - margin, high[0] + margin)
    axes.set_ylim(low[1] - 3 * margin, high[1] + margin)
    axes.set_aspect("equal")
    axes.set_axis_off()
    _scale_bar(axes, low, high, margin)


def _scale_bar(axes: Any, low: np.ndarray, high: np.ndarray, margin: float) -> None:
    """A bar of a round length, at most a third of the width: meshes do not say their unit."""
    third = max(float(high[0] - low[0]), 1e-9) / 3.0
    power = 10.0 ** np.floor(np.log10(third))
    length = power * max(step for step in (1.0, 2.0, 5.0) if step * power <= third)
    y = low[1] - 1.4 * margin
    axes.plot([low[0], low[0] + length], [y, y], color=INK, linewidth=2.0, solid_capstyle="butt")
    axes.text(low[0] + length + 0.5 * margin, y, f"{length:g} unit{'' if length == 1 else 's'} of the mesh", fontsize=8, color=INK, va="center")


def _names(figure: Any, labels: np.ndarray, palette: np.ndarray, shown: int, certainty: bool) -> None:
    from matplotlib.patches import Patch

    sizes = np.bincount(labels, minlength=len(palette)) if labels.size else np.zeros(0, int)
    entries = [Patch(facecolor=palette[nth], edgecolor=SOFT, linewidth=0.5, label=f"{nth}: {sizes[nth]}") for nth in range(shown)]
    more = f"; the first {shown} of {len(palette)}" if shown < len(palette) else ""
    title = f"part: number of its triangles{more}" + ("; white: not certain" if certainty else "")
    own = figure.legend(
        handles=entries, loc="outside lower center", ncols=6, title=title, fontsize=8.5, title_fontsize=8.5, labelcolor=INK, facecolor=CARD,
        frameon=False,
    )
    own.get_title().set_color(INK)
