"""``python -m veloxel_command`` is the command ``veloxel``."""

from . import main

main()
