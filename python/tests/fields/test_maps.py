"""Registration, starts from transforms, inverses and chains of maps: the bits of the command."""

import pickle
from pathlib import Path

import numpy as np
import pytest

import veloxel
from conftest import waves
from test_flow import written_by_the_command

#: A turn, a stretch and a shift; LPS millimetres.
LPS = np.array([[1.02, 0.05, 0.0, 1.0], [-0.05, 0.98, 0.0, -0.5], [0.0, 0.02, 1.0, 0.4], [0.0, 0.0, 0.0, 1.0]])


@pytest.fixture
def volumes_in_files(tmp_path: Path):
    fixed, moving = (
        veloxel.Image(waves(shift, (16, 20, 24)), spacing_zyx=(1.5, 1.0, 1.0), origin_xyz=(3.0, -2.0, 1.0)) for shift in (0.0, 1.2)
    )
    fixed.save(tmp_path / "fixed.nii.gz")
    moving.save(tmp_path / "moving.nii.gz")
    return fixed, moving


def test_register_gives_the_bits_of_the_command_both_ways(tmp_path, command, session, volumes_in_files):
    command(tmp_path, "register", "fixed.nii.gz", "moving.nii.gz", "-o", "there.npy", "--inverse", "back.npy", "--preset", "fast")
    found = veloxel.register(*volumes_in_files, session=session, preset="fast")
    assert np.array_equal(written_by_the_command(tmp_path / "there.npy", found), found.field, equal_nan=True)
    back = np.moveaxis(np.load(tmp_path / "back.npy").reshape(3, 16, 20, 24), 0, -1)
    assert np.array_equal(back, found.inverse.array, equal_nan=True) and np.nanmax(np.abs(back)) > 0.5
    assert np.array_equal(pickle.loads(pickle.dumps(found)).inverse.array, back, equal_nan=True)


def test_symmetric_is_the_method_and_inverse_consistency_both_directions(session, pair):
    symmetric = veloxel.flow(*pair, session=session, symmetric=True)
    named = veloxel.flow(*pair, session=session, method="symmetric")
    assert np.array_equal(symmetric.field, named.field, equal_nan=True) and symmetric.inverse.shape == (48, 64, 2)
    both = veloxel.flow(*pair, session=session, preset="fast", inverse_consistency=True)
    one = veloxel.flow(*pair, session=session, preset="fast")
    assert both.inverse is None and one.inverse is None
    assert not np.array_equal(both.confidence.array, one.confidence.array)
    with pytest.raises(veloxel.ParameterError, match="fe has no symmetric form"):
        veloxel.flow(*pair, session=session, method="fe", symmetric=True)


@pytest.mark.parametrize("init", ["rigid", "similarity", "centre-of-mass"])
def test_starts_that_are_found_give_the_bits_of_the_command(tmp_path, command, session, volumes_in_files, init):
    command(tmp_path, "flow", "fixed.nii.gz", "moving.nii.gz", "-o", "field.npy", "--preset", "fast", "--init", init)
    found = veloxel.flow(*volumes_in_files, session=session, preset="fast", init=init)
    assert np.array_equal(written_by_the_command(tmp_path / "field.npy", found), found.field, equal_nan=True)


@pytest.mark.parametrize("ending", ["tfm", "mat", "txt"])
def test_transforms_are_starts_from_files_and_from_memory(tmp_path, command, session, volumes_in_files, ending):
    path = tmp_path / f"start.{ending}"
    veloxel.Transform(lps=LPS).save(path)
    command(tmp_path, "flow", "fixed.nii.gz", "moving.nii.gz", "-o", "field.npy", "--preset", "fast", "--init", path.name)
    read = veloxel.read_transform(path)
    assert np.allclose(read.matrix, LPS, atol=1e-6)
    plain = veloxel.flow(*volumes_in_files, session=session, preset="fast")
    for init in (path, str(path), read):
        found = veloxel.flow(*volumes_in_files, session=session, preset="fast", init=init)
        assert np.array_equal(written_by_the_command(tmp_path / "field.npy", found), found.field, equal_nan=True)
    assert not np.array_equal(plain.field, found.field)


def test_fields_of_files_are_starts(tmp_path, command, session):
    fixed, moving = (veloxel.Image(waves(shift), spacing_zyx=(0.5, 0.5)) for shift in (0.0, 2.0))
    fixed.save(tmp_path / "fixed.nii.gz")
    moving.save(tmp_path / "moving.nii.gz")
    # Pixels without a place, on pictures that have one.
    veloxel.Field(np.full((48, 64, 2), [1.9, 0.0])).save(tmp_path / "start.flo")
    command(tmp_path, "flow", "fixed.nii.gz", "moving.nii.gz", "-o", "field.npy", "--preset", "fast", "--init", "start.flo")
    for init in (tmp_path / "start.flo", veloxel.Field(tmp_path / "start.flo"), np.full((48, 64, 2), [1.9, 0.0])):
        found = veloxel.flow(fixed, moving, session=session, preset="fast", init=init)
        assert np.array_equal(written_by_the_command(tmp_path / "field.npy", found), found.field, equal_nan=True)


def test_matrices_say_their_space_and_transforms_keep_their_digits():
    signs = np.diag([-1.0, -1.0, 1.0, 1.0])
    lps, ras = veloxel.Transform(lps=LPS), veloxel.Transform(ras=signs @ LPS @ signs)
    assert np.allclose(lps.matrix, ras.matrix) and np.array_equal(pickle.loads(pickle.dumps(lps)).matrix, lps.matrix)
    point = np.array([[4.0, -5.0, 6.0]])
    assert np.allclose(lps.points(point)[0], (LPS @ [4.0, -5.0, 6.0, 1.0])[:3])
    assert np.allclose(lps.inverse.points(lps.points(point)), point)
    turn = veloxel.Transform(xy=[[0, -1, 3], [1, 0, 0], [0, 0, 1]])
    assert turn.points([[2.0, 5.0]]).tolist() == [[-2.0, 2.0]] and turn.matrix.shape == (3, 3)
    wrong = [
        ({"transform": LPS}, "which axes"),
        ({"lps": LPS[:3]}, "shape"),
        ({"lps": LPS, "ras": LPS}, "2 of them"),
        ({}, "0 of them"),
        ({"lps": np.diag([1.0, 1.0, 0.0, 1.0])}, "singular"),
        ({"lps": np.diag([-1.0, 1.0, 1.0, 1.0])}, "mirrors"),
        ({"lps": np.ones((4, 4))}, "last row"),
        ({"transform": 3}, "no linear transform"),
    ]
    for arguments, text in wrong:
        with pytest.raises(veloxel.InputError, match=text):
            veloxel.Transform(**arguments)


def test_starts_that_are_none_are_told(session, pair, volumes):
    with pytest.raises(veloxel.InputError, match="rigid, similarity, affine, matches, not 'afine'|not \"afine\""):
        veloxel.flow(*pair, session=session, init="afine")
    with pytest.raises(veloxel.InputError, match="which axes"):
        veloxel.flow(*volumes, session=session, init=np.eye(4))
    with pytest.raises(veloxel.FileError, match="missing"):
        veloxel.flow(*volumes, session=session, init="missing.tfm")
    with pytest.raises(veloxel.InputError, match="3-D"):
        veloxel.flow(*pair, session=session, init=veloxel.Transform(lps=np.eye(4)))
    frames = [(128 + 40 * waves(0.6 * t, (64, 80))) for t in range(5)]
    for given in ({"init": "affine"}, {"weight": frames[0]}, {"volume_mask": frames[0] > 0}):
        with pytest.raises(veloxel.ParameterError):
            veloxel.flow(*frames, session=session, method="phase", **given)


def test_simpleitk_transforms_are_maps(session, volumes_in_files):
    sitk = pytest.importorskip("SimpleITK")
    turned = sitk.Euler3DTransform((10.0, 5.0, 2.0), 0.02, -0.03, 0.05, (0.5, 1.0, -0.7))
    own = veloxel.Transform(turned)
    point = (3.0, -4.0, 7.0)
    assert np.allclose(own.points([point])[0], turned.TransformPoint(point), atol=1e-12)
    assert np.allclose(own.to_sitk().TransformPoint(point), turned.TransformPoint(point), atol=1e-12)
    found = [veloxel.flow(*volumes_in_files, session=session, preset="fast", init=init).field for init in (own, turned)]
    assert np.array_equal(*found, equal_nan=True)
    with pytest.raises(veloxel.InputError, match="no linear transform"):
        veloxel.Transform(sitk.DisplacementFieldTransform(3))


def test_the_start_of_a_run_is_the_command_s_transform(tmp_path, command, session, volumes_in_files):
    fixed, moving = volumes_in_files
    for init in ("affine", "rigid", "similarity", "centre-of-mass"):
        command(tmp_path, "flow", "fixed.nii.gz", "moving.nii.gz", "-o", "f.npy", "--preset", "fast", "--init", init, "--transform", "t.tfm")
        found = veloxel.flow(fixed, moving, session=session, preset="fast", init=init)
        found.transform.save(tmp_path / "own.tfm")
        assert (tmp_path / "own.tfm").read_text() == (tmp_path / "t.tfm").read_text(), init
        again = veloxel.read_transform(tmp_path / "own.tfm")
        assert np.array_equal(again.matrix, found.transform.matrix), "all digits are written"
        given = veloxel.flow(fixed, moving, session=session, preset="fast", init=again)
        assert np.array_equal(given.transform.matrix, again.matrix)
    assert veloxel.flow(fixed, moving, session=session, preset="fast").transform is None
    assert veloxel.register(fixed, moving, session=session, preset="fast").transform is not None
    assert veloxel.sequence([volume.array for volume in volumes_in_files], session=session, preset="fast")[0].transform is None


def test_inverses_and_chains_give_the_bits_of_the_command(tmp_path, command, session, volumes_in_files):
    found = veloxel.flow(*volumes_in_files, session=session, preset="fast")
    found.save(tmp_path / "field.nii.gz")
    field = veloxel.read_field(tmp_path / "field.nii.gz")
    transform = veloxel.Transform(lps=LPS)
    transform.save(tmp_path / "turn.tfm")
    turn = veloxel.read_transform(tmp_path / "turn.tfm")

    def written(name):
        return np.moveaxis(np.load(tmp_path / name).reshape(3, 16, 20, 24), 0, -1)

    run = command.without_device
    run(tmp_path, "invert", "field.nii.gz", "-o", "back.npy", "--grid", "moving.nii.gz")
    back = veloxel.invert(field, grid=volumes_in_files[1])
    assert np.array_equal(written("back.npy"), back.array, equal_nan=True)
    run(tmp_path, "compose", "field.nii.gz", "turn.tfm", "-o", "both.npy")
    both = veloxel.compose(field, turn)
    assert np.array_equal(written("both.npy"), both.array, equal_nan=True)
    assert np.array_equal(veloxel.compose(tmp_path / "field.nii.gz", tmp_path / "turn.tfm").array, both.array, equal_nan=True)
    run(tmp_path, "compose", "turn.tfm", "field.nii.gz", "-o", "turned.npy", "--grid", "fixed.nii.gz")
    turned = veloxel.compose(turn, field, grid=volumes_in_files[0])
    assert np.array_equal(written("turned.npy"), turned.array, equal_nan=True)
    run(tmp_path, "invert", "turn.tfm", "-o", "unturned.tfm")
    home = veloxel.compose(turn, veloxel.invert(turn))
    assert np.allclose(veloxel.read_transform(tmp_path / "unturned.tfm").matrix, veloxel.invert(turn).matrix, atol=1e-9)
    assert isinstance(home, veloxel.Transform) and np.allclose(home.matrix, np.eye(4), atol=1e-12)


def test_what_has_no_inverse_or_no_chain_is_refused():
    x = np.arange(8, dtype=np.float32)
    folds = np.zeros((6, 8, 2), dtype=np.float32)
    folds[..., 0] = -2 * x
    with pytest.raises(veloxel.InputError, match="folds in"):
        veloxel.invert(folds)
    with pytest.raises(veloxel.InputError, match="no map"):
        veloxel.compose()
    with pytest.raises(veloxel.InputError, match="grid"):
        veloxel.compose(veloxel.Transform(lps=LPS), np.zeros((4, 5, 6, 3)))
    with pytest.raises(veloxel.InputError, match="3-D"):
        veloxel.compose(np.zeros((6, 8, 2)), veloxel.Transform(lps=LPS))
