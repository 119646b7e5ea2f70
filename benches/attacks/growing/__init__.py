"""Inputs of growth.py, by what they hold; importing a module registers its cases."""

from . import dicom, folders, graphs, meshes, parameters, pictures, slivers, tables

__all__ = ["dicom", "folders", "graphs", "meshes", "parameters", "pictures", "slivers", "tables"]
