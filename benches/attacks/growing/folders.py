"""Folders and names that grow."""

from growing.case import case, text
from growing.tables import outlines


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
