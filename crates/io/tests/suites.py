#!/usr/bin/env python3
"""Compares what Veloxel reads with what Python's packages read: test data that nibabel, pydicom, scikit-image, dipy, nilearn and
pyvista ship, and files that tifffile, imageio, trimesh, meshio and pynrrd write in all the variants that they have, because these
ship none.

    python3 -m pip install numpy nibabel pydicom pylibjpeg[all] tifffile imagecodecs imageio scikit-image trimesh networkx \\
        meshio pynrrd
    python3 -m pip install --no-deps dipy nilearn pyvista
    python3 crates/io/tests/suites.py [SUITE …]

A file is read as the package reads it, or refused by name; a file that the package itself cannot read does not count. Exits with
1 and one line a difference if anything differs. Files are converted by `examples/convert.rs`; VELOXEL_CONVERT may name a built
one.
"""

import importlib.util
import itertools
import os
import pathlib
import subprocess
import sys
import tempfile
import warnings

import imagecodecs
import imageio.v3 as imageio
import meshio
import nibabel
import nibabel.tests
import nrrd
import numpy as np
import pydicom
import skimage
import tifffile
import trimesh
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


def judge(suite, name, theirs, kind, source, folder, tolerance=0.0, known=True):
    """Compares the samples of one file, `[t, z, y, x]` or a part of that, with the package's, where those are `known`."""
    target = folder / "ours.npy"
    code, said = convert(kind, source, target)
    if code == 1 and "expected a sequence, got an image" in said:
        # Frames of one place and no time are slices here.
        code, said = convert("image", source, target)
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
    same = (np.abs(ours - theirs) <= bound) | (np.isnan(ours) & np.isnan(theirs)) | ~np.squeeze(np.asarray(known))
    if not same.all():
        failures.append(f"{suite}/{name}: differs by {np.nanmax(np.abs(ours - theirs))}")
        return
    outcome["the same"] += 1


def of_nibabel(folder):
    niftis("nibabel", pathlib.Path(nibabel.tests.__file__).parent / "data", folder)


def shipped(package):
    """The folder of a package, which is not imported."""
    return pathlib.Path(importlib.util.find_spec(package).origin).parent


def of_dipy(folder):
    niftis("dipy", shipped("dipy") / "data" / "files", folder)


def of_nilearn(folder):
    niftis("nilearn", shipped("nilearn") / "datasets" / "data", folder)


def niftis(suite, data, folder):
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
        judge(suite, path.name, theirs, kind, path, folder)
        if len(failures) == before and theirs.ndim == 3:
            place(path, image, folder)


def of_pyvista(folder):
    """Meshes that pyvista ships, against trimesh."""
    for path in sorted((shipped("pyvista") / "examples").iterdir()):
        if path.suffix in (".ply", ".obj", ".off", ".stl"):
            judge_mesh("pyvista", path.name, trimesh.load(path, force="mesh", process=False), path, folder)


def of_meshio(folder):
    """Triangles and polygons in every format that meshio writes."""
    sphere, box = trimesh.creation.icosphere(2), trimesh.creation.box()
    shapes = {"sphere": sphere, "box": box, "far": sphere.copy().apply_translation([1e3, -2e3, 5e2])}
    kinds = {"obj": {}, "off": {}, "stl": {"binary": False}, "stl binary": {"binary": True}, "ply": {"binary": False},
             "ply binary": {"binary": True}}
    for (name, shape), (kind, options), type_name in itertools.product(shapes.items(), kinds.items(), ("f4", "f8")):
        path = folder / f"theirs.{kind.split()[0]}"
        points = shape.vertices.astype(type_name)
        meshio.write(path, meshio.Mesh(points, [("triangle", shape.faces)]), **options)
        theirs = meshio.read(path)
        mesh = trimesh.Trimesh(theirs.points, theirs.cells_dict["triangle"], process=False)
        judge_mesh("meshio", f"{name} {kind} {type_name}", mesh, path, folder)


def of_pynrrd(folder):
    """Every type of samples in every encoding that pynrrd writes."""
    random = np.random.default_rng(8)
    types = ["u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f4", "f8"]
    shapes = {"picture": (13, 17), "volume": (5, 13, 17)}
    encodings = ("raw", "gzip", "bzip2", "ascii")
    for type_name, (shape_name, shape), encoding, detached, endian in itertools.product(
            types, shapes.items(), encodings, (False, True), ("little", "big")):
        samples = random.integers(0, 100, shape).astype(type_name) if type_name[0] != "f" \
            else random.standard_normal(shape).astype(type_name)
        header = {"encoding": encoding, "endian": endian}
        if len(shape) == 3:
            header |= {"space": "left-posterior-superior", "space directions": np.diag([1.5, 1.25, 2.0]),
                       "space origin": np.array([-3.0, 4.0, 5.0])}
        else:
            header["spacings"] = [1.5, 1.25]
        path = folder / ("theirs.nhdr" if detached else "theirs.nrrd")
        nrrd.write(str(path), samples, header, index_order="C")
        theirs, _ = nrrd.read(str(path), index_order="C")
        judge("pynrrd", f"{type_name} {shape_name} {encoding} {detached} {endian}", theirs, "image", path, folder)


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


def luminance(pixels, channels):
    """One number a pixel: colours by their weights, alpha left out."""
    if channels < 3:
        return pixels[..., 0] if channels == 2 else pixels
    return pixels[..., :3].astype(float) @ LUMINANCE


def of_skimage(folder):
    data = pathlib.Path(skimage.__file__).parent / "data"
    for path in sorted(data.iterdir()):
        if path.suffix not in (".png", ".tif", ".jpg", ".gif", ".npy"):
            continue
        if path.suffix == ".npy":
            theirs = np.load(path)
        elif path.suffix == ".png":
            # scikit-image reads by Pillow, which cuts colours of 16 bits to 8.
            theirs = imagecodecs.png_decode(path.read_bytes())
        else:
            theirs = skimage.io.imread(path)
        if theirs.dtype == bool:
            theirs = theirs.astype(float) * (255 if path.suffix == ".png" else 1)
        channels = theirs.shape[-1] if theirs.ndim >= 3 and theirs.shape[-1] in (2, 3, 4) else 1
        theirs = luminance(theirs, channels)
        kind = "sequence" if theirs.ndim == 3 else "image"
        # Decoders of JPEG round in several ways.
        judge("scikit-image", path.name, theirs, kind, path, folder, 2.0 if path.suffix == ".jpg" else 1e-3)


def of_tifffile(folder):
    """Every type of samples with every way to store them."""
    random = np.random.default_rng(5)
    types = ["u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f2", "f4", "f8", "bool"]
    shapes = {"grey": (37, 53), "colour": (37, 53, 3), "alpha": (37, 53, 4), "planar": (3, 37, 53), "pages": (5, 37, 53)}
    stored = {
        "plain": {}, "big": {"bigtiff": True}, "tiles": {"tile": (16, 32)}, "rows": {"rowsperstrip": 7},
        "lzw": {"compression": "lzw"}, "deflate": {"compression": "zlib"}, "packbits": {"compression": "packbits"},
        "zstd": {"compression": "zstd"}, "lzma": {"compression": "lzma"}, "jpeg": {"compression": "jpeg"},
        "predictor": {"compression": "zlib", "predictor": True}, "tiled deflate": {"compression": "zlib", "tile": (16, 16)},
        "white": {"photometric": "miniswhite"}, "imagej": {"imagej": True}, "ome": {"ome": True},
        "resolution": {"resolution": (300, 300), "software": "x", "description": "a picture"},
    }
    for (type_name, (shape_name, shape), (how, options), order) in itertools.product(
            types, shapes.items(), stored.items(), "<>"):
        if type_name == "bool":
            samples = random.integers(0, 2, shape).astype(bool)
        elif "f" in type_name:
            samples = (1000 * random.standard_normal(shape)).astype(type_name)
        else:
            limits = np.iinfo(type_name)
            # 32-bit floats hold these.
            most = min(limits.max, 1 << 23)
            samples = random.integers(max(limits.min, -most), most, shape, endpoint=True).astype(type_name)
        more = dict(options)
        if shape_name in ("colour", "alpha", "planar"):
            if "photometric" in more:
                continue
            more["photometric"] = "rgb"
            if shape_name == "alpha":
                more["extrasamples"] = ["unassalpha"]
            if shape_name == "planar":
                more["planarconfig"] = "separate"
        else:
            more.setdefault("photometric", "minisblack")
        path = folder / "theirs.tif"
        name = f"{type_name} {shape_name} {how} {order}"
        try:
            tifffile.imwrite(path, samples, byteorder=order, **more)
            theirs = tifffile.imread(path)
        except Exception:
            continue
        if shape_name == "planar":
            theirs = np.moveaxis(theirs, 0, -1)
        channels = {"colour": 3, "alpha": 4, "planar": 3}.get(shape_name, 1)
        theirs = luminance(theirs.astype(float), channels)
        if how == "white" and type_name[0] == "u":
            # Large samples are dark in the file: tifffile leaves turning over to whoever shows them.
            theirs = np.iinfo(type_name).max - theirs
        elif how == "white" and type_name[0] == "i":
            theirs = -1 - theirs
        kind = "sequence" if shape_name == "pages" else "image"
        judge("tifffile", name, theirs, kind, path, folder, 3.0 if how == "jpeg" else 1e-3)


def of_imageio(folder):
    """Pictures and animations that imageio writes."""
    random = np.random.default_rng(6)
    smooth = np.add.outer(np.arange(41), 2 * np.arange(67)).astype("u1")
    colours = np.stack([smooth, smooth[::-1], 255 - smooth], -1)
    alpha = np.concatenate([colours, np.full((41, 67, 1), 255, "u1")], -1)
    deep = random.integers(0, 65536, (41, 67)).astype("u2")
    pictures = {"grey": smooth, "colour": colours, "alpha": alpha, "deep": deep, "bits": (smooth > 90)}
    for suffix in (".png", ".tif", ".bmp", ".jpg", ".ppm", ".pgm", ".gif"):
        for name, picture in pictures.items():
            path = folder / f"theirs{suffix}"
            try:
                imageio.imwrite(path, picture)
                theirs = imageio.imread(path)
            except Exception:
                continue
            if theirs.dtype == bool:
                theirs = theirs.astype(float) * (1 if suffix == ".tif" else 255)
            if suffix == ".gif":
                theirs = theirs[0] if theirs.shape[0] == 1 else theirs
            channels = theirs.shape[-1] if theirs.ndim == 3 else 1
            theirs = luminance(theirs, channels)
            judge("imageio", f"{name}{suffix}", theirs, "image", path, folder, 2.0 if suffix == ".jpg" else 1e-3)
    for suffix, frames in ((".gif", colours), (".gif", smooth), (".tif", colours)):
        path = folder / f"theirs{suffix}"
        several = [np.roll(frames, 3 * nth, 1) for nth in range(4)]
        imageio.imwrite(path, several, **({"duration": 40, "loop": 0} if suffix == ".gif" else {}))
        theirs = imageio.imread(path, index=None if suffix == ".tif" else ...)
        theirs = np.squeeze(theirs)
        channels = theirs.shape[-1] if theirs.ndim == 4 else 1
        theirs = luminance(theirs, channels)
        judge("imageio", f"frames {frames.ndim}{suffix}", theirs, "sequence", path, folder, 1e-3)


def of_trimesh(folder):
    """Meshes in every format that trimesh writes."""
    scene = trimesh.Scene([trimesh.creation.box(), trimesh.creation.icosphere(2).apply_translation([3, 0, 0])])
    coloured = trimesh.creation.torus(2.0, 0.5)
    coloured.visual.vertex_colors = np.random.default_rng(7).integers(0, 255, (len(coloured.vertices), 4), "u1")
    smooth = trimesh.creation.capsule(2.0, 0.5)
    smooth.vertex_normals
    far = trimesh.creation.annulus(1, 2, 3).apply_scale(1e-3).apply_translation([1e3, -2e3, 5e2])
    shapes = {
        "box": trimesh.creation.box(), "sphere": trimesh.creation.icosphere(3), "torus": coloured, "capsule": smooth,
        "cone": trimesh.creation.cone(1, 2), "far": far, "scene": scene, "cylinder": trimesh.creation.cylinder(1, 2),
        "open": trimesh.Trimesh(trimesh.creation.box().vertices, trimesh.creation.box().faces[:9]),
    }
    kinds = {
        "obj": {}, "obj normals": {"include_normals": True}, "off": {}, "off 4": {"digits": 4}, "stl": {}, "stl_ascii": {},
        "ply": {}, "ply ascii": {"encoding": "ascii"}, "ply normals": {"vertex_normal": True}, "glb": {},
        "glb normals": {"include_normals": True}, "gltf": {},
    }
    for (name, shape), (kind, options) in itertools.product(shapes.items(), kinds.items()):
        file_type = kind.split()[0]
        path = folder / f"theirs.{file_type.split('_')[0]}"
        try:
            written = shape.export(file_type=file_type, **options)
            if isinstance(written, dict):
                for part, content in written.items():
                    (folder / part).write_bytes(content)
                path = folder / "model.gltf"
            else:
                path.write_bytes(written if isinstance(written, bytes) else written.encode())
            theirs = trimesh.load(path, force="mesh", process=False)
        except Exception:
            continue
        judge_mesh("trimesh", f"{name} {kind}", theirs, path, folder)


def judge_mesh(suite, name, theirs, path, folder):
    """Triangles by the places of their corners, in any order and from any of their corners: scenes have none."""
    target = folder / "ours.npy"
    code, said = convert("surface", path, target)
    outcome = counts.setdefault(suite, {"the same": 0, "refused by name": 0})
    if code == 1 and said.splitlines()[-1].startswith("error: ") and path.name in said:
        outcome["refused by name"] += 1
        print(f"{suite}/{name}: {said.splitlines()[-1]}")
        return
    if code != 0:
        failures.append(f"{suite}/{name}: exit code {code}: {said}")
        return
    ours, theirs = np.load(target).astype(float).reshape(-1, 9), theirs.triangles.reshape(-1, 9)
    if ours.shape != theirs.shape:
        failures.append(f"{suite}/{name}: {len(ours)} triangles against {len(theirs)}")
        return
    size = np.abs(theirs).max()
    # Places that lie between two rounded ones for one shift do not for another.
    for shift in (0.0, 0.5, 0.25):
        one, other = (in_order(rows, size, shift) for rows in (ours, theirs))
        if np.allclose(one, other, rtol=3e-7, atol=3e-7 * size):
            outcome["the same"] += 1
            return
    failures.append(f"{suite}/{name}: differs by {np.abs(one - other).max()}")


def in_order(rows, size, shift):
    """Triangles, each from its first corner and all in one order, by places rounded to a share of the mesh's size."""
    corners = rows.reshape(-1, 3, 3)
    ids = np.round(1e4 * corners / size + shift).astype(np.int64) @ [1, 1 << 17, 1 << 34]
    turned = (np.argmin(ids, axis=1)[:, None] + np.arange(3)) % 3
    corners = np.take_along_axis(corners, turned[..., None], axis=1)
    return corners.reshape(-1, 9)[np.lexsort(np.take_along_axis(ids, turned, axis=1).T)]


SUITES = {
    "nibabel": of_nibabel, "pydicom": of_pydicom, "scikit-image": of_skimage, "tifffile": of_tifffile, "imageio": of_imageio,
    "trimesh": of_trimesh, "dipy": of_dipy, "nilearn": of_nilearn, "pyvista": of_pyvista, "meshio": of_meshio,
    "pynrrd": of_pynrrd,
}


def main():
    chosen = sys.argv[1:] or list(SUITES)
    warnings.simplefilter("ignore")
    for suite in chosen:
        with tempfile.TemporaryDirectory() as name:
            SUITES[suite](pathlib.Path(name))
    for failure in failures:
        print(f"FAILED {failure}", file=sys.stderr)
    for suite, outcome in counts.items():
        print(suite, ", ".join(f"{count} {what}" for what, count in outcome.items()))
    print("all suites agree" if not failures else f"{len(failures)} differences")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
