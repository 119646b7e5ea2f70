#!/usr/bin/env bash
# Tests images, tensors, meshes and graphs of other libraries: python/foreign.sh ENVIRONMENT
# ENVIRONMENT is a folder for them (some 3 GB with PyTorch), made if it is not there; the package veloxel is taken from PYTHONPATH.
# A library that cannot be had is skipped, and named at the end.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
environment=${1:?usage: python/foreign.sh ENVIRONMENT}
python="$environment/bin/python"
[ -x "$python" ] || python3 -m venv "$environment"
"$python" -m pip install --quiet pytest numpy scipy networkx nibabel xarray pillow trimesh SimpleITK
for heavy in itk pyvista pymeshlab ngff-zarr jax torch monai; do
    "$python" -m pip install --quiet "$heavy" || echo "$heavy cannot be had here"
done
"$python" -c 'import veloxel'
"$python" -m pytest -q --disable-warnings -rs "$here"/tests/test_{foreign,images,tensors,others}.py
