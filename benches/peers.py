#!/usr/bin/env python3
"""What other programs reach on the items of `veloxel bench scores`: writes crates/bench/src/scores/peers.json.

    VELOXEL_DATA=... python3 benches/peers.py > crates/bench/src/scores/peers.json

Needs NumPy and OpenCV (opencv-python-headless; opencv-contrib-python-headless adds DeepFlow and TV-L1). Each score is the error and the time of one item, images in memory, the better time of two runs where they are short; halves are those of crates/bench/src/scores/split.tsv.

  middlebury, sintel, kitti, yosemite   DIS in three presets, Farnebäck, and DeepFlow and TV-L1 where they are installed
  stereo                                semi-global block matching, as it is and with filled gaps (sgbm.py)
"""

import csv
import datetime
import json
import os
import platform
import sys
import time
from pathlib import Path

import cv2
import numpy as np

from sgbm import PAIRS, filled, sgbm

DATA = Path(os.environ["VELOXEL_DATA"])
SPLIT = Path(__file__).resolve().parents[1] / "crates/bench/src/scores/split.tsv"
RUNS = 2
LONG_S = 5.0


def halves():
    with open(SPLIT, encoding="utf-8") as file:
        return {(row["set"], row["item"]): row["half"] for row in csv.DictReader(file, delimiter="\t")}


def timed(run):
    """A result, and the least seconds of a few runs, or of one that is long."""
    least = np.inf
    for _ in range(RUNS):
        begin = time.perf_counter()
        found = run()
        least = min(least, time.perf_counter() - begin)
        if least > LONG_S:
            break
    return found, least


def field_of(path):
    """The true displacement, NaN where it is unknown."""
    if path.suffix == ".flo":
        width, height = np.fromfile(path, "<i4", 2, offset=4)
        field = np.fromfile(path, "<f4", offset=12).reshape(height, width, 2).astype(float)
        return np.where(np.abs(field) > 1e9, np.nan, field)
    blue, green, red = np.moveaxis(cv2.imread(str(path), -1).astype(float), -1, 0)
    field = np.stack([red - 32768, green - 32768], -1) / 64
    return np.where(blue[..., None] > 0, field, np.nan)


def yosemite():
    """Frames 9 and 10, and the true field without the sky."""
    folder = DATA / "flow/yosemite-clouds"
    fixed, moving = (cv2.imread(str(folder / f"yos{frame}.tif"), 0) for frame in (9, 10))
    height, width = fixed.shape
    # One matrix of MATLAB 5, big-endian, columns first, v upwards.
    samples = np.fromfile(folder / "correct_flow.mat", ">f8", height * width * 2, offset=0xD0)
    u, v = samples.reshape(2, width, height).transpose(0, 2, 1)
    field = np.stack([u, -v], -1)
    field[(field == (2, 0)).all(-1)] = np.nan
    return fixed, moving, field


def pictures():
    """Set, item, both images in grey, and the true field."""
    for name in ("RubberWhale", "Grove2", "Urban2", "Dimetrodon"):
        folder = DATA / "flow/middlebury-2frame" / name
        yield "middlebury", name, folder / "frame10.png", folder / "frame11.png", folder / "flow10.flo"
    folder = DATA / "flow/sintel"
    for name, images, truth in (("alley_1", "alley_1", "alley_1"), ("cave_2, clean", "cave_2/clean", "cave_2"), ("cave_2, final", "cave_2/final", "cave_2")):
        files = [folder / images / f"frame_000{frame}.png" for frame in (2, 3)]
        yield "sintel", name, *files, folder / truth / "gt/frame_0002.flo"
    folder = DATA / "flow/kitti-sample"
    yield "kitti", "KITTI", folder / "frame1.png", folder / "frame2.png", folder / "flow_gt.png"


def flows():
    """Programs of flow by their names: both images in grey in, the displacement out."""
    for name, preset in (("ultrafast", 0), ("fast", 1), ("medium", 2)):
        yield f"OpenCV DIS {name}", lambda a, b, preset=preset: cv2.DISOpticalFlow_create(preset).calc(a, b, None)
    yield "OpenCV Farnebäck", lambda a, b: cv2.calcOpticalFlowFarneback(a, b, None, 0.5, 5, 15, 5, 7, 1.5, 0)
    more = getattr(cv2, "optflow", None)
    if more is not None:
        yield "OpenCV DeepFlow", lambda a, b: more.createOptFlow_DeepFlow().calc(a, b, None)
        yield "OpenCV TV-L1", lambda a, b: more.DualTVL1OpticalFlow_create().calc(a, b, None)


def of_pictures():
    for of_set, item, *files in pictures():
        images = [cv2.imread(str(file), 0) for file in files[:2]]
        yield from of_pair(of_set, item, *images, field_of(files[2]))
    yield from of_pair("yosemite", "Yosemite, no sky", *yosemite())


def of_pair(of_set, item, fixed, moving, truth):
    known = np.isfinite(truth).all(-1)
    for name, run in flows():
        found, time_s = timed(lambda: run(fixed, moving))
        yield of_set, item, name, np.linalg.norm(found - truth, axis=-1)[known].mean(), time_s


def of_stereo():
    for name, scale in PAIRS:
        left, right = (DATA / "stereo" / name / file for file in ("im2.png", "im6.png"))
        truth = cv2.imread(str(DATA / "stereo" / name / "disp2.png"), 0).astype(np.float32) / scale
        known = truth > 0
        found, time_s = timed(lambda: sgbm(left, right))
        for way, disparity in (("OpenCV SGBM", found), ("OpenCV SGBM, filled", filled(found))):
            error = np.abs(disparity - truth)[known]
            yield "stereo", name, way, 100 * np.mean(~(error <= 1)), time_s


def main():
    half = halves()
    scores = []
    for found in (of_pictures(), of_stereo()):
        for of_set, item, way, error, time_s in found:
            print(f"{of_set}: {item}: {way}: {error:.4f}, {time_s:.3f} s", file=sys.stderr)
            scores.append({
                "set": of_set, "item": item, "half": half[of_set, item], "way": way, "error": round(float(error), 5), "time_s": round(time_s, 4),
            })
    machine = f"{cv2.getNumThreads()} threads of {platform.machine()}"
    measured = f"`benches/peers.py`, {datetime.datetime.now(datetime.timezone.utc):%Y-%m-%d}, OpenCV {cv2.__version__}, {machine}"
    lines = ",\n".join("  " + json.dumps(score, ensure_ascii=False) for score in scores)
    print(f'{{"measured": {json.dumps(measured)}, "scores": [\n{lines}\n]}}')


if __name__ == "__main__":
    main()
