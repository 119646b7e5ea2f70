"""Results as pictures, and what a notebook shows of them."""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _veloxel
from .._images import as_image
from .._session import lent


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
        self._array, self.caption = array, caption

    caption: str
    """What it shows: the plane and the length with full colour."""

    @property
    def array(self) -> np.ndarray:
        """Red, green and blue, ``(rows, columns, 3)``, ``uint8``."""
        return self._array

    @property
    def png(self) -> bytes:
        """The picture as a file of PNG."""
        array = self.array
        height, width, _ = array.shape
        # Each row begins with the number of its filter: none.
        rows = np.concatenate([np.zeros((height, 1), dtype=np.uint8), array.reshape(height, 3 * width)], axis=1)
        parts = [
            (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)),
            (b"IDAT", zlib.compress(rows.tobytes(), 6)),
            (b"IEND", b""),
        ]
        chunks = [struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data)) for name, data in parts]
        return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the picture as a file of PNG, ``.png``."""
        if not os.fspath(path).lower().endswith(".png"):
            raise _veloxel.InputError(f"a picture is written as PNG, and {os.fspath(path)} does not end in .png")
        with open(path, "wb") as file:
            file.write(self.png)

    def _repr_png_(self) -> bytes:
        return self.png

    def __repr__(self) -> str:
        return f"{type(self).__name__}(shape={self.array.shape}, caption={self.caption!r})"


def _drawing(image: Any, overlay: bool, plane: str | None, scale: float | None, key: bool) -> dict[str, Any]:
    own = None if image is None else as_image(image, "the image below")
    if scale is not None and not scale > 0:
        raise _veloxel.InputError(f"scale= is the value with full colour, above 0, not {scale!r}")
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


#: What a page looks like: the colours of the command's pages.
_STYLE = (
    "body{margin:2em auto;max-width:70em;padding:0 1em;background:#f6f5f2;color:#3b3f46;font:15px/1.5 system-ui,sans-serif}"
    "h1{color:#1a1c20;font-size:1.5em}figure{margin:0;background:#fff;border:1px solid #e3e0da;padding:1em}img{max-width:100%}"
    "figcaption{color:#767b84}table{margin-top:1em;border-collapse:collapse}th,td{text-align:left;padding:.2em 1.5em .2em 0;vertical-align:top}"
)


def page(picture: Picture | None, facts: dict[str, str]) -> str:
    """A picture with facts below it, as HTML that asks nothing of a network; without a picture the facts say why."""
    # Imported when the first page is made, not with the package.
    import base64
    from html import escape

    rows = "".join(f"<tr><th>{escape(name)}</th><td>{escape(text)}</td></tr>" for name, text in facts.items())
    if picture is None:
        return f"<table>{rows}<tr><th>picture</th><td>pip install matplotlib</td></tr></table>"
    data = base64.b64encode(picture.png).decode("ascii")
    # Pictures of few pixels keep their size, those of many fit into the cell.
    shown = f'<img alt="{escape(picture.caption)}" style="max-width:100%" src="data:image/png;base64,{data}">'
    return f"<figure>{shown}<figcaption>{escape(picture.caption)}</figcaption></figure><table>{rows}</table>"


def write_page(name: str, content: str, path: str | os.PathLike[str]) -> None:
    """Writes what a notebook shows of a result as a page of its own."""
    ending = os.path.splitext(os.fspath(path))[1].lower()
    if ending not in (".html", ".htm"):
        raise _veloxel.InputError(f"a page is written as HTML, and {os.fspath(path)} does not end in .html")
    from html import escape

    title = escape(name)
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{title}</title><style>{_STYLE}</style>'
    with open(path, "w", encoding="utf-8") as file:
        file.write(f'<!doctype html>\n<html lang="en"><head>{head}</head><body><h1>{title}</h1>{content}</body></html>\n')


class Shown:
    """A result that a notebook shows, and that is saved as a page: it has a picture and facts."""

    def _picture(self) -> Picture | None:
        """The picture of the page; none where matplotlib draws it and is not there."""
        raise NotImplementedError

    def _facts(self) -> dict[str, str]:
        raise NotImplementedError

    def _repr_html_(self) -> str:
        return page(self._picture(), self._facts())

    def save_page(self, path: str | os.PathLike[str]) -> None:
        """Writes what a notebook shows, the picture with facts below it, as a page of HTML that asks nothing of a network."""
        write_page(type(self).__name__, self._repr_html_(), path)


def drawn(plot: Callable[[], Picture]) -> Picture | None:
    """A plot of matplotlib; none where it cannot be imported."""
    try:
        return plot()
    except ImportError:
        return None
