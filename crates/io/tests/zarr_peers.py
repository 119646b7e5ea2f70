"""What zarr-python, ngff-zarr and ome-zarr-py write and read, compared with Veloxel: a part of `peers.py`.

Every function takes a folder, `convert(kind, source, target)` and `check(holds, message)`. What a package that is not installed
would compare is left out with a line.
"""

import importlib.util
import itertools
import json
import pathlib
import sys
import warnings

import numpy as np
import SimpleITK as sitk

warnings.filterwarnings("ignore")

SPACING = {"z": 2.5, "y": 1.25, "x": 0.7}
ORIGIN = {"z": 33.0, "y": -20.25, "x": 10.5}
NOWHERE = dict.fromkeys("zyx", 0.0)


def compare(folder, convert, check):
    """Compares with all packages that are there."""
    for package, comparisons in {"zarr": [arrays], "ngff_zarr": [images, fields], "ome_zarr": [levels]}.items():
        if importlib.util.find_spec(package) is None:
            print(f"{package} is not installed: not compared", file=sys.stderr)
            continue
        for comparison in comparisons:
            comparison(folder, convert, check)


def placed(values, spacing=SPACING, origin=ORIGIN):
    """An image of SimpleITK of values [z, y, x] or [y, x]."""
    image = sitk.GetImageFromArray(values)
    names = "xyz"[: image.GetDimension()]
    image.SetSpacing([spacing[name] for name in names])
    image.SetOrigin([origin[name] for name in names])
    return image


def same(image, values, check, what, spacing=SPACING, origin=ORIGIN):
    found = sitk.GetArrayFromImage(image)
    names = "xyz"[: image.GetDimension()]
    check(np.array_equal(found, values.astype(found.dtype), equal_nan=True), f"{what}: samples differ")
    check(np.allclose(image.GetSpacing(), [spacing[n] for n in names], rtol=1e-12), f"{what}: spacing {image.GetSpacing()}")
    check(np.allclose(image.GetOrigin(), [origin[n] for n in names], rtol=1e-12), f"{what}: origin {image.GetOrigin()}")


def group(path, names, version, array):
    """An image's group around the array at `0`, which `array` makes in it."""
    import zarr

    root = zarr.open_group(str(path), mode="w", zarr_format=2 if version == "0.4" else 3)
    array(root)
    axes = [{"name": name, "type": "space", "unit": "millimeter"} for name in names]
    steps = [{"type": "scale", "scale": [SPACING[name] for name in names]},
             {"type": "translation", "translation": [ORIGIN[name] for name in names]}]
    image = {"axes": axes, "datasets": [{"path": "0", "coordinateTransformations": steps}]}
    if version == "0.4":
        root.attrs["multiscales"] = [{"version": version, **image}]
    else:
        root.attrs["ome"] = {"version": version, "multiscales": [image]}


def read_back(path, values, folder, convert, check, what, origin=ORIGIN):
    target = folder / "zarr_ours.mha"
    if convert("image", path, target):
        same(sitk.ReadImage(str(target)), values.astype(np.float32), check, what, origin=origin)


def arrays(folder, convert, check):
    """What zarr-python writes, by every codec, type and arrangement that is read, and what it reads of ours."""
    import numcodecs
    import zarr
    from zarr import codecs

    random = np.random.default_rng(7)
    # Quarters are exact in every type of floats, and zeros are what compressors are for.
    quarters = np.round(random.normal(0, 100, (33, 45, 70))) / 4 * (random.random((33, 45, 70)) > 0.5)
    values = {dtype: (np.abs(quarters) if dtype[1] in "ub" else quarters).astype(dtype)
              for dtype in ("<f4", ">f8", "<i2", ">u2", "|u1", "|i1", "<i8", "<f2", "|b1")}
    compressors = [None, numcodecs.Zlib(1), numcodecs.GZip(1), numcodecs.Zstd(3), numcodecs.Zstd(1, checksum=True)]
    for name, shuffle in itertools.product(("blosclz", "lz4", "lz4hc", "zlib", "zstd"), (0, 1, 2)):
        compressors.append(numcodecs.Blosc(name, clevel=5, shuffle=shuffle))
    path, count = folder / "peer.ome.zarr", 0
    for number, (compressor, (dtype, samples)) in enumerate(itertools.product(compressors, values.items())):
        if number % 2 and dtype not in ("<f4", "<i2"):
            continue
        order, separator = "CF"[number % 3 == 0], "./"[number % 5 == 0]

        def two(root):
            root.create_array("0", shape=samples.shape, chunks=(20, 30, 32), dtype=samples.dtype, compressors=compressor,
                              order=order, chunk_key_encoding={"name": "v2", "separator": separator})[:] = samples

        group(path, "zyx", "0.4", two)
        read_back(path, samples, folder, convert, check, f"zarr 2 {compressor} {dtype} {order} {separator}")
        count += 1
    plain = codecs.BytesCodec()
    chains = [
        {"compressors": None}, {"compressors": codecs.GzipCodec(level=1)}, {"compressors": codecs.ZstdCodec(level=1, checksum=True)},
        {"compressors": codecs.BloscCodec(cname="lz4", shuffle="bitshuffle")}, {"compressors": codecs.BloscCodec(cname="zstd", shuffle="shuffle")},
        {"compressors": [codecs.ZstdCodec(level=0), codecs.Crc32cCodec()]},
        {"filters": codecs.TransposeCodec(order=(2, 0, 1)), "compressors": codecs.GzipCodec()},
        {"serializer": codecs.BytesCodec(endian="big"), "compressors": None},
        {"shards": (40, 60, 64)},
        {"shards": (40, 60, 64), "compressors": codecs.BloscCodec(cname="blosclz")},
        {"serializer": codecs.ShardingCodec(chunk_shape=(10, 15, 16), codecs=[plain], index_location="start"), "compressors": None},
    ]
    for number, (chain, dtype) in enumerate(itertools.product(chains, ("<f4", "<i2", "<f2", "|u1"))):
        samples = values[dtype]

        def three(root):
            root.create_array("0", shape=samples.shape, chunks=(20, 30, 32), dtype=samples.dtype, **chain)[:] = samples

        group(path, "zyx", "0.5", three)
        read_back(path, samples, folder, convert, check, f"zarr 3 {chain} {dtype}")
        count += 1
    picture = values["<f4"][0]
    for version in ("0.4", "0.5"):
        group(path, "yx", version, lambda root: root.create_array("0", data=picture))
        read_back(path, picture, folder, convert, check, f"a picture of {version}")
    store = zarr.storage.ZipStore(str(folder / "peer.ozx"), mode="w")
    root = zarr.open_group(store, mode="w", zarr_format=3)
    root.create_array("0", data=values["<f4"], chunks=(20, 30, 32))
    attributes = json.loads(json.dumps(zarr.open_group(str(path)).attrs["ome"]))
    image = attributes["multiscales"][0]
    image["axes"].insert(0, {"name": "z", "type": "space", "unit": "millimeter"})
    for step, at in zip(image["datasets"][0]["coordinateTransformations"], (SPACING, ORIGIN)):
        step[step["type"]].insert(0, at["z"])
    root.attrs["ome"] = attributes
    store.close()
    read_back(folder / "peer.ozx", values["<f4"], folder, convert, check, "an archive of zarr-python")
    # And ours in zarr-python.
    for kind, samples in (("image", values["<f4"]), ("labels", values["<i2"]), ("image", picture)):
        source = folder / "peer_zarr.mha"
        sitk.WriteImage(placed(samples), str(source))
        for name in ("ours.ome.zarr", "ours.ozx"):
            if convert(kind, source, folder / name):
                place = folder / name if name.endswith("zarr") else zarr.storage.ZipStore(str(folder / name), mode="r")
                ours = zarr.open_group(place if not isinstance(place, pathlib.Path) else str(place), mode="r")["0"]
                check(np.array_equal(ours[:], samples), f"{name}: zarr-python reads other {kind}")
    print(f"zarr-python: {count + 3} stores read, 6 written")


def images(folder, convert, check):
    """Images of ngff-zarr in every version, with their place, and ours in ngff-zarr."""
    import ngff_zarr as nz

    random = np.random.default_rng(8)
    for version, names in itertools.product(("0.4", "0.5", "0.6"), (("z", "y", "x"), ("y", "x"))):
        samples = random.normal(0, 50, (5, 60, 70)[-len(names):]).astype(np.float32)
        image = nz.to_ngff_image(samples, dims=names, scale={n: SPACING[n] for n in names}, name="image",
                                 translation={n: ORIGIN[n] for n in names}, axes_units={n: "millimeter" for n in names})
        theirs = folder / f"ngff{version}{len(names)}.ome.zarr"
        nz.to_ngff_zarr(str(theirs), nz.to_multiscales(image, scale_factors=[2], chunks=32), version=version)
        read_back(theirs, samples, folder, convert, check, f"ngff-zarr {version} {names}")
        source, ours = folder / "peer_ngff.mha", folder / "ours_ngff.ome.zarr"
        sitk.WriteImage(placed(samples), str(source))
        if not convert("image", source, ours):
            continue
        back = nz.from_ngff_zarr(str(ours), validate=True).images[0]
        check(tuple(back.dims) == names, f"ngff-zarr: axes {back.dims}")
        check(np.array_equal(np.asarray(back.data), samples), f"ngff-zarr reads other samples, {names}")
        check(all(np.isclose(back.scale[n], SPACING[n]) and np.isclose(back.translation[n], ORIGIN[n]) for n in names),
              f"ngff-zarr: place {back.scale} {back.translation}")
        check(all(back.axes_units[n] == "millimeter" for n in names), f"ngff-zarr: units {back.axes_units}")


def fields(folder, convert, check):
    """Fields: what ngff-zarr makes of SimpleITK's, and of ours, moves points as SimpleITK's own does."""
    import ngff_zarr as nz

    random = np.random.default_rng(9)
    for names in (("z", "y", "x"), ("y", "x")):
        dimension = len(names)
        vectors = random.normal(0, 1.5, (*(9, 8, 7)[-dimension:], dimension)).astype(np.float32)
        field = sitk.GetImageFromArray(vectors, isVector=True)
        field.SetSpacing([SPACING[n] for n in names[::-1]])
        field.SetOrigin([ORIGIN[n] for n in names[::-1]])
        source, ours, back = folder / "peer_field.mha", folder / "ours_field.ome.zarr", folder / "back_field.mha"
        sitk.WriteImage(field, str(source))
        if convert("flow", source, ours):
            found = nz.from_ngff_zarr(str(ours), validate=True)
            level = found.images[0]
            stored = np.asarray(level.data)
            # Components in the order of the axes, the slowest first.
            expected = np.moveaxis(vectors[..., ::-1], -1, 0)
            check(np.abs(stored - expected).max() < 1e-5, f"{dimension}-D field: ngff-zarr reads other vectors")
            check(all(np.isclose(level.scale[n], SPACING[n]) for n in names), f"{dimension}-D field: spacing {level.scale}")
            declared = [step for step in found.metadata.coordinateTransformations or [] if step.type == "displacements"]
            check(len(declared) == 1, f"{dimension}-D field: {len(declared)} transformations")
            if declared:
                itk = nz.ngff_displacement_field_to_itk_transform(declared[0], found, names)[0]
                size = vectors.shape[:-1]
                parameters = np.asarray(itk.parameters).reshape(*size, dimension)
                check(np.abs(parameters - vectors).max() < 1e-5, f"{dimension}-D field: other vectors in ITK")
        image = nz.NgffImage(data=np.moveaxis(vectors[..., ::-1], -1, 0).copy(), dims=("c", *names),
                             scale={"c": 1.0, **{n: SPACING[n] for n in names}}, name="field",
                             translation={"c": 0.0, **{n: ORIGIN[n] for n in names}},
                             axes_units={n: "millimeter" for n in names}, axes_types={"c": "displacement"})
        theirs = folder / "ngff_field.ome.zarr"
        declared = nz.declare_field_transform(nz.to_multiscales(image, scale_factors=[]))
        nz.to_ngff_zarr(str(theirs), declared, version="0.6")
        if convert("flow", theirs, back):
            read = sitk.GetArrayFromImage(sitk.ReadImage(str(back)))
            check(np.abs(read - vectors).max() < 1e-5, f"{dimension}-D field of ngff-zarr: vectors differ")


def levels(folder, convert, check):
    """Levels and labels of ours in ome-zarr-py, and of its own in ours."""
    import zarr
    from ome_zarr.format import format_from_version
    from ome_zarr.io import parse_url
    from ome_zarr.reader import Reader
    from ome_zarr.writer import write_image, write_labels

    random = np.random.default_rng(10)
    samples = random.normal(0, 50, (5, 300, 260)).astype(np.float32)
    source, ours = folder / "peer_levels.mha", folder / "ours_levels.ome.zarr"
    sitk.WriteImage(placed(samples), str(source))
    if convert("image", source, ours):
        nodes = list(Reader(parse_url(str(ours)))())
        shapes = [level.shape for level in nodes[0].data]
        check(shapes == [(5, 300, 260), (5, 300, 130), (5, 150, 65), (2, 75, 32)], f"ome-zarr-py: levels {shapes}")
        check(np.array_equal(np.asarray(nodes[0].data[0]), samples), "ome-zarr-py reads other samples")
        scale = nodes[0].metadata["coordinateTransformations"][0][0]["scale"]
        check(np.allclose(scale, [SPACING[n] for n in "zyx"]), f"ome-zarr-py: scale {scale}")
        # Pairs along x are merged first: y and z lie further apart.
        merged = samples.reshape(5, 300, 130, 2).mean(axis=3, dtype=np.float64)
        check(np.abs(np.asarray(nodes[0].data[1]) - merged).max() < 1e-4, "ome-zarr-py: the second level is no mean")
    for version in ("0.4", "0.5"):
        theirs = folder / f"theirs_levels{version}.ome.zarr"
        root = zarr.open_group(str(theirs), mode="w", zarr_format=2 if version == "0.4" else 3)
        axes = [{"name": name, "type": "space"} for name in "zyx"]
        kept = {"axes": axes, "scale": {n: SPACING[n] for n in "zyx"}, "axes_units": dict.fromkeys("zyx", "millimeter"),
                "fmt": format_from_version(version)}
        write_image(samples, root, **kept)
        labels = (samples > 0).astype(np.uint8) * 7
        write_labels(labels, root, name="cells", **kept)
        read_back(theirs, samples, folder, convert, check, f"ome-zarr-py {version}", NOWHERE)
        target = folder / "labels_ours.mha"
        if convert("labels", theirs / "labels" / "cells", target):
            same(sitk.ReadImage(str(target)), labels, check, f"labels of ome-zarr-py {version}", origin=NOWHERE)
