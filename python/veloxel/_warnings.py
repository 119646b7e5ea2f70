"""Warnings of the library as warnings of Python."""

import warnings


class VeloxelWarning(UserWarning):
    """What was assumed, changed or left out; its ``kind`` is a word such as ``"header"`` or ``"convergence"``."""

    def __init__(self, message: str, kind: str) -> None:
        super().__init__(message)
        self.kind = kind


def tell(told: list[tuple[str, str]], stacklevel: int = 3) -> None:
    """Hands the warnings of a run to :mod:`warnings`; ``stacklevel`` is that of the user's own line."""
    for kind, message in told:
        warnings.warn(VeloxelWarning(message, kind), stacklevel=stacklevel)
