"""DICOM folders that are spoiled, and the commands that read them."""

import struct

import inputs
from mutations.spoiling import NUMBERS, WORDS, replaced, spoiled
from mutations.limits import DECODE_BYTES


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
