"""Hearts: cavities and strains over a beat, and strains of segments."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _veloxel
from . import bulls_eye
from .look import INKS, STRONG, Plot, curve_axes, legend, new_figure, require_matplotlib

LAYERS = (("circumferential_endo", "endocardium"), ("circumferential_mid", "midway"), ("circumferential_epi", "epicardium"))
#: Kinds of strain: the name in measures, the heading, the share with full colour in percent, and its curves: column, name.
KINDS = (
    ("circumferential", "Circumferential strain", -30.0, LAYERS),
    ("radial", "Radial strain", 60.0, (("radial", ""),)),
    ("longitudinal", "Longitudinal strain", -25.0, (("longitudinal", ""),)),
)
CHOICES = ("all", "volumes", "strain", "segments", "bulls-eye")


def heart_plot(beat: Any, what: str) -> Plot:
    """A heart's curves and bull's-eyes.

    Raises:
        InputError: Another word, or strain without a wall.
    """
    require_matplotlib()
    if what not in CHOICES:
        raise _veloxel.InputError(f"there is no plot {what!r} of a heart: {', '.join(CHOICES)} are there")
    kinds = [] if beat.strain is None else [kind for kind in KINDS if np.isfinite(_all(beat, f"{kind[3][0][0]}_lagrangian")).any()]
    chambers = _chambers(beat)
    if what not in ("all", "volumes") and not kinds:
        raise _veloxel.InputError("there is no strain to draw: it needs a wall, which is outlined inside and outside (endo and epi)")
    if what in ("all", "volumes") and not (chambers or kinds):
        raise _veloxel.InputError("there is no cavity to draw: only endo and rv enclose one")
    name = f"{beat.method}:{beat.preset}"
    if what == "segments":
        return _segments(beat, kinds, name)
    curves: list[tuple[str, Any]] = [("chamber", own) for own in chambers] if what in ("all", "volumes") else []
    curves += [("strain", kind) for kind in kinds] if what in ("all", "strain") else []
    eyes = kinds if what in ("all", "bulls-eye") else []
    across = 3 if max(len(curves), len(eyes)) in (3, 5, 6) else min(max(len(curves), len(eyes)), 2)
    down = -(-len(curves) // across)
    heights = [own for own in (3.3 * down, 4.4 * bool(eyes)) if own]
    figure = new_figure((4.4 * across, sum(heights)))
    rows = list(figure.subfigures(len(heights), 1, height_ratios=heights, squeeze=False)[:, 0])
    if curves:
        _curves(rows.pop(0), curves, (down, across), beat)
    for axes, kind in zip(np.ravel(rows[0].subplots(1, len(eyes))) if eyes else (), eyes):
        bulls_eye.draw(axes, f"{kind[1]}, extreme", _extremes(beat, kind[0]), kind[2])
    return Plot(figure, f"{name}: {what if what != 'all' else 'cavities, strain and segments'}")


def _curves(part: Any, curves: list[Any], shape: tuple[int, int], beat: Any) -> None:
    places = np.ravel(part.subplots(*shape))
    for axes, (what, own) in zip(places, curves):
        if what == "chamber":
            _chamber(axes, beat, *own)
        else:
            _strain(axes, beat, own)
    for axes in places[len(curves) :]:
        axes.set_axis_off()


def over(beat: Any) -> tuple[np.ndarray, str]:
    """What the curves go over: milliseconds where they are known, else frames."""
    times = beat.function["time_ms"]
    return (times, "time, ms") if np.isfinite(times).all() else (beat.function["frame"], "frame")


def _chambers(beat: Any) -> list[tuple[str, dict[str, Any], str]]:
    both = beat.measures["ventricles"]
    found = (("Left ventricle's cavity", both.get("lv"), INKS[0]), ("Right ventricle's cavity", both.get("rv"), INKS[3]))
    return [(title, chamber, ink) for title, chamber, ink in found if chamber is not None]


def _chamber(axes: Any, beat: Any, title: str, chamber: dict[str, Any], ink: str) -> None:
    """The volume of a cavity, or the area of a single slice, whose volume says nothing."""
    x, x_label = over(beat)
    volume = np.array(chamber["volume_ml"], dtype=float)
    largest, smallest = chamber["end_diastole"], chamber["end_systole"]
    areas = chamber["areas_cm2"]
    # The volume of one slice is its area times its thickness.
    values, unit, words = volume, "ml", ("EDV", "ESV")
    if areas is not None:
        values, unit, words = volume * (areas[0] / volume[largest]), "cm²", ("largest", "smallest")
    share = f"{'ejection fraction' if areas is None else 'area change'} {100 * chamber['ejection_fraction']:.0f} %"
    curve_axes(axes, title, x_label, "volume, ml" if areas is None else f"area of slice {chamber['slices'][0]}, cm²")
    axes.plot(x, values, "-o", color=ink, markersize=3, linewidth=1.6, label=share)
    for nth, word, up in ((largest, words[0], 7), (smallest, words[1], -13)):
        axes.annotate(
            f"{word} {values[nth]:.1f} {unit}", (x[nth], values[nth]), xytext=(0, up), textcoords="offset points", fontsize=8,
            color=STRONG, ha="left" if nth == 0 else "right" if nth == len(x) - 1 else "center",
        )
    axes.set_ylim(0, 1.15 * float(np.nanmax(values)))
    legend(axes)


def _all(beat: Any, column: str, segment: str = "all") -> np.ndarray:
    rows = (beat.strain["slice"].astype(str) == "all") & (beat.strain["segment"].astype(str) == segment)
    return np.asarray(beat.strain[column][rows], dtype=float)


def _strain(axes: Any, beat: Any, kind: Any) -> None:
    x, x_label = over(beat)
    curve_axes(axes, kind[1], x_label, "Lagrangian strain, %")
    axes.axhline(0.0, color="#767b84", linewidth=0.8)
    for (column, name), ink in zip(kind[3], INKS):
        axes.plot(x, 100 * _all(beat, f"{column}_lagrangian"), "-o", color=ink, markersize=3, linewidth=1.6, label=name or "whole ring")
    legend(axes, 3)


def _extremes(beat: Any, kind: str) -> dict[int, float]:
    """The extreme of each segment in percent; the apex has no wall around a cavity, so that it has no radial strain."""
    summary = [own for own in beat.measures["strain_summary"] if own["slice"] is None and own["segment"] is not None and own[kind]]
    return {own["segment"]: 100 * own[kind]["extreme"] for own in summary if kind != "radial" or own["segment"] != 17}


def _segments(beat: Any, kinds: list[Any], name: str) -> Plot:
    """A curve for each segment: a colour for its place around the ring, a line for the ring."""
    import matplotlib

    words = sorted({str(own) for own in beat.strain["segment"]} - {"all"}, key=int)
    several = len({own for own in bulls_eye.RINGS for word in words if own[2] <= int(word) < own[2] + own[3]}) > 1
    figure = new_figure((5.2 * len(kinds), 4.2 if len(words) <= 6 else 4.9))
    x, x_label = over(beat)
    for axes, kind in zip(np.ravel(figure.subplots(1, len(kinds))), kinds):
        curve_axes(axes, kind[1], x_label, "Lagrangian strain, %")
        axes.axhline(0.0, color="#767b84", linewidth=0.8)
        column = "circumferential_mid" if kind[0] == "circumferential" else kind[0]
        for word in words:
            _, _, first, count = next(ring for ring in bulls_eye.RINGS if int(word) < ring[2] + ring[3])
            values = _all(beat, f"{column}_lagrangian", word)
            if kind[0] == "radial" and word == "17" or not np.isfinite(values).any():
                continue
            ink = matplotlib.colormaps["turbo"](0.06 + 0.88 * (int(word) - first) / max(count - 1, 1))
            line = {1: "-", 7: "--", 13: ":", 17: "-."}[first] if several else "-"
            axes.plot(x, 100 * values, line, color=ink, linewidth=1.6, label=f"segment {word}")
        legend(axes, 4 if len(words) > 6 else 3)
    return Plot(figure, f"{name}: segments")
