"""Stores that ome-zarr-models, ngff-zarr and ome-zarr-py make, read and compared with what these packages say: a part of `peers.py`.

| made by | versions | kinds |
|---|---|---|
| the models of ome-zarr-models | 0.4, 0.5 | volumes, pictures, a transformation of all levels, two levels, channels, frames, labels |
| ngff-zarr | 0.4, 0.5, 0.6 | volumes, channels by name, frames |
| ome-zarr-py | 0.4, 0.5 | volumes, channels by name, frames |

Each level of a store is read, and held against what its maker reads of it: samples, number of frames, spacing, origin and the time between
frames, in units that differ from store to store. ome-zarr-models 1.7 has no models of the 0.6 that was published, and ome-zarr-py 0.18 does
not write it.
"""

import importlib.util
import sys

import numpy as np
import SimpleITK as sitk

#: Millimetres, or seconds, of a unit.
UNITS = {"millimeter": 1.0, "micrometer": 1e-3, "nanometer": 1e-6, "second": 1.0, "millisecond": 1e-3}
#: Of an axis: voxels, spacing and origin in its own unit.
SIZE = {"t": 3, "c": 2, "z": 6, "y": 24, "x": 40}
SCALE = {"t": 40.0, "c": 1.0, "z": 2.5, "y": 1.25, "x": 0.75}
PLACE = {"t": 0.0, "c": 0.0, "z": 30.0, "y": -20.25, "x": 10.5}
CHANNELS = ["membrane", "nuclei"]


def compare(folder, convert, check):
    """Makes and compares stores of all packages that are there."""
    makers = {"ome_zarr_models": of_models, "ngff_zarr": of_ngff_zarr, "ome_zarr": of_ome_zarr}
    count = 0
    for package, make in makers.items():
        if importlib.util.find_spec(package) is None:
            print(f"{package} is not installed: its stores are not compared", file=sys.stderr)
            continue
        for number, store in enumerate(make(folder / f"made_by_{package}")):
            held(store, folder / f"made_{package}{number}.nii", convert, check)
            count += 1
    print(f"OME-Zarr: {count} stores of other packages held against what they say")


def held(store, target, convert, check):
    """Reads every level of a store, and of every channel, and compares it with what its maker says."""
    for level, said in enumerate(store["levels"]):
        names, samples = said["names"], said["samples"]
        if "c" in names:
            samples = np.moveaxis(samples, names.index("c"), 0)
        for number, own in enumerate(samples if "c" in names else [samples]):
            chosen = [f"@part:{number + 1}", *(f"@part:{name}" for name in store.get("channels", [])[number:number + 1])]
            for part in chosen if "c" in names else [""]:
                kind = store["kind"] if "t" not in names else "sequence"
                source = store["path"] if level == 0 else store["path"] / said["path"]
                what = f"{store['what']}, level {level}{part}"
                if convert(kind, source.with_name(source.name + part), target):
                    differences(own, [name for name in names if name != "c"], said, target, lambda ok, text: check(ok, f"{what}: {text}"))


def differences(samples, names, said, target, check):
    found = sitk.ReadImage(str(target))
    check(np.array_equal(sitk.GetArrayFromImage(found), samples.astype(sitk.GetArrayFromImage(found).dtype)), "samples differ")
    for axis, name in enumerate(names[::-1]):
        unit = UNITS[said["units"][name]]
        spacing = said["scale"][name] * unit
        check(np.isclose(found.GetSpacing()[axis], spacing, rtol=1e-6), f"{name}: spacing {found.GetSpacing()[axis]}, not {spacing}")
        origin = said["place"][name] * unit
        # Times begin with the first frame.
        ours = found.GetOrigin()[axis]
        check(name == "t" or np.isclose(ours, origin, rtol=1e-6, atol=1e-9), f"{name}: origin {ours}, not {origin}")


def samples_of(names, seed, dtype=np.float32):
    values = np.random.default_rng(seed).normal(100, 50, [SIZE[name] for name in names])
    return np.abs(values).astype(dtype)


def units_of(names, space, time="millisecond"):
    return {name: time if name == "t" else None if name == "c" else space for name in names}


KINDS = [("volume", "zyx", "millimeter"), ("picture", "yx", "micrometer"), ("channels", "czyx", "micrometer"), ("frames", "tzyx", "nanometer")]


def of_models(folder):
    """Stores of the models of ome-zarr-models, and what the models read of them."""
    import zarr
    from ome_zarr_models import v04, v05
    from pydantic_zarr import v2, v3

    makers = {"0.4": (v04, v2, v04.axes.Axis), "0.5": (v05, v3, v05.axes.Axis)}
    types = {"t": "time", "c": "channel"}
    for version, (model, zarr_model, axis) in makers.items():
        for what, names, space in [*KINDS, ("levels", "zyx", "micrometer"), ("all levels", "zyx", "micrometer"), ("labels", "zyx", "nanometer")]:
            path = folder / version / f"{what.replace(' ', '_')}.ome.zarr"
            samples = samples_of(names, 21, np.uint16 if what == "labels" else np.float32)
            levels = [samples, samples[tuple(slice(None, None, 2 if name in "yx" else 1) for name in names)]]
            levels = levels[: 2 if "levels" in what else 1]
            units = units_of(names, space)
            scales = [[SCALE[name] * (2 if nth and name in "yx" else 1) for name in names] for nth in range(len(levels))]
            image = model.Image.new(
                array_specs=[zarr_model.ArraySpec.from_array(own, **({} if version == "0.4" else {"dimension_names": list(names)})) for own in levels],
                paths=[f"s{nth}" for nth in range(len(levels))],
                axes=[axis(name=name, type=types.get(name, "space"), unit=units[name]) for name in names],
                scales=scales,
                translations=[[PLACE[name] for name in names] for _ in levels],
                **({"global_scale": [2.0] * 3, "global_translation": [1.0, 2.0, 3.0]} if what == "all levels" else {}),
            )
            path.parent.mkdir(parents=True, exist_ok=True)
            store = zarr.storage.LocalStore(str(path))
            group = image.to_zarr(store, path="")
            for nth, own in enumerate(levels):
                group[f"s{nth}"][...] = own
            if what == "labels":
                label = {"image-label": {"colors": [], "source": {"image": "../../"}}}
                group.attrs.update(label if version == "0.4" else {"ome": {**group.attrs["ome"], **label}})
            kind = model.ImageLabel if what == "labels" else model.Image
            group = zarr.open_group(str(path), mode="r")
            read = kind.from_zarr(group)
            image = (read.attributes if version == "0.4" else read.attributes.ome).multiscales[0]
            yield {
                "what": f"{what} of ome-zarr-models {version}",
                "path": path,
                "kind": "labels" if what == "labels" else "image",
                "levels": [said_by_models(image, own, group) for own in image.datasets],
            }


def said_by_models(image, dataset, group):
    names = [axis.name for axis in image.axes]
    scale, place = dict.fromkeys(names, 1.0), dict.fromkeys(names, 0.0)
    for step in [*dataset.coordinateTransformations, *(image.coordinateTransformations or [])]:
        if step.type == "scale":
            scale = {name: scale[name] * by for name, by in zip(names, step.scale)}
            place = {name: place[name] * by for name, by in zip(names, step.scale)}
        else:
            place = {name: place[name] + by for name, by in zip(names, step.translation)}
    units = {axis.name: axis.unit for axis in image.axes}
    return {"path": dataset.path, "names": names, "samples": group[dataset.path][...], "scale": scale, "place": place, "units": units}


def of_ngff_zarr(folder):
    """Stores of ngff-zarr, and what it reads of them."""
    import ngff_zarr as nz

    for version in ("0.4", "0.5", "0.6"):
        for what, names, space in [kind for kind in KINDS if kind[0] != "picture"]:
            path = folder / version / f"{what}.ome.zarr"
            image = nz.to_ngff_image(
                samples_of(names, 22), dims=list(names), scale={n: SCALE[n] for n in names}, translation={n: PLACE[n] for n in names},
                axes_units={n: unit for n, unit in units_of(names, space).items() if unit}, name=what,
                channel_names=CHANNELS if "c" in names else None)
            path.parent.mkdir(parents=True, exist_ok=True)
            nz.to_ngff_zarr(str(path), nz.to_multiscales(image, scale_factors=[{"x": 2, "y": 2, "z": 1}], chunks=16), version=version)
            read = nz.from_ngff_zarr(str(path), validate=True)
            levels = [
                {"path": dataset.path, "names": list(own.dims), "samples": np.asarray(own.data), "scale": own.scale, "place": own.translation,
                 "units": own.axes_units}
                for dataset, own in zip(read.metadata.datasets, read.images)
            ]
            channels = [channel.label for channel in read.metadata.omero.channels] if "c" in names and read.metadata.omero else []
            yield {"what": f"{what} of ngff-zarr {version}", "path": path, "kind": "image", "levels": levels, "channels": channels}


def of_ome_zarr(folder):
    """Stores of ome-zarr-py, and what it reads of them."""
    import zarr
    from ome_zarr.format import format_from_version
    from ome_zarr.io import parse_url
    from ome_zarr.reader import Multiscales, Reader
    from ome_zarr.writer import write_image

    for version in ("0.4", "0.5"):
        for what, names, space in [kind for kind in KINDS if kind[0] != "picture"]:
            path = folder / version / f"{what}.ome.zarr"
            path.parent.mkdir(parents=True, exist_ok=True)
            root = zarr.open_group(str(path), mode="w", zarr_format=2 if version == "0.4" else 3)
            units = units_of(names, space)
            omero = {"omero": {"channels": [{"label": name, "color": "FFFFFF"} for name in CHANNELS]}}
            channels = omero if "c" in names else {}
            types = {"t": "time", "c": "channel"}
            axes = [{"name": n, "type": types.get(n, "space"), **({"unit": units[n]} if units[n] else {})} for n in names]
            write_image(samples_of(names, 23), root, scale_factors=(2,), axes=axes, scale={n: SCALE[n] for n in names},
                        axes_units={n: unit for n, unit in units.items() if unit}, fmt=format_from_version(version))
            root.attrs.update(channels if version == "0.4" else {"ome": {**root.attrs["ome"], **channels}})
            node = next(iter(Reader(parse_url(str(path), fmt=format_from_version(version)))()))
            said, datasets, levels = node.metadata, node.load(Multiscales).datasets, []
            for nth, own in enumerate(node.data):
                read = [axis["name"] for axis in said["axes"]]
                steps = {step["type"]: step[step["type"]] for step in said["coordinateTransformations"][nth]}
                levels.append({
                    "path": datasets[nth], "names": read, "samples": np.asarray(own),
                    "scale": dict(zip(read, steps["scale"])), "place": dict(zip(read, steps.get("translation", [0.0] * len(read)))),
                    "units": {axis["name"]: axis.get("unit") for axis in said["axes"]},
                })
            named = said["channel_names"] if channels else []
            yield {"what": f"{what} of ome-zarr-py {version}", "path": path, "kind": "image", "levels": levels, "channels": named}


if __name__ == "__main__":
    sys.exit("a part of peers.py")
