"""What mutate.py spoils, a module a kind of file."""

from . import dicom, gltf, tiff

__all__ = ["dicom", "gltf", "tiff"]
