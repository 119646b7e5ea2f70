"""Streams, tracks, hearts, filters, phantoms and comparisons are those of the command."""

import numpy as np
import pytest

import veloxel
from conftest import waves


def film(count=7, shape=(64, 80), step=0.6):
    return [(128 + 40 * waves(step * t, shape)).astype(np.uint8) for t in range(count)]


def pictures(folder, frames):
    folder.mkdir()
    for t, frame in enumerate(frames):
        veloxel.Image(frame).save(folder / f"f{t:02}.png")


def planar(path, shape):
    return np.moveaxis(np.load(path).reshape(shape[-1], *shape[:-1]), 0, -1)


def test_a_stream_gives_the_bits_of_windows(session):
    # Smaller pictures of waves so long are doubted in windows, which see the frames beside what was found.
    frames = film(shape=(124, 128))
    with veloxel.PhaseEngine(session=session, features=True) as engine:
        found = {one.frame: one for one in engine.run(frames)}
    assert sorted(found) == list(range(7)), "every frame has features"
    assert [frame for frame, one in found.items() if one.flow is not None] == [2, 3, 4]
    for centre in (2, 3, 4):
        window = veloxel.flow(*frames[centre - 2 : centre + 3], session=session, method="phase")
        assert np.array_equal(window.field, found[centre].flow.array, equal_nan=True)
        assert np.array_equal(window.confidence.array, found[centre].confidence.array)
    features = veloxel.features(frames[3], session=session)
    assert np.array_equal(features[0].phase.array, found[3].features[0].phase.array, equal_nan=True)


def test_results_come_in_types_of_their_own(session):
    frames = film()
    wanted = dict(session=session, features=True, all_scales=True)
    with veloxel.PhaseEngine(**wanted) as engine:
        plain = {one.frame: one for one in engine.run(frames)}
    types = {"flow": "f16", "confidence": np.uint8, "phase": "u8"}
    with veloxel.PhaseEngine(**wanted, samples=types) as engine:
        narrow = {one.frame: one for one in engine.run(frames)}
    assert plain[3].arrays == {} and narrow[3].flow is None and not narrow[3].features
    own, exact = narrow[3].arrays, plain[3]
    assert own["flow"].dtype == np.float16 and own["flow"].shape == exact.flow.array.shape
    assert np.array_equal(own["flow"], exact.flow.array.astype(np.float16), equal_nan=True)
    assert own["confidence"].dtype == np.uint8 and own["energy"].dtype == np.float32
    assert np.abs(own["confidence"] / 255 - exact.confidence.array).max() <= 0.501 / 255
    assert np.array_equal(own["energy"], exact.features[0].energy.array)
    assert np.array_equal(own["energy_1"], exact.features[1].energy.array)
    assert np.array_equal(own["phase"] == 255, np.isnan(exact.features[0].phase.array))
    assert "flow" not in narrow[0].arrays and "energy" in narrow[0].arrays
    with pytest.raises(ValueError):
        own["energy"][0, 0] = 1

    with veloxel.PhaseEngine(session=session, method="clg", preset="fast", samples=np.float16) as engine:
        pair = list(engine.run(frames[:2]))
    both = veloxel.flow(*frames[:2], session=session, method="clg", preset="fast")
    assert np.array_equal(pair[0].arrays["flow"], both.field.astype(np.float16))
    for wrong, word in [("flow=u8", "u8"), ({"speed": "f16"}, "speed"), ("f64", "float64|f64"), (3, "3")]:
        with pytest.raises(veloxel.ParameterError, match=word):
            veloxel.PhaseEngine(session=session, samples=wrong)


def test_a_stream_of_pairs_and_of_stereo(session):
    frames = film(3)
    with veloxel.PhaseEngine(session=session, method="clg", preset="fast") as engine:
        found = list(engine.run(frames))
    for one in found:
        pair = veloxel.flow(frames[one.frame], frames[one.frame + 1], session=session, preset="fast")
        assert np.array_equal(pair.field, one.flow.array, equal_nan=True)
    with veloxel.PhaseEngine(session=session, flow=False, stereo=True) as engine:
        both = engine.push(frames[1], frames[0])
    # Streams take phases alone.
    alone = veloxel.stereo(frames[1], frames[0], session=session, stereo_smoothing="off")
    assert np.array_equal(both.disparity.array, alone.disparity.array, equal_nan=True)


def test_what_a_stream_refuses(session):
    with pytest.raises(veloxel.InputError, match="flow"):
        veloxel.PhaseEngine(session=session, method="clg", stereo=True)
    engine = veloxel.PhaseEngine(session=session)
    assert engine.push(film(1)[0]) is None
    with pytest.raises(veloxel.InputError):
        engine.push(np.zeros((10, 12)))
    engine.close()
    with pytest.raises(veloxel.InputError, match="ended"):
        engine.push(film(1)[0])
    with pytest.raises(veloxel.InputError, match="frames"):
        list(veloxel.PhaseEngine(session=session).run(film(3)))


@pytest.mark.parametrize("replenish", [False, True])
def test_points_are_those_of_the_command(tmp_path, command, session, replenish):
    frames = film(4)
    pictures(tmp_path / "film", frames)
    command(tmp_path, "track-points", "film", "-o", "tracks.npy", "--corners", "20", *(["--replenish"] if replenish else []))
    found = veloxel.track_points(frames, corners=20, replenish=replenish, session=session)
    assert found.frames == 4 and found.status[0] == "begins"
    assert np.array_equal(np.load(tmp_path / "tracks.npy"), found.positions, equal_nan=True)
    is_found = np.array(found.status) == "found"
    assert np.array_equal(np.isfinite(found.expected_error), is_found) and found.expected_error[is_found].min() > 0
    assert np.array_equal(np.isfinite(found.expected_drift), is_found)
    with pytest.raises(veloxel.InputError):
        veloxel.track_points(frames[:1], session=session)
    with pytest.raises(veloxel.InputError, match="window"):
        veloxel.track_points(frames, window=20, session=session)


@pytest.mark.parametrize("methods", [None, ["clg:fast"]])
def test_hearts_are_those_of_the_command(tmp_path, command, session, methods):
    parts = veloxel.phantom("cine", (40, 40), noise=0)
    frames = parts["cine"]
    chosen = [] if methods is None else ["--method", methods[0]]
    folder = tmp_path / "cine"
    folder.mkdir()
    for t, frame in enumerate(frames):
        frame.save(folder / f"frame_{t:02}.nii.gz")
    lines = ["structure,frame,slice,x,y"]
    for outline in parts["contours"]:
        if outline.frame == 0:
            lines += [f"{outline.structure},0,{outline.slice},{x!r},{y!r}" for x, y in outline.points.tolist()]
    (tmp_path / "outlines.csv").write_text("\n".join(lines) + "\n")
    command(tmp_path, "track", "cine", "--contours", "outlines.csv", "-o", "out", "--field-format", "npy", *chosen)
    beat = veloxel.track(frames, tmp_path / "outlines.csv", methods=methods, session=session)
    assert beat.tables["function.csv"] == (tmp_path / "out" / "function.csv").read_text()
    assert beat.tables["strain.csv"] == (tmp_path / "out" / "strain.csv").read_text()
    for frame in (1, 7):
        written = planar(tmp_path / "out" / f"field_000_{frame:03}.npy", beat.fields[frame].shape)
        assert np.array_equal(written, beat.fields[frame].array, equal_nan=True)
    outlines = [outline for outline in parts["contours"] if outline.frame == 0]
    again = veloxel.track(frames, outlines, methods=methods, session=session)
    assert len(again.contours) == len(beat.contours) and len(again.labels) == len(frames)


def test_expected_errors_of_outlines_are_those_of_the_command(tmp_path, command, session):
    parts = veloxel.phantom("cine", (32, 32), noise=0)
    beat = veloxel.track(parts["cine"][:4], [own for own in parts["contours"] if own.frame == 0], methods=["clg:fast"], session=session)
    errors = beat.expected_errors
    assert list(errors) == ["structure", "frame", "slice", "moved_mm", "expected_mm", "nine_of_ten_mm"]
    assert set(errors["structure"]) == {"endo", "epi", "rv"} and sorted(set(errors["frame"])) == [1, 2, 3]
    assert np.all(errors["expected_mm"] < errors["nine_of_ten_mm"]) and beat.measures["expected_errors"][0]["count"] == 3
    folder = tmp_path / "cine"
    folder.mkdir()
    for t, frame in enumerate(parts["cine"][:4]):
        frame.save(folder / f"frame_{t:02}.nii.gz")
    lines = [f"{own.structure},0,0,{x!r},{y!r}" for own in parts["contours"] if own.frame == 0 for x, y in own.points.tolist()]
    (tmp_path / "outlines.csv").write_text("\n".join(["structure,frame,slice,x,y", *lines]) + "\n")
    command(tmp_path, "track", "cine", "--contours", "outlines.csv", "-o", "out", "--method", "clg:fast")
    assert beat.tables["expected_errors.csv"] == (tmp_path / "out" / "expected_errors.csv").read_text()
    other = veloxel.track(parts["cine"][:2], [own for own in parts["contours"] if own.frame == 0], methods=["block-matching"], session=session)
    assert other.expected_errors is None


def test_what_a_heart_needs(session):
    parts = veloxel.phantom("cine", (32, 32), noise=0)
    with pytest.raises(veloxel.InputError, match="outlines"):
        veloxel.track(parts["cine"], [], session=session)
    with pytest.raises(veloxel.InputError, match="estimate is one of"):
        veloxel.track(parts["cine"], parts["contours"], estimate="best", session=session)
    with pytest.raises(veloxel.InputError, match="twice|two outlines"):
        veloxel.track(parts["cine"], parts["contours"] * 2, session=session)


def test_filters_are_those_of_the_command(tmp_path, command, session):
    image = veloxel.Image(waves(0.0, (12, 20, 24)), spacing_zyx=(2, 1, 1))
    image.save(tmp_path / "in.nii.gz")
    for name, options, keywords in [
        ("gaussian", ["--sigma", "1,1.5,0.7"], {"sigma_zyx": (0.7, 1.5, 1)}),
        ("resample", ["--size", "12,10,7"], {"size_zyx": (7, 10, 12)}),
        ("convolution", ["--taps", "0.25,0.5,0.25"], {"taps": (0.25, 0.5, 0.25)}),
    ]:
        command(tmp_path, "filter", name, "in.nii.gz", "-o", f"{name}.nii.gz", *options)
        found = veloxel.filter(image, name, session=session, **keywords)
        written = veloxel.read(tmp_path / f"{name}.nii.gz")
        assert np.array_equal(written.array, found.array) and written.spacing_zyx == pytest.approx(found.spacing_zyx)
    with pytest.raises(veloxel.ParameterError):
        veloxel.filter(image, "gaussian", session=session)
    with pytest.raises(veloxel.ParameterError, match="sigma_zyx"):
        veloxel.filter(image, "gaussian", sigma=1, sigma_zyx=(1, 1, 1), session=session)


def test_every_phantom_can_be_made():
    for name in veloxel.phantoms():
        size = (32, 32) if name == "edge-to-line" else (8, 16, 16)
        assert veloxel.phantom(name, size), name
    with pytest.raises((veloxel.ParameterError, veloxel.InputError)):
        veloxel.phantom("nothing", (8, 8))


def test_comparisons_measure_every_method(tmp_path, session):
    parts = veloxel.phantom("shift", (40, 48))
    found = veloxel.compare(parts["fixed"], parts["moving"], truth=parts["truth"], session=session)
    assert {run["method"] for run in found.report["runs"]} >= {"clg", "lucas-kanade", "block-matching"}
    for name, result in found.results.items():
        method, _, preset = name.partition(":")
        if method != "phase":
            alone = veloxel.flow(parts["fixed"], parts["moving"], method=method, preset=preset, session=session)
            assert np.array_equal(alone.field, result.field, equal_nan=True), name
    found.save(tmp_path / "page.html")
    assert "<html" in (tmp_path / "page.html").read_text()
