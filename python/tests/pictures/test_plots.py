"""Hearts, tracks, parts and features as plots and pages: what is drawn is what was found, and every axis says its unit."""

import base64
import re
import subprocess
import sys

import numpy as np
import pytest

import veloxel

pytest.importorskip("matplotlib", reason="matplotlib, which draws these plots, is not installed")


@pytest.fixture(scope="module")
def beat():
    parts = veloxel.phantom("cine", (48, 48), noise=0)
    return veloxel.track(parts["cine"], parts["contours"], start_frames=[0], device="cpu")


@pytest.fixture(scope="module")
def film():
    texture = veloxel.filter(np.random.default_rng(1).uniform(0, 255, (80, 110)), "gaussian", sigma=1.5, device="cpu").array
    return [texture[:, 2 * shift : 2 * shift + 96] for shift in range(4)]


@pytest.fixture(scope="module")
def dumbbell():
    u, v = np.meshgrid(np.linspace(0, 2 * np.pi, 16, endpoint=False), np.linspace(0, np.pi, 25)[1:-1], indexing="ij")
    radius = np.sin(v) * (0.25 + 0.75 * np.cos(v) ** 2)
    ring = np.stack([radius * np.cos(u), radius * np.sin(u), 2 * np.cos(v)], axis=-1).reshape(-1, 3)
    points = np.concatenate([ring, [[0, 0, 2], [0, 0, -2]]])
    at = lambda i, j: (i % 16) * 23 + j  # noqa: E731
    faces = [t for i in range(16) for j in range(22) for t in ((at(i, j), at(i, j + 1), at(i + 1, j)), (at(i + 1, j), at(i, j + 1), at(i + 1, j + 1)))]
    ends = [t for i in range(16) for t in ((len(ring), at(i, 0), at(i + 1, 0)), (len(ring) + 1, at(i + 1, 22), at(i, 22)))]
    return veloxel.Mesh(points, faces + ends)


def texts(axes):
    return [own.get_text() for own in axes.texts]


def test_strain_curves_are_the_table_in_percent(beat):
    circumferential, radial = beat.plot("strain").figure.axes
    rows = (beat.strain["slice"] == "all") & (beat.strain["segment"] == "all")
    for axes, columns in ((circumferential, ("circumferential_endo", "circumferential_mid", "circumferential_epi")), (radial, ("radial",))):
        assert axes.get_ylabel() == "Lagrangian strain, %" and axes.get_xlabel() == "frame"
        # The first line is that of 0.
        for line, column in zip(axes.lines[1:], columns, strict=True):
            assert np.array_equal(line.get_ydata(), 100 * beat.strain[f"{column}_lagrangian"][rows])
    assert [own.get_text() for own in circumferential.get_legend().get_texts()] == ["endocardium", "midway", "epicardium"]


def test_times_are_milliseconds_where_they_are_known():
    parts = veloxel.phantom("cine", (32, 32), noise=0)
    beat = veloxel.track(parts["cine"], parts["contours"], start_frames=[0], device="cpu", frame_interval_ms=40.0)
    axes = beat.plot("volumes").figure.axes[0]
    assert axes.get_xlabel() == "time, ms" and axes.lines[0].get_xdata()[:3].tolist() == [0.0, 40.0, 80.0]


def test_a_single_slice_has_areas(beat):
    left, right = beat.plot("volumes").figure.axes
    assert left.get_ylabel() == "area of slice 0, cm²"
    assert np.allclose(left.lines[0].get_ydata(), beat.function["endo_slice0_mm2"] / 100, rtol=1e-6)
    assert np.allclose(right.lines[0].get_ydata(), beat.function["rv_slice0_mm2"] / 100, rtol=1e-6)
    change = 100 * beat.measures["ventricles"]["lv"]["ejection_fraction"]
    assert left.get_legend().get_texts()[0].get_text() == f"area change {change:.0f} %"


def test_bulls_eyes_have_the_number_of_every_segment(beat):
    circumferential, radial = beat.plot("bulls-eye").figure.axes
    summary = {own["segment"]: own for own in beat.measures["strain_summary"] if own["slice"] is None}
    for axes, kind in ((circumferential, "circumferential"), (radial, "radial")):
        shown = texts(axes)
        assert [own for own in shown if own.isdigit() and own != "0"] == [str(nth) for nth in range(1, 18)]
        for nth in range(7, 13):
            value = f"{100 * summary[nth][kind]['extreme']:+.0f}".replace("-", "−")
            assert shown[shown.index(str(nth)) + 1] == value
        # Of the others nothing is known.
        assert sum(bool(patch.get_hatch()) for patch in axes.patches) == 11
    segments = beat.plot("segments").figure.axes[0]
    assert [own.get_text() for own in segments.get_legend().get_texts()] == [f"segment {nth}" for nth in range(7, 13)]


def test_what_a_heart_has_not_is_told(beat):
    with pytest.raises(veloxel.InputError, match="'volume'.*volumes, strain"):
        beat.plot("volume")
    parts = veloxel.phantom("cine", (32, 32), noise=0)
    cavity = [own for own in parts["contours"] if own[0] == "endo"]
    alone = veloxel.track(parts["cine"], cavity, start_frames=[0], device="cpu")
    assert alone.strain is None and len(alone.plot().figure.axes) == 1
    with pytest.raises(veloxel.InputError, match="wall"):
        alone.plot("strain")


def test_trails_lie_on_the_points(film):
    tracks = veloxel.track_points(film, [[40, 30], [60, 50], [3, 40]], device="cpu")
    axes = tracks.plot().figure.axes[0]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("x, px", "y, px")
    assert np.array_equal(axes.images[0].get_array(), film[-1])
    pieces, dots = axes.collections
    alive = np.isfinite(tracks.positions[-1]).all(axis=-1)
    assert alive.tolist() == [True, True, False]
    assert np.array_equal(dots.get_offsets(), tracks.positions[-1][alive])
    # Two whole ways of three pieces, and what there is of the third.
    known = np.isfinite(tracks.positions).all(axis=-1)
    assert len(pieces.get_segments()) == (known[1:] & known[:-1]).sum()
    early = tracks.plot(on=film[1], frame=1, trail=1).figure.axes[0]
    assert np.array_equal(early.images[0].get_array(), film[1]) and early.get_title(loc="left") == "3 of 3 points in frame 1"
    # Without the frame's own picture there is none: the last one would show the points beside what they lie on.
    assert not tracks.plot(frame=1).figure.axes[0].images
    for options, text in (({"frame": 4}, "from 0 to 3"), ({"trail": -1}, "trail"), ({"on": np.zeros((2, 3, 4))}, "picture")):
        with pytest.raises(veloxel.InputError, match=text):
            tracks.plot(**options)


def test_parts_have_the_colours_of_the_command(tmp_path, command, dumbbell):
    from veloxel._plots.surfaces import part_rgb

    found = veloxel.segment(dumbbell, 2, device="cpu")
    rows = "".join(f"v {x} {y} {z}\n" for x, y, z in dumbbell.points) + "".join(f"f {a + 1} {b + 1} {c + 1}\n" for a, b, c in dumbbell.triangles)
    (tmp_path / "mesh.obj").write_text(rows, encoding="utf-8")
    command(tmp_path, "segment", "mesh.obj", "-k", "2", "-o", "parts.ply")
    whole = (tmp_path / "parts.ply").read_bytes()
    face = np.dtype([("count", "u1"), ("corners", "<i4", 3), ("rgba", "u1", 4), ("certainty", "<f4"), ("part", "<i4")])
    faces = np.frombuffer(whole[len(whole) - len(found.labels) * face.itemsize :], face)
    assert np.array_equal(faces["part"], found.labels) and faces["certainty"].max() > 0.5
    ours = [255 - sure * (255 - 255 * part_rgb(int(part))) for part, sure in zip(found.labels, found.certainty)]
    assert np.allclose(faces["rgba"][:, :3], ours, atol=1.0)
    plot = found.plot()
    assert [own.get_text() for own in plot.figure.legends[0].get_texts()] == [f"{nth}: {n}" for nth, n in enumerate(np.bincount(found.labels))]
    assert all(len(axes.collections[0].get_paths()) == len(found.labels) for axes in plot.figure.axes)
    assert found.mesh.points.shape == dumbbell.points.shape
    with pytest.raises(veloxel.InputError, match="'x', 'y' or 'z'"):
        found.plot(up="north")


def test_features_have_keys_with_units():
    y, x = np.mgrid[:48, :64]
    finest = veloxel.features(128 + 60 * np.sin(x / 2), device="cpu")[0]
    plot = finest.plot()
    orientation, phase, energy, *keys = plot.figure.axes
    assert [own.get_xlabel().split(",")[:2][0] for own in keys] == ["orientation", "phase", "energy"]
    assert "rad" in keys[0].get_xlabel() and "rad" in keys[1].get_xlabel() and "intensity²" in keys[2].get_xlabel()
    # Stripes along y: the orientation across them is along x, which is red.
    middle = np.asarray(orientation.images[0].get_array())[20:28, 20:44]
    assert middle[..., 0].min() > 0.2 and middle[..., 1:].max() < 0.1 * middle[..., 0].min()
    assert energy.images[0].get_array().shape == (48, 64) and phase.images[0].get_array().shape == (48, 64, 3)


def test_plots_are_files_and_pages_without_a_network(tmp_path, beat, film, dumbbell):
    tracks = veloxel.track_points(film, corners=5, device="cpu")
    parts = veloxel.segment(dumbbell, 2, device="cpu")
    finest = veloxel.features(film[0], device="cpu")[0]
    pair = veloxel.flow(film[0], film[1], preset="fast", device="cpu")
    seen = veloxel.stereo(film[0], film[1], device="cpu")
    for nth, own in enumerate((beat, tracks, parts, finest, pair, pair.flow, seen)):
        own.save_page(tmp_path / f"{nth}.html")
        text = (tmp_path / f"{nth}.html").read_text(encoding="utf-8")
        assert text.startswith("<!doctype html>") and "<figure>" in text and "<td>" in text
        picture = re.search(r'src="data:image/png;base64,([^"]+)"', text)
        assert base64.b64decode(picture[1]).startswith(b"\x89PNG")
        assert "http" not in text and "<script" not in text and type(own).__name__ in text
    finest.plot().save(tmp_path / "features.png")
    assert (tmp_path / "features.png").read_bytes().startswith(b"\x89PNG")
    beat.plot("strain").save(tmp_path / "strain.svg")
    assert b"<svg" in (tmp_path / "strain.svg").read_bytes()
    with pytest.raises(veloxel.InputError, match=r"ends? in \.png|\.png"):
        pair.plot().save(tmp_path / "field.jpg")
    with pytest.raises(veloxel.InputError, match=r"\.pdf.*\.png"):
        beat.plot("strain").save(tmp_path / "strain.txt")
    with pytest.raises(veloxel.InputError, match=r"\.html"):
        beat.save_page(tmp_path / "page.txt")
    assert not list(tmp_path.glob("*.jpg")) + list(tmp_path.glob("*.txt"))


def test_what_is_changed_in_the_figure_is_in_the_picture(beat):
    plot = beat.plot("strain")
    before = plot.array
    plot.figure.axes[0].set_ylim(-100, 100)
    assert not np.array_equal(before, plot.array) and plot.array.shape == before.shape


def test_matplotlib_is_imported_when_a_plot_is_asked_for_and_its_absence_is_told():
    asked = """
import sys
import numpy as np, veloxel
still = np.random.default_rng(1).uniform(0, 255, (64, 64))
found = veloxel.track_points([still, still], corners=5, device="cpu")
assert "matplotlib" not in sys.modules
sys.modules["matplotlib"] = sys.modules["matplotlib.figure"] = None
assert "pip install matplotlib" in found._repr_html_() and "<td>2</td>" in found._repr_html_()
try:
    found.plot()
except ImportError as error:
    print(error)
"""
    told = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True)
    assert told.returncode == 0 and "pip install matplotlib" in told.stdout, told.stderr
