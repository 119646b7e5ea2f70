"""DICOM files and folders that grow."""

import struct

import inputs
from growing.case import case, text


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
