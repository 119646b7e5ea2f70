"""Runs the command `veloxel` on two files, with its progress; needs nothing of Slicer."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable


class VeloxelError(RuntimeError):
    """A run that failed, in the command's own words."""


def program(given: str = "") -> str:
    """The command: the path `given`, the one that VELOXEL names, or `veloxel` on the path.

    Raises:
        VeloxelError: There is none.
    """
    found = shutil.which(given or os.environ.get("VELOXEL", "") or "veloxel")
    if found is None:
        raise VeloxelError("the command veloxel is not there: install it, or say where it is")
    return found


def arguments(fixed: pathlib.Path, moving: pathlib.Path, field: pathlib.Path, options: dict[str, str]) -> list[str]:
    """The words of a run; an option without a value is left out."""
    words = ["flow", str(fixed), str(moving), "-o", str(field), "--quiet"]
    for name, value in options.items():
        if value:
            words += [f"--{name}", str(value)]
    return words


def run(words: list[str], command: str, is_cancelled: Callable[[], bool] = lambda: False) -> None:
    """Runs the command to its end, or until `is_cancelled` says so; nothing half-written stays.

    Raises:
        VeloxelError: The command failed, or was cancelled.
    """
    with tempfile.TemporaryFile("w+", encoding="utf-8") as said:
        process = subprocess.Popen([command, *words], stdout=subprocess.DEVNULL, stderr=said, stdin=subprocess.DEVNULL)
        while process.poll() is None:
            if is_cancelled():
                process.terminate()
                process.wait()
                raise VeloxelError("cancelled")
            time.sleep(0.05)
        said.seek(0)
        if process.returncode:
            raise VeloxelError(said.read().strip() or f"veloxel ended with {process.returncode}")
