"""Runs the official conformance tests of OME-Zarr's transformations (RFC-5) against the scenes that Veloxel reads:

    transformations.py [PYTHON …]

The package `ome-zarr-transformations-conformance` needs CPython 3.12 or newer: the first PYTHON that has that (this one, `python3.12` to
`python3.15` and those of pyenv otherwise) makes an environment beside the builds and installs the package there. Where there is none, that
is said, and nothing is tested. `CARGO_TARGET_DIR` says where builds lie, `SCENE_POINTS` the example program if it is elsewhere.
"""

import os
import pathlib
import shutil
import subprocess
import sys

PACKAGE = "ome-zarr-transformations-conformance==0.1.2"
LEAST = (3, 12)


def candidates():
    yield from sys.argv[1:]
    yield sys.executable
    yield from (f"python3.{minor}" for minor in range(15, 11, -1))
    yield from sorted(map(str, pathlib.Path.home().glob(".pyenv/versions/3.*/bin/python3")), reverse=True)


def new_enough(python):
    """Whether a program is a Python that the package runs on."""
    if not shutil.which(python):
        return False
    code = f"import sys, venv, ensurepip; sys.exit(sys.version_info < {LEAST})"
    return subprocess.run([python, "-c", code], capture_output=True).returncode == 0


def main():
    root = pathlib.Path(__file__).resolve().parents[4]
    builds = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", root / "target"))
    program = os.environ.get("SCENE_POINTS", str(builds / "debug/examples/scene_points"))
    if not shutil.which(program):
        sys.exit(f"{program} is missing: cargo build -p veloxel-io --example scene_points")
    python = next(filter(new_enough, candidates()), None)
    if python is None:
        print("OME-Zarr's transformations: NOT TESTED, the conformance package needs Python 3.12 and there is none here")
        return 0
    environment = builds / "transformations-venv"
    runner = environment / "bin/oztc"
    if not runner.exists():
        subprocess.run([python, "-m", "venv", "--clear", environment], check=True)
        pip = [environment / "bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", PACKAGE]
        subprocess.run(pip, check=True)
    print(f"OME-Zarr's transformations: {PACKAGE}, {python}", flush=True)
    return subprocess.run([runner, "--", program]).returncode


if __name__ == "__main__":
    sys.exit(main())
