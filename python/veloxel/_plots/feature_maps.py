"""Features of a scale: orientation, phase and energy as pictures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .look import INK, Plot, new_figure, picture_axes, require_matplotlib

#: Colours around the wheel: where in 55 steps, and red, green and blue there (Baker et al., IJCV 92(1), 2011).
HUES = ((0, (1, 0, 0)), (15, (1, 1, 0)), (21, (0, 1, 0)), (25, (0, 1, 1)), (36, (0, 0, 1)), (49, (1, 0, 1)), (55, (1, 0, 0)))
#: Colours around the profile of a line: bright line, falling edge, dark line, rising edge.
PROFILE = ((0.0, (0.98, 0.96, 0.90)), (0.25, (0.86, 0.36, 0.24)), (0.5, (0.09, 0.08, 0.13)), (0.75, (0.20, 0.44, 0.76)), (1.0, (0.98, 0.96, 0.90)))
HEAT = ((0.0, (0.04, 0.03, 0.10)), (0.25, (0.31, 0.07, 0.42)), (0.5, (0.72, 0.18, 0.39)), (0.75, (0.97, 0.50, 0.30)), (1.0, (0.99, 0.95, 0.75)))
#: What is not known, a grey that no map uses.
NEUTRAL = 118 / 255


def features_plot(features: Any) -> Plot:
    """The three maps beside each other, with the colours' keys."""
    require_matplotlib()
    from matplotlib.colors import LinearSegmentedColormap

    energy, orientation, phase = (own.array for own in (features.energy, features.orientation, features.phase))
    figure = new_figure((12.6, min(max(3.6 * energy.shape[0] / energy.shape[1] + 1.45, 2.6), 8.0)))
    panels = figure.subplots(1, 3)
    known = energy[np.isfinite(energy)]
    high = float(np.percentile(known, 99)) if known.size and np.percentile(known, 99) > 0 else 1.0
    # Colours follow the amplitude, and are full for the strongest 5 %, as on the command's page.
    full = max(float(np.percentile(known, 95)), np.finfo(np.float32).tiny) if known.size else 1.0
    strength = np.clip(np.sqrt(np.where(np.isfinite(energy), energy, 0.0) / full), 0.0, 1.0)
    shown = ((panels[0], "Orientation across edges and lines", orientation, orientation_rgb), (panels[1], "Phase", phase, phase_rgb))
    for axes, title, angle, colours in shown:
        picture_axes(axes, title, angle.shape)
        rgb = colours(angle, strength)
        rgb[~np.isfinite(angle)] = NEUTRAL
        axes.imshow(rgb, interpolation="nearest")
    picture_axes(panels[2], "Energy", energy.shape)
    ramp = LinearSegmentedColormap.from_list("heat", HEAT).with_extremes(bad=(NEUTRAL,) * 3)
    drawn = panels[2].imshow(np.ma.masked_invalid(energy), cmap=ramp, vmin=0.0, vmax=high, interpolation="nearest")
    _key(figure, panels[0], orientation_rgb, (0.0, np.pi), (0, np.pi / 2, np.pi), ("0 (along x)", "π/2 (along y)", "π"), "orientation, rad; dark: little energy")
    words = ("−π dark line", "−π/2 edge", "0 bright line", "π/2 edge", "π")
    _key(figure, panels[1], phase_rgb, (-np.pi, np.pi), (-np.pi, -np.pi / 2, 0, np.pi / 2, np.pi), words, "phase, rad; flat grey: little energy")
    bar = figure.colorbar(drawn, ax=panels[2], orientation="horizontal", shrink=0.9, aspect=30, extend="max")
    _labelled(bar.ax, "energy, intensity²; the end: 99 % of the pixels")
    return Plot(figure, "orientation, phase and energy; grey: not known")


def orientation_rgb(angle: np.ndarray, strength: np.ndarray) -> np.ndarray:
    """Once around the wheel for half a turn, black without energy."""
    hue = _at(HUES, 55.0 * ((np.nan_to_num(angle) / np.pi) % 1.0))
    return hue * strength[..., np.newaxis]


def phase_rgb(angle: np.ndarray, strength: np.ndarray) -> np.ndarray:
    """Light for a bright line, dark for a dark one, red and blue for edges, grey without energy."""
    own = _at(PROFILE, (np.nan_to_num(angle) / (2 * np.pi)) % 1.0)
    return 0.5 + strength[..., np.newaxis] * (own - 0.5)


def _at(stops: Any, position: np.ndarray) -> np.ndarray:
    places = [place for place, _ in stops]
    return np.stack([np.interp(position, places, [colour[channel] for _, colour in stops]) for channel in range(3)], axis=-1)


def _key(
    figure: Any, axes: Any, colours: Callable[[np.ndarray, np.ndarray], np.ndarray], ends: tuple[float, float], ticks: Any, words: Any, title: str
) -> None:
    """A strip of the colours of angles, where a colour bar would be."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import ListedColormap, Normalize

    # The last angle of a circle is its first.
    angles = np.linspace(*ends, 256, endpoint=False)
    mapped = ScalarMappable(Normalize(*ends), ListedColormap(colours(angles, np.ones(256))))
    bar = figure.colorbar(mapped, ax=axes, orientation="horizontal", shrink=0.9, aspect=30)
    bar.set_ticks(list(ticks), labels=list(words))
    _labelled(bar.ax, title)


def _labelled(axes: Any, title: str) -> None:
    axes.set_xlabel(title, fontsize=8.5, color=INK)
    axes.tick_params(colors=INK, labelsize=8)
