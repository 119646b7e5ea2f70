"""What is to be expected of the error of a disparity and of a tracked point: makes the table of crates/motion/src/method/calibration.

    VELOXEL=target/release/veloxel VELOXEL_DATA=... python3 benches/calibration_of_lengths.py > crates/motion/src/method/calibration/lengths.csv

As calibration.py, of which the fit is: one curve that only rises from a raw error, pixels, to the mean error (longer ones count as 5), and
another to the error that nine of ten stay below, by isotonic regression; each scene counts alike. The raw error of a disparity is that of its
confidence c, 1/2 sqrt(1/c - 1); that of a tracked point's step from one frame to the next is how far from where it was the way back ends.

Disparities, tuned on: venus, teddy, tsukuba; kept: cones. Tracked points (corners of the first of two frames), tuned on: RubberWhale, Grove2,
Sintel alley_1, KITTI; kept: Urban2, Dimetrodon, Sintel cave_2. The lines on standard error hold the curves against either half: mean
error foretold and found, the share within the second curve, and AUSE over that of a random order, mean and worst scene.

Needs what calibration.py needs.
"""

import csv
import pathlib
import sys
import tempfile

import cv2
import numpy as np

from calibration import DATA, KNOTS, LONGEST, MOST_VECTORS, at, ause_over_random, command, curve, pictures, truth_of
from sgbm import PAIRS

STEREO_KEPT = ["cones"]
# Names of curves and what they are of; "phases" is any preset without semi-global matching that has no curve of its own.
STEREO_RUNS = {
    "accurate": ["--preset", "accurate"],
    "phases": ["--preset", "accurate", "--set", "stereo_smoothing=off"],
    "fast": ["--preset", "fast"],
    "paper": ["--preset", "paper"],
}
CORNERS = 4000


def disparities(run, folder):
    """Raw errors and errors of the known disparities of each pair, and whether it is tuned on."""
    for name, scale in PAIRS:
        pair = DATA.parent / "stereo" / name
        found, confidence = folder / "disparity.npy", folder / "confidence.npy"
        options = ["--confidence", confidence, *run, "--device", "cpu"]
        command("stereo", pair / "im2.png", pair / "im6.png", "-o", found, *options)
        truth = cv2.imread(str(pair / "disp2.png"), 0).astype(float) / scale
        errors = np.abs(np.squeeze(np.load(found)).astype(float) - truth)
        raw = 0.5 * np.sqrt(1 / np.maximum(np.squeeze(np.load(confidence)).astype(float), 1e-6) - 1)
        known = np.flatnonzero(np.isfinite(errors) & (truth > 0))
        some = known[:: max(1, len(known) // MOST_VECTORS)]
        yield (raw.ravel()[some], errors.ravel()[some]), name not in STEREO_KEPT


def tracks(folder):
    """The same of points that are found in the second of two frames."""
    for _, fixed, moving, truth, is_tuned_on in pictures():
        table = folder / "tracks.csv"
        command("track-points", fixed, moving, "-o", table, "--corners", CORNERS, "--device", "cpu")
        with open(table, encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        begins = {row["id"]: (float(row["x"]), float(row["y"])) for row in rows if row["frame"] == "0"}
        motion = truth_of(truth)
        raw, errors = [], []
        for row in rows:
            if row["frame"] != "1" or row["status"] != "found":
                continue
            x, y = begins[row["id"]]
            vector = motion[round(y), round(x)]
            errors.append(np.hypot(float(row["x"]) - x - vector[0], float(row["y"]) - y - vector[1]))
            raw.append(float(row["forward_backward"]))
        known = np.isfinite(errors)
        yield (np.array(raw)[known], np.array(errors)[known]), is_tuned_on


def fit(method, preset, scenes):
    """Prints the curves of the scenes that are tuned on, and how they do on either half."""
    scenes = list(scenes)
    cut = [(raw, np.minimum(errors, LONGEST)) for (raw, errors), is_tuned_on in scenes if is_tuned_on]
    curves = {"mean": curve(cut, np.mean, LONGEST), "nine of ten": curve(cut, lambda errors: np.quantile(errors, 0.9), LONGEST)}
    for kind, values in curves.items():
        print(",".join([method, preset, kind, *(f"{value:.4g}" for value in values)]), flush=True)
    for half in (True, False):
        own = [scene for scene, is_tuned_on in scenes if is_tuned_on == half]
        foretold = np.mean([at(curves["mean"], raw).mean() for raw, _ in own])
        found = np.mean([np.minimum(errors, LONGEST).mean() for _, errors in own])
        within = np.mean([(errors <= at(curves["nine of ten"], raw)).mean() for raw, errors in own])
        ranks = [ause_over_random(raw, errors) for raw, errors in own]
        print(
            f"{method} {preset}, {'tuned on' if half else 'kept'}: mean error foretold {foretold:.3f}, found {found:.3f}; within nine of ten "
            f"{within:.3f}; AUSE over random {np.mean(ranks):.3f}, worst {max(ranks):.3f}",
            file=sys.stderr,
        )


def main():
    print("# Made by benches/calibration_of_lengths.py. Per curve: its value at the raw errors", ", ".join(f"{knot:g}" for knot in KNOTS), "pixels.")
    print("method,preset,curve," + ",".join(f"at_{nth}" for nth in range(len(KNOTS))))
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        for name, run in STEREO_RUNS.items():
            fit("stereo", name, disparities(run, folder))
        fit("track-points", "default", tracks(folder))


if __name__ == "__main__":
    main()
