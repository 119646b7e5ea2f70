"""Meshes that grow. `info` looks at a whole mesh, as `segment` does before it cuts."""

import json
import math
import struct

import inputs
from growing.case import case, text


def segment(path):
    return ["segment", path, "-k", "1", "-o", "out.ply", *inputs.CPU]


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


def fan(folder, n, radius):
    """The parts of n slivers that meet in one point, each corner of the rim so far from the axis."""
    turn = lambda k: 2 * math.pi * k / n
    rim = "".join(f"{radius(k) * math.cos(turn(k)):.9f} {radius(k) * math.sin(turn(k)):.9f} 0\n" for k in range(n))
    faces = "".join(f"3 0 {k + 1} {(k + 1) % n + 1}\n" for k in range(n))
    return segment(text(folder, "m.off", f"OFF\n{n + 1} {n} 0\n0 0 3\n" + rim + faces))


@case("off, a cone of n slivers, segmented", 400)
def _(folder, n):
    return fan(folder, n, lambda k: 1)


@case("off, a fan of n pleats, segmented", 400)
def _(folder, n):
    return fan(folder, n, lambda k: 1 + 0.2 * (k % 2))


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
