"""The 17 segments of the left ventricle as a bull's-eye: base outside, apex in the middle, the anterior wall on top.

*Paper*: Cerqueira et al.: Standardized myocardial segmentation, Circulation 2002.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .look import CARD, HATCH, INK, INKS, LINE, SOFT, STRONG

#: First and last radius of a ring, its first segment, and its number of segments; the middle of the first one is on top.
RINGS = ((72.0, 98.0, 1, 6), (46.0, 72.0, 7, 6), (20.0, 46.0, 13, 4), (0.0, 20.0, 17, 1))
#: Names of the walls around the rings, and where they stand.
WALLS = (("anterior", 0.0, 103.0, 0), ("septum", -103.0, 0.0, 90), ("inferior", 0.0, -103.0, 0), ("lateral", 103.0, 0.0, -90))


def draw(axes: Any, title: str, values: dict[int, float], full: float, unit: str = "%") -> None:
    """Draws a number for every segment that has one: the colour is full at ``full``; the other sign has another colour."""
    from matplotlib.patches import Wedge

    # In the picture itself: around axes that are not shown, no room is kept for a title.
    axes.text(-112, 119, title, fontsize=10.5, fontweight="bold", color=STRONG)
    for inner, outer, first, count in RINGS:
        for nth in range(count):
            # Segments follow each other against the clock, as seen from the apex.
            middle, half = 90.0 + 360.0 / count * nth, 180.0 / count
            value = values.get(first + nth, np.nan)
            known = bool(np.isfinite(value))
            wedge = Wedge((0, 0), outer, middle - half, middle + half, width=outer - inner, linewidth=1.0)
            wedge.set(facecolor=colour(value, full) if known else "#ecebe7", edgecolor=LINE if known else HATCH, hatch=None if known else "///")
            axes.add_patch(wedge)
            turn, radius = np.radians(middle), 0.5 * (inner + outer) if inner else 0.0
            _number(axes, radius * np.cos(turn), radius * np.sin(turn), first + nth, value)
    for name, x, y, turned in WALLS:
        axes.text(x, y, name, rotation=turned, ha="center", va="center", fontsize=7.5, color=SOFT)
    note = f"{unit}; colour full at {full:+.0f} {unit}; the other sign in the other colour; hatched: not seen"
    axes.text(0, -118, note.replace("-", "−"), ha="center", fontsize=7.5, color=INK)
    axes.set_xlim(-112, 112)
    axes.set_ylim(-124, 130)
    axes.set_aspect("equal")
    axes.set_axis_off()


def colour(value: float, full: float) -> tuple[float, ...]:
    """The colour of a number: the second ink with the sign of ``full``, the third with the other one, white at 0."""
    from matplotlib.colors import to_rgb

    share = min(abs(value / full), 1.0)
    ink = to_rgb(INKS[1] if value / full >= 0 else INKS[2])
    return tuple(share * own + (1.0 - share) * white for own, white in zip(ink, to_rgb(CARD)))


def _number(axes: Any, x: float, y: float, segment: int, value: float) -> None:
    from matplotlib.patheffects import withStroke

    known = bool(np.isfinite(value))
    halo = [withStroke(linewidth=1.6, foreground=CARD)]
    axes.text(x, y + (6.5 if known else 0.0), str(segment), ha="center", va="center", fontsize=6.5, color=INK, path_effects=halo)
    if known:
        text = f"{value:+.0f}".replace("-", "−") if round(value) else "0"
        axes.text(x, y - 5.0, text, ha="center", va="center", fontsize=9.5, color=STRONG, path_effects=halo)
