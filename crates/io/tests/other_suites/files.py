#!/usr/bin/env python3
"""Compares what Veloxel reads of any folders of files with what Python's packages read: pictures, volumes, DICOM files and meshes that
other programs' sources and Debian's packages ship.

    python3 crates/io/tests/other_suites/files.py FOLDER …

Needs the packages of suites.py and SimpleITK. A file is read as the package reads it, or refused by name; what the package itself
cannot read is counted apart: there Veloxel may read or refuse it, but must say which. Exits with 1 and one line a difference if
anything differs.

Pillow reads JPEG, bitmaps and GIF, OpenCV PNM, imagecodecs PNG, tifffile TIFF, SimpleITK and nibabel volumes, pydicom DICOM, trimesh meshes.
"""

import collections
import pathlib
import signal
import sys
import tempfile
import warnings

import cv2
import imagecodecs
import nibabel
import numpy as np
import pydicom
import SimpleITK
import tifffile
import trimesh
from PIL import Image, ImageSequence

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import suites  # noqa: E402: it lies beside this folder

Image.MAX_IMAGE_PIXELS = None
# Decoders of JPEG round in several ways.
OF_JPEG = 3.0
# Packages may take any time and memory over files that were made to be bad.
MOST_SECONDS = 20
unread = collections.Counter()


class Theirs:
    """What a package read: samples, their kind, how far ours may lie from them, and which are not transparent."""

    def __init__(self, samples, kind="image", tolerance=1e-3, known=True):
        self.samples, self.kind, self.tolerance, self.known = samples, kind, tolerance, known


def png(path):
    samples = imagecodecs.png_decode(path.read_bytes())
    if samples.dtype == bool:
        samples = samples * 255.0
    header = path.read_bytes()[:33]
    bits, colour = header[24], header[25]
    if colour == 0 and bits < 8 and samples.max(initial=0) < 1 << bits:
        samples = samples * (255.0 / ((1 << bits) - 1))
    return Theirs(flat(samples))


def flat(samples):
    """One number a pixel, alpha left out."""
    channels = samples.shape[-1] if samples.ndim == 3 else 1
    return suites.luminance(samples, channels)


def shown(image):
    """A picture of Pillow's as grey, or as colours by their weights."""
    if image.mode in ("1", "P", "PA"):
        image = image.convert("L" if image.mode == "1" else "RGB")
    if image.mode in ("CMYK", "YCbCr", "LAB", "HSV"):
        image = image.convert("RGB")
    return flat(np.asarray(image))


def pillow(path):
    image = Image.open(path)
    if image.format == "GIF":
        frames = np.stack([np.asarray(frame.convert("RGBA")) for frame in ImageSequence.Iterator(image)])
        kind = "sequence" if len(frames) > 1 else "image"
        return Theirs(suites.luminance(frames, 4), kind, known=frames[..., 3] == 255)
    return Theirs(shown(image), tolerance=OF_JPEG if image.format == "JPEG" else 1e-3)


def pnm(path):
    """Pillow cuts colours of 16 bits to 8."""
    samples = cv2.imread(str(path), cv2.IMREAD_UNCHANGED)
    return Theirs(flat(samples[..., ::-1] if samples.ndim == 3 else samples))


def tiff(path):
    """The pages that are frames, upright, as they are shown."""
    with tifffile.TiffFile(path) as file:
        pages = [page for page in file.pages if not (page.subfiletype & 5)] or [file.pages[0]]
        frames = [page_of_tiff(page) for page in pages]
    if any(frame.shape != frames[0].shape for frame in frames):
        raise ValueError("pages of several sizes")
    return Theirs(np.stack(frames), "sequence" if len(frames) > 1 else "image")


def page_of_tiff(page):
    samples = np.squeeze(page.asarray()).astype(float)
    if page.planarconfig == 2 and page.samplesperpixel > 1:
        samples = np.moveaxis(samples, 0, -1)
    bits = page.bitspersample
    if page.photometric == 3:
        samples = np.moveaxis(np.asarray(page.colormap, float), 0, -1)[samples.astype(int)]
    if page.photometric == 0 and bits > 1 and page.dtype.kind in "ui":
        samples = (1 << bits) - 1 - samples if page.dtype.kind == "u" else -1 - samples
    return upright(flat(samples), page.tags.valueof(274, 1))


def upright(samples, orientation):
    turned = {2: samples[:, ::-1], 3: samples[::-1, ::-1], 4: samples[::-1], 5: samples.T, 6: samples[::-1].T,
              7: samples[::-1, ::-1].T, 8: samples.T[::-1]}
    return turned.get(int(orientation), samples)


def volume(path):
    if path.name.endswith((".nii", ".nii.gz", ".hdr")):
        samples = np.squeeze(nibabel.load(path).get_fdata().T)
        return Theirs(samples, "sequence" if samples.ndim == 4 else "image")
    image = SimpleITK.ReadImage(str(path))
    samples = SimpleITK.GetArrayFromImage(image).astype(float)
    if image.GetNumberOfComponentsPerPixel() > 1:
        samples = suites.luminance(samples, image.GetNumberOfComponentsPerPixel())
    return Theirs(samples, "sequence" if image.GetDimension() == 4 else "image")


def dicom(path):
    header = pydicom.dcmread(path, force=True)
    frames = int(getattr(header, "NumberOfFrames", 1) or 1)
    is_volume = "GridFrameOffsetVector" in header
    lossy = header.file_meta.get("TransferSyntaxUID", "") in suites.LOSSY
    is_rounded = getattr(header, "PhotometricInterpretation", "").startswith("YBR")
    kind = "sequence" if frames > 1 and not is_volume else "image"
    return Theirs(suites.samples(header), kind, 3.0 if lossy or is_rounded else 1e-4)


READERS = {
    ".png": png, ".jpg": pillow, ".jpeg": pillow, ".bmp": pillow, ".gif": pillow, ".pgm": pnm, ".ppm": pnm,
    ".pnm": pnm, ".tif": tiff, ".tiff": tiff, ".nii": volume, ".gz": volume, ".hdr": volume,
    ".mha": volume, ".mhd": volume, ".nrrd": volume, ".nhdr": volume, ".dcm": dicom, ".ima": dicom,
}
MESHES = {".off", ".obj", ".ply", ".stl", ".glb", ".gltf"}


def compare(folder, work):
    suite = folder.name
    for path in sorted(folder.rglob("*")):
        suffix = path.suffix.lower()
        name = str(path.relative_to(folder))
        if not path.is_file() or suffix == ".gz" and not path.name.endswith(".nii.gz"):
            continue
        signal.alarm(MOST_SECONDS)
        try:
            if suffix in MESHES:
                theirs = trimesh.load(path, force="mesh", process=False)
                assert len(theirs.faces)
            elif suffix in READERS:
                theirs = READERS[suffix](path)
            else:
                continue
        except Exception as error:
            signal.alarm(0)
            apart(suite, name, suffix, path, work, error)
            continue
        signal.alarm(0)
        if suffix in MESHES:
            suites.judge_mesh(suite, name, theirs, path, work)
        else:
            suites.judge(suite, name, theirs.samples, theirs.kind, path, work, theirs.tolerance, theirs.known)


def apart(suite, name, suffix, path, work, error):
    """A file that the package cannot read: read or refused here, in one line."""
    code, said = suites.convert("surface" if suffix in MESHES else "sequence", path, work / "ours.npy")
    if code == 1 and "expected a sequence, got an image" in said:
        code, said = suites.convert("image", path, work / "ours.npy")
    unread[suite, "read here" if code == 0 else "refused here"] += 1
    if code not in (0, 1) or code == 1 and not said.splitlines()[-1].startswith("error: "):
        suites.failures.append(f"{suite}/{name}: exit code {code}: {said}")
    text = str(error).splitlines()
    print(f"{suite}/{name}: not read there ({type(error).__name__}: {text[0][:80] if text else ''}); here: "
          f"{'read' if code == 0 else said.splitlines()[-1]}")


def too_long(*_):
    raise TimeoutError(f"more than {MOST_SECONDS} s")


def main():
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGALRM, too_long)
    for folder in map(pathlib.Path, sys.argv[1:]):
        with tempfile.TemporaryDirectory() as name:
            compare(folder, pathlib.Path(name))
    for failure in suites.failures:
        print(f"FAILED {failure}")
    for suite, outcome in suites.counts.items():
        more = [f"{count} not read there, {what}" for (of, what), count in unread.items() if of == suite]
        print(suite, ", ".join([f"{count} {what}" for what, count in outcome.items()] + more))
    print("all suites agree" if not suites.failures else f"{len(suites.failures)} differences")
    return 1 if suites.failures else 0


if __name__ == "__main__":
    sys.exit(main())
