"""Warnings of the library as warnings of Python, and what all its exceptions have."""

import os
import sys
import warnings

from . import _veloxel

# Exceptions of the extension have a kind and a hint of their own; those that the package raises have these.
_KINDS: list[tuple[type[Exception], str]] = [
    (_veloxel.InputError, "input"),
    (_veloxel.ParameterError, "parameter"),
    (_veloxel.OutOfMemoryError, "memory"),
    (_veloxel.DeviceError, "device"),
    (_veloxel.UnsupportedError, "unsupported"),
    (_veloxel.FileError, "io"),
    (_veloxel.InternalError, "internal"),
]
for _class, _kind in _KINDS:
    setattr(_class, "kind", _kind)
    setattr(_class, "hint", None)

_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep


class VeloxelWarning(UserWarning):
    """What was assumed, changed or left out; its ``kind`` is a word such as ``"header"`` or ``"convergence"``."""

    def __init__(self, message: str, kind: str) -> None:
        super().__init__(message)
        self.kind = kind

    def __reduce__(self) -> tuple[type, tuple[str, str]]:
        """Warnings come back from other processes."""
        return type(self), (str(self), self.kind)


def tell(told: list[tuple[str, str]]) -> None:
    """Hands the warnings of a run to :mod:`warnings`, at the line of the user's own code that called the package."""
    for kind, message in told:
        warnings.warn(VeloxelWarning(message, kind), stacklevel=_users_level())


def _users_level() -> int:
    """How many callers above :func:`tell` the first one outside of the package is."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    return level
