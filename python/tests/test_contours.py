"""Outlines from files, labels and clicks; their distances and those of parts: the numbers of the command."""

import json

import numpy as np
import pytest

import veloxel

CLICKS = [("endo", 0, 0, [[20, 12], [12, 20], [4, 12], [12, 4]]), ("epi", 0, 0, [[24, 12], [20, 20], [12, 24], [1, 12], [12, 1]])]


@pytest.fixture(scope="module")
def heart():
    return veloxel.phantom("cine", (32, 32), noise=0)


def test_clicks_become_the_outlines_of_the_command(tmp_path, command, heart):
    veloxel.write_contours(tmp_path / "clicks.json", CLICKS, cine=heart["cine"])
    command.without_device(tmp_path, "contours", "fit", "clicks.json", "-o", "command.json")
    spacing = heart["cine"][0].spacing_zyx
    for found in (
        veloxel.fit_contours(CLICKS, cine=heart["cine"]),
        veloxel.fit_contours(CLICKS, spacing_zyx=spacing),
        veloxel.fit_contours(tmp_path / "clicks.json"),
    ):
        veloxel.write_contours(tmp_path / "python.json", found, cine=heart["cine"])
        assert (tmp_path / "python.json").read_bytes() == (tmp_path / "command.json").read_bytes()
    with pytest.raises(veloxel.InputError, match="spacing"):
        veloxel.fit_contours(CLICKS)
    with pytest.raises(veloxel.ParameterError, match="elements"):
        veloxel.fit_contours(CLICKS, spacing_zyx=spacing, elements=2)


def test_distances_of_outlines_are_those_of_the_command(tmp_path, command, heart):
    moved = [(own.structure, own.frame, own.slice, own.points + 0.5) for own in heart["contours"]]
    veloxel.write_contours(tmp_path / "truth.json", heart["contours"], cine=heart["cine"])
    veloxel.write_contours(tmp_path / "moved.json", moved, cine=heart["cine"])
    told = json.loads(command.without_device(tmp_path, "evaluate", "contours", "moved.json", "truth.json", "--json"))
    assert veloxel.evaluate.contours(tmp_path / "moved.json", tmp_path / "truth.json") == told
    here = veloxel.evaluate.contours(moved, heart["contours"], cine=heart["cine"])
    assert here["structures"][0]["mean_mm"] == pytest.approx(told["structures"][0]["mean_mm"], rel=1e-6)
    with pytest.raises(veloxel.InputError, match="spacing"):
        veloxel.evaluate.contours(moved, heart["contours"])
    with pytest.raises(veloxel.InputError, match="read_contours"):
        veloxel.evaluate.contours(tmp_path / "moved.json", heart["contours"], cine=heart["cine"])


def test_labels_in_memory_are_followed_as_those_of_files(tmp_path, heart):
    y, x = np.mgrid[:32, :32]
    distance = np.hypot(x - 15.5, y - 15.5)
    labels = np.where(distance < 6, 3, np.where(distance < 10, 2, 0)).astype(np.int16)
    veloxel.write(tmp_path / "labels.nii.gz", labels)
    options = {"start_frames": [0], "device": "cpu", "methods": ["clg:fast"]}
    expected = veloxel.track(heart["cine"], tmp_path / "labels.nii.gz", **options)
    for given in (labels, veloxel.Image(labels), {0: labels}, veloxel.label_outlines(labels)):
        found = veloxel.track(heart["cine"], given, **options)
        assert found.tables == expected.tables
    other = veloxel.track(heart["cine"], np.where(labels == 3, 7, labels), labels={"muscle": 2, "lv": 7}, **options)
    assert other.tables == expected.tables
    with pytest.raises(veloxel.InputError, match="whole numbers from 0 to 65535"):
        veloxel.track(heart["cine"], labels - 1, **options)
    with pytest.raises(veloxel.InputError, match="no outlines"):
        veloxel.track(heart["cine"], np.zeros((32, 32), dtype=int), **options)


def test_parts_against_truths_are_those_of_the_command(tmp_path, command):
    points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    triangles = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]
    text = "OFF\n4 4 0\n" + "".join(f"{x} {y} {z}\n" for x, y, z in points) + "".join(f"3 {a} {b} {c}\n" for a, b, c in triangles)
    (tmp_path / "mesh.off").write_text(text, encoding="utf-8")
    parts = {"result": [0, 0, 1, 1], "first": [0, 0, 0, 1], "second": [1, 1, 0, 0]}
    for name, own in parts.items():
        (tmp_path / f"{name}.seg").write_text("".join(f"{part}\n" for part in own), encoding="utf-8")
    line = ("evaluate", "segmentation", "result.seg", "first.seg", "second.seg", "--mesh", "mesh.off", "--json")
    told = json.loads(command.without_device(tmp_path, *line))
    truths = {f"{name}.seg": np.array(parts[name]) for name in ("first", "second")}
    assert veloxel.evaluate.segmentation(np.array(parts["result"]), truths, mesh=points, triangles=triangles) == told
    files = veloxel.evaluate.segmentation(tmp_path / "result.seg", [tmp_path / "first.seg", tmp_path / "second.seg"])
    assert files["mean"]["rand"] == told["mean"]["rand"]
    one = veloxel.evaluate.segmentation(parts["result"], parts["second"])
    assert one["mean"]["rand"] == 0.0 and one["truths"][0]["truth"] == "truth 1"
    with pytest.raises(veloxel.InputError):
        veloxel.evaluate.segmentation([0, 1], [0, 1, 1])
    with pytest.raises(veloxel.InputError, match="whole number"):
        veloxel.evaluate.segmentation([0.5, 1], [0, 1])
