"""Fields as layers of napari, which has axes, places and vectors in the order (z, y, x)."""

from __future__ import annotations

from typing import Any

import numpy as np
import veloxel

#: About this many arrows are drawn along the longest side.
ARROWS = 40
LayerData = tuple[Any, dict[str, Any], str]


def placed(scale: tuple[float, ...], translate: tuple[float, ...] = ()) -> dict[str, Any]:
    """Where a layer lies: spacing and origin along its axes."""
    return {"scale": scale, "translate": translate or (0.0,) * len(scale)}


def vectors(field: veloxel.Field, name: str, place: dict[str, Any], time: int | None = None) -> LayerData:
    """A field as arrows `(n, 2, axes)`: where they begin, and how far they go, in voxels.

    The whole field stays in the layer's metadata, from where it is saved. Unknown vectors have no arrow.

    Args:
        time: The frame of a sequence that the field belongs to; it becomes the first axis.
    """
    array = field.array
    axes = array.ndim - 1
    step = max(1, max(array.shape[:axes]) // ARROWS)
    starts = np.stack(np.meshgrid(*(np.arange(step // 2, n, step) for n in array.shape[:axes]), indexing="ij"), -1)
    starts = starts.reshape(-1, axes)
    ways = array[tuple(starts.T)][:, ::-1]
    is_known = np.isfinite(ways).all(axis=1)
    arrows = np.stack([starts, ways], axis=1)[is_known].astype(np.float32)
    if time is not None:
        whole = np.zeros((len(arrows), 2, axes + 1), np.float32)
        whole[:, :, 1:] = arrows
        whole[:, 0, 0] = time
        arrows = whole
    look = {"edge_width": max(0.2, step / 12), "vector_style": "arrow", "edge_color": "orange"}
    return arrows, {"name": name, "metadata": {"veloxel": field}, **place, **look}, "vectors"


def image(values: np.ndarray, name: str, place: dict[str, Any], colours: str = "gray") -> LayerData:
    """An image, with the place of the layer that it belongs to."""
    return values, {"name": name, "colormap": colours, **place}, "image"


def of_pair(found: veloxel.FlowResult, name: str, place: dict[str, Any]) -> list[LayerData]:
    """The layers of a pair: warped image, confidence, arrows."""
    warped = [] if found.warped is None else [image(found.warped.array, f"{name} warped", place)]
    sure = image(found.confidence.array, f"{name} confidence", place, "viridis")
    sure[1].update(visible=False, contrast_limits=(0, 1))
    return [*warped, sure, vectors(found.flow, f"{name} flow", place)]


def of_sequence(fields: list[Any], name: str, place: dict[str, Any]) -> list[LayerData]:
    """The layers of a sequence: confidences along time, and the arrows of every frame's field."""
    frames = fields[0].fixed_frame if len({field.fixed_frame for field in fields}) == 1 else None
    times = [field.fixed_frame if frames is None else field.moving_frame for field in fields]
    confidence = np.zeros((max(times) + 1, *fields[0].confidence.shape), np.float32)
    arrows = []
    for time, field in zip(times, fields, strict=True):
        confidence[time] = field.confidence.array
        arrows.append(vectors(field.flow, "", place, time))
    sure = image(confidence, f"{name} confidence", place, "viridis")
    sure[1].update(visible=False, contrast_limits=(0, 1))
    together = {**arrows[0][1], "name": f"{name} flow", "metadata": {"veloxel_fields": [field.flow for field in fields]}}
    return [sure, (np.concatenate([one[0] for one in arrows]), together, "vectors")]
