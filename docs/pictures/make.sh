#!/usr/bin/env bash
# Makes the pictures of the README: docs/pictures/make.sh [VELOXEL]
# VELOXEL: the program (target/release/veloxel). Needs Chromium, and the data folder that VELOXEL_DATA names.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
veloxel=$(realpath "${1:-$here/../../target/release/veloxel}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
pair="$VELOXEL_DATA/flow/middlebury-2frame/RubberWhale"
"$veloxel" flow "$pair/frame10.png" "$pair/frame11.png" -o "$work/flow.flo" --picture "$here/field.jpg" --quiet
"$veloxel" demo -o "$work/demo" --quiet > "$work/demo.txt"
chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --force-device-scale-factor=0.6 \
  --window-size=1240,1500 --screenshot="$here/report.png" "file://$work/demo/report.html" 2> "$work/chromium.txt"
