"""TIFF files of every kind that are spoiled, and the commands that read them."""

import struct
import zlib

import inputs
from mutations.spoiling import NUMBERS, spoiled
from mutations.limits import DECODE_BYTES, MEMORY_BYTES


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
