"""Stereo with cameras: the bits of the command, in metres."""

import json

import numpy as np
import pytest

import veloxel
from test_others import textured

MATRIX = [[90.0, 0.0, 47.5], [0.0, 92.0, 31.5], [0.0, 0.0, 1.0]]
LENS = [-0.05, 0.01, 0.001, -0.001, 0.0]
TURN = [[0.9998, 0.0, 0.019998667], [0.0, 1.0, 0.0], [-0.019998667, 0.0, 0.9998]]


@pytest.fixture
def pictures(tmp_path):
    left, right = (textured(shift).astype(np.uint8) for shift in (0, 3))
    veloxel.Image(left).save(tmp_path / "left.png")
    veloxel.Image(right).save(tmp_path / "right.png")
    return left, right


def opencv(path):
    def matrix(rows):
        return {"rows": len(rows), "cols": len(rows[0]), "dt": "d", "data": [own for row in rows for own in row]}

    content = {"M1": matrix(MATRIX), "D1": matrix([LENS]), "M2": matrix(MATRIX), "D2": matrix([LENS]), "R": matrix(TURN)}
    path.write_text(json.dumps({**content, "T": matrix([[-0.12], [0.001], [0.002]])}), encoding="utf-8")


def test_calibrated_pairs_have_the_bits_of_the_command(tmp_path, command, session, pictures):
    opencv(tmp_path / "rig.json")
    command(
        tmp_path, "stereo", "left.png", "right.png", "--calibration", "rig.json", "-o", "disparity.npy", "--depth", "depth.npy",
        "--rectified-left", "rectified.npy", "--cloud", "command.ply", "--report", "report.json",
    )
    cameras = veloxel.Cameras(MATRIX, MATRIX, TURN, [-0.12, 0.001, 0.002], left_lens=LENS, right_lens=LENS)
    read = veloxel.Cameras.read(tmp_path / "rig.json")
    assert read.baseline == pytest.approx(cameras.baseline)
    for known in (cameras, read, tmp_path / "rig.json", [str(tmp_path / "rig.json")]):
        found = veloxel.stereo(*pictures, cameras=known, session=session)
        for name, image in (("disparity", found.disparity), ("depth", found.depth), ("rectified", found.left)):
            assert np.array_equal(np.load(tmp_path / f"{name}.npy").reshape(image.shape), image.array, equal_nan=True), name
    report = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    for name in ("focal_px", "baseline_m", "world_from_disparity", "projections", "rotations"):
        assert found.report["cameras"][name] == report["cameras"][name], name
    found.save_cloud(tmp_path / "python.ply")
    assert (tmp_path / "python.ply").read_bytes() == (tmp_path / "command.ply").read_bytes()
    cloud = found.cloud(colours=np.zeros((*found.disparity.shape, 3), dtype=np.uint8))
    assert len(cloud.points) == len(cloud.confidence) > 100 and not cloud.colours.any()
    other = veloxel.Cameras.read(tmp_path / "rig.json", baseline=1.2)
    assert np.allclose(veloxel.stereo(*pictures, cameras=other, session=session).depth.array, 10 * found.depth.array * (
        0.12 / cameras.baseline), rtol=1e-4, equal_nan=True)


def test_rectified_pairs_have_the_depths_of_the_command(tmp_path, command, session, pictures):
    command(tmp_path, "stereo", "left.png", "right.png", "--focal", "90", "--baseline", "0.12", "-o", "d.npy", "--depth", "depth.npy", "--expected-error", "e.npy")
    found = veloxel.stereo(*pictures, cameras=veloxel.Cameras.rectified(focal=90, baseline=0.12), session=session)
    assert np.array_equal(np.load(tmp_path / "depth.npy").reshape(found.depth.shape), found.depth.array, equal_nan=True)
    expected = found.expected_error.array
    assert np.array_equal(np.load(tmp_path / "e.npy").reshape(expected.shape), expected, equal_nan=True)
    assert np.array_equal(np.isfinite(expected), np.isfinite(found.disparity.array))
    assert veloxel.stereo(*pictures, session=session).depth is None


def test_what_is_no_camera_is_told(session, pictures):
    skewed = [[90.0, 1.0, 47.5], [0.0, 92.0, 31.5], [0.0, 0.0, 1.0]]
    stretched = np.diag([1.0, 2.0, 1.0])
    wrong = [
        (lambda: veloxel.Cameras(MATRIX[:2], MATRIX, TURN, [1, 0, 0]), "shape"),
        (lambda: veloxel.Cameras(MATRIX, MATRIX, TURN, [1, 0]), "three numbers"),
        (lambda: veloxel.Cameras(skewed, MATRIX, TURN, [-0.1, 0, 0]), "matrix is"),
        (lambda: veloxel.Cameras(MATRIX, MATRIX, stretched, [-0.1, 0, 0]), "rotation"),
        (lambda: veloxel.Cameras(MATRIX, MATRIX, TURN, [0, 0, 0]), "translation"),
        (lambda: veloxel.Cameras(MATRIX, MATRIX, np.eye(3), [0.1, 0, 0]), "left of the first"),
        (lambda: veloxel.Cameras(MATRIX, MATRIX, TURN, [-0.1, 0, 0], left_lens=[1, 2]), "coefficients"),
        (lambda: veloxel.Cameras(MATRIX, MATRIX, TURN, [-0.1, 0, 0], lens="thick"), "lens"),
        (lambda: veloxel.Cameras.rectified(focal=-1, baseline=0.1), "focal"),
        (lambda: 7, "cameras are"),
    ]
    for cameras, text in wrong:
        with pytest.raises(veloxel.InputError, match=text):
            veloxel.stereo(*pictures, cameras=cameras(), session=session)
    with pytest.raises(veloxel.InputError, match="cameras="):
        veloxel.stereo(*pictures, session=session).cloud()
