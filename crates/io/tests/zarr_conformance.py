"""Every kind of OME-Zarr that Veloxel writes, held against the specification point by point: a part of `peers.py`.

| what holds it | points |
|---|---|
| the official JSON schemas of the version it says (in ngff-zarr) | attributes of images, strict, and of label images |
| the structural rules (in ngff-zarr) | number, kinds, order and names of axes; scales and their lengths; order of levels and transformations |
| the models of ome-zarr-models, of 0.5 | the same, and arrays beside attributes: they are there, and have the axes' number of dimensions |
| zarr-python | every array opens, has the names of the axes as its dimensions, and chunks that it can read |

ome-zarr-models 1.7 has no models of the 0.6 that was published: its `_v06` wants `axes` where that has coordinate systems.
"""

import importlib.util
import json
import sys

import numpy as np
import SimpleITK as sitk

OBLIQUE = (0.6, -0.8, 0.0, 0.8, 0.6, 0.0, 0.0, 0.0, 1.0)


def compare(folder, convert, check):
    """Writes all kinds, and holds each against all packages that are there."""
    rules = {"ngff_zarr": [schemas, structure], "ome_zarr_models": [models], "zarr": [arrays]}
    for package in [package for package in rules if importlib.util.find_spec(package) is None]:
        print(f"{package} is not installed: stores are not held against it", file=sys.stderr)
        del rules[package]
    stores = written(folder, convert)
    for what, kind, path in stores:
        for held in (rule for of_package in rules.values() for rule in of_package):
            try:
                held(path, kind)
            except Exception as error:  # whatever a package says is a difference
                check(False, f"{what}, {held.__name__}: {str(error)[:600]}")
    points = sum(map(len, rules.values()))
    print(f"OME-Zarr: {len(stores)} kinds of stores held against {points} sets of rules")


def written(folder, convert):
    """A store of each kind: what it is, how it was converted, and where it lies."""
    random = np.random.default_rng(11)
    stores = []

    def add(what, kind, image, ending):
        source, ours = folder / f"conform{len(stores)}.{ending}", folder / f"conform{len(stores)}.ome.zarr"
        np.save(source, image) if ending == "npy" else sitk.WriteImage(image, str(source))
        if convert(kind, source, ours):
            stores.append((what, kind, ours))

    def placed(samples, direction=None, is_vector=False):
        image = sitk.GetImageFromArray(samples, isVector=is_vector)
        image.SetSpacing((0.7, 1.25, 2.5)[:image.GetDimension()])
        image.SetOrigin((10.5, -20.25, 33.0)[:image.GetDimension()])
        if direction:
            image.SetDirection(direction)
        return image

    # Large enough for several levels.
    for names, size in (("a volume", (140, 30, 150)), ("a picture", (300, 270))):
        samples = random.normal(0, 50, size).astype(np.float32)
        add(f"{names}", "image", placed(samples), "mha")
        for dtype in (np.uint8, np.int16, np.int32):
            labels = (samples > 0).astype(dtype) * (100 if dtype == np.uint8 else 1000 if dtype == np.int16 else 100_000)
            add(f"labels of {names} in {np.dtype(dtype)}", "labels", placed(labels), "mha")
        vectors = random.normal(0, 1.5, (*size, len(size))).astype(np.float32)
        add(f"a field of {names}", "flow", placed(vectors, is_vector=True), "mha")
    volume = random.normal(0, 50, (9, 30, 40)).astype(np.float32)
    add("an oblique volume", "image", placed(volume, OBLIQUE), "mha")
    add("oblique labels", "labels", placed((volume > 0).astype(np.uint8), OBLIQUE), "mha")
    vectors = random.normal(0, 1.5, (9, 30, 40, 3)).astype(np.float32)
    add("an oblique field", "flow", placed(vectors, OBLIQUE, is_vector=True), "mha")
    add("frames of volumes", "sequence", random.normal(0, 50, (3, 6, 30, 40)).astype(np.float32), "npy")
    add("frames of pictures", "sequence", random.normal(0, 50, (3, 1, 30, 40)).astype(np.float32), "npy")
    return stores


def attributes(path):
    found = json.loads((path / "zarr.json").read_text())
    assert (found["zarr_format"], found["node_type"]) == (3, "group")
    return found["attributes"]


def schemas(path, kind):
    from ngff_zarr.validate import validate

    found = attributes(path)
    version = found["ome"]["version"]
    validate(found, version=version, model="image", strict=True)
    if kind == "labels":
        # Strict ones want a colour for each label, which is left to who shows them.
        validate(found, version=version, model="label")


def structure(path, kind):
    import ngff_zarr as nz
    from ngff_zarr.structural_validation import validate_structural

    version = attributes(path)["ome"]["version"]
    validate_structural(nz.from_ngff_zarr(str(path), validate=True).metadata, version=version)


def models(path, kind):
    import zarr
    from ome_zarr_models import v05

    if attributes(path)["ome"]["version"] != "0.5":
        return
    model = v05.ImageLabel if kind == "labels" else v05.Image
    found = model.from_zarr(zarr.open_group(str(path), mode="r"))
    levels = attributes(path)["ome"]["multiscales"][0]["datasets"]
    assert set(found.members) == {level["path"] for level in levels}, f"arrays {set(found.members)}"


def arrays(path, kind):
    import zarr

    image = attributes(path)["ome"]["multiscales"][0]
    axes = image["axes"] if "axes" in image else image["coordinateSystems"][0]["axes"]
    names = tuple(axis["name"] for axis in axes)
    sizes = []
    for level in image["datasets"]:
        array = zarr.open_array(str(path / level["path"]), mode="r")
        assert array.metadata.dimension_names == names, f"dimensions {array.metadata.dimension_names}, axes {names}"
        assert np.isfinite(array[...]).all()
        sizes.append(array.size)
    assert sizes == sorted(sizes, reverse=True), f"levels of {sizes} voxels"


if __name__ == "__main__":
    sys.exit("a part of peers.py")
