"""Outlines and points that grow."""

import json

import inputs
from growing.case import case, text


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
