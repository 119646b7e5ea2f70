"""Flows from files to files, in memory and in parts."""

import numpy as np
import pytest
from conftest import waves

import veloxel


def test_a_file_gets_what_arrays_give(tmp_path, volumes):
    paths = [tmp_path / f"{nth}.mha" for nth in range(2)]
    for path, volume in zip(paths, volumes, strict=True):
        veloxel.write(path, veloxel.Image(volume))
    out, confidence = tmp_path / "field.mha", tmp_path / "confidence.mha"
    report = veloxel.flow_files(*paths, out, confidence=confidence, device="cpu", preset="fast", init="affine")
    found = veloxel.flow(*paths, device="cpu", preset="fast", init="affine")
    assert np.allclose(veloxel.read_field(out).array, found.field, atol=1e-5)
    assert np.array_equal(veloxel.read(confidence).array, found.confidence.array)
    assert report["method"] == "clg" and report["pairs"][0]["motion"]["mean_vox"] > 0


def in_parts(paths, out):
    """The report of a run in parts, and its budget: the smallest that does is too small for images and field in memory."""
    for mebibytes in range(80, 120, 2):
        with veloxel.Session("cpu", threads=2, max_memory=mebibytes << 20) as session:
            try:
                return veloxel.flow_files(*paths, out, session=session, preset="fast", warps=1), mebibytes << 20
            except veloxel.OutOfMemoryError:
                continue
    raise AssertionError("some budget should do")


def test_volumes_larger_than_the_budget_are_read_in_parts(tmp_path):
    paths = [tmp_path / f"{nth}.nii" for nth in range(2)]
    for path, shift in zip(paths, (0.0, 0.6), strict=True):
        veloxel.write(path, veloxel.Image(waves(shift, (72, 80, 192))))
    out = tmp_path / "field.ome.zarr"
    report, budget = in_parts(paths, out)
    assert report["pairs"][0]["statistics"]["tiles"]["run"] > 1
    with veloxel.Session("cpu", threads=2, max_memory=budget) as session:
        with pytest.raises(veloxel.ParameterError, match="begin from matches"):
            veloxel.flow_files(*paths, out, session=session, preset="fast", init="matches")
    found = veloxel.flow_files(*paths, tmp_path / "whole.ome.zarr", device="cpu", preset="fast", warps=1)
    assert "tiles" not in found["pairs"][0]["statistics"]
    own, whole = (veloxel.read_field(tmp_path / name).array for name in ("field.ome.zarr", "whole.ome.zarr"))
    assert np.abs(own - whole).mean() < 0.01
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_frames_that_do_not_fit_are_taken_pair_by_pair(tmp_path):
    paths = [tmp_path / f"{t}.nii" for t in range(3)]
    for path, shift in zip(paths, (0.0, 0.6, 1.0), strict=True):
        veloxel.write(path, veloxel.Image(waves(shift, (72, 80, 192))))
    _, budget = in_parts(paths[:2], tmp_path / "field.ome.zarr")
    out, options = tmp_path / "fields", {"preset": "fast", "warps": 1, "field_format": "ome.zarr"}
    with veloxel.Session("cpu", threads=2, max_memory=budget) as session:
        report = veloxel.sequence_files(paths, out, session=session, confidence=tmp_path / "certain", **options)
        with pytest.raises(veloxel.ParameterError, match="once around the cycle"):
            veloxel.sequence_files(paths, out, session=session, mode="both", **options)
    assert [pair["frames"] for pair in report["pairs"]] == [[0, 1], [1, 2]]
    assert all(pair["statistics"]["tiles"]["run"] > 1 for pair in report["pairs"])
    own, pair = (veloxel.read_field(tmp_path / name).array for name in ("fields/consecutive_000_001.ome.zarr", "field.ome.zarr"))
    assert np.array_equal(own, pair)
    assert veloxel.read(tmp_path / "certain" / "confidence_consecutive_001_002.ome.zarr").array.shape == (72, 80, 192)
    with pytest.raises(veloxel.ParameterError, match="field_format"):
        veloxel.sequence_files(paths, out, field_format="jpg")
