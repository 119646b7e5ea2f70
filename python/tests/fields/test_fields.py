"""Fields carry images, labels and points, and are written and read."""

from pathlib import Path

import numpy as np
import pytest

import veloxel


def shift(shape, along_x):
    field = np.zeros((*shape, len(shape)), dtype=np.float32)
    field[..., 0] = along_x
    return field


def test_images_labels_and_points_move_alike():
    field = veloxel.Field(shift((8, 10), 2.0))
    image = np.arange(80, dtype=np.float32).reshape(8, 10)
    warped = field.warp(image, outside=-1.0).array
    assert np.array_equal(warped[:, :8], image[:, 2:]) and (warped[:, 8:] == -1).all()
    labels = (image // 20).astype(np.int64)
    assert np.array_equal(field.warp_labels(labels)[:, :8], labels[:, 2:])
    assert field.points([[1.0, 2.0], [9.5, 2.0]])[0].tolist() == [3.0, 2.0]
    assert np.isnan(field.points([[50.0, 2.0]])).all()


def test_points_of_volumes_are_millimetres():
    field = veloxel.Field(shift((5, 6, 7), 1.0), spacing_xyz=(2.0, 1.0, 1.0), origin_xyz=(10.0, 0.0, 0.0))
    assert field.points([[12.0, 3.0, 2.0]]).tolist() == [[14.0, 3.0, 2.0]]
    assert np.allclose(field.array_mm[2, 3, 3], (2.0, 0.0, 0.0))


def test_the_jacobian_and_strain_of_a_stretch():
    z, y, x = np.mgrid[:6, :7, :8].astype(np.float32)
    field = veloxel.Field(np.stack([0.1 * x, 0 * y, 0 * z], axis=-1))
    assert np.allclose(field.jacobian.array, 1.1, atol=1e-5)
    strain = field.strain
    assert np.allclose(strain["strain_xx"].array, 0.5 * (1.1**2 - 1), atol=1e-5) and "principal_1" in strain


@pytest.mark.parametrize("name", ["field.nii.gz", "field.mha", "field.nrrd", "field.npy"])
def test_fields_come_back_from_files(tmp_path, name):
    rng = np.random.default_rng(2)
    field = veloxel.Field(rng.normal(size=(4, 5, 6, 3)).astype(np.float32), spacing_zyx=(1.0, 1.0, 1.0))
    field.save(tmp_path / name)
    assert np.allclose(veloxel.Field(tmp_path / name).array, field.array, atol=1e-5)


def test_simpleitk_reads_what_we_hand_over(tmp_path):
    sitk = pytest.importorskip("SimpleITK")
    field = veloxel.Field(shift((4, 5, 6), 1.5), spacing_zyx=(3.0, 2.0, 1.0), direction=[[0, 1, 0], [1, 0, 0], [0, 0, 1]])
    field.save(tmp_path / "field.nii.gz")
    read, given = sitk.ReadImage(str(tmp_path / "field.nii.gz")), field.to_sitk()
    assert np.allclose(sitk.GetArrayFromImage(read), sitk.GetArrayFromImage(given), atol=1e-5)
    assert np.allclose(read.GetDirection(), given.GetDirection()) and np.allclose(read.GetSpacing(), given.GetSpacing())


def test_wrong_shapes_are_refused():
    with pytest.raises(veloxel.InputError, match="shape"):
        veloxel.Field(np.zeros((4, 5, 3)))
    with pytest.raises(veloxel.InputError, match="columns"):
        veloxel.Field(shift((4, 5), 1)).points([[1, 2, 3]])
    with pytest.raises(veloxel.InputError, match="interpolation"):
        veloxel.Field(shift((4, 5), 1)).warp(np.zeros((4, 5)), interpolation="best")


def test_evaluation():
    measured = veloxel.evaluate.flow(shift((6, 6), 0.0), shift((6, 6), 2.0))
    assert measured["end_point_vox"]["mean"] == pytest.approx(2.0) and measured["density"] == 1.0
    labels = np.zeros((6, 6), dtype=int)
    labels[2:4] = 1
    assert veloxel.evaluate.labels(labels, labels)


def test_labels_of_images_and_files_are_warped_where_they_lie(tmp_path: Path) -> None:
    field = veloxel.Field(np.full((4, 6, 8, 3), [2.0, 0.0, 0.0]), spacing_zyx=(2.0, 1.5, 1.5))
    labels = (np.arange(4 * 6 * 8) % 5).reshape(4, 6, 8).astype(np.int32)
    image = veloxel.Image(labels, spacing_zyx=(2.0, 1.5, 1.5))
    expected = field.warp_labels(image.to_sitk())
    assert expected.any()
    image.save(tmp_path / "labels.nii.gz")
    for same in (image, image.to_nibabel(), tmp_path / "labels.nii.gz", str(tmp_path / "labels.nii.gz")):
        assert np.array_equal(field.warp_labels(same), expected)
    with pytest.raises(veloxel.InputError, match="whole numbers, the label image holds 0.5"):
        field.warp_labels(np.full((4, 6, 8), 0.5))
    with pytest.raises(veloxel.InputError, match="holds nan"):
        field.warp_labels(np.full((4, 6, 8), np.nan))
