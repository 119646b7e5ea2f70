"""Images that all tests share, and the command to compare with."""

import os
import pathlib
import shutil
import subprocess

import numpy as np
import pytest

import veloxel


def waves(shift: float, shape: tuple[int, ...] = (48, 64)) -> np.ndarray:
    """A smooth picture or volume, moved along x."""
    axes = np.meshgrid(*(np.arange(n, dtype=np.float32) for n in shape), indexing="ij")
    x = axes[-1] - shift
    return sum((np.sin(0.3 * x), *(np.cos((0.2 + 0.05 * nth) * axis) for nth, axis in enumerate(axes[:-1])))).astype(np.float32)


@pytest.fixture
def pair() -> tuple[np.ndarray, np.ndarray]:
    return waves(0.0), waves(0.5)


@pytest.fixture
def volumes() -> tuple[np.ndarray, np.ndarray]:
    return waves(0.0, (16, 20, 24)), waves(0.5, (16, 20, 24))


@pytest.fixture(scope="session")
def session() -> veloxel.Session:
    return veloxel.Session("cpu", threads=2)


@pytest.fixture(scope="session")
def command():
    """Runs the command in a folder, and gives what it prints; skips without it."""
    program = os.environ.get("VELOXEL") or shutil.which("veloxel")
    if not program:
        pytest.skip("no command: VELOXEL names it")

    def without_device(folder: pathlib.Path, *arguments: str) -> str:
        done = subprocess.run([program, *arguments], cwd=folder, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def run(folder: pathlib.Path, *arguments: str) -> str:
        return without_device(folder, *arguments, "--device", "cpu")

    # Of commands that compute on no device.
    run.without_device = without_device
    return run
