"""Small inputs of every kind, and every command that writes files or reads them: what the attacks of this folder work on.

Only Python's standard library is needed.
"""

import gzip
import json
import math
import struct
import zlib
from pathlib import Path

WIDTH, HEIGHT = 48, 40
CPU = ["--device", "cpu", "--threads", "2", "-q"]


def samples(shift=0.0, width=WIDTH, height=HEIGHT):
    """A picture of 8-bit samples that moves to the right by `shift` pixels."""
    value = lambda x, y: int(128 + 60 * math.sin((x - shift) / 3) + 50 * math.cos(y / 4 + (x - shift) / 9))
    return bytes(value(x, y) & 255 for y in range(height) for x in range(width))


def floats(shift=0.0, size=(14, 12, 10)):
    """A volume of 32-bit samples that moves along x."""
    nx, ny, nz = size
    value = lambda x, y, z: 100 + 40 * math.sin((x - shift) / 2) + 30 * math.cos(y / 2.5) + 20 * math.sin(z / 2)
    rows = (value(x, y, z) for z in range(nz) for y in range(ny) for x in range(nx))
    return struct.pack(f"<{nx * ny * nz}f", *rows)


def pgm(shift=0.0):
    return b"P5\n%d %d\n255\n" % (WIDTH, HEIGHT) + samples(shift)


def png(shift=0.0):
    chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    pixels = samples(shift)
    rows = b"".join(b"\0" + pixels[y * WIDTH : (y + 1) * WIDTH] for y in range(HEIGHT))
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 0, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def y4m(frames):
    head = b"YUV4MPEG2 W%d H%d F25:1 Cmono\n" % (WIDTH, HEIGHT)
    return head + b"".join(b"FRAME\n" + samples(0.7 * k) for k in range(frames))


def mha(shift=0.0, samples_at="LOCAL"):
    head = "ObjectType = Image\nNDims = 3\nElementSpacing = 1 1 1\nDimSize = 14 12 10\nElementType = MET_FLOAT\n"
    data = floats(shift) if samples_at == "LOCAL" else b""
    return (head + f"ElementDataFile = {samples_at}\n").encode() + data


def nifti(sizes, data, intent=0):
    """A NIfTI file of 32-bit samples with 1 mm voxels."""
    head = bytearray(352)
    struct.pack_into("<i", head, 0, 348)
    struct.pack_into("<8h", head, 40, len(sizes), *sizes, *[1] * (7 - len(sizes)))
    struct.pack_into("<hhh", head, 68, intent, 16, 32)
    struct.pack_into("<8f", head, 76, *[1] * 8)
    struct.pack_into("<fff", head, 108, 352, 1, 0)
    head[123] = 10
    struct.pack_into("<hh", head, 252, 0, 1)
    for row in range(3):
        struct.pack_into("<4f", head, 280 + 16 * row, *[float(row == k) for k in range(4)])
    head[344:348] = b"n+1\0"
    return bytes(head) + data


def flo(dx=0.5, dy=0.0):
    return b"PIEH" + struct.pack("<ii", WIDTH, HEIGHT) + struct.pack("<ff", dx, dy) * (WIDTH * HEIGHT)


# DICOM, explicit little endian.


def element(group, number, kind, value):
    """A data element; text is filled up to even length."""
    value = value.encode() if isinstance(value, str) else value
    if len(value) % 2:
        value += b"\0" if kind in ("UI", "OB") else b" "
    head = struct.pack("<HH", group, number) + kind.encode()
    if kind in ("OB", "OW", "SQ", "UN", "UT"):
        return head + struct.pack("<HI", 0, len(value)) + value
    return head + struct.pack("<H", len(value)) + value


def sequence(group, number, items):
    """A sequence of items, each the bytes of its elements."""
    parts = (struct.pack("<HHI", 0xFFFE, 0xE000, len(item)) + item for item in items)
    return element(group, number, "SQ", b"".join(parts))


def short(group, number, value):
    return element(group, number, "US", struct.pack("<H", value))


def dicom_elements(instance=1, position="0\\0\\0", trigger_ms=None, frames=None, series="1.2.3.5", shift=0.0):
    """The elements of an image of 16-bit samples, in the order of their tags."""
    pixels = b"".join(struct.pack("<H", 4 * value) for value in samples(shift)) * (frames or 1)
    found = [element(8, 0x60, "CS", "MR")]
    if trigger_ms is not None:
        found.append(element(0x18, 0x1060, "DS", str(trigger_ms)))
    found += [element(0x20, 0xE, "UI", series), element(0x20, 0x11, "IS", "1")]
    found.append(element(0x20, 0x13, "IS", str(instance)))
    if position is not None:
        found.append(element(0x20, 0x32, "DS", position))
    found += [element(0x20, 0x37, "DS", "1\\0\\0\\0\\1\\0"), short(0x28, 2, 1), element(0x28, 4, "CS", "MONOCHROME2")]
    if frames is not None:
        found.append(element(0x28, 8, "IS", str(frames)))
    found += [short(0x28, 0x10, HEIGHT), short(0x28, 0x11, WIDTH), element(0x28, 0x30, "DS", "1\\1")]
    found += [short(0x28, 0x100, 16), short(0x28, 0x101, 16), short(0x28, 0x102, 15), short(0x28, 0x103, 0)]
    return found + [element(0x7FE0, 0x10, "OW", pixels)]


def dicom(elements, syntax="1.2.840.10008.1.2.1", deflated=False):
    """A DICOM file of these elements."""
    meta = element(2, 1, "OB", b"\0\1") + element(2, 2, "UI", "1.2.840.10008.5.1.4.1.1.4")
    meta += element(2, 3, "UI", "1.2.3.4") + element(2, 0x10, "UI", syntax) + element(2, 0x12, "UI", "1.2.3")
    body = b"".join(elements)
    if deflated:
        squeeze = zlib.compressobj(9, zlib.DEFLATED, -15)
        body = squeeze.compress(body) + squeeze.flush()
        body += b"\0" * (len(body) % 2)
    length = element(2, 0, "UL", struct.pack("<I", len(meta)))
    return b"\0" * 128 + b"DICM" + length + meta + body


# Meshes.


def ball(rounds=2):
    """Points and triangles of a sphere: an octahedron whose triangles are quartered."""
    points = [(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)]
    faces = [(0, 2, 4), (2, 1, 4), (1, 3, 4), (3, 0, 4), (2, 0, 5), (1, 2, 5), (3, 1, 5), (0, 3, 5)]
    for _ in range(rounds):
        middles, finer = {}, []

        def middle(a, b):
            key = (min(a, b), max(a, b))
            if key not in middles:
                between = [(p + q) / 2 for p, q in zip(points[a], points[b])]
                length = math.sqrt(sum(p * p for p in between))
                points.append(tuple(p / length for p in between))
                middles[key] = len(points) - 1
            return middles[key]

        for a, b, c in faces:
            x, y, z = middle(a, b), middle(b, c), middle(c, a)
            finer += [(a, x, z), (b, y, x), (c, z, y), (x, y, z)]
        faces = finer
    return points, faces


def off(points, faces):
    text = [f"OFF\n{len(points)} {len(faces)} 0"]
    text += ["%.6f %.6f %.6f" % tuple(p) for p in points] + ["3 %d %d %d" % tuple(f) for f in faces]
    return ("\n".join(text) + "\n").encode()


def scene(points, faces, uri=None):
    """A glTF scene of a mesh, and its buffer; the buffer's name is left out in a GLB."""
    place = b"".join(struct.pack("<3f", *point) for point in points)
    corners = b"".join(struct.pack("<3H", *face) for face in faces)
    buffer = place + corners + b"\0" * (-len(place + corners) % 4)
    described = {"byteLength": len(buffer)} | ({} if uri is None else {"uri": uri})
    accessors = [
        {"bufferView": 0, "componentType": 5126, "count": len(points), "type": "VEC3", "byteOffset": 0},
        {"bufferView": 1, "componentType": 5123, "count": 3 * len(faces), "type": "SCALAR"},
    ]
    views = [
        {"buffer": 0, "byteOffset": 0, "byteLength": len(place)},
        {"buffer": 0, "byteOffset": len(place), "byteLength": len(corners)},
    ]
    nodes = [
        {"children": [1], "translation": [1, 0, 0], "rotation": [0, 0, 0, 1], "scale": [1, 2, 1]},
        {"mesh": 0, "matrix": [float(k % 5 == 0) for k in range(16)]},
        {"mesh": 0, "translation": [4, 0, 0]},
    ]
    primitive = {"attributes": {"POSITION": 0}, "indices": 1, "mode": 4}
    whole = {
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0, 2]}], "nodes": nodes,
        "meshes": [{"primitives": [primitive]}], "accessors": accessors, "bufferViews": views, "buffers": [described],
    }
    return whole, buffer


def glb(whole, buffer):
    """A GLB file; without a chunk for the buffer where it is None."""
    text = json.dumps(whole).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<II", len(text), 0x4E4F534A) + text
    if buffer is not None:
        chunks += struct.pack("<II", len(buffer), 0x4E4942) + buffer
    return b"glTF" + struct.pack("<II", 2, 12 + len(chunks)) + chunks


# Outlines, points, graphs.


def ring(radius, count=20, centre=(24, 20)):
    turn = lambda k: 2 * math.pi * k / count
    return [(centre[0] + radius * math.cos(turn(k)), centre[1] + radius * math.sin(turn(k))) for k in range(count)]


def outlines():
    rows = [f"{name},0,0,{x:.3f},{y:.3f}" for name, radius in (("endo", 8), ("epi", 13)) for x, y in ring(radius)]
    return "\n".join(["structure,frame,slice,x,y", *rows]) + "\n"


def graph(nodes=200):
    return "".join(f"{k} {(k * 7 + 1) % nodes} {1 + k % 5}\n{k} {(k + 1) % nodes} 1\n" for k in range(nodes))


def make(folder):
    """Writes all inputs into a folder."""
    folder = Path(folder)
    write = lambda name, data: (folder / name).write_bytes(data if isinstance(data, bytes) else data.encode())
    for name in ("frames", "cine"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    for k in range(6):
        write(f"frames/{k}.png", png(0.7 * k))
    for k in range(4):
        write(f"cine/IM{k:04}", dicom(dicom_elements(k + 1, trigger_ms=30 * k, shift=0.5 * k)))
    write("a.pgm", pgm(0)), write("b.pgm", pgm(0.8))
    write("v0.mha", mha(0)), write("v1.mha", mha(0.6))
    write("film.y4m", y4m(12))
    write("field.flo", flo())
    write("labels.pgm", b"P5\n%d %d\n255\n" % (WIDTH, HEIGHT) + bytes(k % 7 // 5 for k in range(WIDTH * HEIGHT)))
    write("field.nii.gz", gzip.compress(nifti((14, 12, 10, 1, 3), struct.pack("<f", 0.6) * (3 * 1680), 1007)))
    write("series.nii.gz", gzip.compress(nifti((14, 12, 10, 3), floats(0) + floats(0.4) + floats(0.8))))
    write("ball.off", off(*ball(2)))
    whole, buffer = scene(*ball(1), uri="ball.bin")
    write("ball.gltf", json.dumps(whole)), write("ball.bin", buffer)
    write("outlines.csv", outlines())
    write("clicks.csv", "structure,frame,slice,x,y\n" + "".join(f"endo,0,0,{x:.2f},{y:.2f}\n" for x, y in ring(8, 5)))
    write("points.csv", "x,y,name\n15,16,a\n20.5,22.5,b\n")
    write("graph.txt", graph())
    write("parts.seg", "".join(f"{k % 3}\n" for k in range(128)))


# Every command that writes files. {i}: the folder of inputs; {o}: the folder of outputs, which is there; {o}/far: another one in it.
WRITING = {
    "flow": "flow {i}/a.pgm {i}/b.pgm -o {o}/f.flo --report {o}/r.json --html {o}/h.html --confidence {o}/far/c.pfm"
    " --warped {o}/w.pgm --picture {o}/far/p.png --preset fast",
    "volumes": "flow {i}/v0.mha {i}/v1.mha -o {o}/f.mhd --warped {o}/far/w.nhdr --report {o}/r.json --preset fast",
    "sequence": "flow {i}/series.nii.gz -o {o}/s --sequence both --warped {o}/far/warped --report {o}/s/r.json --preset fast",
    "pictures": "flow {i}/frames -o {o} --sequence consecutive --method block-matching --preset fast --report {o}/r.json",
    "compare": "compare {i}/a.pgm {i}/b.pgm -o {o}/c.html --report {o}/far/c.json --method lucas-kanade --method block-matching",
    "stereo": "stereo {i}/a.pgm {i}/b.pgm -o {o}/d.pfm --confidence {o}/far/c.png --report {o}/r.json --html {o}/h.html",
    "features": "features {i}/a.pgm -o {o}/f --report {o}/r.json --html {o}/far/h.html",
    "engine": "engine {i}/frames -o {o}/e --video {o}/v.gif --report {o}/far/r.json",
    "engine-video": "engine {i}/film.y4m --only features -o {o}/e --video {o}/far/v.y4m",
    "engine-pairs": "engine {i}/film.y4m --method lucas-kanade --preset fast -o {o}/e --report {o}/r.json",
    "track": "track {i}/cine --contours {i}/outlines.csv -o {o}/t --method lucas-kanade --gif",
    "track-here": "track {i}/cine --contours {i}/outlines.csv -o {o} --method block-matching",
    "contours": "contours fit {i}/clicks.csv -o {o}/c.json --cine {i}/cine",
    "points": "track-points {i}/frames --corners 20 -o {o}/t.csv --overlay {o}/far/v.y4m",
    "segment": "segment {i}/ball.off -k 3 -o {o}/p.ply --labels {o}/l.seg --membership {o}/far/m.npy --html {o}/h.html"
    " --report {o}/r.json --part-meshes {o}/parts",
    "segment-scene": "segment {i}/ball.gltf -k 2 -o {o}/p.glb --report {o}/far/r.json",
    "distances": "distances {i}/graph.txt -o {o}/d.npy --report {o}/far/r.json",
    "warp-image": "warp image {i}/field.flo {i}/a.pgm -o {o}/w.tif",
    "warp-volume": "warp image {i}/field.nii.gz {i}/v0.mha -o {o}/w.mhd",
    "warp-labels": "warp labels {i}/field.flo {i}/labels.pgm -o {o}/w.png",
    "warp-points": "warp points {i}/field.flo {i}/points.csv -o {o}/w.csv",
    "filter": "filter gaussian {i}/v0.mha --sigma 1.5 -o {o}/g.nhdr",
    "jacobian": "measure jacobian {i}/field.nii.gz -o {o}/j.mhd --report {o}/far/r.json",
    "strain": "measure strain {i}/field.nii.gz -o {o}/st --report {o}/r.json",
    "phantom": "phantom heart --size 12,12,12 -o {o}/ph",
    "manual": "manual {o}/man",
}

# Commands that print.
PRINTING = {
    "info": "info {i}/cine", "info-mesh": "info {i}/ball.gltf", "devices": "devices", "parameters": "parameters clg --json",
    "completions": "completions bash", "help": "help flow",
    "evaluate-flow": "evaluate flow {i}/field.flo {i}/field.flo --json",
    "evaluate-disparity": "evaluate disparity {i}/a.pgm {i}/b.pgm --scale 1 --result-scale 1",
    "evaluate-labels": "evaluate labels {i}/labels.pgm {i}/labels.pgm",
    "evaluate-contours": "evaluate contours {i}/outlines.csv {i}/outlines.csv --cine {i}/cine",
    "evaluate-segmentation": "evaluate segmentation {i}/parts.seg {i}/parts.seg --mesh {i}/ball.off",
}

# Takes a minute of processor time: tried, and never run to its end.
LONG = {"demo": "demo -o {o}/demo"}

COMPUTES = {"flow", "compare", "stereo", "features", "engine", "track", "track-points", "segment", "distances", "demo"}
HAS_DEVICE = {"filter"}


def arguments(template, inputs, outputs):
    """The arguments of a command."""
    words = [word.format(i=inputs, o=outputs) for word in template.split()]
    if words[0] in COMPUTES:
        return words + CPU
    if words[0] in HAS_DEVICE or words[:2] in (["warp", "image"], ["warp", "labels"]):
        return words + ["--device", "cpu", "--threads", "2"]
    return words
