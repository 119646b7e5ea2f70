#!/usr/bin/env python3
"""Sends mutated DICOM folders, glTF scenes with buffers, and TIFF variants through the commands that read them.

    benches/attacks/mutate.py VELOXEL [--files N] [--seed S] [--only dicom|gltf|tiff] [--first K] [--keep FOLDER]

N files (or folders) of each kind, 5,000 unless said otherwise. Readers get a budget of 192 MiB (--max-decode), flows one of
400 MiB for the whole process (--max-memory). A failure is a panic or an abort; more than 20 s of processor time; more resident
memory than 1.1 times the budget where one budget holds for the whole run (info, segment, flow); an error that is not one line;
left-overs of a run that failed; control characters on the terminal. Prints a line for each with the number of the file, which
--first K --files 1 makes again, and keeps the input in FOLDER. Linux; needs Python 3.10 alone.
"""

import argparse
import base64
import json
import os
import random
import shutil
import struct
import sys
import tempfile
import zlib
from collections import Counter
from pathlib import Path

import inputs
import running

DECODE_BYTES = 192 << 20
MEMORY_BYTES = 400 << 20
SHARE = 1.1
NUMBERS = [
    0, 1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 24, 31, 32, 33, 48, 63, 64, 127, 128, 255, 256, 257, 1023, 1024, 4096, 32767, 32768,
    65535, 65536, (1 << 24) - 1, 1 << 24, (1 << 31) - 1, 1 << 31, (1 << 32) - 1, (1 << 53), (1 << 63) - 1, 1 << 63, (1 << 64) - 1,
]
WORDS = [
    b"0", b"-0", b"1", b"-1", b"2", b"1e3", b"nan", b"inf", b"-inf", b"1e308", b"5e-324", b"4294967296", b"18446744073709551616",
    b"9" * 60, b"", b" ", b"0x10", b"1,5", b"1\\1", b"0\\0\\1e300", b"1\\0\\0\\0\\0\\1", b"1\\1\\1\\1\\1\\1", b"\\", b"-1\\-1",
    b"MONOCHROME1", b"RGB", b"PALETTE COLOR", b"YBR_FULL_422", b"\x1b[31mX", b"%s%n", b"\xff\xfe", b"\0", b"A" * 60,
]


def spoiled(data, chance, first=0):
    """Bytes changed, cut, doubled, taken out or put in, behind the first ones."""
    data = bytearray(data)
    for _ in range(chance.choice([1, 1, 1, 2, 3, 8, 32])):
        if len(data) <= first:
            break
        at, way = chance.randrange(first, len(data)), chance.randrange(7)
        size = chance.choice([1, 2, 4, 8])
        if way == 0:
            data[at] ^= 1 << chance.randrange(8)
        elif way == 1:
            value = chance.choice(NUMBERS) & (1 << 8 * size) - 1
            data[at : at + size] = value.to_bytes(size, chance.choice(["little", "big"]))
        elif way == 2:
            del data[at : at + chance.choice([1, 2, 4, 16, 256])]
        elif way == 3:
            data[at:at] = chance.randbytes(chance.choice([1, 2, 4, 16]))
        elif way == 4:
            del data[at:]
        elif way == 5:
            other = chance.randrange(first, len(data))
            data[at : at + 4 * size] = data[other : other + 4 * size]
        else:
            value = chance.choice([0.0, -1.0, float("nan"), float("inf"), 1e38, -3e38, 1e-45])
            data[at : at + 4] = struct.pack("<f", value)
    return bytes(data)


# DICOM folders: files that are right one by one and do not go together, and files that are not right.


def replaced(elements, group, number, element):
    """The elements with this one in place of that of the same tag, or added."""
    tag = struct.pack("<HH", group, number)
    others = [e for e in elements if e[:4] != tag] + ([] if element is None else [element])
    return sorted(others, key=lambda e: struct.unpack("<HH", e[:4]) if len(e) >= 4 else (0, 0))


def spoiled_element(element, chance):
    """An element with another type, length, tag or value."""
    way = chance.randrange(6)
    if way == 0 or len(element) < 12:
        return spoiled(element, chance)
    if way == 1:
        kinds = b"UN SQ OW OB DS IS US UL FD FL PN LO AT SV UV OV UT OF OD SL ZZ".split()
        return element[:4] + chance.choice(kinds) + element[6:]
    if way == 2:
        return element[:6] + struct.pack("<H", chance.choice(NUMBERS) & 0xFFFF) + element[8:]
    if way == 3:
        return element[:8] + struct.pack("<I", chance.choice(NUMBERS) & 0xFFFFFFFF) + element[12:]
    if way == 4:
        value = chance.choice(WORDS)
        value += b" " * (len(value) % 2)
        return element[:6] + struct.pack("<H", len(value)) + value
    tags = [(0x28, 0x10), (0x28, 8), (0x28, 0x100), (0x7FE0, 0x10), (0xFFFE, 0xE000), (0xFFFE, 0xE0DD), (0x20, 0x32), (0x20, 0x13)]
    return struct.pack("<HH", *chance.choice(tags)) + element[4:]


def functional_groups(frames, chance):
    """The sequence of an enhanced image, with a place and a scale for each frame, of which some are missing."""
    def of_frame(k):
        place = inputs.element(0x20, 0x32, "DS", f"0\\0\\{chance.choice([k, k, k, 0, -k, 1e30])}")
        scale = inputs.element(0x28, 0x1053, "DS", chance.choice(["1", "2", "0", "nan", "1e300"]))
        groups = [inputs.sequence(0x20, 0x9113, [place]), inputs.sequence(0x28, 0x9145, [scale])]
        return b"".join(chance.sample(groups, chance.choice([2, 2, 2, 1, 0])))
    return inputs.sequence(0x5200, 0x9230, [of_frame(k) for k in range(max(0, frames + chance.choice([0, 0, -1, 1])))])


def dicom_file(k, chance, together):
    """The k-th file of a folder."""
    frames = together["frames"]
    position = f"0\\0\\{k}" if together["stack"] else "0\\0\\0"
    trigger = None if together["stack"] else 30 * k
    elements = inputs.dicom_elements(k + 1, position, trigger, frames, together["series"], 0.5 * k)
    if together["enhanced"]:
        elements = replaced(elements, 0x5200, 0x9230, functional_groups(frames or 1, chance))
    if chance.random() < together["odd"]:
        text = lambda values: chance.choice(values)
        number = lambda values: struct.pack("<H", chance.choice(values))
        odd = [
            (0x20, 0x32, "DS", text(["0\\0\\-1", "0\\0\\1e30", "1\\1\\0", "nan\\0\\0", "0\\0", "0\\0\\9223372036854775808"])),
            (0x20, 0x37, "DS", text(["1\\0\\0\\0\\-1\\0", "0\\0\\0\\0\\0\\0", "1\\0\\0\\1\\0\\0", "0.7\\0.7\\0\\0\\0\\1"])),
            (0x28, 0x10, "US", number([0, 1, 39, 41, 65535])), (0x28, 0x11, "US", number([0, 1, 47, 65535])),
            (0x28, 8, "IS", text(["0", "2", "65535", "-1", "2147483647"])), (0x28, 0x30, "DS", text(["0\\0", "1e-30\\1", "-1\\1", "1"])),
            (0x20, 0x13, "IS", text(["0", "1", "-5", "2147483647"])), (0x18, 0x1060, "DS", text(["0", "1e300", "nan", "-1"])),
            (0x20, 0xE, "UI", text(["1.2.3.6", "", "1." * 31])), (0x28, 0x100, "US", number([1, 8, 12, 32, 64])),
            (0x28, 0x101, "US", number([0, 12, 17, 8])), (0x28, 0x102, "US", number([0, 7, 16])), (0x28, 0x103, "US", number([1, 2])),
            (0x28, 2, "US", number([0, 2, 3, 65535])), (0x28, 6, "US", number([0, 1, 9])), (0x28, 4, "CS", text(["RGB", "YBR_FULL_422"])),
            (0x28, 0x1053, "DS", text(["0", "1e300", "nan"])), (0x28, 0x1052, "DS", text(["1e300", "-inf"])),
            (0x18, 0x50, "DS", text(["0", "-3"])), (0x18, 0x88, "DS", text(["0", "1e300"])), (8, 0x33, "TM", text(["235959.9", "x"])),
        ]
        group, index, kind, value = chance.choice(odd)
        elements = replaced(elements, group, index, inputs.element(group, index, kind, value))
    if chance.random() < together["spoiled"]:
        at = chance.randrange(len(elements))
        elements[at] = spoiled_element(elements[at], chance)
    syntax = chance.choice(together["syntaxes"])
    if syntax == "1.2.840.10008.1.2.5":
        runs = b"".join(bytes([257 - 128, chance.randrange(256)]) for _ in range(60))
        cells = struct.pack("<16I", chance.choice([1, 2, 2, 15, 16]), 64, 64 + len(runs) // 2, *[0] * 13) + runs
        fragments = b"".join(struct.pack("<HHI", 0xFFFE, 0xE000, len(p)) + p for p in (b"", cells))
        whole = struct.pack("<HH", 0x7FE0, 0x10) + b"OB\0\0\xff\xff\xff\xff" + fragments + struct.pack("<HHI", 0xFFFE, 0xE0DD, 0)
        elements[-1] = whole
    data = inputs.dicom(elements, syntax, syntax.endswith(".1.99"))
    return spoiled(data, chance, chance.choice([0, 128, 300])) if chance.random() < together["broken"] else data


def dicom_folder(place, chance):
    """A folder of DICOM files; other files, links and folders may lie between them."""
    plain = "1.2.840.10008.1.2.1"
    others = [f"1.2.840.10008.1.2{end}" for end in ("", ".2", ".5", ".1.99", ".4.50", ".4.70", ".4.90", ".4.80")]
    together = {
        "frames": chance.choice([None, None, None, 1, 2, 3]), "stack": chance.random() < 0.5, "series": "1.2.3.5",
        "enhanced": chance.random() < 0.2, "odd": chance.choice([0, 0.2, 0.5, 1]), "spoiled": chance.choice([0, 0.2, 1]),
        "broken": chance.choice([0, 0, 0.3]), "syntaxes": chance.choice([[plain], [plain, *others], [chance.choice(others)]]),
    }
    folder = place / "dicom"
    folder.mkdir()
    for k in range(chance.choice([1, 2, 3, 4, 7, 12])):
        below = folder / chance.choice(["", "", "", "sub", "sub/deep"])
        below.mkdir(parents=True, exist_ok=True)
        (below / chance.choice([f"IM{k:04}", f"{k}.dcm", f"{9 - k}.IMA"])).write_bytes(dicom_file(k, chance, together))
    if chance.random() < 0.2:
        (folder / "DICOMDIR").write_bytes(spoiled(inputs.dicom(inputs.dicom_elements(1)), chance))
    if chance.random() < 0.2:
        (folder / "notes.txt").write_text("DICM")
    if chance.random() < 0.1:
        (folder / "loop").symlink_to(".")
    if chance.random() < 0.05:
        (folder / "gone.dcm").symlink_to("nowhere")
    (place / "outlines.csv").write_text(inputs.outlines())
    return folder


def dicom_runs(folder, chance, succeeded):
    """Arguments of the next runs over a folder, once it is known whether `info` read it."""
    yield ["info", str(folder)], DECODE_BYTES
    if chance.random() < 0.1:
        yield ["info", "--json", str(folder)], DECODE_BYTES
    if not succeeded() and chance.random() < 0.8:
        return
    if chance.random() < 0.6:
        mode = chance.choice(["both", "consecutive", "reference"])
        words = ["flow", str(folder), "--sequence", mode, "-o", "out/s", "--warped", "out/w", "--report", "out/r.json"]
        yield words + ["--preset", "fast", *inputs.CPU], None
    else:
        yield ["track", str(folder), "--contours", "outlines.csv", "-o", "out/t", "--method", "lucas-kanade", *inputs.CPU], None


# glTF scenes whose buffers are files, data URIs or chunks.

VALUES = [
    None, True, 0, 1, -1, 2, 3, 4, 5, 7, 5120, 5121, 5123, 5125, 5126, 1e308, -1e308, 1e-320, 0.5, 1 << 31, (1 << 32) - 1, 1 << 53,
    1 << 63, (1 << 64) - 1, "", "x", "VEC3", "SCALAR", "../scene.bin", "scene.bin", "/etc/passwd", "nowhere.bin", "scene.gltf", "%2e%2e/x",
    "data:;base64,AAAA", "data:application/octet-stream;base64,!!!!", "data:,x", "http://localhost/x", [], {}, [0], [[0]], [1, 2, 3],
]
NAMES = [
    "children", "mesh", "matrix", "scale", "indices", "mode", "byteStride", "byteOffset", "byteLength", "count", "sparse", "uri",
    "extensionsRequired", "extensionsUsed", "skin", "targets", "normalized", "buffer", "bufferView", "scene",
]


def places_in(value, path=()):
    """Paths of everything inside a JSON value."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield path + (key,)
        yield from places_in(inner, path + (key,))


def spoiled_scene(whole, chance):
    """A scene with values replaced, removed, added or doubled."""
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


def packed_bits(data):
    """PackBits of literal runs."""
    return b"".join(bytes([len(data[k : k + 128]) - 1]) + data[k : k + 128] for k in range(0, len(data), 128))


def lzw(data):
    """LZW whose every code is a byte, with a clear code often enough that codes keep 9 bits."""
    codes = []
    for k in range(0, len(data), 250):
        codes += [256, *data[k : k + 250]]
    bits = "".join(f"{code:09b}" for code in [*codes, 257])
    bits += "0" * (-len(bits) % 8)
    return int(bits, 2).to_bytes(len(bits) // 8, "big")


def tiff_page(chance, width, height):
    """Entries by tag, each a type and its values, and the chunks of samples."""
    usual = [(8, 1), (16, 1), (32, 1), (8, 2), (16, 2), (32, 3), (64, 3)]
    bits, kind = chance.choice(usual * 3 + [(64, 1), (1, 1), (1, 1), (4, 1), (12, 1), (16, 3)])
    channels = chance.choice([1, 1, 1, 2, 3, 4]) if bits >= 8 and kind != 2 else 1
    planes = channels if channels > 1 and chance.random() < 0.3 else 1
    tiled = chance.random() < 0.25
    block = (16, 16) if tiled else (width, chance.choice([1, 7, height, height, 4000]))
    counts = [-(-width // block[0]), -(-height // block[1])]
    compression = chance.choice([1, 1, 1, 8, 5, 32773, 32946])
    pack = {1: bytes, 8: zlib.compress, 32946: zlib.compress, 5: lzw, 32773: packed_bits}[compression]
    rows = min(block[1], height) if not tiled else block[1]
    size = rows * -(-block[0] * bits * (channels // planes) // 8)
    chunks = [pack(chance.randbytes(min(size, 1 << 16))) for _ in range(min(counts[0] * counts[1] * planes, 200))]
    entries = {
        256: (4, [width]), 257: (4, [height]), 258: (3, [bits] * channels), 259: (3, [compression]),
        262: (3, [2 if channels > 2 else chance.choice([0, 1, 1])]), 277: (3, [channels]), 284: (3, [2 if planes > 1 else 1]),
        339: (3, [kind] * channels), 317: (3, [chance.choice([1] * 6 + [3 if kind == 3 else 2])]),
    }
    if channels == 1 and bits == 8 and chance.random() < 0.2:
        entries[262] = (3, [3])
    if channels in (2, 4):
        entries[338] = (3, [chance.choice([0, 1, 2])])
    if tiled:
        entries |= {322: (3, [16]), 323: (3, [16]), 324: (4, None), 325: (4, [len(c) for c in chunks])}
    else:
        entries |= {278: (4, [block[1]]), 273: (4, None), 279: (4, [len(c) for c in chunks])}
    if entries[262][1] == [3]:
        entries[320] = (3, [chance.randrange(65536) for _ in range(3 << min(bits, 8))])
    if chance.random() < 0.1:
        entries[270] = (2, list(chance.choice([b"ImageJ=1.53\nimages=5\nslices=5\n\0", b"images=999999\nImageJ=\0", b"\x1b[31m\0"])))
    return entries, chunks


TYPES = {1: "B", 2: "B", 3: "H", 4: "I", 5: "Q", 6: "b", 7: "B", 8: "h", 9: "i", 11: "f", 12: "d", 13: "I", 16: "Q"}
TAGS = [256, 257, 258, 259, 262, 266, 270, 273, 277, 278, 279, 284, 292, 301, 317, 320, 322, 323, 324, 325, 330, 338, 339, 347, 513, 530, 34675]


def spoiled_entries(entries, chance):
    """Entries with other values, types, tags or numbers of values."""
    for _ in range(chance.choice([0, 1, 1, 1, 2, 3])):
        tag = chance.choice(list(entries))
        kind, values = entries[tag]
        way = chance.randrange(6)
        if way == 0:
            entries[tag] = (kind, [chance.choice(NUMBERS)] * chance.choice([1, 1, len(values or [1])]))
        elif way == 1:
            entries[tag] = (chance.choice(list(TYPES)), values)
        elif way == 2:
            entries.pop(tag)
        elif way == 3:
            entries[chance.choice(TAGS)] = (kind, values)
        elif way == 4 and values:
            entries[tag] = (kind, values * chance.choice([2, 3, 1000]))
        elif values:
            entries[tag] = (kind, [values[0] + chance.choice([-1, 1])] + values[1:])
        if not entries:
            break
    return entries


def tiff_file(place, chance):
    """A TIFF or BigTIFF of one or several pages, in either order of bytes."""
    order, big = chance.choice("<>"), chance.random() < 0.3
    word, per_entry = ("Q", 20) if big else ("I", 12)
    head = (b"II" if order == "<" else b"MM") + struct.pack(order + "H", 43 if big else 42)
    out = bytearray(head + (struct.pack(order + "HHQ", 8, 0, 0) if big else struct.pack(order + "I", 0)))
    link = 8 if big else 4
    width, height = chance.choice([(24, 18), (24, 18), (1, 1), (17, 33), (17, 33), (17, 33), (300, 1), (300, 1), (65535, 3), (70000, 70000)])
    pages = [tiff_page(chance, width, height)] * chance.choice([1, 1, 1, 2, 5])
    for entries, chunks in pages:
        entries = dict(entries)
        offsets = []
        for chunk in chunks:
            offsets.append(len(out))
            out += chunk
        for tag in (273, 324):
            if tag in entries:
                entries[tag] = (16 if big and chance.random() < 0.5 else 4, offsets)
        if chance.random() < 0.8:
            entries = spoiled_entries(entries, chance)
        out += b"\0" * (len(out) % 2)
        placed = []
        for tag, (kind, values) in sorted(entries.items()):
            values, letter = values or [], TYPES[kind]
            mask = (1 << 8 * struct.calcsize(letter)) - 1
            if letter in "fd":
                data = struct.pack(order + letter * len(values), *(float(min(v, 1 << 60)) for v in values))
            else:
                data = struct.pack(order + letter.upper() * len(values), *(v & mask for v in values))
            count = len(values) if chance.random() > 0.005 else chance.choice(NUMBERS) & 0xFFFFFFFF
            room = 8 if big else 4
            if len(data) > room:
                place_of, data = len(out), out.extend(data)
                data = struct.pack(order + word, place_of)
            placed.append(struct.pack(order + "HH" + word, tag, kind, count) + data.ljust(room, b"\0"))
        struct.pack_into(order + word, out, link, len(out))
        out += struct.pack(order + ("Q" if big else "H"), len(placed)) + b"".join(placed)
        link = len(out)
        out += struct.pack(order + word, chance.choice([0] * 40 + [8, link, 1 << 31]))
    path = place / "image.tif"
    path.write_bytes(spoiled(out, chance) if chance.random() < 0.25 else out)
    return path


def tiff_runs(path, chance, succeeded):
    yield ["info", str(path)], DECODE_BYTES
    if not succeeded() and chance.random() < 0.8:
        return
    name, way = str(path), chance.randrange(5)
    if way == 0:
        words = ["flow", name, name, "-o", "out/f.flo", "--warped", "out/w.tif", "--report", "out/r.json", "--preset", "fast"]
        yield words + [*inputs.CPU, "--max-memory", str(MEMORY_BYTES)], MEMORY_BYTES
    elif way == 1:
        yield ["filter", "gaussian", name, "--sigma", "1", "-o", "out/g.tif", "--device", "cpu", "--threads", "2"], None
    elif way == 2:
        yield ["flow", name, "--sequence", "consecutive", "-o", "out/s", "--preset", "fast", *inputs.CPU], None
    elif way == 3:
        yield ["evaluate", "labels", name, name], None
    else:
        yield ["features", name, "-o", "out/f", *inputs.CPU], None


KINDS = {"dicom": (dicom_folder, dicom_runs), "gltf": (gltf_scene, gltf_runs), "tiff": (tiff_file, tiff_runs)}


def attack(program, kind, number, chance, work, keep, counts, peaks):
    """Makes one input and runs the commands that read it; the number of failures."""
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    make, runs = KINDS[kind]
    path, failed, ended = make(work, chance), 0, None
    for words, budget in runs(path, chance, lambda: ended.code == 0):
        out = work / "out"
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir()
        limit = ["--max-decode", str(DECODE_BYTES)]
        ended = running.run([program, *words, *limit], work)
        failure = ended.failure(os.listdir(out))
        if failure is None and budget is not None and ended.peak_bytes > SHARE * budget:
            failure = f"takes {ended.peak_bytes >> 20} MiB of {budget >> 20}"
        counts[f"{kind}, {words[0]}: " + {0: "read", 1: "refused", 2: "wrong usage"}.get(ended.code, "failed")] += 1
        peaks[words[0]] = max(peaks.get(words[0], (0, 0.0)), (ended.peak_bytes >> 20, ended.processor_s))
        peaks[words[0] + " "] = max(peaks.get(words[0] + " ", 0.0), ended.processor_s)
        if failure:
            failed += 1
            said = ended.said.decode(errors="replace").strip()[-300:]
            print(f"{kind} {number}: {failure}: {' '.join(words)} [{said}]", flush=True)
            if keep:
                shutil.copytree(work, keep / f"{kind}-{number}", dirs_exist_ok=True, symlinks=True)
    return failed


def main():
    reader = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    reader.add_argument("program")
    reader.add_argument("--files", type=int, default=5000)
    reader.add_argument("--seed", type=int, default=1)
    reader.add_argument("--first", type=int, default=0)
    reader.add_argument("--only", choices=list(KINDS))
    reader.add_argument("--keep", type=Path)
    given = reader.parse_args()
    program = os.path.realpath(shutil.which(given.program) or given.program)
    place = Path(tempfile.mkdtemp(prefix="veloxel-mutate-"))
    counts, peaks, failed = Counter(), {}, 0
    try:
        for kind in [given.only] if given.only else KINDS:
            for number in range(given.first, given.first + given.files):
                chance = random.Random(f"{given.seed}:{kind}:{number}")
                failed += attack(program, kind, number, chance, place / "work", given.keep, counts, peaks)
            print(f"{kind}: seed {given.seed}, {given.files} files, {failed} failures so far", flush=True)
    finally:
        shutil.rmtree(place, ignore_errors=True)
    for what, count in sorted(counts.items()):
        print(f"  {what}: {count}")
    for command, peak in sorted(peaks.items()):
        if isinstance(peak, tuple):
            print(f"  {command}: at most {peak[0]} MiB and {peaks[command + ' ']:.1f} s of processor time")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
