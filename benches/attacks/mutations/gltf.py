"""Scenes of glTF with their buffers that are spoiled, and the commands that read them."""

import base64
import json

import inputs
from mutations.spoiling import spoiled
from mutations.dicom import NAMES, VALUES
from mutations.limits import DECODE_BYTES


def places_in(value, path=()):
    """Paths of everything inside a JSON value."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield path + (key,)
        yield from places_in(inner, path + (key,))


def spoiled_scene(whole, chance):
    """A scene with values removed, added or doubled."""
    whole = json.loads(json.dumps(whole))
    for _ in range(chance.choice([1, 1, 1, 2, 3])):
        places = list(places_in(whole))
        if not places:
            break
        *around, last = chance.choice(places)
        holder = whole
        for key in around:
            holder = holder[key]
        way = chance.randrange(6)
        if way <= 2:
            holder[last] = chance.choice(VALUES)
        elif way == 3:
            del holder[last]
        elif way == 4 and isinstance(holder, list):
            holder.insert(last, holder[last])
        elif isinstance(holder, dict):
            holder[chance.choice(NAMES)] = chance.choice(VALUES + [{"count": 3, "indices": {"bufferView": 1, "componentType": 5123}, "values": {"bufferView": 0}}])
    return whole


def with_more_buffers(whole, buffer, chance):
    """The scene over two buffers, interleaved samples, or a strip of triangles."""
    way = chance.randrange(4)
    if way == 0:
        length = whole["bufferViews"][0]["byteLength"]
        whole["buffers"].append({"byteLength": len(buffer) - length, "uri": "more.bin"})
        whole["bufferViews"][1] |= {"buffer": 1, "byteOffset": 0}
    elif way == 1:
        whole["bufferViews"][0]["byteStride"] = chance.choice([12, 16, 4, 0, 252, 256])
    elif way == 2:
        whole["meshes"][0]["primitives"][0]["mode"] = chance.choice([0, 1, 4, 5, 6, 7])
    else:
        whole["meshes"][0]["primitives"] *= chance.choice([2, 20])
    return whole


def gltf_scene(place, chance):
    """A scene and what it names; the path of the scene."""
    whole, buffer = inputs.scene(*inputs.ball(chance.choice([0, 1])), uri="scene.bin")
    if chance.random() < 0.5:
        whole = with_more_buffers(whole, buffer, chance)
    as_glb = chance.random() < 0.5
    has_chunk = as_glb and chance.random() < 0.6
    if has_chunk:
        del whole["buffers"][0]["uri"]
    elif chance.random() < 0.3:
        whole["buffers"][0]["uri"] = "data:application/octet-stream;base64," + base64.b64encode(buffer).decode()
    if chance.random() < 0.85:
        whole = spoiled_scene(whole, chance)
    kept = spoiled(buffer, chance) if chance.random() < 0.4 else buffer
    (place / "scene.bin").write_bytes(kept)
    (place / "more.bin").write_bytes(kept[-len(buffer) // 2 :])
    path = place / ("scene.glb" if as_glb else "scene.gltf")
    data = inputs.glb(whole, kept if has_chunk else None) if as_glb else json.dumps(whole).encode()
    path.write_bytes(spoiled(data, chance) if chance.random() < 0.25 else data)
    return path


def gltf_runs(path, chance, succeeded):
    yield ["info", str(path)], DECODE_BYTES
    words = ["segment", str(path), "-o", "out/p." + chance.choice(["ply", "glb", "obj"]), *inputs.CPU]
    if chance.random() < 0.4:
        words += ["-k", str(chance.choice([1, 2, 3, 50]))]
    if chance.random() < 0.3:
        words += ["--part-meshes", "out/parts", *chance.choice([[], ["--caps"]])]
    if chance.random() < 0.3:
        words += ["--labels", "out/l.seg", "--membership", "out/m.npy", "--html", "out/h.html", "--report", "out/r.json"]
    if succeeded() or chance.random() < 0.2:
        yield words, DECODE_BYTES


# TIFF variants: layouts, sample types and compressions that encoders write, and entries that none writes.
