"""How probable it is that people give a face of a mesh to the part that it has: makes the table of crates/mesh.

    VELOXEL=target/release/veloxel VELOXEL_DATA=... python3 benches/calibration_of_parts.py [FOLDER [METHOD ...]] > crates/mesh/src/part_probability.csv

Segments each mesh of the Princeton benchmark by each METHOD (cuts and fuzzy without one), as many parts as the mesh shows, and takes certainty and part of each face from the
coloured PLY. Each part stands for the segment of a person's that it shares most area with; a face is right where it lies in that segment.
The share of right faces, by area, over the people of a mesh, is fitted over the certainty by one curve that only rises (isotonic
regression), at certainties from 0 to 1 in steps of a tenth; each mesh counts alike. FOLDER keeps the PLY files in a
folder for each method, and has those that are there already.

Tuned on and kept: crates/bench/src/scores/split.tsv, as for the scores of meshes. The lines on standard error hold the curve against
either half: mean probability foretold and found, by how much the two differ on the mean over ten bins of equally much area (expected
calibration error of the half as a whole, and mean and worst of single meshes), and AUSE of the error by certainty over that of a random
order, mean and worst mesh.

Needs NumPy.
"""

import pathlib
import subprocess
import sys
import tempfile

import numpy as np

from calibration import VELOXEL, area, rising
from calibration import DATA as FLOW

MESHES = FLOW.parent / "mesh" / "psb"
SPLIT = pathlib.Path(__file__).parent.parent / "crates" / "bench" / "src" / "scores" / "split.tsv"
KNOTS = np.linspace(0, 1, 11)
METHODS = ["cuts", "fuzzy"]
FACE = np.dtype([("count", "u1"), ("corners", "<i4", 3), ("colour", "u1", 4), ("certainty", "<f4"), ("part", "<i4")])


def halves():
    """The name of each mesh, and whether it is tuned on."""
    rows = (line.split("\t") for line in SPLIT.read_text().splitlines() if line.startswith("meshes\t"))
    return {row[1]: row[2] == "tuned" for row in rows}


def faces(path):
    """Areas, certainties and parts of the faces of a coloured mesh."""
    head, body = path.read_bytes().split(b"end_header\n", 1)
    points, count = (int(head.split(b"element " + what + b" ")[1].split()[0]) for what in (b"vertex", b"face"))
    places = np.frombuffer(body, "<f8", 3 * points).reshape(-1, 3)
    own = np.frombuffer(body[24 * points :], FACE, count)
    a, b, c = (places[own["corners"][:, nth]] for nth in range(3))
    return 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1), own["certainty"].astype(float), own["part"]


def right(areas, parts, theirs):
    """Whether each face lies in the segment of a person's that its part shares most area with."""
    shared = np.zeros((parts.max() + 1, theirs.max() + 1))
    np.add.at(shared, (parts, theirs), areas)
    return shared.argmax(1)[parts] == theirs


def mesh(name, folder, method):
    """Weights of area that sum to 1, certainties, and shares of people that have each face as it is."""
    painted = folder / method / f"{name}.ply"
    if not painted.exists():
        painted.parent.mkdir(parents=True, exist_ok=True)
        line = [VELOXEL, "segment", str(MESHES / "off" / f"{name}.off"), "-o", str(painted), "-q", "--device", "cpu", "--method", method]
        subprocess.run(line, check=True)
    areas, certainty, parts = faces(painted)
    people = [np.loadtxt(path, dtype=int) for path in sorted((MESHES / "seg" / name).glob("*.seg"))]
    return areas / areas.sum(), certainty, np.mean([right(areas, parts, theirs) for theirs in people], axis=0)


def fitted(scenes):
    """The curve of meshes: the share of right faces around each knot, made to rise."""
    around = np.rint(10 * np.concatenate([certainty for _, certainty, _ in scenes])).astype(int)
    weights, shares = (np.concatenate([scene[nth] for scene in scenes]) for nth in (0, 2))
    sums = np.bincount(around, weights, len(KNOTS))
    return rising(np.bincount(around, weights * shares, len(KNOTS)) / sums, sums)


def off(scenes, curve):
    """The expected calibration error of meshes together, over ten bins of equally much area."""
    weights, certainty, shares = (np.concatenate([scene[nth] for scene in scenes]) for nth in range(3))
    probable = np.interp(certainty, KNOTS, curve)
    order = np.argsort(probable, kind="stable")
    place = np.minimum((10 * np.cumsum(weights[order]) / weights.sum()).astype(int), 9)
    gaps = np.bincount(place, weights[order] * (probable - shares)[order], 10)
    return np.abs(gaps).sum() / weights.sum()


def ranked(certainty, shares):
    """AUSE of the share of people who differ, by certainty, over that of a random order."""
    errors = 1 - shares
    best = area(errors, np.argsort(errors, kind="stable"))
    return (area(errors, np.argsort(-certainty, kind="stable")) - best) / max(errors.mean() - best, 1e-9)


def fit(method, folder):
    """Prints the curve of a method, and how it does on either half."""
    found = [(is_tuned_on, mesh(name, folder, method)) for name, is_tuned_on in halves().items()]
    curve = fitted([scene for is_tuned_on, scene in found if is_tuned_on])
    print(",".join([method, *(f"{value:.4g}" for value in curve)]), flush=True)
    for half in (True, False):
        own = [scene for is_tuned_on, scene in found if is_tuned_on == half]
        foretold = np.mean([(weights * np.interp(certainty, KNOTS, curve)).sum() for weights, certainty, _ in own])
        right_share = np.mean([(weights * shares).sum() for weights, _, shares in own])
        each, ranks = [off([scene], curve) for scene in own], [ranked(certainty, shares) for _, certainty, shares in own]
        print(
            f"{method}, {'tuned on' if half else 'kept'}, {len(own)} meshes: right foretold {foretold:.3f}, found {right_share:.3f}; off by "
            f"{off(own, curve):.3f}, single meshes {np.mean(each):.3f}, worst {max(each):.3f}; AUSE over random {np.mean(ranks):.3f}, worst {max(ranks):.3f}",
            file=sys.stderr,
        )


def main():
    print("# Made by benches/calibration_of_parts.py. The probability of being right at the certainties 0, 0.1, … 1.")
    print("method," + ",".join(f"at_{nth}" for nth in range(len(KNOTS))))
    with tempfile.TemporaryDirectory() as place:
        for method in sys.argv[2:] or METHODS:
            fit(method, pathlib.Path(sys.argv[1] if sys.argv[1:] else place))


if __name__ == "__main__":
    main()
