"""Fields from files, and into them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import veloxel

from . import layers


def reader(path: str | list[str]) -> Callable[[str | list[str]], list[layers.LayerData]] | None:
    """The function that reads a file of a field; none for files that hold an image, which other readers open."""
    if isinstance(path, list):
        path = path[0]
    try:
        kind = str(veloxel.info(path).get("kind", ""))
    except Exception:
        return None
    return read if path.endswith(".flo") or "flow" in kind or "field" in kind or "vector" in kind else None


def read(path: str | list[str]) -> list[layers.LayerData]:
    """A file of a field as arrows."""
    paths = [path] if isinstance(path, str) else path
    found = []
    for one in paths:
        field = veloxel.read_field(one)
        found.append(layers.vectors(field, one.replace("\\", "/").rsplit("/", 1)[-1], layers.placed(field.spacing_zyx)))
    return found


def write(path: str, data: Any, attributes: dict[str, Any]) -> list[str]:
    """Writes the field of a layer of arrows, in the format that the path's ending names.

    Raises:
        ValueError: The arrows do not come from Veloxel: they are not a whole field.
    """
    field = attributes.get("metadata", {}).get("veloxel")
    if field is None:
        raise ValueError("these vectors are no field of Veloxel: a field has one for every voxel")
    field.save(path)
    return [path]
