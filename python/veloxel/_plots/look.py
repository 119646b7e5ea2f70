"""What all plots look like: the colours and the lines of the reports' pages."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import _veloxel
from .pictures import Picture

#: The colours of curves, in order.
INKS = ("#3454d1", "#e8743b", "#1a9a8a", "#b5479b", "#c99700", "#6b7280")
CARD, LINE, INK, STRONG, SOFT = "#ffffff", "#e3e0da", "#3b3f46", "#1a1c20", "#767b84"
HATCH = "#c9c6bf"
#: Points of a figure per inch, and of a picture.
DPI = 110


class Plot(Picture):
    """A result drawn by matplotlib: a picture, and the figure that it is of.

    :meth:`HeartMotion.plot`, :meth:`PointTracks.plot`, :meth:`Parts.plot` and :meth:`Features.plot` make it; a notebook shows it:

    >>> import veloxel
    >>> parts = veloxel.phantom("cine", (32, 32), noise=0)
    >>> beat = veloxel.track(parts["cine"], parts["contours"], start_frames=[0], device="cpu")
    >>> plot = beat.plot("strain")
    >>> plot.figure.axes[0].get_ylabel(), plot.array.dtype
    ('Lagrangian strain, %', dtype('uint8'))
    """

    def __init__(self, figure: Any, caption: str) -> None:
        self.figure, self.caption = figure, caption

    figure: Any
    """The ``matplotlib.figure.Figure``: what is changed in it is in the picture."""

    @property
    def array(self) -> np.ndarray:
        """Red, green and blue, ``(rows, columns, 3)``, ``uint8``."""
        canvas = _canvas(self.figure)
        canvas.draw()
        return np.asarray(canvas.buffer_rgba())[..., :3].copy()

    def save(self, path: Any) -> None:
        """Writes the plot in the format that the path's ending names: ``.png``, ``.svg``, ``.pdf`` …"""
        ending = str(path).rpartition(".")[2].lower()
        formats = _canvas(self.figure).get_supported_filetypes()
        if ending not in formats:
            raise _veloxel.InputError(f"{path} has no ending of a plot's file: {', '.join('.' + own for own in sorted(formats))}")
        # Drawn before the file is opened: a figure that fails leaves the file as it was.
        content = io.BytesIO()
        self.figure.savefig(content, format=ending)
        with open(path, "wb") as file:
            file.write(content.getvalue())


def _canvas(figure: Any) -> Any:
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    return figure.canvas if isinstance(figure.canvas, FigureCanvasAgg) else FigureCanvasAgg(figure)


def require_matplotlib() -> None:
    """Says what to do where matplotlib cannot be imported.

    Raises:
        ImportError: It is not installed, or its installation is damaged.
    """
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError as error:
        raise ImportError(f"this plot is drawn by matplotlib, which cannot be imported ({error}): pip install matplotlib") from error


def new_figure(inches: tuple[float, float]) -> Any:
    """An empty figure that belongs to no window."""
    from matplotlib.figure import Figure

    return Figure(figsize=inches, dpi=DPI, facecolor=CARD, layout="constrained")


def titled(axes: Any, title: str) -> None:
    """The heading of one picture of a figure."""
    axes.set_title(title, loc="left", fontsize=10.5, fontweight="bold", color=STRONG)


def curve_axes(axes: Any, title: str, x: str, y: str) -> None:
    """Axes for curves, with their quantities and units."""
    from matplotlib.ticker import MaxNLocator

    if x == "frame":
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    titled(axes, title)
    axes.set_facecolor(CARD)
    axes.set_xlabel(x, fontsize=9, color=INK)
    axes.set_ylabel(y, fontsize=9, color=INK)
    axes.tick_params(colors=INK, labelsize=8.5, length=3)
    axes.grid(True, axis="y", color=LINE, linewidth=0.8)
    axes.set_axisbelow(True)
    for name, spine in axes.spines.items():
        spine.set_visible(name in ("left", "bottom"))
        spine.set_color(SOFT)


def legend(axes: Any, columns: int = 1) -> None:
    """The names of the curves, below the axes, where no curve is."""
    if axes.get_legend_handles_labels()[1]:
        axes.legend(
            loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=columns, fontsize=8.5, frameon=False, labelcolor=INK, handlelength=1.8,
            columnspacing=1.2,
        )


def picture_axes(axes: Any, title: str, shape: Sequence[int]) -> None:
    """Axes for a picture: pixels along x to the right, along y downwards."""
    titled(axes, title)
    axes.set_xlabel("x, px", fontsize=9, color=INK)
    axes.set_ylabel("y, px", fontsize=9, color=INK)
    axes.tick_params(colors=INK, labelsize=8.5, length=3)
    axes.set_xlim(-0.5, shape[1] - 0.5)
    axes.set_ylim(shape[0] - 0.5, -0.5)
    axes.set_aspect("equal")
    for spine in axes.spines.values():
        spine.set_color(LINE)


def grey_range(image: np.ndarray) -> tuple[float, float]:
    """The samples that are black and white: those that 0.5 and 99.5 % do not exceed."""
    known = image[np.isfinite(image)]
    if not known.size:
        return 0.0, 1.0
    low, high = (float(own) for own in np.percentile(known, (0.5, 99.5)))
    return (low, high) if high > low else (low - 0.5, low + 0.5)
