"""Fields of files that are composed, inverted and measured, and labels that are, in memory and in parts."""

import numpy as np
import pytest

import veloxel


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("maps")
    z, y, x = np.mgrid[:124, :116, :130].astype(np.float32)
    field = np.stack([3 * np.sin(0.06 * y), 2.5 * np.cos(0.05 * z), -2 * np.sin(0.07 * x) - 0.3], axis=-1)
    # Known in a part of it, across the border of boxes, so that little has to be found.
    field[:, :, :50] = field[:, :, 75:] = np.nan
    veloxel.write(folder / "a.ome.zarr", veloxel.Field(field))
    veloxel.write(folder / "b.mha", veloxel.Field(field[::-1]))
    veloxel.write(folder / "labels.mha", veloxel.Image(((x // 9 + y // 30 + z // 20) % 3).astype(np.uint8)))
    return folder


def same(found, expected):
    return np.array_equal(veloxel.read_field(found).array, veloxel.read_field(expected).array, equal_nan=True)


def test_what_does_not_fit_has_the_vectors_of_what_does(files, tmp_path):
    a, b = files / "a.ome.zarr", files / "b.mha"
    veloxel.invert_files(a, tmp_path / "back.ome.zarr")
    veloxel.compose_files(a, b, out=tmp_path / "both.ome.zarr")
    whole, labels = veloxel.evaluate.flow_files(a, b), f"{files / 'labels.mha'}=1,2"
    masked = veloxel.evaluate.flow_files(a, b, mask=labels)
    assert masked["cells"]["inside"] and masked != whole
    with veloxel.Session("cpu", threads=2, max_memory=84 << 20) as session:
        veloxel.invert_files(a, tmp_path / "back_parts.ome.zarr", session=session)
        assert veloxel.evaluate.flow_files(a, b, session=session) == whole
        assert veloxel.evaluate.flow_files(a, b, mask=labels, session=session) == masked
        with pytest.raises(veloxel.OutOfMemoryError, match="named .ome.zarr"):
            veloxel.invert_files(a, tmp_path / "no.mha", session=session)
    with veloxel.Session("cpu", threads=2, max_memory=108 << 20) as session:
        veloxel.compose_files(a, b, out=tmp_path / "both_parts.ome.zarr", session=session)
    assert same(tmp_path / "back_parts.ome.zarr", tmp_path / "back.ome.zarr")
    assert same(tmp_path / "both_parts.ome.zarr", tmp_path / "both.ome.zarr")
    assert len(list(tmp_path.iterdir())) == 4


def test_files_have_the_numbers_of_fields(files):
    a, b = files / "a.ome.zarr", files / "b.mha"
    assert veloxel.evaluate.flow_files(a, b) == veloxel.evaluate.flow(a, b)
    with pytest.raises(veloxel.FileMissingError):
        veloxel.evaluate.flow_files(a, files / "none.mha")


def test_labels_of_files_have_the_numbers_of_arrays_in_memory_and_in_parts(tmp_path):
    z, y, x = np.mgrid[:124, :116, :130]
    truth = 1 + (x // 40) + 4 * ((y - 58) ** 2 + (z - 60) ** 2 < 1600)
    result = np.roll(truth, (2, -1, 3), axis=(0, 1, 2))
    paths = tmp_path / "result.ome.zarr", tmp_path / "truth.mha"
    for path, labels in zip(paths, (result, truth), strict=True):
        veloxel.write(path, veloxel.Image(labels.astype(np.uint8), spacing_zyx=(1.5, 1.0, 1.0)))
    whole = veloxel.evaluate.labels(*paths)
    assert len(whole["labels"]) == 8 and whole["mean_hausdorff95_mm"] > 0
    assert veloxel.evaluate.label_files(*paths) == whole
    masked = veloxel.evaluate.label_files(*paths, mask=f"{paths[1]}=1,2")
    assert masked == veloxel.evaluate.labels(*paths, mask=np.isin(truth, (1, 2))) and masked != whole
    with veloxel.Session("cpu", threads=2, max_memory=64 << 20) as session:
        assert veloxel.evaluate.label_files(*paths, session=session) == whole
        assert veloxel.evaluate.label_files(*paths, mask=f"{paths[1]}=1,2", session=session) == masked
        with pytest.raises(veloxel.InputError, match="77"):
            veloxel.evaluate.label_files(*paths, mask=f"{paths[1]}=77", session=session)
        compressed = tmp_path / "truth.nii.gz"
        veloxel.write(compressed, veloxel.Image(truth.astype(np.uint8)))
        with pytest.raises(veloxel.ParameterError, match="convert it to .ome.zarr"):
            veloxel.evaluate.label_files(compressed, paths[1], session=session)
