"""Fields applied to files, in memory and in parts."""

import numpy as np
import pytest

import veloxel


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("warp")
    z, y, x = np.mgrid[:136, :130, :150].astype(np.float32)
    field = np.stack([3 * np.sin(0.05 * y), 2.5 * np.cos(0.1 * x), -4 * np.sin(0.04 * z) - 0.3], axis=-1)
    veloxel.write(folder / "field.ome.zarr", veloxel.Field(field))
    veloxel.write(folder / "image.nii", 100 + 40 * np.sin(0.3 * x + 0.2 * z) + 20 * np.cos(0.2 * y))
    veloxel.write(folder / "labels.mha", ((x // 9 + y // 7 + z // 11) % 5).astype(np.int32))
    return folder


def test_what_does_not_fit_has_the_samples_of_what_does(files, tmp_path):
    field = files / "field.ome.zarr"
    with veloxel.Session("cpu", threads=2, max_memory=100 << 20) as session:
        veloxel.warp_files(field, files / "image.nii", tmp_path / "parts.ome.zarr", interpolation="cubic", session=session)
        veloxel.warp_labels_files(field, files / "labels.mha", tmp_path / "labels.ome.zarr", session=session)
        with pytest.raises(veloxel.ParameterError, match="does not smooth"):
            veloxel.warp_files(field, files / "image.nii", tmp_path / "no.ome.zarr", smooth=True, session=session)
        with pytest.raises(veloxel.OutOfMemoryError, match="named .ome.zarr"):
            veloxel.warp_files(field, files / "image.nii", tmp_path / "no.mha", session=session)
    own = veloxel.read_field(field)
    assert np.array_equal(veloxel.read(tmp_path / "parts.ome.zarr").array, own.warp(files / "image.nii", interpolation="cubic").array)
    assert np.array_equal(veloxel.read_labels(tmp_path / "labels.ome.zarr"), own.warp_labels(files / "labels.mha"))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["labels.ome.zarr", "parts.ome.zarr"]


def test_wrong_words_are_refused(files, tmp_path):
    with pytest.raises(veloxel.InputError, match="interpolation is"):
        veloxel.warp_files(files / "field.ome.zarr", files / "image.nii", tmp_path / "a.mha", interpolation="quick", device="cpu")
    with pytest.raises(veloxel.InputError, match="choice is"):
        veloxel.warp_labels_files(files / "field.ome.zarr", files / "labels.mha", tmp_path / "a.mha", choice="best", device="cpu")
