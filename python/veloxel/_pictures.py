"""Results as pictures, and what a notebook shows of them."""

from __future__ import annotations

import base64
import html
import os
import struct
import zlib
from typing import Any

import numpy as np

from . import _veloxel
from ._images import as_image
from ._session import lent


class Picture:
    """A picture of a result, as the command's reports have it: a notebook shows it, offline.

    :meth:`Field.plot` and :meth:`StereoResult.plot` make it:

    >>> import numpy as np
    >>> import veloxel
    >>> picture = veloxel.Field(np.full((32, 48, 2), 0.5)).plot(key=False)
    >>> picture.array.shape, picture.array.dtype
    ((32, 48, 3), dtype('uint8'))
    """

    def __init__(self, array: np.ndarray, caption: str) -> None:
        self.array, self.caption = array, caption

    array: np.ndarray
    """Red, green and blue, ``(rows, columns, 3)``, ``uint8``."""
    caption: str
    """What it shows: the plane and the length with full colour."""

    @property
    def png(self) -> bytes:
        """The picture as a file of PNG."""
        height, width, _ = self.array.shape
        # Each row begins with the number of its filter: none.
        rows = np.concatenate([np.zeros((height, 1), dtype=np.uint8), self.array.reshape(height, 3 * width)], axis=1)
        parts = [
            (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)),
            (b"IDAT", zlib.compress(rows.tobytes(), 6)),
            (b"IEND", b""),
        ]
        chunks = [struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data)) for name, data in parts]
        return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the picture as a file of PNG."""
        with open(path, "wb") as file:
            file.write(self.png)

    def _repr_png_(self) -> bytes:
        return self.png

    def __repr__(self) -> str:
        return f"Picture(shape={self.array.shape}, caption={self.caption!r})"


def _drawing(image: Any, overlay: bool, plane: str | None, scale: float | None, key: bool) -> dict[str, Any]:
    own = None if image is None else as_image(image, "the image below")
    return {"image": own, "overlay": overlay, "plane": plane, "scale": scale, "key": key}


def field_picture(
    own: Any, session: Any, image: Any, *, overlay: bool, plane: str | None, scale: float | None, key: bool
) -> Picture:
    """A field of the extension in colours."""
    drawn, told, length, unit = _veloxel.field_picture(lent(session, None), own, _drawing(image, overlay, plane, scale, key))
    flat, height, width = drawn
    caption = f"{told}, full colour at {length:g} {unit}" if told else f"full colour at {length:g} {unit}"
    return Picture(flat.reshape(height, width, 3), caption)


def disparity_picture(own: Any, session: Any, left: Any, *, overlay: bool, scale: float | None, key: bool) -> Picture:
    """A disparity of the extension in colours."""
    flat, height, width = _veloxel.disparity_picture(lent(session, None), own, _drawing(left, overlay, None, scale, key))
    return Picture(flat.reshape(height, width, 3), "near is light")


def page(picture: Picture, facts: dict[str, str]) -> str:
    """A picture with facts below it, as HTML that asks nothing of a network."""
    data = base64.b64encode(picture.png).decode("ascii")
    rows = "".join(f"<tr><th>{html.escape(name)}</th><td>{html.escape(text)}</td></tr>" for name, text in facts.items())
    shown = f'<img alt="{html.escape(picture.caption)}" src="data:image/png;base64,{data}">'
    return f"<figure>{shown}<figcaption>{html.escape(picture.caption)}</figcaption></figure><table>{rows}</table>"
