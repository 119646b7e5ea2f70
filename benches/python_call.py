#!/usr/bin/env python3
"""What a call from Python costs around the solution, from arrays of NumPy to arrays of NumPy.

    benches/python_call.py [--package FOLDER] [--against FOLDER] [--size 256] [--runs 5] [--device cpu] [--threads 0] [--rounds 3]

A folder holds the package `veloxel` with its extension; without one, the installed package is measured. With `--against`, both are
measured in turn, each in a process of its own, `--rounds` times. Every figure is a median, in milliseconds.

The solution is the stage "solve" of a call's own report; `around` is the rest of the call. Pyramids of volumes end at a coarse level, so that
the solution is short on a processor too: what surrounds it is the same for every level.

On CUDA, where PyTorch is there, calls from tensors to tensors on the GPU are measured as well.
"""

import argparse
import gc
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time


def median_ms(work, runs, release=gc.collect):
    """The median time of some work in milliseconds; what it returns is freed outside of the time."""
    times = []
    for _ in range(runs):
        begin = time.perf_counter()
        made = work()
        times.append(1e3 * (time.perf_counter() - begin))
        del made
        release()
    return statistics.median(times)


def scene(np, shape, shift):
    """Waves that moved along x."""
    axes = list(np.meshgrid(*(np.arange(n, dtype=np.float32) for n in shape), indexing="ij", sparse=True))
    axes[-1] = axes[-1] - np.float32(shift)
    return np.ascontiguousarray(sum(100 + 40 * np.sin((0.21 + 0.05 * nth) * axis + nth) for nth, axis in enumerate(axes)), dtype=np.float32)


def around(veloxel, images, session, runs, **options):
    """Times of a call around its solution, and of the solution."""
    rest, solutions, named = [], [], {}
    for nth in range(runs + 1):
        begin = time.perf_counter()
        found = veloxel.flow(*images, session=session, **options)
        found.field, found.confidence.array
        whole = 1e3 * (time.perf_counter() - begin)
        stages = {stage["stage"]: stage["time_ms"] for stage in found.report["stages"]}
        del found
        # The first one opens the method.
        if nth:
            rest.append(whole - stages["solve"])
            solutions.append(stages["solve"])
            for name, own in stages.items():
                named.setdefault(name, []).append(own)
    return statistics.median(rest), statistics.median(solutions), {name: statistics.median(own) for name, own in named.items()}


def of_tensors(veloxel, np, session, size, runs):
    """Whole calls from tensors on a GPU to tensors there, and their solutions; none without PyTorch."""
    try:
        import torch
    except ImportError:
        return {}
    figures = {}
    for shape, preset in [((size,) * 3, "fast"), ((size,) * 3, "accurate"), ((96,) * 3, "fast"), ((96,) * 3, "accurate"), ((256, 256), "fast")]:
        images = [torch.from_numpy(scene(np, shape, shift)).cuda() for shift in (0.0, 0.7)]
        whole, solutions = [], []
        for nth in range(4 * runs + 3):
            torch.cuda.synchronize()
            begin = time.perf_counter()
            found = veloxel.flow(*images, session=session, preset=preset)
            torch.cuda.synchronize()
            # The first ones open the method and record its launches.
            if nth >= 3:
                whole.append(1e3 * (time.perf_counter() - begin))
                solutions.append(next(own["time_ms"] for own in found.report["stages"] if own["stage"] == "solve"))
            del found
        name = f"tensors of {' x '.join(str(n) for n in shape)}, {preset}"
        figures[f"{name}: call"], figures[f"{name}: solution"] = statistics.median(whole), statistics.median(solutions)
    return figures


def measure(given):
    """All figures of the package that is imported here."""
    import numpy as np

    import veloxel

    session = veloxel.Session(given.device, threads=given.threads)
    shape = (given.size,) * 3
    fixed, moving = scene(np, shape, 0.0), scene(np, shape, 0.7)
    figures = {}
    kinds = {
        "float32": fixed,
        "float64": fixed.astype(np.float64),
        "uint8": fixed.astype(np.uint8),
        "float16": fixed.astype(np.float16),
        "big-endian float32": fixed.astype(">f4"),
        "float32, order of Fortran": np.asfortranarray(fixed),
        "float32, every other along x": np.repeat(fixed, 2, axis=2)[:, :, ::2],
    }
    for name, array in kinds.items():
        figures[f"image of {name}"] = median_ms(lambda array=array: veloxel.Image(array), given.runs)
    del kinds, array
    coarse = {} if given.device == "cuda" else {"finest_level": 4}
    images = (veloxel.Image(fixed), veloxel.Image(moving))
    figures["call from arrays: around"], solution, stages = around(
        veloxel, (fixed, moving), session, given.runs, preset="fast", **coarse
    )
    figures["call from arrays: solution"] = solution
    for name in stages:
        figures[f"call from arrays: stage {name}"] = stages[name]
    figures["call from images: around"], *_ = around(veloxel, images, session, given.runs, preset="fast", **coarse)
    found = veloxel.flow(*images, session=session, preset="fast", **coarse)
    figures["warp of an image"] = median_ms(lambda: found.warp(images[1]), given.runs)
    figures["field in millimetres"] = median_ms(lambda: found.flow.array_mm, given.runs)
    figures["expected error"] = median_ms(lambda: found.expected_error, given.runs)
    figures["Jacobian"] = median_ms(lambda: found.jacobian, given.runs)
    labels = (fixed > 100).astype(np.uint8)
    figures["warp of labels"] = median_ms(lambda: found.warp_labels(labels), given.runs)
    figures["strain"] = median_ms(lambda: found.strain, given.runs)
    moved = found.warp_labels(labels)
    figures["errors of a field"] = median_ms(lambda: veloxel.evaluate.flow(found.flow, found.field), given.runs)
    figures["overlap of labels"] = median_ms(lambda: veloxel.evaluate.labels(moved, labels), given.runs)
    figures["field from an array"] = median_ms(lambda: veloxel.Field(found.field), given.runs)
    del found, images, labels, moved
    pictures = [scene(np, (480, 640), shift) for shift in (0.0, 0.7)]
    preset = {"preset": "realtime"}
    rest, solution, stages = around(veloxel, pictures, session, 40 * given.runs, **preset)
    figures["640 x 480 realtime: around"], figures["640 x 480 realtime: solution"] = rest, solution
    for name in stages:
        figures[f"640 x 480 realtime: stage {name}"] = stages[name]
    if given.device.startswith("cuda"):
        figures.update(of_tensors(veloxel, np, session, given.size, given.runs))
    figures["image of 640 x 480"] = median_ms(lambda: veloxel.Image(pictures[0]), 40 * given.runs, lambda: None)
    return figures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--package", type=pathlib.Path)
    parser.add_argument("--against", type=pathlib.Path)
    parser.add_argument("--size", type=int, default=256)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        json.dump(measure(given), sys.stdout)
        return
    packages = {"package": given.package, "against": given.against}
    if given.against is None:
        del packages["against"]
    rounds = {name: [] for name in packages}
    for _ in range(given.rounds):
        for name, folder in packages.items():
            environment = dict(os.environ)
            if folder is not None:
                environment["PYTHONPATH"] = str(folder.resolve())
            line = [sys.executable, __file__, "--child", "--size", str(given.size), "--runs", str(given.runs)]
            line += ["--device", given.device, "--threads", str(given.threads)]
            done = subprocess.run(line, env=environment, stdout=subprocess.PIPE, check=True)
            rounds[name].append(json.loads(done.stdout))
    for figure in rounds["package"][0]:
        cells = [f"{statistics.median(own.get(figure, float('nan')) for own in several):9.3f}" for several in rounds.values()]
        print(f"{figure:42}", *cells)


if __name__ == "__main__":
    main()
