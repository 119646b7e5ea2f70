"""What a confidence says of the error: makes the table of crates/motion/src/method/calibration.

    VELOXEL=target/release/veloxel VELOXEL_DATA=... python3 benches/calibration.py > crates/motion/src/method/calibration/table.csv

Runs each method and preset on pairs whose motion is known, and fits one curve that only rises from the raw error of a confidence,
e = 1/2 sqrt(1/c - 1), to the mean end-point error (voxels; longer ones count as 5), by isotonic regression; each pair counts alike. A second such curve is the
error that nine vectors of ten stay below, and a third the share of vectors that are off by less than half a voxel.

Tuned on: RubberWhale, Grove2, Sintel alley_1, KITTI; phantoms 1 and 2 of each kind. Kept: Urban2, Dimetrodon, Sintel cave_2; phantoms 3,
and other kinds of motion. The lines on standard error hold the curves against either half: mean error foretold and found, and the
share of vectors within the second curve.

Needs NumPy, nibabel and OpenCV's reader of PNG files with 16 bits (cv2).
"""

import os
import pathlib
import subprocess
import sys
import tempfile

import cv2
import nibabel
import numpy as np

VELOXEL = os.environ["VELOXEL"]
DATA = pathlib.Path(os.environ["VELOXEL_DATA"]) / "flow"
# Raw errors that the curves are told at, voxels.
KNOTS = 0.005 * 2.0 ** np.arange(11)
# Where motion is lost an error has any length: longer ones count as this, voxels.
LONGEST = 5.0
MOST_VECTORS = 40_000
METHODS = [
    ("clg", ["accurate", "fast", "realtime", "ultrafast"], (2, 3)),
    ("symmetric", ["accurate", "fast"], (3,)),
    ("lucas-kanade", ["accurate", "fast"], (2, 3)),
    ("block-matching", ["accurate", "fast"], (2, 3)),
    ("phase", ["accurate", "fast"], (2,)),
]


def command(*arguments):
    done = subprocess.run([VELOXEL, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, arguments))}: {done.stderr.strip()}")


def truth_of(path):
    """The true displacement, components last."""
    if path.suffix == ".flo":
        words = np.fromfile(path, "<f4")
        width, height = np.fromfile(path, "<i4", 2, offset=4)
        field = words[3:].reshape(height, width, 2).astype(float)
        return np.where(np.abs(field) > 1e9, np.nan, field)
    if path.suffix == ".png":
        blue, green, red = np.moveaxis(cv2.imread(str(path), -1).astype(float), -1, 0)
        field = np.stack([red - 32768, green - 32768], -1) / 64
        return np.where(blue[..., None] > 0, field, np.nan)
    return np.squeeze(np.asarray(nibabel.load(path).dataobj)).T.transpose(1, 2, 3, 0)


def pictures():
    """Name, both images, truth, and whether the pair is tuned on."""
    for name in ["RubberWhale", "Grove2", "Urban2", "Dimetrodon"]:
        folder = DATA / "middlebury-2frame" / name
        yield name, folder / "frame10.png", folder / "frame11.png", folder / "flow10.flo", name in ("RubberWhale", "Grove2")
    folder = DATA / "sintel" / "alley_1"
    yield "alley_1", folder / "frame_0002.png", folder / "frame_0003.png", folder / "gt" / "frame_0002.flo", True
    for part in ["clean", "final"]:
        folder = DATA / "sintel" / "cave_2"
        yield f"cave_2 {part}", folder / part / "frame_0002.png", folder / part / "frame_0003.png", folder / "gt" / "frame_0002.flo", False
    folder = DATA / "kitti-sample"
    yield "KITTI", folder / "frame1.png", folder / "frame2.png", folder / "flow_gt.png", True


def volumes(folder):
    """The same of phantoms: four kinds of motion and texture, without noise and with some, and two kept kinds."""
    kinds = [("shift", "smooth"), ("sinusoid", "smooth"), ("beating-shell", "wall"), ("twist", "speckle"), ("affine", "smooth"), ("rotation", "speckle")]
    folder.mkdir()
    for motion, texture in kinds:
        for noise in ["0", "0.05"]:
            place = folder / f"{motion} {noise}"
            options = ["--size", "40,40,40", "--seeds", "3", "--texture", texture, "--noise", noise]
            command("phantom", motion, *options, "-o", place)
            for nth, pair in enumerate(sorted(place.iterdir())):
                is_tuned_on = nth < 2 and motion not in ("affine", "rotation")
                yield f"{motion} {noise} {nth + 1}", *(pair / f"{part}.nii.gz" for part in ("fixed", "moving", "truth")), is_tuned_on


def measured(method, preset, pair, folder):
    """Raw errors of the confidences of some vectors, and the vectors' end-point errors, voxels."""
    _, fixed, moving, truth, _ = pair
    field, confidence = folder / "field.npy", folder / "confidence.npy"
    options = ["--set", "frames=two"] if method == "phase" else []
    command("flow", fixed, moving, "-o", field, "--confidence", confidence, "--method", method, "--preset", preset, "--device", "cpu", *options)
    found, confidence = np.load(field).astype(float), np.load(confidence).astype(float)
    truth = truth_of(truth)
    if found.shape != truth.shape:
        found = np.moveaxis(found, 0, -1)
    errors = np.minimum(np.linalg.norm(found - truth, axis=-1).ravel(), LONGEST)
    raw = 0.5 * np.sqrt(1 / np.maximum(confidence.ravel(), 1e-6) - 1)
    known = np.flatnonzero(np.isfinite(errors))
    some = known[:: max(1, len(known) // MOST_VECTORS)]
    return raw[some], errors[some]


def rising(values, weights):
    """The nearest values that only rise: pools of neighbours that do not."""
    pools = []
    for value, weight in zip(values, weights):
        pools.append([value, weight, 1])
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            value, weight, count = pools.pop()
            before = pools[-1]
            before[0] = (before[0] * before[1] + value * weight) / (before[1] + weight)
            before[1], before[2] = before[1] + weight, before[2] + count
    return np.concatenate([[value] * count for value, _, count in pools])


def curve(pairs, of_bin, most):
    """A number of the errors in each bin of raw errors around a knot, made to rise; NaN where there are too few."""
    edges = np.sqrt(KNOTS[1:] * KNOTS[:-1])
    values, weights = [], []
    for nth in range(len(KNOTS)):
        parts = [errors[np.digitize(raw, edges) == nth] for raw, errors in pairs]
        parts = [(part, len(part) / len(errors)) for part, (_, errors) in zip(parts, pairs) if len(part) >= 20]
        weight = sum(share for _, share in parts)
        values.append(sum(of_bin(part) * share for part, share in parts) / weight if parts else np.nan)
        weights.append(weight)
    known = np.flatnonzero(~np.isnan(values))
    fitted = rising(np.array(values)[known], np.array(weights)[known])
    curve = np.interp(np.arange(len(KNOTS)), known, fitted)
    # Beyond what was seen errors rise as raw ones do.
    last = known[-1]
    beyond = np.minimum(curve[last] * KNOTS[last + 1 :] / KNOTS[last], max(most, curve[last]))
    return np.concatenate([curve[: last + 1], beyond])


def at(values, raw):
    return np.interp(np.log(np.maximum(raw, 1e-9)), np.log(KNOTS), values)


def main():
    print("# Made by benches/calibration.py. Per curve: its value at the raw errors", ", ".join(f"{knot:g}" for knot in KNOTS), "voxels.")
    print("method,preset,dimension,curve," + ",".join(f"at_{nth}" for nth in range(len(KNOTS))))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        cases = {2: list(pictures()), 3: list(volumes(folder / "phantoms"))}
        for method, presets, dimensions in METHODS:
            for preset in presets:
                for dimension in dimensions:
                    runs = [(pair, measured(method, preset, pair, folder)) for pair in cases[dimension]]
                    tuned = [run for pair, run in runs if pair[4]]
                    curves = {
                        "mean": curve(tuned, np.mean, LONGEST),
                        "nine of ten": curve(tuned, lambda errors: np.quantile(errors, 0.9), LONGEST),
                        "above half": curve(tuned, lambda errors: np.mean(errors >= 0.5), 1.0),
                    }
                    for kind, values in curves.items():
                        print(",".join([method, preset, str(dimension), kind, *(f"{value:.4g}" for value in values)]), flush=True)
                    for half in (True, False):
                        chosen = [run for pair, run in runs if pair[4] == half]
                        foretold = np.mean([at(curves["mean"], raw).mean() for raw, _ in chosen])
                        found = np.mean([errors.mean() for _, errors in chosen])
                        within = np.mean([(errors <= at(curves["nine of ten"], raw)).mean() for raw, errors in chosen])
                        word = "tuned on" if half else "kept"
                        print(f"{method} {preset} {dimension}-D, {word}: mean error foretold {foretold:.3f}, found {found:.3f}; within nine of ten {within:.3f}", file=sys.stderr)


main()
