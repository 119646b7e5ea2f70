#!/usr/bin/env python3
"""Compares Veloxel's files with what SimpleITK, OpenCV, NumPy, ngff-zarr, ome-zarr-models, ome-zarr-py and zarr-python read and write.

    python3 -m pip install SimpleITK numpy opencv-contrib-python-headless 'ngff-zarr[validate]' ome-zarr ome-zarr-models
    python3 crates/io/tests/peers.py
    python3 crates/io/tests/peers.py --warp FIELD MOVING WARPED    # one result of `veloxel flow --warped`

Exits with 1 and one line a difference if anything differs. Files are converted by `examples/convert.rs`; VELOXEL_CONVERT
may name a built one. OpenCV and the packages of Zarr are left out with a line where they are not installed.
"""

import importlib.util
import itertools
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import SimpleITK as sitk
import zarr_conformance
import zarr_peers

sys.path.append(str(pathlib.Path(__file__).parent / "zarr"))
import models  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[3]
VOLUME_FORMATS = ["nii", "nii.gz", "mha", "mhd", "nrrd", "nhdr"]
FIELD_TOLERANCE_MM = 1e-4
WARP_TOLERANCE = 1e-3

failures = []


def check(holds, message):
    if not holds:
        failures.append(message)
        print(f"FAILED {message}", file=sys.stderr)


def converter():
    named = os.environ.get("VELOXEL_CONVERT")
    if named:
        return [named]
    return ["cargo", "run", "--quiet", "--manifest-path", str(ROOT / "Cargo.toml"), "-p", "veloxel-io", "--example",
            "convert", "--"]


def convert(kind, source, target):
    run = subprocess.run([*converter(), kind, str(source), str(target)], capture_output=True, text=True)
    check(run.returncode == 0 and not run.stderr.strip(), f"convert {kind} {source.name} {target.name}: {run.stderr.strip()}")
    return run.returncode == 0


def rotation(dimension):
    a, b = 0.4, -0.7
    about_z = np.array([[np.cos(a), -np.sin(a), 0], [np.sin(a), np.cos(a), 0], [0, 0, 1]])
    about_x = np.array([[1, 0, 0], [0, np.cos(b), -np.sin(b)], [0, np.sin(b), np.cos(b)]])
    # The mirrored first axis is what scanners often store.
    return about_z[:2, :2] if dimension == 2 else about_z @ about_x @ np.diag([-1, 1, 1])


def place(image):
    dimension = image.GetDimension()
    image.SetSpacing([0.7, 1.25, 2.5][:dimension])
    image.SetOrigin([10.5, -20.25, 33.0][:dimension])
    image.SetDirection(rotation(dimension).ravel().tolist())
    return image


def size(dimension):
    return (9, 8, 7)[:dimension]


def scalars(dimension, dtype):
    values = np.random.default_rng(1).uniform(0, 200, size(dimension)[::-1]).astype(dtype)
    return place(sitk.GetImageFromArray(values))


def field(dimension):
    values = np.random.default_rng(2).normal(0, 1.5, (*size(dimension)[::-1], dimension)).astype(np.float32)
    return place(sitk.GetImageFromArray(values, isVector=True))


def same_place(a, b, what):
    check(a.GetSize() == b.GetSize(), f"{what}: size {a.GetSize()} against {b.GetSize()}")
    for name in ("GetSpacing", "GetOrigin", "GetDirection"):
        left, right = getattr(a, name)(), getattr(b, name)()
        check(np.allclose(left, right, atol=1e-5), f"{what}: {name[3:].lower()} {left} against {right}")


def same_samples(a, b, what, tolerance):
    left, right = sitk.GetArrayFromImage(a).astype(float), sitk.GetArrayFromImage(b).astype(float)
    if left.shape != right.shape:
        return check(False, f"{what}: shape {left.shape} against {right.shape}")
    check(np.abs(left - right).max() <= tolerance, f"{what}: samples differ by {np.abs(left - right).max()}")


def images_and_fields(folder):
    """What SimpleITK writes, through us, in every pair of formats, is what SimpleITK wrote."""
    for dimension, source_format in itertools.product((2, 3), VOLUME_FORMATS):
        cases = [("flow", field(dimension), FIELD_TOLERANCE_MM)]
        if source_format in ("nii.gz", "mha", "nrrd"):
            cases += [("image", scalars(dimension, np.float32), 0), ("labels", scalars(dimension, np.int16), 0)]
        for kind, image, tolerance in cases:
            source = folder / f"peer_{kind}{dimension}.{source_format}"
            sitk.WriteImage(image, str(source), useCompression=source_format in ("nii.gz", "mha", "nrrd"))
            for target_format in VOLUME_FORMATS:
                target = folder / f"ours_{kind}{dimension}.{target_format}"
                if not convert(kind, source, target):
                    continue
                back = sitk.ReadImage(str(target))
                what = f"{dimension}-D {kind} {source_format} to {target_format}"
                same_place(image, back, what)
                same_samples(image, back, what, tolerance)
                if kind == "flow":
                    transforms(image, back, what)


def planes(folder):
    """Slices in space, one voxel thick, through us: SimpleITK finds images and fields where it put them."""
    coronal = np.array([[1, 0, 0], [0, 0, 1], [0, -1, 0]])
    random = np.random.default_rng(6)
    for name, direction in (("oblique", rotation(3)), ("coronal", coronal), ("axial", np.eye(3))):
        values = random.normal(0, 1.5, (1, 8, 9, 3))
        # Vectors of a plane lie in it.
        values -= (values @ direction[:, 2])[..., None] * direction[:, 2]
        for kind, samples in (("flow", values), ("image", values[..., 0])):
            image = sitk.GetImageFromArray(samples.astype(np.float32), isVector=kind == "flow")
            image.SetSpacing([0.7, 1.25, 8.0])
            image.SetOrigin([10.5, -20.25, 33.0])
            image.SetDirection(direction.ravel().tolist())
            source = folder / f"plane_{kind}.mha"
            sitk.WriteImage(image, str(source))
            for target_format in VOLUME_FORMATS:
                target = folder / f"ours_plane_{kind}.{target_format}"
                if not convert(kind, source, target):
                    continue
                back, what = sitk.ReadImage(str(target)), f"{name} plane {kind} to {target_format}"
                check(back.GetDimension() == 3, f"{what}: {back.GetDimension()}-D")
                if back.GetDimension() != 3:
                    continue
                corner = image.TransformIndexToPhysicalPoint((8, 7, 0))
                check(sorted(back.GetSize()) == [1, 8, 9], f"{what}: size {back.GetSize()}")
                check(np.isclose(np.abs(np.linalg.det(np.reshape(back.GetDirection(), (3, 3)))), 1), f"{what}: direction")
                last = [n - 1 for n in back.GetSize()]
                check(np.allclose(back.TransformIndexToPhysicalPoint(last), corner, atol=1e-4), f"{what}: lies elsewhere")
                left, right = (sitk.GetArrayFromImage(i).ravel() for i in (image, back))
                check(np.abs(left - right).max() <= FIELD_TOLERANCE_MM, f"{what}: samples differ")


def transforms(image, back, what):
    """The field moves points as the peer's own field does."""
    pixel = sitk.sitkVectorFloat64
    ours, theirs = (sitk.DisplacementFieldTransform(sitk.Cast(i, pixel)) for i in (back, image))
    point = image.TransformContinuousIndexToPhysicalPoint([2.5] * image.GetDimension())
    check(np.allclose(ours.TransformPoint(point), theirs.TransformPoint(point), atol=1e-3), f"{what}: moves a point elsewhere")


def displacement_intent(folder):
    """Intent 1006 holds RAS components: read alike by SimpleITK and by us."""
    import struct

    image = field(3)
    source, target = folder / "intent.nii", folder / "intent.mha"
    sitk.WriteImage(image, str(source))
    raw = bytearray(source.read_bytes())
    raw[68:70] = struct.pack("<h", 1006)
    source.write_bytes(raw)
    if convert("flow", source, target):
        same_samples(sitk.ReadImage(str(source)), sitk.ReadImage(str(target)), "intent 1006", FIELD_TOLERANCE_MM)


def flo_and_opencv(folder):
    """`.flo` is OpenCV's, bit by bit."""
    if importlib.util.find_spec("cv2") is None:
        return print("OpenCV is not installed: not compared", file=sys.stderr)
    import cv2

    theirs = np.random.default_rng(3).normal(0, 5, (11, 13, 2)).astype(np.float32)
    source, target = folder / "peer.flo", folder / "ours.flo"
    cv2.writeOpticalFlow(str(source), theirs)
    if convert("flow", source, target):
        check(source.read_bytes() == target.read_bytes(), ".flo: bytes differ from OpenCV's")
        check(np.array_equal(cv2.readOpticalFlow(str(target)), theirs), ".flo: OpenCV reads other values")
    deep = np.random.default_rng(4).integers(0, 65536, (11, 13)).astype(np.uint16)
    for extension in ("png", "tif", "pgm"):
        source, target = folder / f"peer.{extension}", folder / "ours.png"
        cv2.imwrite(str(source), deep)
        if convert("image", source, target):
            back = cv2.imread(str(target), cv2.IMREAD_UNCHANGED)
            check(np.array_equal(back, deep), f"{extension}: 16-bit samples differ")


def arrays(folder):
    """What NumPy saves is read whatever its type, byte order and order of axes, and NumPy loads what is written."""
    random = np.random.default_rng(5)
    source, target = folder / "peer.npy", folder / "ours.npy"
    for numbers, order, axes in itertools.product(("<f4", ">f8", ">i2", "|u1"), "CF", (2, 3, 4)):
        theirs = random.integers(0, 200, (3, 5, 11, 13)[-axes:]).astype(numbers)
        np.save(source, np.asarray(theirs, order=order))
        if convert("sequence" if axes == 4 else "image", source, target):
            check(np.array_equal(np.load(target), theirs), f".npy: {numbers} {order} {theirs.shape} differs")
    for shape in ((2, 1, 11, 13), (3, 5, 11, 13)):
        theirs = random.normal(0, 1.5, shape).astype(np.float32)
        np.save(source, theirs)
        if convert("flow", source, target):
            check(source.read_bytes() == target.read_bytes(), f".npy: a field of {shape} differs")


def compare_warp(field_path, moving_path, warped_path):
    """Resamples the moving image by the field as SimpleITK does, and compares with our warped image.

    Voxels whose match lies outside the moving image are left out: both programs may fill them as they like.
    """
    displacement = sitk.ReadImage(str(field_path))
    moving = sitk.ReadImage(str(moving_path), sitk.sitkFloat32)
    ours = sitk.GetArrayFromImage(sitk.ReadImage(str(warped_path), sitk.sitkFloat32))
    grid = sitk.VectorIndexSelectionCast(displacement, 0)
    transform = sitk.DisplacementFieldTransform(sitk.Cast(displacement, sitk.sitkVectorFloat64))
    theirs = sitk.GetArrayFromImage(sitk.Resample(moving, grid, transform, sitk.sitkLinear, float("nan"), sitk.sitkFloat32))
    if ours.shape != theirs.shape:
        return check(False, f"{warped_path}: shape {ours.shape} against {theirs.shape}")
    inside = np.isfinite(ours) & np.isfinite(theirs)
    check(inside.mean() > 0.5, f"{warped_path}: only {inside.mean():.0%} of the voxels can be compared")
    samples = sitk.GetArrayFromImage(moving)
    bound = WARP_TOLERANCE * (samples.max() - samples.min())
    worst = np.abs(ours - theirs)[inside].max(initial=0)
    check(worst <= bound, f"{warped_path}: differs by {worst} from SimpleITK's resampling (bound {bound})")


def transforms_of_itk(folder):
    """SimpleITK's transforms, as we read and write them, map points as SimpleITK's own."""
    points = [(0.0, 0.0, 0.0), (31.0, -72.5, 14.0), (-120.0, 80.0, 250.0)]
    euler = sitk.Euler3DTransform((10, -20, 30), 0.2, -0.5, 0.9, (1, 2, 3))
    turned = sitk.Euler3DTransform((10, -20, 30), 0.2, -0.5, 0.9, (1, 2, 3))
    turned.SetComputeZYX(True)
    affine = sitk.AffineTransform(3)
    affine.SetMatrix((1.1, 0.2, -0.1, -0.15, 0.9, 0.05, 0.02, -0.3, 1.2))
    affine.SetTranslation((5, -6, 7))
    affine.SetCenter((40, 50, -60))
    similarity = sitk.Similarity3DTransform(1.2, (0, 0.6, 0.8), 0.4, (3, 2, 1), (9, 8, 7))
    versor = sitk.VersorRigid3DTransform((0.6, 0, 0.8), -0.7, (3, 2, 1), (9, 8, 7))
    shift = sitk.TranslationTransform(3, (11, -12, 13))
    scale = sitk.ScaleTransform(3, (1.1, 0.9, 1.3))
    composite = sitk.CompositeTransform([euler, affine, shift])
    named = {"euler": euler, "zyx": turned, "affine": affine, "similarity": similarity, "versor": versor,
             "shift": shift, "scale": scale, "composite": composite}
    for name, transform in named.items():
        for kind in ["tfm", "mat"]:
            if (name, kind) in [("composite", "mat")]:
                continue
            source, target = folder / f"{name}.{kind}", folder / f"{name}-{kind}-ours.tfm"
            sitk.WriteTransform(transform, str(source))
            if not convert("transform", source, target):
                continue
            ours = sitk.ReadTransform(str(target))
            for point in points:
                there, found = transform.TransformPoint(point), ours.TransformPoint(point)
                worst = max(abs(a - b) for a, b in zip(there, found))
                check(worst < 1e-9, f"transform {name}.{kind} at {point}: {worst} mm")


def main():
    if len(sys.argv) == 5 and sys.argv[1] == "--warp":
        compare_warp(*sys.argv[2:])
    else:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            images_and_fields(folder)
            planes(folder)
            displacement_intent(folder)
            flo_and_opencv(folder)
            arrays(folder)
            transforms_of_itk(folder)
            zarr_peers.compare(folder, convert, check)
            zarr_conformance.compare(folder, convert, check)
            models.compare(folder, convert, check)
    print("all peers agree" if not failures else f"{len(failures)} differences")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
