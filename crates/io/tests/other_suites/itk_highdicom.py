#!/usr/bin/env python3
"""Compares what Veloxel reads with what ITK and highdicom write in their variants, value by value, and places in the world with ITK's.

    python3 -m pip install itk highdicom pydicom, and the packages of suites.py
    python3 crates/io/tests/other_suites/itk_highdicom.py [itk | highdicom …]

A file is read as the package reads it, or refused by name. Exits with 1 and one line a difference if anything differs.
"""

import itertools
import pathlib
import sys
import tempfile
import warnings

import highdicom
import itk
import numpy as np
import pydicom
import trimesh
from pydicom.data import get_testdata_file
from pydicom.sr.codedict import codes
from pydicom.uid import generate_uid

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import suites  # noqa: E402: it lies beside this folder

TYPES = {"u1": np.uint8, "i1": np.int8, "u2": np.uint16, "i2": np.int16, "u4": np.uint32, "i4": np.int32, "f4": np.float32,
         "f8": np.float64, "u8": np.uint64, "i8": np.int64}
SHAPES = {2: (13, 17), 3: (7, 11, 13), 4: (3, 5, 7, 9)}
SUFFIXES = (".mha", ".mhd", ".nrrd", ".nhdr", ".nii", ".nii.gz", ".hdr", ".tif", ".png", ".bmp", ".jpg", ".vtk", ".gipl")
MESHES = (".obj", ".off", ".stl", ".ply", ".vtk")
# Places of NIfTI are 32-bit floats.
SAME_PLACE = 1e-4


def of_itk(folder):
    images(folder)
    vectors(folder)
    meshes(folder)


def oblique(dimension):
    """A rotation that is no permutation of axes."""
    turned = np.eye(dimension)
    if dimension >= 2:
        c, s = np.cos(0.3), np.sin(0.3)
        turned[:2, :2] = [[c, -s], [s, c]]
    if dimension >= 3:
        c, s = np.cos(-0.2), np.sin(-0.2)
        turned[:3, :3] = turned[:3, :3] @ [[1, 0, 0], [0, c, -s], [0, s, c]]
    return turned


def image_of(samples, is_oblique):
    image = itk.image_from_array(samples)
    dimension = samples.ndim
    image.SetSpacing([1.5, 0.75, 2.5, 1.0][:dimension])
    image.SetOrigin([-12.0, 7.5, 3.25, 0.0][:dimension])
    if is_oblique:
        image.SetDirection(oblique(dimension))
    return image


def images(folder):
    random = np.random.default_rng(11)
    for (name, kind), (dimension, shape), is_oblique, suffix, compressed in itertools.product(
            TYPES.items(), SHAPES.items(), (False, True), SUFFIXES, (False, True)):
        samples = (100 * random.standard_normal(shape)).astype(kind) if name[0] == "f" \
            else random.integers(0, 100, shape).astype(kind)
        # ITK reads theirs.nii where theirs.nii.gz is asked for and both are there.
        path = folder / f"theirs-{suffix.replace('.', '')}{suffix}"
        try:
            itk.imwrite(image_of(samples, is_oblique), str(path), compression=compressed)
            written = itk.imread(str(path))
            theirs = itk.array_from_image(written)
        except Exception:
            continue
        # Bitmaps come back in colour.
        theirs = suites.luminance(theirs, 3) if theirs.ndim > dimension else theirs
        label = f"{name} {dimension}-D {'oblique' if is_oblique else 'upright'}{' compressed' if compressed else ''}{suffix}"
        before = suites.counts.get("itk", {}).get("the same", 0)
        # Four axes, and pages of a TIFF, are frames over time here.
        is_sequence = dimension == 4 or dimension == 3 and suffix == ".tif"
        suites.judge("itk", label, theirs, "sequence" if is_sequence else "image", path, folder,
                     2.0 if suffix == ".jpg" else 1e-3 if suffix == ".bmp" else 0.0)
        is_same = suites.counts["itk"]["the same"] > before
        if is_same and dimension == 3 and suffix not in (".tif", ".vtk") and name == "f4":
            same_place(label, written, path, folder)


def same_place(label, theirs, path, folder):
    """The same voxels lie at the same places: through a file of ours that ITK reads."""
    target = folder / "ours.mha"
    if suites.convert("image", path, target)[0] != 0:
        return
    ours = itk.imread(str(target))
    for nth, index in enumerate([(0, 0, 0), (5, 0, 0), (0, 6, 0), (0, 0, 4)]):
        places = [np.array(image.TransformIndexToPhysicalPoint(index)) for image in (ours, theirs)]
        if not np.allclose(*places, atol=SAME_PLACE):
            suites.failures.append(f"itk/{label}: voxel {index} lies at {places[0]} against {places[1]}")
            return


def vectors(folder):
    """Displacement fields of ITK's own kind, in every format that holds them."""
    random = np.random.default_rng(12)
    for dimension, suffix, is_oblique in itertools.product((2, 3), (".mha", ".nrrd", ".nii", ".nii.gz", ".mhd"), (False, True)):
        shape = SHAPES[dimension]
        samples = random.standard_normal((*shape, dimension)).astype(np.float32)
        image = itk.image_from_array(samples, is_vector=True)
        image.SetSpacing([1.5, 0.75, 2.5][:dimension])
        if is_oblique:
            image.SetDirection(oblique(dimension))
        path, target = folder / f"field-{suffix.replace('.', '')}{suffix}", folder / "ours.mha"
        label = f"field {dimension}-D {'oblique' if is_oblique else 'upright'}{suffix}"
        itk.imwrite(image, str(path))
        outcome = suites.counts.setdefault("itk", {"the same": 0, "refused by name": 0})
        code, said = suites.convert("flow", path, target)
        if code == 1 and path.name in said:
            outcome["refused by name"] += 1
            print(f"itk/{label}: {said.splitlines()[-1]}")
            continue
        if code != 0:
            suites.failures.append(f"itk/{label}: exit code {code}: {said}")
            continue
        ours = itk.array_from_image(itk.imread(str(target))).reshape(*shape, -1)[..., :dimension]
        away = np.abs(ours - itk.array_from_image(itk.imread(str(path))).reshape(*shape, -1)[..., :dimension]).max()
        if away > 1e-5:
            suites.failures.append(f"itk/{label}: vectors differ by {away}")
        else:
            outcome["the same"] += 1


def meshes(folder):
    """A closed surface that ITK writes in every format of meshes that it has."""
    sphere = trimesh.creation.icosphere(2)
    sphere.apply_translation([3.0, -2.0, 100.0])
    mesh = itk.Mesh[itk.F, 3].New()
    points = np.ascontiguousarray(sphere.vertices, np.float32)
    mesh.SetPoints(itk.vector_container_from_array(points.ravel()))
    cells = np.array([[int(itk.CommonEnums.CellGeometry_TRIANGLE_CELL), 3, *face] for face in sphere.faces], np.uint64)
    mesh.SetCellsArray(itk.vector_container_from_array(cells.ravel()))
    for suffix, binary in itertools.product(MESHES, (False, True)):
        path = folder / f"surface{suffix}"
        try:
            itk.meshwrite(mesh, str(path), binary=binary)
        except Exception:
            continue
        suites.judge_mesh("itk", f"mesh{suffix}{' binary' if binary else ''}", sphere, path, folder)


def of_highdicom(folder):
    """Secondary captures, parametric maps and segmentations of CT slices, in every way that highdicom stores them."""
    source = slices()
    pixels = np.stack([image.pixel_array for image in source])
    random = np.random.default_rng(13)
    for path, theirs, kind in itertools.chain(captures(folder, random), maps(folder, source, random),
                                              segmentations(folder, source, pixels)):
        suites.judge("highdicom", path.stem, theirs, kind, path, folder, 1e-4)


def slices():
    """Slices of CT, one above the other: pydicom's, moved."""
    one = pydicom.dcmread(get_testdata_file("CT_small.dcm"))
    series = []
    frame_of_reference = generate_uid()
    for nth in range(4):
        own = pydicom.dcmread(get_testdata_file("CT_small.dcm"))
        own.SOPInstanceUID = own.file_meta.MediaStorageSOPInstanceUID = generate_uid()
        own.FrameOfReferenceUID = frame_of_reference
        own.InstanceNumber = nth + 1
        own.ImagePositionPatient = [*map(float, one.ImagePositionPatient[:2]), float(one.ImagePositionPatient[2]) + 5.0 * nth]
        own.PositionReferenceIndicator = ""
        series.append(own)
    return series


def captures(folder, random):
    for name, samples, meaning in (("grey", random.integers(0, 255, (23, 31)).astype("u1"), "MONOCHROME2"),
                                   ("deep", random.integers(0, 65535, (23, 31)).astype("u2"), "MONOCHROME2"),
                                   ("inverted", random.integers(0, 255, (23, 31)).astype("u1"), "MONOCHROME1"),
                                   ("colour", random.integers(0, 255, (23, 31, 3)).astype("u1"), "RGB")):
        image = highdicom.sc.SCImage(
            pixel_array=samples, photometric_interpretation=meaning, bits_allocated=8 * samples.itemsize,
            coordinate_system="PATIENT", study_instance_uid=generate_uid(), series_instance_uid=generate_uid(), series_number=1,
            sop_instance_uid=generate_uid(), instance_number=1, manufacturer="made", patient_orientation=("L", "P"),
            pixel_spacing=(0.5, 0.25))
        path = folder / f"capture-{name}.dcm"
        image.save_as(path)
        shown = suites.samples(pydicom.dcmread(path))
        # Large samples are dark in the file.
        yield path, 255 - shown if meaning == "MONOCHROME1" else shown, "image"


def maps(folder, source, random):
    for name, samples in (("float", random.standard_normal((4, 128, 128)).astype("f4")),
                          ("double", random.standard_normal((4, 128, 128)).astype("f8")),
                          ("whole", random.integers(0, 4000, (4, 128, 128)).astype("u2"))):
        mapping = highdicom.pm.RealWorldValueMapping(
            lut_label="1", lut_explanation="as it is", unit=codes.UCUM.NoUnits,
            value_range=(-1e6, 1e6) if samples.dtype.kind == "f" else (0, 65535), intercept=0, slope=1)
        found = highdicom.pm.ParametricMap(
            source_images=source, pixel_array=samples, series_instance_uid=generate_uid(), series_number=2,
            sop_instance_uid=generate_uid(), instance_number=1, manufacturer="made", manufacturer_model_name="by hand",
            software_versions="1", device_serial_number="1", contains_recognizable_visual_features=False,
            real_world_value_mappings=[mapping], window_center=0, window_width=1)
        path = folder / f"map-{name}.dcm"
        found.save_as(path)
        yield path, samples, "image"


def segmentations(folder, source, pixels):
    inside = (pixels > 1000).astype("u1")
    description = highdicom.seg.SegmentDescription(
        segment_number=1, segment_label="bright", segmented_property_category=codes.SCT.Tissue,
        segmented_property_type=codes.SCT.Bone, algorithm_type="MANUAL")
    for kind, samples, syntax in (("BINARY", inside, "1.2.840.10008.1.2.1"), ("FRACTIONAL", inside.astype("f4"), "1.2.840.10008.1.2.1"),
                                  ("FRACTIONAL", 0.5 * inside.astype("f4"), "1.2.840.10008.1.2.5"),
                                  ("LABELMAP", inside, "1.2.840.10008.1.2.1")):
        try:
            found = highdicom.seg.Segmentation(
                source_images=source, pixel_array=samples, segmentation_type=kind, segment_descriptions=[description],
                series_instance_uid=generate_uid(), series_number=3, sop_instance_uid=generate_uid(), instance_number=1,
                manufacturer="made", manufacturer_model_name="by hand", software_versions="1", device_serial_number="1",
                transfer_syntax_uid=syntax, omit_empty_frames=False)
        except Exception as error:
            print(f"highdicom: {kind} {syntax} is not written: {error}")
            continue
        path = folder / f"segmentation-{kind.lower()}-{syntax[-1]}.dcm"
        found.save_as(path)
        yield path, pydicom.dcmread(path).pixel_array, "image"


def main():
    warnings.simplefilter("ignore")
    itk.ProcessObject.SetGlobalWarningDisplay(False)
    of = {"itk": of_itk, "highdicom": of_highdicom}
    for suite in sys.argv[1:] or list(of):
        with tempfile.TemporaryDirectory() as name:
            of[suite](pathlib.Path(name))
    for failure in suites.failures:
        print(f"FAILED {failure}")
    for suite, outcome in suites.counts.items():
        print(suite, ", ".join(f"{count} {what}" for what, count in outcome.items()))
    print("all suites agree" if not suites.failures else f"{len(suites.failures)} differences")
    return 1 if suites.failures else 0


if __name__ == "__main__":
    sys.exit(main())
