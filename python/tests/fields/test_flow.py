"""Flows in Python are those of the command, with everything that belongs to them."""

import json

import numpy as np
import pytest

import veloxel
from conftest import waves


def written_by_the_command(path, found):
    """A field of the command, whose components are its first axis, as Python has it."""
    shape = found.field.shape
    return np.moveaxis(np.load(path).reshape(shape[-1], *shape[:-1]), 0, -1)


def test_a_field_has_an_axis_of_components_last(pair, session):
    found = veloxel.flow(*pair, session=session)
    assert found.field.shape == (48, 64, 2) and found.field.dtype == np.float32
    assert abs(found.field[24, 32, 0] - 0.5) < 0.05 and abs(found.field[24, 32, 1]) < 0.05
    assert found.confidence.array.shape == (48, 64)
    assert not found.field.flags.writeable and found.field.base is not None, "a view of the result"
    assert found.report["parameters"]["alpha"] > 0 and found.report["device"]["name"].startswith("cpu")


def test_volumes_have_three_components(volumes, session):
    found = veloxel.flow(*volumes, session=session, preset="fast", warped=float("nan"))
    assert found.field.shape == (16, 20, 24, 3)
    assert found.warped.shape == (16, 20, 24)
    inside = (slice(4, -4),) * 3
    assert np.abs(found.warped.array - volumes[0])[inside].mean() < 0.1 * np.abs(volumes[1] - volumes[0])[inside].mean()


@pytest.mark.parametrize("method", ["clg", "lucas-kanade", "block-matching", "fe", "symmetric"])
@pytest.mark.parametrize("axes", [2, 3])
def test_every_method_gives_the_bits_of_the_command(tmp_path, command, session, method, axes):
    shape = (40, 56) if axes == 2 else (16, 20, 24)
    fixed, moving = (veloxel.Image(waves(shift, shape), spacing_zyx=(1.5, 1.0, 1.0)[-axes:]) for shift in (0.0, 0.7))
    fixed.save(tmp_path / "fixed.nii.gz")
    moving.save(tmp_path / "moving.nii.gz")
    has_errors = method != "fe" and (method, axes) != ("symmetric", 2)
    maps = ["--expected-error", "errors.npy", "--covariance", "covariance.npy", "--probability", "probability.npy", "--within", "1"]
    errors = maps if has_errors else []
    command(
        tmp_path, "flow", "fixed.nii.gz", "moving.nii.gz", "-o", "field.npy", "--confidence", "confidence.npy", "--method", method, *errors
    )
    found = veloxel.flow(fixed, moving, session=session, method=method)
    assert np.array_equal(written_by_the_command(tmp_path / "field.npy", found), found.field, equal_nan=True)
    confidence = np.load(tmp_path / "confidence.npy")
    assert np.array_equal(confidence.reshape(found.confidence.shape), found.confidence.array)
    assert (found.expected_error is not None) == has_errors
    if has_errors:
        expected = found.expected_error.array
        assert np.array_equal(np.load(tmp_path / "errors.npy").reshape(expected.shape), expected)
        probability = found.probability(1.0).array
        assert np.array_equal(np.load(tmp_path / "probability.npy").reshape(probability.shape), probability)
        rows, columns = np.triu_indices(axes)
        entries = np.moveaxis(found.covariance[..., rows, columns], -1, 0)
        assert np.array_equal(np.load(tmp_path / "covariance.npy").reshape(entries.shape), entries)
        assert (np.linalg.eigvalsh(found.covariance) > 0).all() and np.array_equal(found.covariance, np.swapaxes(found.covariance, -1, -2))
        order = np.argsort(found.confidence.array, axis=None)
        assert (np.diff(expected.ravel()[order]) <= 1e-6).all() and expected.min() >= 0, "errors rise as confidences fall"


def test_what_is_said_of_errors_is_measured_as_by_the_command(tmp_path, command, session):
    parts = veloxel.phantom("shift", (24, 28, 32), noise=0.05)
    for name in ("fixed", "moving"):
        parts[name].save(tmp_path / f"{name}.nii.gz")
    parts["truth"].save(tmp_path / "truth.nii.gz")
    maps = {name: f"{name}.npy" for name in ("confidence", "expected-error", "probability", "covariance")}
    options = [word for name, path in maps.items() for word in (f"--{name}", path)]
    command(tmp_path, "flow", "fixed.nii.gz", "moving.nii.gz", "-o", "field.nii.gz", "--preset", "fast", *options)
    evaluation = command.without_device(tmp_path, "evaluate", "flow", "field.nii.gz", "truth.nii.gz", "--json", *options)
    measured = json.loads(evaluation)["certainty"]
    found = veloxel.flow(tmp_path / "fixed.nii.gz", tmp_path / "moving.nii.gz", session=session, preset="fast")
    own = veloxel.evaluate.flow(
        found, parts["truth"], confidence=found.confidence, expected_error=found.expected_error, probability=found.probability(),
        covariance=found.covariance,
    )["certainty"]
    assert own == measured
    assert [ellipse["share"] for ellipse in own["ellipses"]] == [0.5, 0.9, 0.95]
    assert 0.7 < own["ellipses"][1]["covered"] <= 1 and own["ellipses"][1]["radius_over_error"] < 4
    assert own["probability"]["within_vox"] == 0.5 and 0 <= own["probability"]["expected_calibration_error"] < 0.5
    assert own["sparsification"]["ause"] < own["sparsification"]["ause_uninformed"]
    assert veloxel.evaluate.flow(found, parts["truth"])["certainty"] == {}
    with pytest.raises(veloxel.InputError, match="covariances"):
        veloxel.evaluate.flow(found, parts["truth"], covariance=np.ones((3, 3)))
    with pytest.raises(veloxel.InputError, match="within"):
        found.probability(0.01)


def test_settings_masks_and_starts_give_the_bits_of_the_command(tmp_path, command, session):
    fixed, moving = waves(0.0, (16, 20, 24)), waves(2.5, (16, 20, 24))
    mask = np.zeros(fixed.shape, dtype=np.uint8)
    mask[2:-2, 2:-2, 2:-2] = 1
    for name, image in {"fixed": fixed, "moving": moving, "mask": mask.astype(np.float32)}.items():
        veloxel.Image(image).save(tmp_path / f"{name}.nii.gz")
    command(
        tmp_path, "flow", "fixed.nii.gz", "moving.nii.gz", "-o", "field.npy", "--preset", "fast", "--set", "alpha=0.1", "--mask",
        "mask.nii.gz", "--init", "affine", "--inverse-consistency", "--refine",
    )
    found = veloxel.flow(
        fixed, moving, session=session, preset="fast", alpha=0.1, mask=mask, init="affine", inverse_consistency=True, refine=True
    )
    assert np.array_equal(written_by_the_command(tmp_path / "field.npy", found), found.field, equal_nan=True)


def test_windows_of_frames(tmp_path, command, session):
    frames = [(128 + 40 * waves(0.6 * t, (64, 80))).astype(np.uint8) for t in range(5)]
    for t, frame in enumerate(frames):
        veloxel.Image(frame).save(tmp_path / f"f{t}.png")
    command(tmp_path, "flow", *(f"f{t}.png" for t in range(5)), "-o", "flow.npy", "--method", "phase")
    found = veloxel.flow(*frames, session=session, method="phase")
    assert np.array_equal(written_by_the_command(tmp_path / "flow.npy", found), found.field, equal_nan=True)


def test_sequences(tmp_path, command, session):
    film = np.stack([waves(0.4 * t, (40, 48)) for t in range(4)])
    for t, frame in enumerate(film):
        veloxel.Image(frame).save(tmp_path / f"frame_{t}.nii.gz")
    command(tmp_path, "flow", ".", "-o", "fields", "--sequence", "both", "--field-format", "npy")
    found = veloxel.sequence(film, mode="both", session=session)
    assert [own.name for own in found][:3] == ["consecutive_000_001", "consecutive_001_002", "consecutive_002_003"]
    assert [(own.fixed_frame, own.moving_frame) for own in found][:2] == [(0, 1), (1, 2)]
    for own in found:
        written = written_by_the_command(tmp_path / "fields" / f"{own.name}.npy", own)
        assert np.array_equal(written, own.field, equal_nan=True), own.name


def test_a_field_is_a_start(pair, session):
    first = veloxel.flow(*pair, session=session, preset="fast")
    second = veloxel.flow(*pair, session=session, preset="fast", init=first.flow)
    assert abs(second.field[24, 32, 0] - 0.5) < 0.05


def test_parameters_are_told_and_checked(pair, session):
    assert veloxel.parameters("clg", alpha=0.25)["alpha"] == 0.25
    with pytest.raises(veloxel.ParameterError, match="alhpa"):
        veloxel.flow(*pair, session=session, alhpa=1)
    with pytest.raises(veloxel.ParameterError) as raised:
        veloxel.flow(*pair, session=session, preset="quick")
    assert raised.value.kind == "parameter"
    with pytest.raises(veloxel.ParameterError, match="no value of a parameter"):
        veloxel.flow(*pair, session=session, alpha=pair[0])


def test_what_a_method_does_not_use_is_refused(pair, session):
    with pytest.raises(veloxel.ParameterError, match="volume"):
        veloxel.flow(*pair, session=session, method="lucas-kanade", volume_mask=np.ones_like(pair[0]))
    with pytest.raises(veloxel.InputError, match="two images"):
        veloxel.flow(*pair, pair[0], session=session)


def test_reports_are_plain(pair, session):
    json.dumps(veloxel.flow(*pair, session=session).report)


def test_fields_from_matches_have_the_errors_of_such_fields(pair, session, tmp_path):
    alone = veloxel.flow(*pair, preset="fast", session=session)
    found = veloxel.flow(*pair, preset="fast", init="matches", session=session)
    of = {}
    for method in ("clg", "clg+matches"):
        own = veloxel._veloxel.expected_error(method, "fast", found.confidence._own)
        of[method] = veloxel.Image._of(own).array
    assert np.array_equal(found.expected_error.array, of["clg+matches"]) and not np.array_equal(of["clg"], of["clg+matches"])
    own = veloxel._veloxel.expected_error("clg", "fast", alone.confidence._own)
    assert np.array_equal(alone.expected_error.array, veloxel.Image._of(own).array)
