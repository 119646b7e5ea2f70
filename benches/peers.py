#!/usr/bin/env python3
"""What other programs reach on the items of `veloxel bench scores`: writes crates/bench/src/scores/peers.json.

    VELOXEL_DATA=... python3 benches/peers.py [SET | SET:ITEM ...]

Measures the sets or items that are named, else all, and puts their scores in place of those that the file holds of them; the others stay.
Needs NumPy and OpenCV (opencv-python-headless; opencv-contrib-python-headless adds DeepFlow and TV-L1), for volumes those of
volume_peers.py. Each score is the error and the time of one item, images in memory, of pictures the better time of two runs where they are short;
halves are those of crates/bench/src/scores/split.tsv.

  middlebury, sintel, kitti, yosemite   DIS in three presets, Farnebäck, and DeepFlow and TV-L1 where they are installed
  stereo                                semi-global block matching, as it is and with filled gaps (sgbm.py)
  acdc, nirep, rigid                    greedy, SimpleITK and elastix (volume_peers.py)
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
SCORES = Path(__file__).resolve().parents[1] / "crates/bench/src/scores"
SPLIT, PEERS = SCORES / "split.tsv", SCORES / "peers.json"
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


def of_volumes(taken):
    """The named sets of volumes, which need programs of their own."""
    import volume_peers

    for of_set, found in (("acdc", volume_peers.of_acdc), ("rigid", volume_peers.of_rigid), ("nirep", volume_peers.of_nirep)):
        for name, item, way, error, time_s, further in found([item for own, item in taken if own == of_set]):
            yield name, item, way, error, time_s, further, volume_peers.versions()


def measured(taken):
    """Set, item, way, error, time, further values and the programs of every score of the items that are taken."""
    pictures = {"middlebury", "sintel", "kitti", "yosemite"}
    runs = [of_pictures()] * any(own in pictures for own, _ in taken) + [of_stereo()] * any(own == "stereo" for own, _ in taken)
    for run in runs:
        for score in run:
            if score[:2] in taken:
                yield *score, [], f"OpenCV {cv2.__version__}"
    yield from of_volumes(taken)


def main():
    half = halves()
    named = [name.partition(":") for name in sys.argv[1:]]
    taken = [own for own in half if not named or any(own[0] == of_set and item in ("", own[1]) for of_set, _, item in named)]
    scores = json.loads(PEERS.read_text(encoding="utf-8"))
    machine = f"{os.cpu_count()} threads of {platform.machine()}"
    for of_set, item, way, error, time_s, further, programs in measured(taken):
        print(f"{of_set}: {item}: {way}: {error:.4f}, {time_s:.3f} s, {further}", file=sys.stderr, flush=True)
        today = f"{datetime.datetime.now(datetime.timezone.utc):%Y-%m-%d}"
        score = {"set": of_set, "item": item, "half": half[of_set, item], "way": way, "error": round(float(error), 5), "time_s": round(time_s, 4)}
        score |= {"further": [round(float(value), 5) for value in further]} if further else {}
        score["measured"] = f"{today}, {programs}, {machine}"
        scores = [own for own in scores if [own[key] for key in ("set", "item", "way")] != [of_set, item, way]] + [score]
        # What was measured stays there if the program is stopped.
        PEERS.write_text("[\n" + ",\n".join("  " + json.dumps(own, ensure_ascii=False) for own in scores) + "\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
