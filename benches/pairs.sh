#!/usr/bin/env bash
# Every pair of the data folder on a GPU and on the processor: are the results the same files?
#
#   VELOXEL_DATA=FOLDER benches/pairs.sh [VELOXEL [DEVICE]]
#
# VELOXEL names the command (default: veloxel), DEVICE the GPU (default: cuda). Prints a line a pair; fails if one differs.
set -uo pipefail
veloxel="${1:-veloxel}"
gpu="${2:-cuda}"
data="${VELOXEL_DATA:?names the data folder}"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
same=0
different=0

compare() {
    if cmp -s "$1" "$2"; then same=$((same + 1)); else
        different=$((different + 1))
        echo "DIFFERENT: $3"
    fi
}

# both NAME SUFFIX ARGUMENTS…: one result a device.
both() {
    local name="$1" suffix="$2"
    shift 2
    for device in "$gpu" cpu; do
        "$veloxel" "$@" -o "$work/$device.$suffix" --device "$device" --quiet 2>"$work/said" || tail -n 1 "$work/said"
    done
    compare "$work/$gpu.$suffix" "$work/cpu.$suffix" "$name"
    rm -f "$work/$gpu.$suffix" "$work/cpu.$suffix"
    echo "$name ($SECONDS s)"
}

# sequence NAME ARGUMENTS…: a folder of fields a device.
sequence() {
    local name="$1"
    shift
    for device in "$gpu" cpu; do
        "$veloxel" flow "$@" -o "$work/$device" --device "$device" --quiet 2>"$work/said" || tail -n 1 "$work/said"
    done
    for field in "$work"/cpu/*.nii*; do
        compare "$work/$gpu/${field##*/}" "$field" "$name, ${field##*/}"
    done
    rm -rf "${work:?}/$gpu" "$work/cpu"
    echo "$name ($SECONDS s)"
}

both nirep nii flow "$data"/volumes/nirep/na0{1,2}.nii.gz --init affine --preset accurate
for phantom in 01 02; do
    both "greedy $phantom" nii flow "$data/volumes/greedy/phantom${phantom}"_{fixed,moving}.nii.gz --preset accurate
done
both circle flo flow "$data"/volumes/greedy/circle_nzbkg_{fixed,moving}.nii.gz --preset accurate
for patient in "$data"/cardiac/acdc/training/*; do
    frames=("$patient"/*_frame??.nii.gz)
    both "${patient##*/}" nii flow "${frames[0]}" "${frames[-1]}" --preset accurate
done
sequence lung4dct "$data/volumes/lung4dct/lung117_4d.nii.gz" --sequence consecutive --preset accurate
sequence nibabel "$data/volumes/nibabel/example4d.nii.gz" --sequence consecutive --preset accurate
sequence ep-dataset "$data/cardiac/ep-dataset/shortaxis_4d.nii.gz" --sequence reference --preset fast
both kitti flo flow "$data"/flow/kitti-sample/frame{1,2}.png --preset accurate
both sintel flo flow "$data"/flow/sintel/alley_1/frame_000{2,3}.png --preset accurate
both yosemite flo flow "$data"/flow/yosemite-clouds/yos{9,10}.tif --preset accurate
both "rubberwhale, phase" flo flow "$data"/flow/middlebury-allframes-gray/RubberWhale/frame{08,09,10,11,12}.png --method phase
for scene in cones teddy tsukuba venus; do
    both "stereo, $scene" tif stereo "$data/stereo/$scene"/im{2,6}.png
done
echo "$same the same, $different different, $SECONDS s"
[ "$different" = 0 ]
