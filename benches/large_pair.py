"""A pair that is larger than the memory it is given: makes 1024 × 1024 × 512 voxels of OME-Zarr (2 GiB of 32-bit floats each), runs `flow
--max-memory`, and tells the peak over the budget and what reading and writing add to the solve. An
ended run goes on when the same line is run again; its times are those of the rest then.

    benches/large_pair.py PROGRAM FOLDER [--size 1024 1024 512] [--budget 1536] [--threads 2] [--preset fast] [--set warps=1 …]

Needs zarr-python and GNU time. The pair stays in FOLDER for another run; the field is removed before each. Waves of several lengths
move by a smooth field of up to 2 voxels, so that no tile is without motion or texture.
"""

import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import time

import numpy as np
import zarr

CHUNK = 64


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--size", type=int, nargs=3, default=[1024, 1024, 512], metavar=("X", "Y", "Z"))
    parser.add_argument("--budget", type=int, default=1536, help="MiB")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--preset", default="fast")
    parser.add_argument("--set", action="append", default=[])
    parser.add_argument("--pair-alone", action="store_true", help="make the pair, and run nothing")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    pair = [given.folder / name for name in ("fixed.ome.zarr", "moving.ome.zarr")]
    for path, is_moved in zip(pair, (False, True), strict=True):
        if not (path / "zarr.json").exists():
            write(path, given.size, is_moved)
    if given.pair_alone:
        return 0
    return measured(given, pair)


def write(path, size, is_moved):
    """Writes an image, a row of chunks along z at a time; the metadata that make it one come last."""
    nx, ny, nz = size
    shutil.rmtree(path, ignore_errors=True)
    codec = zarr.codecs.BloscCodec(cname="lz4", clevel=5, shuffle="shuffle", typesize=4)
    array = zarr.create_array(path / "0", shape=(nz, ny, nx), dtype="float32", chunks=(CHUNK,) * 3, compressors=codec,
                              dimension_names=["z", "y", "x"], zarr_format=3)
    x, y = np.arange(nx, dtype=np.float32), np.arange(ny, dtype=np.float32)[:, None]
    random = np.random.default_rng(1)
    waves = [(random.uniform(0.05, 0.35, 3).astype(np.float32), random.uniform(0, 6)) for _ in range(4)]
    begin = time.monotonic()
    for z0 in range(0, nz, CHUNK):
        slab = np.zeros((min(CHUNK, nz - z0), ny, nx), np.float32)
        for nth, plane in enumerate(slab):
            z = np.float32(z0 + nth)
            if is_moved:
                dx = 2.0 * np.sin(2 * np.pi * y / ny) * np.cos(2 * np.pi * z / nz)
                dy = 1.5 * np.cos(2 * np.pi * x / nx)
                dz = 1.0 * np.sin(2 * np.pi * (x / nx + y / ny))
            else:
                dx = dy = dz = np.float32(0)
            for (a, b, c), phase in waves:
                plane += 25 * np.sin(a * (x - dx) + b * (y - dy) + c * (z - dz) + np.float32(phase))
        array[z0:z0 + len(slab)] = slab
        print(f"{path.name}: {z0 + len(slab)} of {nz} planes, {time.monotonic() - begin:.0f} s", file=sys.stderr, flush=True)
    axes = [{"name": name, "type": "space", "unit": "millimeter"} for name in "zyx"]
    scale = [{"type": "scale", "scale": [1.0, 1.0, 1.0]}]
    image = {"axes": axes, "datasets": [{"path": "0", "coordinateTransformations": scale}]}
    attributes = {"ome": {"version": "0.5", "multiscales": [image]}}
    (path / "zarr.json").write_text(json.dumps({"zarr_format": 3, "node_type": "group", "attributes": attributes}))


def measured(given, pair):
    field, report = given.folder / "field.ome.zarr", given.folder / "report.json"
    # Tiles that an ended run has kept lie beside it.
    shutil.rmtree(field, ignore_errors=True)
    line = [given.program, "flow", *map(str, pair), "-o", str(field), "--max-memory", f"{given.budget}M", "--device", "cpu",
            "--threads", str(given.threads), "--preset", given.preset, "--report", str(report)]
    for setting in given.set:
        line += ["--set", setting]
    print(*line, flush=True)
    begin = time.monotonic()
    done = subprocess.run(["/usr/bin/time", "-f", "peak %M KiB, user %U s, system %S s, %R page faults", *line], stderr=subprocess.PIPE, text=True)
    print(done.stderr, end="")
    if done.returncode:
        return done.returncode
    peak = next(int(line.split()[1]) for line in done.stderr.splitlines() if line.startswith("peak ")) / 1024
    told = json.loads(report.read_text())
    stages = {stage["stage"]: stage["time_ms"] / 1e3 for stage in told["stage_times"]}
    tiles = told["pairs"][0]["statistics"]["tiles"]
    print(f"peak {peak:.0f} MiB: {peak / given.budget:.3f} of the budget")
    print(", ".join(f"{name} {seconds:.0f} s" for name, seconds in stages.items()), f"of {time.monotonic() - begin:.0f} s in all")
    # Tiles are read and kept beside the solve; what is left is what comes before it and after it.
    print(f"all stages over the solve {sum(stages.values()) / stages['solve']:.3f}")
    print(f"{tiles['run']} tiles of {tiles['size']}, overlapping by {tiles['overlap_vox']} voxels; seams {tiles['seam_mean_vox']:.4f} voxels in the mean")
    return 0


if __name__ == "__main__":
    sys.exit(main())
