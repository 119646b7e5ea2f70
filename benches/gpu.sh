#!/usr/bin/env bash
# Checks and measures Veloxel on a machine with an NVIDIA GPU, with programs built elsewhere: nothing is built here.
#
#   benches/gpu.sh FOLDER [OUT]
#
# FOLDER holds `veloxel` (cargo build --release) and the test programs that `benches/gpu.sh --collect FOLDER` puts there
# where cargo is: kernels, motion (whole runs) and units. OUT gets the logs. Correctness first; then the tables of
# docs/status/performance.md. VELOXEL_DATA may name the data folder. Where they are there, compute-sanitizer looks at the parity tests and python3
# makes the files of the file-to-file run.
set -uo pipefail

collect() {
    mkdir -p "$1"
    cargo build --release --package veloxel-cli
    cp "${CARGO_TARGET_DIR:-target}/release/veloxel" "$1/veloxel"
    for test in kernels motion; do
        path="$(cargo test --no-run --package "veloxel-$test" --test "$test" --message-format json 2>/dev/null |
            sed -n 's/.*"executable":"\([^"]*'"$test"'-[^"]*\)".*/\1/p' | tail -n 1)"
        cp "$path" "$1/$test"
    done
    path="$(cargo test --no-run --package veloxel-kernels --lib --message-format json 2>/dev/null |
        sed -n 's/.*"executable":"\([^"]*veloxel_kernels-[^"]*\)".*/\1/p' | tail -n 1)"
    cp "$path" "$1/units"
    strip "$1/veloxel" "$1/kernels" "$1/motion" "$1/units"
    ls -l "$1"
}

if [ "${1:-}" = --collect ]; then
    collect "${2:?a folder to collect into}"
    exit
fi

folder="$(cd "${1:?the folder with veloxel and its tests}" && pwd)"
out="${2:-$folder/out}"
mkdir -p "$out"
export RUST_BACKTRACE=0
failed=0

say() { printf '\n== %s (%d s)\n' "$*" "$SECONDS"; }
# Runs a check, keeps its log, shows its end, and remembers a failure.
check() {
    local name="$1"
    shift
    if "$@" >"$out/$name.log" 2>&1; then
        tail -n 2 "$out/$name.log"
    else
        failed=1
        echo "FAILED: $name"
        grep -E 'panicked|voxel|ERROR|FAILED|where the processor' "$out/$name.log" | head -n 20
        tail -n 4 "$out/$name.log"
    fi
}

say "Devices"
"$folder/veloxel" devices

say "Every kernel against the processor; recordings, stamps and memory of the device"
check kernels "$folder/kernels" cuda --test-threads 8
check units "$folder/units" cuda --test-threads 8
say "Whole runs against the processor, and twice"
check motion "$folder/motion" cuda --nocapture --test-threads 4
grep -h 'at most' "$out/motion.log"

if [ -z "${VELOXEL_NO_SANITIZER:-}" ] && command -v compute-sanitizer >/dev/null; then
    for tool in memcheck racecheck; do
        say "compute-sanitizer $tool over every kernel"
        check "$tool" timeout 240 compute-sanitizer --tool "$tool" --report-api-errors no --error-exitcode 9 \
            "$folder/kernels" cuda --skip needs_cuda --test-threads 1
        grep -h 'SUMMARY' "$out/$tool.log" | sort | uniq -c
    done
fi

say "Kernels against the copy rate, CUDA"
"$folder/veloxel" bench kernels --device cuda | tee "$out/kernels-cuda.txt"
if "$folder/veloxel" devices | grep -q '^vulkan.*available,.*NVIDIA'; then
    say "Kernels against the copy rate, Vulkan"
    "$folder/veloxel" bench kernels --device vulkan | tee "$out/kernels-vulkan.txt"
fi

say "Whole runs"
"$folder/veloxel" bench gpu --device cuda | tee "$out/gpu.txt"
say "Flow, stereo and features of a stream of frames"
"$folder/veloxel" bench phase --device cuda | tee "$out/phase.txt"
say "Fields against the processor's"
"$folder/veloxel" bench agreement --device cuda | tee "$out/agreement.txt"

if command -v python3 >/dev/null; then
    say "File to file, 256³, uncompressed NIfTI, process start included"
    work="$(mktemp -d)"
    python3 - "$work" <<'PYTHON'
import struct, sys
import numpy as np
n = 256
z, y, x = np.meshgrid(*[np.arange(n, dtype=np.float32)] * 3, indexing="ij")
def picture(dx):
    p = sum(np.sin(a * (x + dx) / 9 + b * y / 11 + c * z / 13 + a * b) for a, b, c in [(1, 2, 3), (3, 1, 2), (2, 3, 1)])
    return p.astype("<f4")
for name, dx in [("fixed", 0.0), ("moving", 1.5)]:
    header = bytearray(352)
    struct.pack_into("<i", header, 0, 348)
    struct.pack_into("<8h", header, 40, 3, n, n, n, 1, 1, 1, 1)
    struct.pack_into("<hh", header, 70, 16, 32)
    struct.pack_into("<8f", header, 76, 1, 1, 1, 1, 1, 1, 1, 1)
    struct.pack_into("<f", header, 108, 352)
    header[344:348] = b"n+1\0"
    with open(f"{sys.argv[1]}/{name}.nii", "wb") as file:
        file.write(header)
        file.write(picture(dx).tobytes())
PYTHON
    for _ in 1 2 3 4; do
        start="$(date +%s.%N)"
        "$folder/veloxel" flow "$work/fixed.nii" "$work/moving.nii" -o "$work/flow.nii" --preset fast --device cuda --quiet
        echo "$(date +%s.%N) $start" | awk '{ printf "file to file: %.3f s (bar 1.0)\n", $1 - $2 }'
    done | tee "$out/file-to-file.txt"
    rm -rf "$work"
fi

say "$([ "$failed" = 0 ] && echo 'All checks passed' || echo 'SOME CHECKS FAILED')"
exit "$failed"
