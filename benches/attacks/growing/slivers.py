"""Meshes whose faces no box around them tells apart, and `segment` over them."""

import math
import random

from growing.case import case, text
from growing.meshes import segment

TURN = 2 * math.pi


def off(folder, points, faces):
    rows = "".join(f"{x:.9f} {y:.9f} {z:.9f}\n" for x, y, z in points)
    rows += "".join(f"3 {a} {b} {c}\n" for a, b, c in faces)
    return text(folder, "m.off", f"OFF\n{len(points)} {len(faces)} 0\n{rows}")


def strip(below, above):
    """Points and faces of the closed strip between two rings of as many points: two faces a point."""
    n = len(below)
    next_to = lambda k: (k + 1) % n
    faces = [face for k in range(n) for face in ((k, next_to(k), n + next_to(k)), (k, n + next_to(k), n + k))]
    return below + above, faces


def ring(n, height, turned=0.0):
    return [(math.cos(TURN * k / n + turned), math.sin(TURN * k / n + turned), height) for k in range(n)]


def oblique(points):
    """The points in a frame that is turned away from the axes of space."""
    rows = ((0.36, -0.8, 0.48), (0.48, 0.6, 0.64), (-0.8, 0.0, 0.6))
    return [tuple(sum(a * b for a, b in zip(row, point)) for row in rows) for point in points]


@case("off, a cylinder of n slivers, segmented", 400)
def _(folder, n):
    return segment(off(folder, *strip(ring(n // 2, 0), ring(n // 2, 9))))


@case("off, an oblique cylinder of n slivers, segmented", 400)
def _(folder, n):
    points, faces = strip(ring(n // 2, 0), ring(n // 2, 9))
    return segment(off(folder, oblique(points), faces))


@case("off, a twisted hyperboloid of n slivers, segmented", 400)
def _(folder, n):
    points, faces = strip(ring(n // 2, -2), ring(n // 2, 2, turned=2.5))
    return segment(off(folder, oblique(points), faces))


@case("off, a zigzag of n slivers between two skew lines, segmented", 400)
def _(folder, n):
    points = [(k / n, 0.0, 0.0) if k % 2 == 0 else (0.5, k / n - 0.5, 1.0) for k in range(n + 2)]
    return segment(off(folder, oblique(points), [(k, k + 1, k + 2) for k in range(n)]))


@case("off, two fans of n pleats, segmented", 400)
def _(folder, n):
    half = n // 2
    rim = [((1 + 0.2 * (k % 2)) * x, (1 + 0.2 * (k % 2)) * y, 0.0) for k, (x, y, _) in enumerate(ring(half, 0))]
    faces = [face for k in range(half) for face in ((0, k + 2, (k + 1) % half + 2), (1, (k + 1) % half + 2, k + 2))]
    return segment(off(folder, [(0.0, 0.0, 3.0), (0.0, 0.0, -3.0)] + rim, faces))


@case("off, n needles from anywhere to anywhere, segmented", 400)
def _(folder, n):
    rng = random.Random(31)
    points = []
    for _ in range(n):
        from_, to = ([rng.random() for _ in range(3)] for _ in range(2))
        points += [from_, to, [c + 1e-6 * (k + 1) for k, c in enumerate(to)]]
    return segment(off(folder, points, [(3 * k, 3 * k + 1, 3 * k + 2) for k in range(n)]))


@case("off, a heap of n large faces, segmented", 400)
def _(folder, n):
    rng = random.Random(31)
    points = [[rng.random() for _ in range(3)] for _ in range(3 * n)]
    return segment(off(folder, points, [(3 * k, 3 * k + 1, 3 * k + 2) for k in range(n)]))


@case("off, n large faces through one point, segmented", 400)
def _(folder, n):
    rng = random.Random(31)
    points = [(0.0, 0.0, 0.0)] + [[rng.random() - 0.5 for _ in range(3)] for _ in range(2 * n)]
    return segment(off(folder, points, [(0, 2 * k + 1, 2 * k + 2) for k in range(n)]))


@case("off, n faces stacked upon each other, segmented", 400)
def _(folder, n):
    points = [(x, y, k / n) for k in range(n) for x, y in ((0, 0), (1, 0), (0, 1))]
    return segment(off(folder, oblique(points), [(3 * k, 3 * k + 1, 3 * k + 2) for k in range(n)]))


@case("off, a strip of n faces that winds around itself, segmented", 400)
def _(folder, n):
    """A spiral of n / 80 turns, whose sheets lie close upon each other."""
    turns = max(n // 80, 1)
    at = lambda k, z: ((1 + k / n) * math.cos(TURN * turns * k / n), (1 + k / n) * math.sin(TURN * turns * k / n), z)
    points = [point for k in range(n // 2 + 1) for point in (at(2 * k, 0.0), at(2 * k, 1.0))]
    faces = [face for k in range(n // 2) for face in ((2 * k, 2 * k + 1, 2 * k + 3), (2 * k, 2 * k + 3, 2 * k + 2))]
    return segment(off(folder, oblique(points), faces))
