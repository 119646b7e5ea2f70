#!/usr/bin/env bash
# Two programs, or one on two devices: do all commands that compute write the same files?
#
#   VELOXEL_DATA=FOLDER benches/pairs.sh [--quick] [--only PATTERN] PROGRAM_A PROGRAM_B [DEVICE_A [DEVICE_B]]
#
# DEVICE_A is cpu unless named, DEVICE_B the same. Every pair of the data folder and the commands of the README run in two
# folders of the same shape, A first; then every file that either wrote is compared byte for byte, and standard output as
# well. Times are masked in JSON, pages and printed text, and so is the version; a page of the engine, whose curves are times, is left
# out. On two devices, which reports name, JSON, pages and printed text are left out altogether.
# --quick leaves out the volumes that take minutes; --only runs those commands whose name fits a pattern of the shell.
# Prints a line a command. What differs stays in the folder that the last line names; fails if anything does, or if a
# command ended well with one program alone.
set -uo pipefail
quick=no
only='*'
while [[ "${1:-}" == --* ]]; do
    case "$1" in
    --quick) quick=yes ;;
    --only) only="${2:-}" && shift ;;
    *) echo "pairs.sh: no option $1" >&2 && exit 2 ;;
    esac
    shift
done
[ $# -ge 2 ] && [ $# -le 4 ] || { sed -n '4s/^# *//p' "$0" >&2; exit 2; }
find_program() { realpath "$(command -v "$1")" || { echo "pairs.sh: no program $1" >&2; exit 2; }; }
declare -A program device
program[a]="$(find_program "$1")" || exit 2
program[b]="$(find_program "$2")" || exit 2
device[a]="${3:-cpu}"
device[b]="${4:-${device[a]}}"
: "${VELOXEL_DATA:?names the data folder}"
data="$(realpath "$VELOXEL_DATA")"
work="$(mktemp -d)"
mkdir "$work"/{a,b}
same=0
different=0
failed=0

# What two runs of one program have in common: its times and its version are others each time.
masked_json() {
    sed -E 's/("[a-z_]*(time|seconds|second|latency|latencies|_ms|_s|fps|rate)[a-z_]*": *)(\[[^]]*\]|[-0-9.e+]+)/\1T/g
            s/("(median|best|worst|mean|p[0-9]+)_(ms|s)": *)[-0-9.e+]+/\1T/g
            s/("veloxel_version": *)"[^"]*"/\1V/'
}
masked_text() {
    sed -E 's/flex-grow:[0-9.]+/flex-grow:T/g
            s/[0-9.]+( × 10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)?( |&nbsp;| )?(µs|ms|s|min|h)([^a-zA-Z0-9_]|$)/T\4/g
            s/[0-9.]+<span class="card-unit">(µs|ms|s|min|h)</T</g
            s/[0-9.]+ (frames|pairs)( a second| per second|\/s)/T/g
            # Columns are as wide as the times in them.
            s/ +/ /g
            s/─+/─/g
            s/[Vv]eloxel [0-9]+\.[0-9]+\.[0-9]+/veloxel V/g'
}

# masked FILE: the file without times, by its kind.
masked() {
    case "$1" in
    *.json) masked_json <"$1" ;;
    *.html | *.txt) masked_text <"$1" ;;
    *) cat "$1" ;;
    esac
}

is_left_out() {
    case "$1" in
    engine*.html) return 0 ;;
    *.json | *.html | *.txt) [ "${device[a]}" != "${device[b]}" ] && ! [[ "$1" == *contours.json ]] ;;
    *) return 1 ;;
    esac
}

# compare FOLDER: every file of a command in both folders; those that are the same are removed.
compare() {
    local file differs=0 count=0
    while IFS= read -r file; do
        count=$((count + 1))
        if is_left_out "${file##*/}"; then
            :
        elif [ -f "$work/a/$file" ] && [ -f "$work/b/$file" ] &&
            cmp -s <(masked "$work/a/$file") <(masked "$work/b/$file"); then
            same=$((same + 1))
        else
            different=$((different + 1))
            differs=1
            echo "  DIFFERENT: $file"
            continue
        fi
        kept "$1" || rm -f "$work/a/$file" "$work/b/$file"
    done < <({ cd "$work/a" && find "$1" -type f && cd "$work/b" && find "$1" -type f; } | sort -u)
    if [ "$count" = 0 ]; then echo "  no file" && failed=$((failed + 1)); fi
    return "$differs"
}

# Folders whose files later commands read.
kept() { [[ " field disparity parts heart engine graph " == *" $1 "* ]]; }

# What commands read as standard input, told from the folder of a program.
input=/dev/null

# run NAME ARGUMENTS…: one command with both programs, in a folder NAME that it writes into.
run() {
    local name="$1" side status=() before=$SECONDS took=()
    shift
    # shellcheck disable=SC2053 # a pattern
    [[ "$name" == $only ]] || return 0
    for side in a b; do
        mkdir -p "$work/$side/$name"
        (
            cd "$work/$side" || exit 1
            exec "${program[$side]}" "$@" <"$input" >"$name/printed.txt" 2>"$name/said.txt"
        )
        status+=($?)
        took+=($((SECONDS - before)))
        before=$SECONDS
    done
    if [ "${status[0]}" != "${status[1]}" ] || [ "${status[0]}" -ne 0 ]; then
        failed=$((failed + 1))
        echo "  FAILED with ${status[0]} and ${status[1]}: veloxel $*"
        tail -n 1 "$work/a/$name/said.txt" "$work/b/$name/said.txt" | sed 's/^/  /'
    fi
    compare "$name"
    echo "$name (${took[0]} and ${took[1]} s)"
}

# on_device NAME ARGUMENTS…: as `run`, on the device of each side.
on_device() {
    local name="$1" side
    shift
    if [ "${device[a]}" = "${device[b]}" ]; then run "$name" "$@" --device "${device[a]}"; return; fi
    # One command line for both: each side's wrapper adds its device.
    local -A plain=([a]="${program[a]}" [b]="${program[b]}")
    for side in a b; do
        printf '#!/bin/sh\nexec "%s" "$@" --device %s\n' "${plain[$side]}" "${device[$side]}" >"$work/on_$side"
        chmod +x "$work/on_$side"
        program[$side]="$work/on_$side"
    done
    run "$name" "$@"
    program[a]="${plain[a]}" program[b]="${plain[b]}"
}

flow() { local name="$1"; shift; on_device "$name" flow "$@"; }

volumes="$data/volumes" acdc="$data/cardiac/acdc/training" middlebury="$data/flow/middlebury-2frame"
whale="$middlebury/RubberWhale" stereo="$data/stereo" gray="$data/flow/middlebury-allframes-gray/RubberWhale"
patient="$acdc/patient001/patient001_frame" dicom="$data/cardiac/ep-dataset/dicom-slice10"
rvsc="$data/cardiac/rvsc-p09/patient09"
mesh="$data/mesh/psb/off/52.off" people=("$data"/mesh/psb/seg/52/*.seg)

# The README's commands, on small data.
flow field "$patient"{01,12}.nii.gz -o field/field.nii.gz --html field/report.html --report field/report.json
flow flow-png "$whale"/frame1{0,1}.png -o flow-png/flow.flo --confidence flow-png/confidence.png --picture flow-png/flow.png \
    --truth "$whale/flow10.flo" --html flow-png/report.html --preset fast
flow flow-mask --fixed "$patient"01.nii.gz --moving "$patient"12.nii.gz -o flow-mask/field.nii.gz --mask "${patient}01_gt.nii.gz=2,3"
flow flow-volume "$patient"{01,12}.nii.gz -o flow-volume/field.nii.gz --preset fast --set beta=3 --volume-mask "${patient}01_gt.nii.gz=2"
flow flow-affine "$volumes"/greedy/phantom01_{fixed,moving}.nii.gz -o flow-affine/field.nii.gz --init affine --warped flow-affine/warped.nii.gz
flow flow-both "$dicom" -o flow-both/fields --sequence both --preset fast --html flow-both/fields/report.html
flow flow-reference "$dicom" -o flow-reference/fields --sequence reference --frames 0:20:2 --warped flow-reference/warped.nii.gz --preset fast
flow flow-phase "$gray"/frame{08,09,10,11,12}.png -o flow-phase/flow.flo --method phase --html flow-phase/report.html
flow flow-matches "$stereo"/cones/im{2,6}.png -o flow-matches/flow.flo --init matches --occlusion flow-matches/hidden.png --preset fast
flow flow-lucas-kanade "$whale"/frame1{0,1}.png -o flow-lucas-kanade/flow.flo --method lucas-kanade --preset fast
flow flow-block-matching "$whale"/frame1{0,1}.png -o flow-block-matching/flow.flo --method block-matching --refine
flow flow-tiles "$whale"/frame1{0,1}.png -o flow-tiles/flow.flo --max-memory 48MiB --preset fast
flow flow-symmetric "$whale"/frame1{0,1}.png -o flow-symmetric/flow.flo --inverse-consistency --preset fast
flow flow-fe "$patient"{12,01}.nii.gz -o flow-fe/field.nii.gz --method fe
on_device warp-labels warp labels field/field.nii.gz "${patient}12_gt.nii.gz" -o warp-labels/labels.nii.gz
on_device warp-image warp image field/field.nii.gz "${patient}12.nii.gz" -o warp-image/warped.nii.gz
run evaluate-labels evaluate labels "${patient}12_gt.nii.gz" "${patient}01_gt.nii.gz" --json
run evaluate-flow evaluate flow "$whale/flow10.flo" "$whale/flow10.flo" --json
on_device track-points track-points "$data/flow/sintel/alley_1" --corners 800 --replenish -o track-points/tracks.csv --overlay track-points/tracks.y4m
on_device disparity stereo "$stereo"/teddy/im{2,6}.png -o disparity/disparity.pfm --confidence disparity/confidence.pfm --html disparity/stereo.html
run evaluate-disparity evaluate disparity disparity/disparity.pfm "$stereo/teddy/disp2.png" --scale 4 --json
on_device features features "$whale/frame10.png" -o features/maps
on_device engine engine "$gray" --right "$gray" -o engine/fields --confidence --video engine/film.y4m --report engine/report.json
input=engine/film.y4m
on_device engine-stream engine - --only flow --video engine-stream/annotated.y4m
input=/dev/null
on_device compare compare "$data"/flow/yosemite-clouds/yos{9,10}.tif -o compare/methods.html
on_device heart track "$rvsc"/P09dicom/P09-002{2,3}.dcm --contours "$rvsc/P09contours-manual" --frame 0 -o heart/heart
on_device track-cine track "$acdc/patient090/patient090_4d.nii.gz" --contours "$acdc/patient090/patient090_frame04_gt.nii.gz@3" -o track-cine/heart
on_device track-pair track "$patient"{01,12}.nii.gz --contours "${patient}01_gt.nii.gz" --gif -o track-pair/heart
on_device track-two track "$patient"{01,12}.nii.gz --contours "${patient}01_gt.nii.gz" --method clg:cine --method fe -o track-two/both
run evaluate-contours evaluate contours heart/heart/contours.json heart/heart/contours.json --json
on_device parts segment "$mesh" -o parts/parts.ply --labels parts/parts.seg --html parts/parts.html
on_device segment-fuzzy segment "$mesh" --method fuzzy -k 8 -o segment-fuzzy/parts.ply --membership segment-fuzzy/p.npy
run evaluate-segmentation evaluate segmentation parts/parts.seg "${people[@]}" --json
for side in a b; do
    # A square of 30 by 30 nodes, each with arcs to the next in its row and in its column.
    mkdir -p "$work/$side/graph"
    awk 'BEGIN { for (i = 0; i < 900; i++) {
        if (i % 30 < 29) print i, i + 1, 1 + (i * 7919) % 13
        if (i < 870) print i, i + 30, 1 + (i * 104729) % 17
    } }' >"$work/$side/graph/square.txt"
done
on_device distances distances graph/square.txt -o distances/distances.npy --precision u16
on_device demo demo -o demo/demo

# Every pair of the data folder.
for phantom in 01 02; do
    flow "greedy-$phantom" "$volumes/greedy/phantom${phantom}"_{fixed,moving}.nii.gz -o "greedy-$phantom/field.nii.gz"
done
flow circle "$volumes"/greedy/circle_nzbkg_{fixed,moving}.nii.gz -o circle/flow.flo
flow kitti "$data"/flow/kitti-sample/frame{1,2}.png -o kitti/flow.png --preset fast
flow yosemite "$data"/flow/yosemite-clouds/yos{9,10}.tif -o yosemite/flow.flo
for scene in cones tsukuba venus; do
    on_device "stereo-$scene" stereo "$stereo/$scene"/im{2,6}.png -o "stereo-$scene/disparity.tif"
done
if [ "$quick" = no ]; then
    flow sintel "$data"/flow/sintel/alley_1/frame_000{2,3}.png -o sintel/flow.flo
    flow kitti-accurate "$data"/flow/kitti-sample/frame{1,2}.png -o kitti-accurate/flow.png
    for scene in "$middlebury"/*; do
        name="${scene##*/}"
        flow "$name" "$scene"/frame1{0,1}.png -o "$name/flow.flo"
    done
    for folder in "$acdc"/*; do
        name="${folder##*/}"
        frames=("$folder"/*_frame??.nii.gz)
        flow "$name" "${frames[0]}" "${frames[-1]}" -o "$name/field.nii.gz"
    done
    flow nirep "$volumes"/nirep/na0{1,2}.nii.gz -o nirep/field.nii.gz --init affine --warped nirep/warped.nii.gz
    flow lung4dct "$volumes/lung4dct/lung117_4d.nii.gz" -o lung4dct/fields --sequence consecutive
    flow nibabel "$volumes/nibabel/example4d.nii.gz" -o nibabel/fields --sequence consecutive
    flow ep-dataset "$data/cardiac/ep-dataset/shortaxis_4d.nii.gz" -o ep-dataset/fields --sequence reference --preset fast
fi
if [ "$different" = 0 ] && [ "$failed" = 0 ]; then rm -rf "$work"; else echo "kept in $work"; fi
echo "$same files the same, $different different, $failed commands failed, $SECONDS s"
[ "$different" = 0 ] && [ "$failed" = 0 ]
