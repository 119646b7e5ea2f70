"""Bytes, numbers and words that are spoiled at random."""

import struct


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
