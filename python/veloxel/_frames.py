"""Frames of files, films and cameras, one after the other."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from . import _veloxel
from ._arguments import path_text
from ._images import Image
from ._session import lent
from ._warnings import tell

Path = str | os.PathLike[str]


class Frames:
    """An iterator over the frames of a source, which are read ahead; :func:`frames` makes it.

    It is a context manager, too: leaving it ends the process that decodes a film or a camera. So does dropping the last reference.

    >>> import os, tempfile
    >>> import numpy as np
    >>> import veloxel
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     veloxel.write(os.path.join(folder, "frame.mha"), veloxel.Image(np.zeros((4, 5))))
    ...     frames = veloxel.frames(folder)
    ...     next(frames).array.shape, frames.time_ms, frames.dropped
    ((4, 5), None, 0)
    """

    def __init__(self, own: Any) -> None:
        self._own = own
        self._time_ms: float | None = None

    @property
    def time_ms(self) -> float | None:
        """When the frame that came last was taken, milliseconds, where the source says so of each frame: films and cameras do."""
        return self._time_ms

    @property
    def interval_ms(self) -> float | None:
        """Milliseconds between frames; ``None`` where they are unknown, or the frames are not evenly spaced in time."""
        return self._own.interval_ms

    @property
    def dropped(self) -> int:
        """How many frames were dropped for newer ones so far."""
        return self._own.dropped

    def close(self) -> None:
        """Ends the frames, and the process that decodes them."""
        self._own.close()

    def __iter__(self) -> Iterator[Image]:
        return self

    def __next__(self) -> Image:
        found = self._own.next()
        if found is None:
            raise StopIteration
        own, self._time_ms, told = found
        tell(told)
        return Image._of(own)

    def __enter__(self) -> Frames:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def frames(source: Path, *, drop: bool = False) -> Frames:
    """The frames of a source as they come: of a film, a camera, an address, a file with a time axis, a folder or a pattern.

    Films (``.mp4``, ``.webm``, ``.mkv``, …), cameras (``"/dev/video0"``) and addresses (``"rtsp://…"``) are decoded by the program
    ``ffmpeg``, which has to be installed. Their frames are pictures of luma, and have times.

    Args:
        source: A path, a pattern such as ``"frames/*.png"``, a device or an address; ``"film.mp4@0:100:2"`` is every second one of
            its first hundred frames.
        drop: Whether frames that come faster than they are taken are dropped, so that the next one is always the newest; of cameras
            and addresses.

    Returns:
        An iterator of :class:`Image`, with the time of the last frame, the time between frames and the number of those dropped.

    Raises:
        FileError: The source is not there.
        UnsupportedError: ``ffmpeg`` is not installed; a format that is not read.
        InputError: What ``ffmpeg`` says of a film that it cannot read, as one line; ``drop`` for frames that are all there.

    >>> import os, tempfile
    >>> import numpy as np
    >>> import veloxel
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for nth in range(3):
    ...         veloxel.write(os.path.join(folder, f"frame_{nth}.mha"), veloxel.Image(np.full((4, 5), nth)))
    ...     with veloxel.frames(folder) as film:
    ...         [float(frame.array.mean()) for frame in film]
    [0.0, 1.0, 2.0]
    """
    return Frames(_veloxel.Frames(lent(None, "cpu"), path_text(source), drop))
