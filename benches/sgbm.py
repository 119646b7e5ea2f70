#!/usr/bin/env python3
"""Stereo beside OpenCV's semi-global block matching, at equal density both ways.

Needs numpy and opencv-python-headless; VELOXEL names the command (default: veloxel), VELOXEL_DATA the data folder.
Pixels are those of the left image whose true disparity is known. Three comparisons a pair:
  own        each at its own density;
  thinned    ours without its least confident pixels, until it is as dense as SGBM;
  filled     SGBM's gaps filled from the row's smaller neighbour, at the pixels that ours knows, and everywhere.
"""

import os
import subprocess
import tempfile
from pathlib import Path

import cv2
import numpy as np

PAIRS = [("tsukuba", 16), ("venus", 8), ("teddy", 4), ("cones", 4)]
DISPARITIES = 64
BLOCK = 5


def ours(veloxel, left, right, folder):
    """Disparity and confidence of the default preset, NaN where there is none."""
    disparity, confidence = folder / "disparity.tif", folder / "confidence.tif"
    command = [veloxel, "stereo", left, right, "-o", disparity, "--confidence", confidence, "--quiet"]
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
    return (cv2.imread(str(path), cv2.IMREAD_UNCHANGED) for path in (disparity, confidence))


def sgbm(left, right):
    """OpenCV's own example's penalties and checks."""
    matcher = cv2.StereoSGBM_create(
        minDisparity=0, numDisparities=DISPARITIES, blockSize=BLOCK, P1=8 * 3 * BLOCK**2, P2=32 * 3 * BLOCK**2,
        disp12MaxDiff=1, uniquenessRatio=10, speckleWindowSize=100, speckleRange=2, preFilterCap=63,
        mode=cv2.STEREO_SGBM_MODE_SGBM,
    )
    found = matcher.compute(cv2.imread(str(left)), cv2.imread(str(right))).astype(np.float32) / 16
    found[found < 0] = np.nan
    return found


def filled(disparity):
    """Gaps take the smaller of the nearest values to the left and right: what is hidden lies behind."""
    result = disparity.copy()
    for row in result:
        known = np.flatnonzero(np.isfinite(row))
        if known.size == 0:
            continue
        for x in np.flatnonzero(~np.isfinite(row)):
            at = np.searchsorted(known, x)
            row[x] = min(row[known[max(at - 1, 0)]], row[known[min(at, known.size - 1)]])
    return result


def row(name, method, disparity, truth):
    known = np.isfinite(truth)
    error = np.abs(disparity - truth)[known]
    there = np.isfinite(error)
    measured = error[there]
    wrong = (np.sum(measured > 1) + np.sum(~there)) / error.size
    print(
        f"| {name} | {method} | {100 * there.mean():.1f} % | {measured.mean():.2f} px | {100 * np.mean(measured > 0.5):.1f} % "
        f"| {100 * np.mean(measured > 1):.1f} % | {100 * wrong:.1f} % |"
    )


def main():
    veloxel = os.environ.get("VELOXEL", "veloxel")
    data = Path(os.environ["VELOXEL_DATA"]) / "stereo"
    print("| pair | method | density | mean error | > 0.5 px | > 1 px | > 1 px or unmatched, of all |")
    print("|---|---|---|---|---|---|---|")
    for name, scale in PAIRS:
        left, right = data / name / "im2.png", data / name / "im6.png"
        truth = cv2.imread(str(data / name / "disp2.png"), cv2.IMREAD_GRAYSCALE).astype(np.float32) / scale
        truth[truth == 0] = np.nan
        with tempfile.TemporaryDirectory() as folder:
            phase, confidence = ours(veloxel, left, right, Path(folder))
        other = sgbm(left, right)
        known = np.isfinite(truth)
        row(name, "ours, own", phase, truth)
        row(name, "SGBM, own", other, truth)
        candidates = known & np.isfinite(phase)
        keep = int(np.sum(known & np.isfinite(other)))
        order = np.argsort(np.where(candidates, confidence, -1), axis=None)[::-1][:keep]
        thinned = np.full_like(phase, np.nan)
        thinned.flat[order] = phase.flat[order]
        row(name, "ours, thinned", thinned, truth)
        row(name, "SGBM, filled", np.where(np.isfinite(phase), filled(other), np.nan), truth)
        row(name, "SGBM, filled everywhere", filled(other), truth)


if __name__ == "__main__":
    main()
