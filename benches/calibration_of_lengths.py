"""What is to be expected of the error of a disparity and of a tracked point: makes the table of crates/motion/src/method/calibration.

    VELOXEL=target/release/veloxel VELOXEL_DATA=... python3 benches/calibration_of_lengths.py > crates/motion/src/method/calibration/lengths.csv

As calibration.py, of which the fit is: one curve that only rises from a raw error, pixels, to the mean error (longer ones count as 5), and
another to the error that nine of ten stay below, by isotonic regression; each scene counts alike. The raw error of a disparity is that of its
confidence c, 1/2 sqrt(1/c - 1); that of a tracked point's step from one frame to the next is how far from where it was the way back ends. The raw error of a track that has gone on
for some frames is the root of the sum of the squares of its steps' expected errors, and its error how far it is from where its first
point has gone.

Disparities, tuned on: venus, teddy, tsukuba; kept: cones. Tracked points (corners of the first of two frames), tuned on: RubberWhale, Grove2,
Sintel alley_1, KITTI; kept: Urban2, Dimetrodon, Sintel cave_2. Tracks: twelve frames of the first picture of each of these, moved by a smooth known
motion (a shift, a turn and a growth that go on, and waves that come and go) with a changing gain, without noise and with noise of 4 of 255. The lines on standard error hold the curves against either half: mean
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
# Frames of a film that a known motion makes of a picture, and corners that are followed through it.
FILM_FRAMES, FILM_CORNERS = 12, 400


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


def film(picture, seed, noise):
    """Frames of a picture that moves, and where a point of the first one is on frame t."""
    random = np.random.default_rng(seed)
    picture = picture[:360, :480].astype(np.float32)
    middle = np.array(picture.shape[::-1]) / 2
    phases, waves, heights = random.uniform(0, 2 * np.pi, 2), random.uniform(0.01, 0.03, (2, 2)), random.uniform(2, 6, 2)
    shift, turn, growth = random.uniform(-2, 2, 2), random.uniform(-0.012, 0.012), random.uniform(-0.008, 0.008)

    def place(points, t):
        sine, cosine = np.sin(turn * t), np.cos(turn * t)
        x, y = np.moveaxis(points - middle, -1, 0)
        turned = (1 + growth * t) * np.stack([cosine * x - sine * y, sine * x + cosine * y], -1)
        return middle + turned + shift * t + heights * np.sin(2 * np.pi * t / 24) * np.sin(points @ waves.T + phases)

    grid = np.stack(np.meshgrid(np.arange(picture.shape[1]), np.arange(picture.shape[0])), -1).astype(float)
    frames = []
    for t in range(FILM_FRAMES):
        # Where each pixel came from: the map's inverse, by fixed points.
        before = grid.copy()
        for _ in range(25):
            before += 0.9 * (grid - place(before, t))
        x, y = np.moveaxis(before.astype(np.float32), -1, 0)
        moved = cv2.remap(picture, x, y, cv2.INTER_CUBIC, borderMode=cv2.BORDER_REFLECT)
        frames.append(np.clip((1 + 0.05 * np.sin(t)) * moved + random.normal(0, noise, moved.shape), 0, 255).round().astype(np.uint8))
    return frames, place


def drifts(folder):
    """The same of whole tracks."""
    for nth, (name, fixed, _, _, is_tuned_on) in enumerate(pictures()):
        if name.endswith("final"):
            continue
        for noise in (0, 4):
            frames, place = film(cv2.imread(str(fixed), 0), 2 * nth + noise, noise)
            own = folder / f"film {nth} {noise}"
            own.mkdir()
            for t, frame in enumerate(frames):
                cv2.imwrite(str(own / f"{t:02}.png"), frame)
            command("track-points", own, "-o", folder / "tracks.csv", "--corners", FILM_CORNERS, "--device", "cpu")
            with open(folder / "tracks.csv", encoding="utf-8") as file:
                rows = list(csv.DictReader(file))
            begins = {row["id"]: np.array([float(row["x"]), float(row["y"])]) for row in rows if row["frame"] == "0"}
            squares, raw, errors = dict.fromkeys(begins, 0.0), [], []
            for row in rows:
                if row["status"] == "found":
                    squares[row["id"]] += float(row["expected_error"]) ** 2
                    raw.append(np.sqrt(squares[row["id"]]))
                    there = place(begins[row["id"]], int(row["frame"]))
                    errors.append(np.hypot(*(np.array([float(row["x"]), float(row["y"])]) - there)))
            yield (np.array(raw), np.array(errors)), is_tuned_on


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
        fit("track-points", "drift", drifts(folder))


if __name__ == "__main__":
    main()
