"""Volumes and pictures that grow."""

import struct
import zlib

import inputs
from growing.case import case, text


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
