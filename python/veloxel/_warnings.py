"""Warnings of the library as warnings of Python."""

import os
import sys
import warnings

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
