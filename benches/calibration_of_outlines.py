"""What is to be expected of the error of an outline that was carried to another frame: makes the table of crates/motion/src/method/calibration.

    VELOXEL=target/release/veloxel VELOXEL_DATA=... python3 benches/calibration_of_outlines.py [METHOD ...] > crates/motion/src/method/calibration/outlines.csv

As calibration.py, of which the fit is: for each structure one curve that only rises from a raw error, pixels, to the mean error (longer
ones count as 10), and another to the error that nine of ten stay below, by isotonic regression; each heart counts alike. Hearts differ by more
than outlines of one heart do, so the second curve is multiplied by what it takes for nine of ten outlines of a heart that took no part:
each tuned heart against the curve of the others. The raw error of an outline is its modified Hausdorff distance to the outline that it
was carried from (column moved_mm of expected_errors.csv), its error that to a reader's outline on its frame. Each heart is followed
from end-diastole and from end-systole, by each METHOD (clg and fe without one), whose curves are its own. A method needs lines in the table
to begin with, whatever their numbers, for its expected_errors.csv to be written.

Tuned on: ep-dataset (slices 6 to 10 and 13), ACDC's patients 001, 041, 081. Kept: patients 021, 061, 090, and the right ventricle of RVSC's patient 09.
ACDC's and RVSC's were outlined on these two frames alone. The lines on standard error hold the curves against either half: mean error
foretold and found, the share within the second curve, and AUSE over that of a random order, mean and worst heart.

Needs what calibration.py needs.
"""

import csv
import json
import os
import pathlib
import sys
import tempfile

import numpy as np

from calibration import at, ause_over_random, command, curve

DATA = pathlib.Path(os.environ["VELOXEL_DATA"]) / "cardiac"
KNOTS = 0.125 * 2.0 ** np.arange(11)
LONGEST = 10.0
STRUCTURES = ["endo", "epi", "rv"]
METHODS = ["clg", "fe"]
# ACDC's patients, and whether they are tuned on.
PATIENTS = {"001": True, "021": False, "041": True, "061": False, "081": True, "090": False}
# End-systole of ep-dataset.
EP_SYSTOLE = 7
# Of a heart a bin needs so many outlines, and an order ranks so many.
FEWEST, FEWEST_RANKED = 3, 5


def ep_outlines(path):
    """Writes the outlines of the slices of ep-dataset that are used, in pixels."""
    folder = DATA / "ep-dataset"
    with open(folder / "index.csv", encoding="utf-8") as file:
        place = {int(row["instance"]): (int(row["slice_k"]), int(row["frame_t"])) for row in csv.DictReader(file)}
    contours = []
    for name in sorted((folder / "lvContours").glob("IM-0001-*contour-auto.txt")):
        (slice_, frame), kind = place[int(name.name.split("-")[2])], name.name.split("-")[3][0]
        if slice_ in (6, 7, 8, 9, 10, 13):
            points = np.loadtxt(name).tolist()
            contours.append({"structure": "endo" if kind == "i" else "epi", "frame": frame, "slice": slice_, "points": points})
    path.write_text(json.dumps({"format": "veloxel-contours", "version": 1, "unit": "px", "contours": contours}))


def followed(images, contours, start, folder, *options):
    """Raw error and error of every outline on another frame than the start: {(structure, slice): [(pixels, pixels), ...]}."""
    named = [word for path in contours for word in ("--contours", path, "--truth", path)]
    command("track", *images, *named, "--frame", start, "-o", folder, "-q", "--device", "cpu", *options)
    with open(folder / "expected_errors.csv", encoding="utf-8") as file:
        rows = csv.DictReader(line for line in file if not line.startswith("#"))
        moved = {(row["structure"], int(row["slice"]), int(row["frame"])): float(row["moved_mm"]) for row in rows}
    report = json.loads((folder / "report.json").read_text())
    pixel, found = report["cine"]["spacing_mm"][0], {}
    for own in report["runs"][0]["readers"][0]["distances"]["contours"]:
        key = (own["structure"], own["slice"], own["frame"])
        if key in moved:
            found.setdefault(key[:2], []).append((moved[key] / pixel, own["modified_hausdorff_mm"] / pixel))
    return found


def hearts(folder, method):
    """Every heart: its name, what was found of it from each start by a method, and whether it is tuned on."""
    by = ["--method", method]
    ep = folder / "ep.json"
    ep_outlines(ep)
    both = [followed([DATA / "ep-dataset" / "shortaxis_4d.nii.gz"], [ep], start, folder / f"ep {start}", *by) for start in (0, EP_SYSTOLE)]
    yield "ep-dataset", both, True
    for name, is_tuned_on in PATIENTS.items():
        own = DATA / "acdc" / "training" / f"patient{name}"
        info = dict(line.split(": ") for line in (own / "Info.cfg").read_text().splitlines() if line)
        frames = [int(info["ED"]), int(info["ES"])]
        files = [own / f"patient{name}_frame{frame:02}.nii.gz" for frame in frames]
        cine, starts, options = own / f"patient{name}_4d.nii.gz", [0, 1], by
        if cine.exists():
            starts, options = [frame - 1 for frame in frames], [*by, "--periodic", "yes"]
        drawn = [f"{str(path)[:-7]}_gt.nii.gz@{start}" for path, start in zip(files, starts)]
        images = [cine] if cine.exists() else files
        yield f"ACDC {name}", [followed(images, drawn, start, folder / f"{name} {start}", *options) for start in starts], is_tuned_on
    own = DATA / "rvsc-p09" / "patient09"
    images = [own / "P09dicom" / f"P09-{number}.dcm" for number in ("0022", "0023")]
    yield "RVSC 09", [followed(images, [own / "P09contours-manual"], start, folder / f"rvsc {start}", *by) for start in (0, 1)], False


def most_of(pairs):
    return curve(pairs, lambda errors: np.quantile(errors, 0.9), LONGEST, KNOTS, FEWEST)


def across(pairs):
    """By how much the errors of a heart exceed the curve of the others, of nine of ten outlines; each heart counts alike."""
    ratios, weights = [], []
    for nth, (raw, errors) in enumerate(pairs):
        ratios.extend(errors / at(most_of(pairs[:nth] + pairs[nth + 1 :]), raw, KNOTS))
        weights.extend([1 / len(errors)] * len(errors))
    order = np.argsort(ratios)
    share = np.cumsum(np.array(weights)[order]) / sum(weights)
    return max(1.0, np.array(ratios)[order][np.searchsorted(share, 0.9)])


def fit(method, structure, found):
    """Prints the curves of a structure by a method, from the hearts that are tuned on, and how they do on either half."""
    scenes = []
    for name, starts, is_tuned_on in found:
        pairs = [pair for start in starts for (own, _), pairs in start.items() if own == structure for pair in pairs]
        if pairs:
            raw, errors = np.array(pairs).T
            scenes.append((name, raw, errors, is_tuned_on))
    cut = [(raw, np.minimum(errors, LONGEST)) for _, raw, errors, is_tuned_on in scenes if is_tuned_on]
    factor = across(cut)
    curves = {"mean": curve(cut, np.mean, LONGEST, KNOTS, FEWEST), "nine of ten": np.minimum(factor * most_of(cut), LONGEST)}
    for kind, values in curves.items():
        print(",".join([method, structure, kind, *(f"{value:.4g}" for value in values)]), flush=True)
    for half in (True, False):
        own = [scene[:3] for scene in scenes if scene[3] == half]
        foretold = [at(curves["mean"], raw, KNOTS).mean() for _, raw, _ in own]
        errors = [np.minimum(errors, LONGEST).mean() for _, _, errors in own]
        within = [(errors <= at(curves["nine of ten"], raw, KNOTS)).mean() for _, raw, errors in own]
        ranks = [ause_over_random(raw, errors) for _, raw, errors in own if len(errors) >= FEWEST_RANKED]
        each = ", ".join(f"{name} {a:.2f} {b:.2f} {c:.2f}" for (name, _, _), a, b, c in zip(own, foretold, errors, within))
        print(
            f"{method}, {structure}, {'tuned on' if half else 'kept'}: mean error foretold {np.mean(foretold):.2f}, found {np.mean(errors):.2f} px; within "
            f"nine of ten (times {factor:.2f}) {np.mean(within):.2f}; AUSE over random {np.mean(ranks):.2f}, worst {max(ranks):.2f} (foretold, found, within: {each})",
            file=sys.stderr,
        )


def main():
    print("# Made by benches/calibration_of_outlines.py. Per curve: its value, pixels, at the raw errors", ", ".join(f"{knot:g}" for knot in KNOTS), "pixels.")
    print("method,structure,curve," + ",".join(f"at_{nth}" for nth in range(len(KNOTS))))
    for method in sys.argv[1:] or METHODS:
        with tempfile.TemporaryDirectory() as place:
            found = list(hearts(pathlib.Path(place), method))
        for structure in STRUCTURES:
            fit(method, structure, found)


if __name__ == "__main__":
    main()
