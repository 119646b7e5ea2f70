#!/usr/bin/env python3
"""Time and memory of every reader on inputs of n, 10 n and 100 n elements that are arranged against it.

    benches/attacks/growth.py VELOXEL [--only PART …]

A reader may take a time that grows like n log n, or refuse the input within a second of processor time. A row fails if 100 n
elements take more than 30 times as long as 10 n (a quadratic reader takes 100 times as long), with a tenth of a second granted, or
end in anything but success or one line. The largest input is read once more with a budget of 100 MiB (--max-decode, --max-memory for
graphs), and fails if the run takes more than 1.1 times as much; of meshes and their parts, which are looked at after the reading, the peak is
printed alone. Prints a line for each input: processor time and peak memory for the
three sizes, and the peak with the budget.
Linux; needs Python 3.10 alone.
"""

import argparse
import json
import os
import shutil
import struct
import sys
import tempfile
import zlib
from pathlib import Path

import inputs
import running

REFUSED_S = 1.0
GRANTED_S = 0.1
# A quadratic reader takes a hundred times as long; caches that get too small make a linear one take up to twenty times as long.
MOST_RATIO = 30
BUDGET_BYTES = 100 << 20
# What is done with them after the reading takes more than the reading.
COMPUTED = {"off", "obj", "ply", "stl", "gltf", "parts"}
BUDGET_SHARE = 1.1
CASES = {}


def case(name, n):
    """Registers a maker of the input of a size: it writes files and returns the arguments that read them."""

    def register(make):
        CASES[name] = (n, make)
        return make

    return register


def text(folder, name, data):
    path = folder / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return str(path)


def segment(path):
    return ["segment", path, "-k", "1", "-o", "out.ply", *inputs.CPU]


# Meshes. `info` looks at a whole mesh, as `segment` does before it cuts.

TRIANGLE = "v 0 0 0\nv 1 0 0\nv 0 1 0\n"


@case("off, one face of n corners", 5000)
def _(folder, n):
    return ["info", text(folder, "m.off", f"OFF\n{n} 1 0\n" + "".join(f"{k} {k % 7} 0\n" for k in range(n)) + f"{n} " + " ".join(map(str, range(n))))]


@case("off, n copies of a face", 10000)
def _(folder, n):
    return ["info", text(folder, "m.off", f"OFF\n3 {n} 0\n0 0 0\n1 0 0\n0 1 0\n" + "3 0 1 2\n" * n)]


@case("off, n faces at one edge", 5000)
def _(folder, n):
    points = "0 0 0\n0 0 1\n" + "".join(f"{k % 100} {k // 100 + 1} 0\n" for k in range(n))
    return ["info", text(folder, "m.off", f"OFF\n{n + 2} {n} 0\n" + points + "".join(f"3 0 1 {k + 2}\n" for k in range(n)))]


@case("off, n faces at one edge, segmented", 2000)
def _(folder, n):
    points = "0 0 0\n0 0 1\n" + "".join(f"{k % 100} {k // 100 + 1} 0\n" for k in range(n))
    return segment(text(folder, "m.off", f"OFF\n{n + 2} {n} 0\n" + points + "".join(f"3 0 1 {k + 2}\n" for k in range(n))))


@case("off, n separate triangles", 2000)
def _(folder, n):
    points = "".join(f"{k} 0 0\n{k} 1 0\n{k}.5 0 1\n" for k in range(n))
    return ["info", text(folder, "m.off", f"OFF\n{3 * n} {n} 0\n" + points + "".join(f"3 {3 * k} {3 * k + 1} {3 * k + 2}\n" for k in range(n)))]


@case("off, n points in one place", 10000)
def _(folder, n):
    return ["info", text(folder, "m.off", f"OFF\n{n} 1 0\n" + "1 1 1\n" * n + "3 0 1 2\n")]


@case("obj, n groups", 5000)
def _(folder, n):
    return ["info", text(folder, "m.obj", TRIANGLE + "".join(f"g part{k}\nusemtl m{k}\nf 1 2 3\n" for k in range(n)))]


@case("obj, one line continued n times", 20000)
def _(folder, n):
    return ["info", text(folder, "m.obj", TRIANGLE + "f 1 2 3" + " \\\n" * n + "\n")]


@case("obj, a face of n corners by negative numbers", 20000)
def _(folder, n):
    return ["info", text(folder, "m.obj", "v 0 0 0\n" * 3 + "f " + "-1 -2 -3 " * n + "\n")]


@case("ply, n properties", 20000)
def _(folder, n):
    head = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
    head += "".join(f"property float p{k}\n" for k in range(n)) + "element face 1\nproperty list uchar int vertex_indices\nend_header\n"
    return ["info", text(folder, "m.ply", head + ("1 2 3" + " 0" * n + "\n") * 3 + "3 0 1 2\n")]


@case("ply, n elements", 20000)
def _(folder, n):
    head = "ply\nformat ascii 1.0\n" + "".join(f"element e{k} 1\nproperty float x\n" for k in range(n)) + "end_header\n"
    return ["info", text(folder, "m.ply", head + "1\n" * n)]


@case("ply, binary lists of n entries", 10000)
def _(folder, n):
    head = f"ply\nformat binary_little_endian 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nelement face {n}\n"
    head += "property list uchar int vertex_indices\nend_header\n"
    return ["info", text(folder, "m.ply", head.encode() + struct.pack("<9f", *range(9)) + struct.pack("<B3i", 3, 0, 1, 2) * n)]


@case("stl, n facets at one point", 5000)
def _(folder, n):
    return ["info", text(folder, "m.stl", b"x" * 80 + struct.pack("<I", n) + struct.pack("<12fH", *[0, 0, 1] + [1, 1, 1] * 3, 0) * n)]


@case("stl, n facets as text", 2000)
def _(folder, n):
    facet = "facet normal 0 0 1\nouter loop\nvertex %d 0 0\nvertex 1 %d 0\nvertex 0 1 0\nendloop\nendfacet\n"
    return ["info", text(folder, "m.stl", "solid\n" + "".join(facet % (k, k) for k in range(n)) + "endsolid\n")]


def scene(folder, n, nodes, primitives=1, views=0):
    """A glTF of a triangle whose nodes are those of `nodes(n)`."""
    whole, buffer = inputs.scene([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1, 2)], uri="t.bin")
    whole["nodes"], whole["scenes"] = nodes(n), [{"nodes": [0]}]
    whole["meshes"] = [{"primitives": whole["meshes"][0]["primitives"] * primitives}]
    whole["bufferViews"] += [whole["bufferViews"][0]] * views
    text(folder, "t.bin", buffer)
    return ["info", text(folder, "t.gltf", json.dumps(whole))]


@case("gltf, a chain of n nodes", 2000)
def _(folder, n):
    return scene(folder, n, lambda n: [{"children": [k + 1]} for k in range(n)] + [{"mesh": 0}])


@case("gltf, n children of one node", 5000)
def _(folder, n):
    return scene(folder, n, lambda n: [{"children": list(range(1, n + 1))}] + [{"mesh": 0}] * n)


@case("gltf, n nodes that share their children", 2000)
def _(folder, n):
    return scene(folder, n, lambda n: [{"children": [min(k + 1, n), min(k + 2, n)]} for k in range(n)] + [{"mesh": 0}])


@case("gltf, n primitives", 5000)
def _(folder, n):
    return scene(folder, n, lambda n: [{"mesh": 0}], primitives=n)


@case("gltf, n buffer views", 5000)
def _(folder, n):
    return scene(folder, n, lambda n: [{"mesh": 0}], views=n)


@case("parts, n numbers of parts", 20000)
def _(folder, n):
    path = text(folder, "p.seg", "".join(f"{k}\n" for k in range(n)))
    return ["evaluate", "segmentation", path, path]


# Graphs.


def distances(path, *more):
    return ["distances", path, "-o", "d.npy", "--from", "0", *inputs.CPU, *more]


@case("mtx, n arcs between two nodes", 20000)
def _(folder, n):
    return distances(text(folder, "g.mtx", f"%%MatrixMarket matrix coordinate real general\n2 2 {n}\n" + "1 2 3\n" * n))


@case("mtx, a star of n arcs", 20000)
def _(folder, n):
    arcs = "".join(f"{k + 2} 1 1\n" for k in range(n))
    return distances(text(folder, "g.mtx", f"%%MatrixMarket matrix coordinate real symmetric\n{n + 1} {n + 1} {n}\n" + arcs))


@case("mtx, a path of n arcs", 20000)
def _(folder, n):
    arcs = "".join(f"{k + 2} {k + 1} {1 + k % 3}\n" for k in range(n))
    return distances(text(folder, "g.mtx", f"%%MatrixMarket matrix coordinate real symmetric\n{n + 1} {n + 1} {n}\n" + arcs))


@case("mtx, n comments", 20000)
def _(folder, n):
    return distances(text(folder, "g.mtx", "%%MatrixMarket matrix coordinate real general\n" + "% c\n" * n + "2 2 1\n1 2 1\n"))


@case("csv graph, arcs that undo what was found (Dijkstra)", 20000)
def _(folder, n):
    arcs = "".join(f"{k},{k + 1},1\n0,{k + 1},{2 * n - k}\n" for k in range(n))
    return distances(text(folder, "g.csv", "from,to,weight\n" + arcs), "--directed")


@case("csv graph, a line of n cells", 20000)
def _(folder, n):
    return distances(text(folder, "g.csv", "0,1,2" + ",3" * n + "\n"))


@case("mtx, n lonely nodes", 20000)
def _(folder, n):
    return distances(text(folder, "g.mtx", f"%%MatrixMarket matrix coordinate real general\n{n} {n} 1\n1 2 1\n"))


# Outlines and points.

HEAD = "structure,frame,slice,x,y\n"


def outlines(path, folder):
    cine = folder / "cine"
    cine.mkdir(exist_ok=True)
    for k in range(2):
        text(cine, f"{k}.dcm", inputs.dicom(inputs.dicom_elements(k + 1, trigger_ms=30 * k)))
    return ["evaluate", "contours", path, path, "--cine", str(cine)]


@case("outlines csv, one of n points", 5000)
def _(folder, n):
    points = inputs.ring(10, n)
    return outlines(text(folder, "o.csv", HEAD + "".join(f"endo,0,0,{x:.9f},{y:.9f}\n" for x, y in points)), folder)


@case("outlines csv, one of n points that crosses itself", 300)
def _(folder, n):
    points = [(4 + 40 * (k * 7919 % n) / n, 4 + 30 * (k * 104729 % n) / n) for k in range(n)]
    return outlines(text(folder, "o.csv", HEAD + "".join(f"endo,0,0,{x:.9f},{y:.9f}\n" for x, y in points)), folder)


@case("outlines csv, n structures", 2000)
def _(folder, n):
    rows = (f"s{k},0,0,{x},{y}\n" for k in range(n) for x, y in ((10, 10), (20, 10), (15, 20)))
    return outlines(text(folder, "o.csv", HEAD + "".join(rows)), folder)


@case("outlines csv, n frames", 2000)
def _(folder, n):
    rows = (f"endo,{k},0,{x},{y}\n" for k in range(n) for x, y in ((10, 10), (20, 10), (15, 20)))
    return outlines(text(folder, "o.csv", HEAD + "".join(rows)), folder)


@case("outlines csv, rows of n outlines in turn", 2000)
def _(folder, n):
    rows = (f"endo,0,{k},{x},{y}\n" for x, y in ((10, 10), (20, 10), (15, 20)) for k in range(n))
    return outlines(text(folder, "o.csv", HEAD + "".join(rows)), folder)


@case("outlines json, n outlines", 2000)
def _(folder, n):
    one = {"structure": "endo", "slice": 0, "points": [[10, 10], [20, 10], [15, 20]]}
    found = [{**one, "frame": k} for k in range(n)]
    return outlines(text(folder, "o.json", json.dumps({"format": "veloxel-contours", "version": 1, "unit": "px", "contours": found})), folder)


@case("json, n levels", 20000)
def _(folder, n):
    return outlines(text(folder, "o.json", "[" * n + "]" * n), folder)


@case("json, n keys of one object", 20000)
def _(folder, n):
    return outlines(text(folder, "o.json", json.dumps({f"k{k}": k for k in range(n)})), folder)


@case("json, the same key n times", 20000)
def _(folder, n):
    return outlines(text(folder, "o.json", "{" + ",".join(['"contours":[]'] * n) + "}"), folder)


@case("json, a string of n escapes", 20000)
def _(folder, n):
    return outlines(text(folder, "o.json", '{"format":"' + "\\u0041" * n + '"}'), folder)


def points(path, folder, like="q.csv"):
    return ["warp", "points", text(folder, "z.flo", inputs.flo()), path, "-o", like]


@case("points csv, n rows", 20000)
def _(folder, n):
    return points(text(folder, "p.csv", "x,y,name\n" + "5,6,a\n" * n), folder)


@case("points csv, n columns", 20000)
def _(folder, n):
    return points(text(folder, "p.csv", "x,y" + "".join(f",c{k}" for k in range(n)) + "\n5,6" + ",1" * n + "\n"), folder)


@case("points csv, a cell of n quotes", 20000)
def _(folder, n):
    return points(text(folder, "p.csv", 'x,y,name\n5,6,"' + '""' * n + '"\n'), folder)


@case("points markups, n points", 5000)
def _(folder, n):
    found = [{"id": str(k), "label": "a", "position": [1.0, 2.0, 3.0]} for k in range(n)]
    whole = {"markups": [{"type": "Fiducial", "coordinateSystem": "LPS", "controlPoints": found}]}
    field = text(folder, "z.nii", inputs.nifti((14, 12, 10, 1, 3), bytes(4 * 3 * 1680), 1007))
    return ["warp", "points", field, text(folder, "p.mrk.json", json.dumps(whole)), "-o", "q.mrk.json"]


@case("points fcsv, n points", 5000)
def _(folder, n):
    head = "# Markups fiducial file version = 4.11\n# CoordinateSystem = LPS\n# columns = id,x,y,z,ow,ox,oy,oz,vis,sel,lock,label,desc,associatedNodeID\n"
    field = text(folder, "z.nii", inputs.nifti((14, 12, 10, 1, 3), bytes(4 * 3 * 1680), 1007))
    rows = "".join(f"v_{k},1,2,3,0,0,0,1,1,1,0,F-1,,\n" for k in range(n))
    return ["warp", "points", field, text(folder, "p.fcsv", head + rows), "-o", "q.fcsv"]


# Parameters.


def with_parameters(folder, name, data):
    a, b = text(folder, "a.pgm", inputs.pgm(0)), text(folder, "b.pgm", inputs.pgm(1))
    return ["flow", a, b, "-o", "f.flo", "--preset", "fast", "--params", text(folder, name, data), *inputs.CPU]


@case("toml, n keys", 20000)
def _(folder, n):
    return with_parameters(folder, "p.toml", "".join(f"k{k} = 1\n" for k in range(n)))


@case("toml, a key of n parts", 20000)
def _(folder, n):
    return with_parameters(folder, "p.toml", "a" + ".a" * n + " = 1\n")


@case("toml, n tables", 20000)
def _(folder, n):
    return with_parameters(folder, "p.toml", "".join(f"[t{k}]\n" for k in range(n)))


@case("toml, an array of n levels", 20000)
def _(folder, n):
    return with_parameters(folder, "p.toml", "alpha = " + "[" * n + "]" * n + "\n")


@case("json parameters, n keys", 20000)
def _(folder, n):
    return with_parameters(folder, "p.json", json.dumps({f"k{k}": 1 for k in range(n)}))


# Volumes and pictures.


@case("nrrd, n keys", 20000)
def _(folder, n):
    head = "NRRD0004\ntype: uchar\ndimension: 2\nsizes: 2 2\nencoding: raw\n" + "".join(f"k{k}:=v\n" for k in range(n))
    return ["info", text(folder, "v.nrrd", head.encode() + b"\n" + bytes(4))]


@case("nrrd, n comments", 20000)
def _(folder, n):
    return ["info", text(folder, "v.nrrd", b"NRRD0004\ntype: uchar\ndimension: 2\nsizes: 2 2\n" + b"# c\n" * n + b"encoding: raw\n\n" + bytes(4))]


@case("nrrd, n numbers as text", 20000)
def _(folder, n):
    return ["info", text(folder, "v.nrrd", f"NRRD0004\ntype: uchar\ndimension: 2\nsizes: {n} 1\nencoding: ascii\n\n" + "1 " * n)]


@case("nrrd, a list of n files", 300)
def _(folder, n):
    for k in range(n):
        text(folder, f"{k}.raw", bytes(4))
    head = f"NRRD0004\ntype: uchar\ndimension: 3\nsizes: 2 2 {n}\nencoding: raw\ndata file: LIST\n"
    return ["info", text(folder, "v.nhdr", head + "".join(f"{k}.raw\n" for k in range(n)))]


@case("nrrd, n gzip members", 2000)
def _(folder, n):
    import gzip

    head = f"NRRD0004\ntype: uchar\ndimension: 2\nsizes: {n} 1\nencoding: gzip\n\n"
    return ["info", text(folder, "v.nrrd", head.encode() + gzip.compress(b"\1") * n)]


@case("metaimage, n lines of header", 20000)
def _(folder, n):
    head = "ObjectType = Image\nNDims = 2\n" + "".join(f"K{k} = v\n" for k in range(n))
    return ["info", text(folder, "v.mha", (head + "DimSize = 2 2\nElementType = MET_UCHAR\nElementDataFile = LOCAL\n").encode() + bytes(4))]


@case("metaimage, a list of n files", 300)
def _(folder, n):
    for k in range(n):
        text(folder, f"{k}.raw", bytes(4))
    head = f"ObjectType = Image\nNDims = 3\nDimSize = 2 2 {n}\nElementType = MET_UCHAR\nElementDataFile = LIST\n"
    return ["info", text(folder, "v.mhd", head + "".join(f"{k}.raw\n" for k in range(n)))]


@case("nifti, n extensions", 20000)
def _(folder, n):
    head = bytearray(inputs.nifti((2, 2, 2), b""))
    struct.pack_into("<f", head, 108, 352 + 16 * n)
    head[348] = 1
    return ["info", text(folder, "v.nii", bytes(head) + struct.pack("<ii8s", 16, 4, b"") * n + bytes(32))]


def png(width, height, chunks):
    chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + b"".join(chunk(kind, data) for kind, data in chunks) + chunk(b"IEND", b"")


PIXELS = zlib.compress(bytes(6))


@case("png, n texts", 20000)
def _(folder, n):
    return ["info", text(folder, "i.png", png(2, 2, [(b"tEXt", b"k\0v")] * n + [(b"IDAT", PIXELS)]))]


@case("png, n empty pieces of data", 20000)
def _(folder, n):
    return ["info", text(folder, "i.png", png(2, 2, [(b"IDAT", PIXELS[:3])] + [(b"IDAT", b"")] * n + [(b"IDAT", PIXELS[3:])]))]


@case("png, n frames", 2000)
def _(folder, n):
    frame = lambda k: (b"fcTL", struct.pack(">IIIIIHHBB", 2 * k, 2, 2, 0, 0, 1, 30, 0, 0))
    later = [part for k in range(1, n) for part in (frame(k), (b"fdAT", struct.pack(">I", 2 * k - 1) + PIXELS))]
    return ["info", text(folder, "i.png", png(2, 2, [(b"acTL", struct.pack(">II", n, 0)), frame(0), (b"IDAT", PIXELS), *later]))]


def tiff(width, height, pages, rows=None):
    """Grey pages, each with samples of its own; `rows`: of a strip."""
    rows, out, link = rows or height, bytearray(b"II*\0\0\0\0\0"), 4
    strips = -(-height // rows)
    for _ in range(pages):
        at = len(out)
        out += bytes(width * height)
        offsets = struct.pack(f"<{strips}I", *(at + k * rows * width for k in range(strips)))
        counts = struct.pack(f"<{strips}I", *[rows * width] * strips)
        if strips > 1:
            place, out = len(out), out + offsets + counts
            offsets, counts = struct.pack("<I", place), struct.pack("<I", place + 4 * strips)
        out += b"\0" * (len(out) % 2)
        entries = [(256, 1, width), (257, 1, height), (258, 1, 8), (259, 1, 1), (262, 1, 1)]
        packed = [struct.pack("<HHII", tag, 4, count, value) for tag, count, value in entries]
        packed += [struct.pack("<HHI", 273, 4, strips) + offsets, struct.pack("<HHII", 278, 4, 1, rows)]
        packed += [struct.pack("<HHI", 279, 4, strips) + counts]
        struct.pack_into("<I", out, link, len(out))
        out += struct.pack("<H", len(packed)) + b"".join(packed)
        link = len(out)
        out += bytes(4)
    return bytes(out)


@case("tiff, n pages", 1000)
def _(folder, n):
    return ["info", text(folder, "i.tif", tiff(2, 2, n))]


@case("tiff, n strips", 5000)
def _(folder, n):
    return ["info", text(folder, "i.tif", tiff(1, n, 1, 1))]


def gif(middle):
    return b"GIF89a" + struct.pack("<HHBBB", 2, 2, 0x80, 0, 0) + bytes([0, 0, 0, 255, 255, 255]) + middle + b";"


@case("gif, n frames", 2000)
def _(folder, n):
    frame = b"!\xf9\4\0\5\0\0\0," + struct.pack("<HHHHB", 0, 0, 2, 2, 0) + b"\2\3\x84\x51\1\0"
    return ["info", text(folder, "i.gif", gif(frame * n))]


@case("gif, n comments", 20000)
def _(folder, n):
    frame = b"," + struct.pack("<HHHHB", 0, 0, 2, 2, 0) + b"\2\3\x84\x51\1\0"
    return ["info", text(folder, "i.gif", gif(b"!\xfe\1x\0" * n + frame))]


@case("jpeg, n comments", 20000)
def _(folder, n):
    return ["info", text(folder, "i.jpg", b"\xff\xd8" + b"\xff\xfe\0\2" * n + b"\xff\xd9")]


@case("pgm, n numbers as text", 20000)
def _(folder, n):
    return ["info", text(folder, "i.pgm", f"P2\n{n} 1\n255\n" + "7 " * n)]


@case("pgm, n comments", 20000)
def _(folder, n):
    return ["info", text(folder, "i.pgm", "P2\n" + "# c\n" * n + "1 1\n255\n7\n")]


@case("y4m, n words of header", 20000)
def _(folder, n):
    return ["info", text(folder, "i.y4m", b"YUV4MPEG2 W2 H2 F25:1 Cmono" + b" XA" * n + b"\nFRAME\n" + bytes(4))]


@case("y4m, n frames", 20000)
def _(folder, n):
    return ["info", text(folder, "i.y4m", b"YUV4MPEG2 W2 H2 F25:1 Cmono\n" + b"FRAME\n\0\0\0\0" * n)]


@case("npy, a header of n characters", 20000)
def _(folder, n):
    head = ("{'descr': '|u1', 'fortran_order': False, 'shape': (2, 2)" + ", " * n + "}\n").encode()
    return ["info", text(folder, "a.npy", b"\x93NUMPY\2\0" + struct.pack("<I", len(head)) + head + bytes(4))]


@case("npy, n axes", 20000)
def _(folder, n):
    head = ("{'descr': '|u1', 'fortran_order': False, 'shape': (2, 2" + ", 1" * n + "), }\n").encode()
    return ["info", text(folder, "a.npy", b"\x93NUMPY\2\0" + struct.pack("<I", len(head)) + head + bytes(4))]


# Folders and names.


@case("folder of n frames", 30)
def _(folder, n):
    frames = folder / "frames"
    frames.mkdir()
    for k in range(n):
        text(frames, f"{k:05}.pgm", b"P5 2 2 255\n\0\0\0\0")
    return ["info", str(frames)]


@case("pattern of n stars", 5)
def _(folder, n):
    for k in range(20):
        text(folder, "a" * 200 + f"{k}.png", b"")
    return ["info", str(folder) + "/" + "*a" * n + "b.png"]


@case("folder of n outlines as text", 30)
def _(folder, n):
    place = folder / "set"
    place.mkdir()
    for k in range(n):
        text(place, f"P01-{k:04}-icontour-manual.txt", "10 10\n20 10\n15 20\n")
    return outlines(str(place), folder)


# DICOM.


def dicom(folder, more=(), **about):
    elements = inputs.dicom_elements(**about)
    return ["info", text(folder, "i.dcm", inputs.dicom(elements[:1] + list(more) + elements[1:]))]


@case("dicom, n elements", 20000)
def _(folder, n):
    return dicom(folder, [inputs.element(9 + 2 * (k // 4000), 0x1000 + k % 4000, "LO", "x") for k in range(n)])


@case("dicom, n items of a sequence", 20000)
def _(folder, n):
    return dicom(folder, [inputs.sequence(8, 0x1140, [inputs.element(8, 0x1150, "UI", "1.2")] * n)])


@case("dicom, n levels of sequences", 500)
def _(folder, n):
    open_one = struct.pack("<HH", 8, 0x1140) + b"SQ\0\0\xff\xff\xff\xff" + struct.pack("<HHI", 0xFFFE, 0xE000, 0xFFFFFFFF)
    close_one = struct.pack("<HHI", 0xFFFE, 0xE00D, 0) + struct.pack("<HHI", 0xFFFE, 0xE0DD, 0)
    return dicom(folder, [open_one * n + close_one * n])


def fragments_of(folder, n, data, syntax):
    elements = inputs.dicom_elements()
    fragments = (struct.pack("<HHI", 0xFFFE, 0xE000, len(data)) + data) * n
    pixels = struct.pack("<HH", 0x7FE0, 0x10) + b"OB\0\0\xff\xff\xff\xff" + struct.pack("<HHI", 0xFFFE, 0xE000, 0) + fragments
    elements[-1] = pixels + struct.pack("<HHI", 0xFFFE, 0xE0DD, 0)
    return ["info", text(folder, "i.dcm", inputs.dicom(elements, syntax))]


@case("dicom, n beginnings of JPEG streams", 20000)
def _(folder, n):
    return fragments_of(folder, n, b"\xff\xd8", "1.2.840.10008.1.2.4.50")


@case("dicom, n JPEG streams that reach into others", 20000)
def _(folder, n):
    return fragments_of(folder, n, b"\xff\xd8\xff\xe0\x7f\xff", "1.2.840.10008.1.2.4.50")


@case("dicom, n fragments of no JPEG stream", 20000)
def _(folder, n):
    return fragments_of(folder, n, bytes(2), "1.2.840.10008.1.2.4.70")


@case("dicom, n fragments of run lengths", 20000)
def _(folder, n):
    return fragments_of(folder, n, struct.pack("<I", 1) + bytes(60), "1.2.840.10008.1.2.5")


@case("dicom, n deflated fragments", 20000)
def _(folder, n):
    return fragments_of(folder, n, bytes(2), "1.2.840.10008.1.2.8.1")


@case("dicom, n fragments of JPEG 2000", 20000)
def _(folder, n):
    return fragments_of(folder, n, b"\xff\x4f", "1.2.840.10008.1.2.4.90")


@case("dicom, an enhanced image of n frames", 300)
def _(folder, n):
    place = lambda k: inputs.sequence(0x20, 0x9113, [inputs.element(0x20, 0x32, "DS", f"0\\0\\{k * 7919 % n}")])
    elements = inputs.dicom_elements(position=None)
    elements = [e for e in elements if e[:4] not in (struct.pack("<HH", 0x28, 0x10), struct.pack("<HH", 0x28, 0x11))][:-1]
    elements += [inputs.element(0x28, 8, "IS", str(n)), inputs.short(0x28, 0x10, 1), inputs.short(0x28, 0x11, 1)]
    elements.sort(key=lambda e: struct.unpack("<HH", e[:4]))
    elements += [inputs.sequence(0x5200, 0x9230, [place(k) for k in range(n)]), inputs.element(0x7FE0, 0x10, "OW", bytes(2 * n))]
    return ["info", text(folder, "i.dcm", inputs.dicom(elements))]


@case("dicom, numbers of n values", 5000)
def _(folder, n):
    value = "\\".join(["1"] * n)[:65000]
    return dicom(folder, [inputs.element(9, 0x1001, "UN", "1\\" * n), inputs.element(0x18, 0x1060, "DS", value)])


def dicom_folder(folder, n, of):
    place = folder / "d"
    place.mkdir()
    for k in range(n):
        text(place, f"{k:06}", inputs.dicom(of(k)))
    return ["info", str(place)]


@case("dicom folder of n slices in no order", 10)
def _(folder, n):
    return dicom_folder(folder, n, lambda k: inputs.dicom_elements(k * 7919 % n + 1, f"0\\0\\{k * 104729 % n}"))


@case("dicom folder of n series", 10)
def _(folder, n):
    return dicom_folder(folder, n, lambda k: inputs.dicom_elements(1, series=f"1.2.3.{k}"))


@case("dicom folder of n images in one place", 10)
def _(folder, n):
    return dicom_folder(folder, n, lambda k: inputs.dicom_elements(1))


@case("dicom folder of n directions", 10)
def _(folder, n):
    def turned(k):
        elements = inputs.dicom_elements(k + 1, f"0\\0\\{k}")
        angle = f"1\\0\\0\\0\\0.9{k:06}\\0.1"
        return [inputs.element(0x20, 0x37, "DS", angle) if e[:4] == struct.pack("<HH", 0x20, 0x37) else e for e in elements]

    return dicom_folder(folder, n, turned)


def made(make, folder, size):
    """The arguments that read an input, which a process of its own makes: a child's peak of memory is no less than its parent's."""
    child = os.fork()
    if child == 0:
        try:
            text(folder, "words.json", json.dumps(make(folder, size)))
            os._exit(0)
        finally:
            os._exit(1)
    if os.waitpid(child, 0)[1]:
        sys.exit("an input could not be made")
    return json.loads((folder / "words.json").read_text())


def tried(program, n, make):
    """Runs over the three sizes, and the one with a budget."""
    row, bounded = [], None
    for size in (n, 10 * n, 100 * n):
        folder = Path(tempfile.mkdtemp(prefix="veloxel-growth-"))
        try:
            words = [program, *made(make, folder, size)]
            row.append(running.run(words, folder))
            if size == 100 * n:
                budget = "--max-memory" if words[1] == "distances" else "--max-decode"
                bounded = running.run([*words, budget, str(BUDGET_BYTES)], folder)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        if row[-1].hangs:
            break
    return row, bounded


def failure_of(row, bounded, is_computed):
    """What is wrong with the runs over an input; none if nothing is."""
    last, times = row[-1], [ended.processor_s for ended in row]
    if last.failure():
        return last.failure()
    refused = last.code == 1 and times[-1] <= REFUSED_S
    if not refused and times[-1] > MOST_RATIO * times[-2] + GRANTED_S:
        return f"grows {times[-1] / times[-2]:.0f} times"
    if bounded.failure():
        return "with a budget: " + bounded.failure()
    if not is_computed and bounded.peak_bytes > BUDGET_SHARE * BUDGET_BYTES:
        return f"takes {bounded.peak_bytes >> 20} MiB of {BUDGET_BYTES >> 20}"
    return None


def main():
    reader = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    reader.add_argument("program")
    reader.add_argument("--only", nargs="*")
    given = reader.parse_args()
    program = os.path.realpath(shutil.which(given.program) or given.program)
    failed = 0
    for name, (n, make) in CASES.items():
        if given.only and not any(part in name for part in given.only):
            continue
        row, bounded = tried(program, n, make)
        failure = failure_of(row, bounded, name.split(",")[0] in COMPUTED)
        failed += failure is not None
        taken = "  ".join(f"{e.processor_s:6.2f} s {e.peak_bytes >> 20:5} MiB" for e in row)
        peak = "" if bounded is None else f"{bounded.peak_bytes >> 20:5} MiB"
        end = {0: "", 1: "refused"}.get(row[-1].code, f"ends with {row[-1].code}")
        print(f"{'FAILS ' if failure else ''}{name}, n = {n}: {taken} {peak}  {end} {failure or ''}", flush=True)
        if failure or row[-1].code == 2:
            print("   " + row[-1].said.decode(errors="replace").strip()[-300:])
            print("   " + (bounded.said.decode(errors="replace").strip()[-300:] if bounded else ""))
    print(f"{failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
