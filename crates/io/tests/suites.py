#!/usr/bin/env python3
"""Compares what Veloxel reads with what nibabel and pydicom read, of the test files that these packages ship.

    python3 -m pip install numpy nibabel pydicom pylibjpeg[all]
    python3 crates/io/tests/suites.py

A file is read as the package reads it, or refused by name; a file that the package itself cannot read does not count. Exits with
1 and one line a difference if anything differs. Files are converted by `examples/convert.rs`; VELOXEL_CONVERT may name a built
one.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import warnings

import nibabel
import nibabel.tests
import numpy as np
import pydicom
from pydicom.pixels import apply_modality_lut, apply_rescale

ROOT = pathlib.Path(__file__).resolve().parents[3]
LUMINANCE = np.array([0.299, 0.587, 0.114])
LOSSY = {"1.2.840.10008.1.2.4.50", "1.2.840.10008.1.2.4.51", "1.2.840.10008.1.2.4.81", "1.2.840.10008.1.2.4.91"}

counts = {}
failures = []


def convert(kind, source, target):
    named = os.environ.get("VELOXEL_CONVERT")
    command = [named] if named else ["cargo", "run", "--quiet", "--manifest-path", str(ROOT / "Cargo.toml"), "-p",
                                     "veloxel-io", "--example", "convert", "--"]
    run = subprocess.run([*command, kind, str(source), str(target)], capture_output=True, text=True)
    return run.returncode, run.stderr.strip()


def judge(suite, name, theirs, kind, source, folder, tolerance=0.0):
    """Compares the samples of one file, `[t, z, y, x]` or a part of that, with the package's."""
    target = folder / "ours.npy"
    code, said = convert(kind, source, target)
    outcome = counts.setdefault(suite, {"the same": 0, "refused by name": 0})
    if code == 1 and said.splitlines()[-1].startswith("error: ") and source.name in said:
        outcome["refused by name"] += 1
        print(f"{suite}/{name}: {said.splitlines()[-1]}")
        return
    if code != 0:
        failures.append(f"{suite}/{name}: exit code {code}: {said}")
        return
    ours = np.load(target).astype(float)
    theirs = np.squeeze(np.asarray(theirs, float))
    ours = np.squeeze(ours)
    if ours.shape != theirs.shape:
        failures.append(f"{suite}/{name}: shape {ours.shape} against {theirs.shape}")
        return
    # Samples are 32-bit floats.
    bound = tolerance + 2e-7 * np.nanmax(np.abs(theirs), initial=0)
    same = (np.abs(ours - theirs) <= bound) | (np.isnan(ours) & np.isnan(theirs))
    if not same.all():
        failures.append(f"{suite}/{name}: differs by {np.nanmax(np.abs(ours - theirs))}")
        return
    outcome["the same"] += 1


def of_nibabel(folder):
    data = pathlib.Path(nibabel.tests.__file__).parent / "data"
    for path in sorted(data.iterdir()):
        if not path.name.endswith((".nii", ".nii.gz", ".hdr")):
            continue
        try:
            image = nibabel.load(path)
            theirs = image.get_fdata().T
        except Exception:
            continue
        theirs = np.squeeze(theirs)
        kind = "sequence" if theirs.ndim == 4 else "image"
        before = len(failures)
        judge("nibabel", path.name, theirs, kind, path, folder)
        if len(failures) == before and theirs.ndim == 3:
            place(path, image, folder)


def place(path, image, folder):
    """The same voxels lie at the same places."""
    target = folder / "ours.nii"
    if convert("image", path, target)[0] != 0:
        return
    if type(image).__name__ != "AnalyzeImage" and not np.allclose(nibabel.load(target).affine, image.affine, atol=1e-3):
        failures.append(f"nibabel/{path.name}: affine {nibabel.load(target).affine} against {image.affine}")


def of_pydicom(folder):
    data = pathlib.Path(pydicom.__file__).parent / "data" / "test_files"
    for path in sorted(data.glob("*.dcm")):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                header = pydicom.dcmread(path)
                theirs = samples(header)
        except Exception:
            continue
        frames = int(getattr(header, "NumberOfFrames", 1) or 1)
        lossy = header.file_meta.TransferSyntaxUID in LOSSY if "TransferSyntaxUID" in header.file_meta else False
        is_volume = "GridFrameOffsetVector" in header
        kind = "sequence" if frames > 1 and not is_volume else "image"
        # pydicom rounds and clips what it turns from YBR into RGB.
        is_rounded = getattr(header, "PhotometricInterpretation", "").startswith("YBR")
        judge("pydicom", path.name, theirs, kind, path, folder, 3.0 if lossy or is_rounded else 1e-4)


def samples(header):
    """Values as the file means them, colour as luminance."""
    pixels = header.pixel_array
    if "DoseGridScaling" in header:
        return pixels * float(header.DoseGridScaling)
    if header.SamplesPerPixel == 3:
        # pydicom has turned YBR into RGB.
        return pixels.astype(float) @ LUMINANCE
    if header.PhotometricInterpretation == "PALETTE COLOR":
        rgb = pydicom.pixels.apply_color_lut(pixels, header)
        return rgb.astype(float) @ LUMINANCE
    return apply_rescale(apply_modality_lut(pixels, header), header) if "ModalityLUTSequence" in header \
        else apply_rescale(pixels, header)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        of_nibabel(folder)
        of_pydicom(folder)
    for failure in failures:
        print(f"FAILED {failure}", file=sys.stderr)
    for suite, outcome in counts.items():
        print(suite, ", ".join(f"{count} {what}" for what, count in outcome.items()))
    print("all suites agree" if not failures else f"{len(failures)} differences")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
