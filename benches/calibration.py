"""What a confidence says of the error: makes the table of crates/motion/src/method/calibration.

    VELOXEL=target/release/veloxel VELOXEL_DATA=... python3 benches/calibration.py > crates/motion/src/method/calibration/table.csv
    … python3 benches/calibration.py clg+matches     # the lines of one method, or of several

A method with "+matches" is that method begun from matches (--init matches).

Runs each method and preset on pairs whose motion is known, and fits one curve that only rises from the raw error of a confidence,
e = 1/2 sqrt(1/c - 1), to the mean end-point error (voxels; longer ones count as 5), by isotonic regression; each pair counts alike. A second such curve is the
error that nine vectors of ten stay below, a third the same of the errors' lengths in the shape of their covariance (which the method's
run writes: of it the shape alone is taken, with a mean squared semi-axis of 1), and six the shares of vectors that are off by 1/8, 1/4, 1/2, 1, 2 and 4
voxels or more.

Tuned on: RubberWhale, Grove2, Sintel alley_1, KITTI; phantoms 1 and 2 of each kind. Kept: Urban2, Dimetrodon, Sintel cave_2; phantoms 3,
and other kinds of motion. The lines on standard error hold the curves against either half: mean error foretold and found, the share
of vectors within the second curve; the shares within the ellipses of 50, 90 and 95 %, with the mean radius of those of 90 % over the mean
error, both of errors of any length; how far the probability of less than half a voxel is off (expected calibration error, mean over
pairs); and AUSE over that of a random order, mean and worst pair.

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
# Thresholds that the shares of errors are counted at, voxels.
THRESHOLDS = [0.125, 0.25, 0.5, 1, 2, 4]
# Quantiles of the chi-squared distribution with two and three degrees of freedom, at 50, 90 and 95 %.
LEVELS = {2: [1.386294, 4.605170, 5.991465], 3: [2.365974, 6.251389, 7.814728]}
METHODS = [
    ("clg", ["accurate", "fast", "realtime", "ultrafast"], (2, 3)),
    ("clg+matches", ["accurate", "fast"], (2,)),
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
    """Raw errors of the confidences of some vectors, the vectors' end-point errors, voxels, and these in the shape of the covariance."""
    _, fixed, moving, truth, _ = pair
    field, confidence, covariance = folder / "field.npy", folder / "confidence.npy", folder / "covariance.npy"
    method, _, start = method.partition("+")
    options = ["--set", "frames=two"] if method == "phase" else []
    options += ["--init", start] if start else []
    maps = ["--confidence", confidence, "--covariance", covariance]
    command("flow", fixed, moving, "-o", field, *maps, "--method", method, "--preset", preset, "--device", "cpu", *options)
    found, confidence = np.load(field).astype(float), np.load(confidence).astype(float)
    truth = truth_of(truth)
    if found.shape != truth.shape:
        found = np.moveaxis(found, 0, -1)
    vectors = (found - truth).reshape(-1, truth.shape[-1])
    errors = np.linalg.norm(vectors, axis=-1)
    raw = 0.5 * np.sqrt(1 / np.maximum(confidence.ravel(), 1e-6) - 1)
    known = np.flatnonzero(np.isfinite(errors))
    some = known[:: max(1, len(known) // MOST_VECTORS)]
    shapes = shapes_of(np.load(covariance).reshape(-1, len(errors))[:, some].T.astype(float))
    lengths = np.sqrt(np.einsum("ni,ni->n", vectors[some], np.linalg.solve(shapes, vectors[some][..., None])[..., 0]))
    return raw[some], errors[some], lengths


def shapes_of(entries):
    """Matrices of a mean diagonal of 1, from the entries of their upper triangle, row by row."""
    axes = 2 if entries.shape[1] == 3 else 3
    rows, columns = np.triu_indices(axes)
    matrices = np.empty((len(entries), axes, axes))
    matrices[:, rows, columns] = matrices[:, columns, rows] = entries
    return matrices * (axes / np.trace(matrices, axis1=1, axis2=2))[:, None, None]


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


def curve(pairs, of_bin, most, knots=KNOTS, fewest=20):
    """A number of the errors in each bin of raw errors around a knot, made to rise; bins of a pair with fewer errors than `fewest` are left out."""
    edges = np.sqrt(knots[1:] * knots[:-1])
    values, weights = [], []
    for nth in range(len(knots)):
        parts = [errors[np.digitize(raw, edges) == nth] for raw, errors in pairs]
        parts = [(part, len(part) / len(errors)) for part, (_, errors) in zip(parts, pairs) if len(part) >= fewest]
        weight = sum(share for _, share in parts)
        values.append(sum(of_bin(part) * share for part, share in parts) / weight if parts else np.nan)
        weights.append(weight)
    known = np.flatnonzero(~np.isnan(values))
    fitted = rising(np.array(values)[known], np.array(weights)[known])
    curve = np.interp(np.arange(len(knots)), known, fitted)
    # Beyond what was seen errors rise as raw ones do.
    last = known[-1]
    beyond = np.minimum(curve[last] * knots[last + 1 :] / knots[last], max(most, curve[last]))
    return np.concatenate([curve[: last + 1], beyond])


def at(values, raw, knots=KNOTS):
    return np.interp(np.log(np.maximum(raw, 1e-9)), np.log(knots), values)


def fitted(runs):
    """All curves by their names, of runs on pairs that are tuned on."""
    shortened = [np.minimum(1, LONGEST / np.maximum(errors, 1e-9)) for _, errors, _ in runs]
    cut = [(raw, errors * by) for (raw, errors, _), by in zip(runs, shortened)]
    lengths = [(raw, lengths * by) for (raw, _, lengths), by in zip(runs, shortened)]
    curves = {
        "mean": curve(cut, np.mean, LONGEST),
        "nine of ten": curve(cut, lambda errors: np.quantile(errors, 0.9), LONGEST),
        "ellipse": curve(lengths, lambda lengths: np.quantile(lengths, 0.9), LONGEST),
    }
    for threshold in THRESHOLDS:
        curves[f"above {threshold:g}"] = curve(cut, lambda errors: np.mean(errors >= threshold), 1.0)
    return curves


def area(errors, order):
    """The area below the mean error of what is left, as the worst of an order, its last, are left out one by one."""
    sums = np.cumsum(errors[order]) / np.arange(1, len(errors) + 1)
    return sums[len(errors) // 100 :].mean()


def ause_over_random(raw, errors):
    oracle = area(errors, np.argsort(errors, kind="stable"))
    return (area(errors, np.argsort(raw, kind="stable")) - oracle) / (errors.mean() - oracle)


def off(probable, came_true):
    """The expected calibration error over ten bins of equally many vectors."""
    bins = np.array_split(np.argsort(probable, kind="stable"), 10)
    return sum(len(own) * abs(probable[own].mean() - came_true[own].mean()) for own in bins) / len(probable)


def held(curves, runs, dimension):
    """The curves against runs on pairs: the line that says how they do."""
    foretold = np.mean([at(curves["mean"], raw).mean() for raw, _, _ in runs])
    found = np.mean([np.minimum(errors, LONGEST).mean() for _, errors, _ in runs])
    within = np.mean([(errors <= at(curves["nine of ten"], raw)).mean() for raw, errors, _ in runs])
    levels = LEVELS[dimension]
    scales = [np.sqrt(level / levels[1]) for level in levels]
    holds = [np.mean([(lengths <= scale * at(curves["ellipse"], raw)).mean() for raw, _, lengths in runs]) for scale in scales]
    radius = np.mean([at(curves["ellipse"], raw).mean() for raw, _, _ in runs]) / np.mean([errors.mean() for _, errors, _ in runs])
    probabilities = [off(1 - at(curves["above 0.5"], raw), errors < 0.5) for raw, errors, _ in runs]
    ranks = [ause_over_random(raw, errors) for raw, errors, _ in runs]
    return (
        f"mean error foretold {foretold:.3f}, found {found:.3f}; within nine of ten {within:.3f}; ellipses hold "
        f"{holds[0]:.3f} {holds[1]:.3f} {holds[2]:.3f}, radius over error {radius:.2f}; probability off by {np.mean(probabilities):.3f}; "
        f"AUSE over random {np.mean(ranks):.3f}, worst {max(ranks):.3f}"
    )


def main():
    print("# Made by benches/calibration.py. Per curve: its value at the raw errors", ", ".join(f"{knot:g}" for knot in KNOTS), "voxels.")
    print("method,preset,dimension,curve," + ",".join(f"at_{nth}" for nth in range(len(KNOTS))))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        needed = {dimension for method, _, dimensions in METHODS if method in (sys.argv[1:] or [method]) for dimension in dimensions}
        cases = {2: list(pictures()), 3: list(volumes(folder / "phantoms")) if 3 in needed else []}
        for method, presets, dimensions in METHODS:
            if sys.argv[1:] and method not in sys.argv[1:]:
                continue
            for preset in presets:
                for dimension in dimensions:
                    runs = [(pair, measured(method, preset, pair, folder)) for pair in cases[dimension]]
                    curves = fitted([run for pair, run in runs if pair[4]])
                    for kind, values in curves.items():
                        print(",".join([method, preset, str(dimension), kind, *(f"{value:.4g}" for value in values)]), flush=True)
                    for half in (True, False):
                        line = held(curves, [run for pair, run in runs if pair[4] == half], dimension)
                        print(f"{method} {preset} {dimension}-D, {'tuned on' if half else 'kept'}: {line}", file=sys.stderr)


if __name__ == "__main__":
    main()
