"""Fields of motion in napari, by Veloxel."""
