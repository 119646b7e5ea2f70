"""What the module VeloxelFlow does without Slicer."""
