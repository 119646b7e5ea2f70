"""The command ``veloxel`` of the Python package: a function of its extension module, which is loaded without NumPy."""

import importlib.machinery
import importlib.util
import pathlib
import sys


def _extension() -> pathlib.Path:
    """The file of the extension module, which lies in the package ``veloxel``."""
    package = importlib.util.find_spec("veloxel")
    folders = [] if package is None else package.submodule_search_locations or []
    for folder in folders:
        for ending in importlib.machinery.EXTENSION_SUFFIXES:
            path = pathlib.Path(folder, f"_veloxel{ending}")
            if path.exists():
                return path
    raise ImportError("the package veloxel has no extension module: install it again")


def main() -> None:
    """Runs the command line of this process, and ends the process with the command's exit code."""
    loader = importlib.machinery.ExtensionFileLoader("veloxel._veloxel", str(_extension()))
    spec = importlib.util.spec_from_loader("veloxel._veloxel", loader)
    assert spec is not None
    extension = importlib.util.module_from_spec(spec)
    loader.exec_module(extension)
    extension.run_command(["veloxel", *sys.argv[1:]])

