#!/usr/bin/env bash
# Tests the plugin of napari without a screen: extras/napari/heavy.sh ENVIRONMENT
# ENVIRONMENT is a folder for napari with Qt (some 950 MB), made if it is not there; the package veloxel is taken from PYTHONPATH.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
environment=${1:?usage: extras/napari/heavy.sh ENVIRONMENT}
python="$environment/bin/python"
if ! "$python" -c 'import napari, PyQt6, pytestqt' 2>/dev/null; then
    python3 -m venv "$environment"
    "$python" -m pip install --quiet 'napari[pyqt6]>=0.5,<1' pytest pytest-qt
fi
"$python" -c 'import veloxel'
"$python" -m pip install --quiet --no-deps "$here"
QT_QPA_PLATFORM=offscreen "$python" -m pytest -q --disable-warnings "$here/tests"
