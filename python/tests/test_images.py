"""Images of other libraries are the same image; wrong ones are one clear error."""

import itertools

import numpy as np
import pytest

import veloxel
from conftest import waves


@pytest.fixture(scope="module")
def expected(request):
    session = veloxel.Session("cpu", threads=1)
    fixed, moving = waves(0.0, (12, 16, 20)), waves(0.5, (12, 16, 20))
    return session, fixed, moving, veloxel.flow(fixed, moving, session=session, preset="fast").field


def same(expected, convert):
    session, fixed, moving, field = expected
    found = veloxel.flow(convert(fixed), convert(moving), session=session, preset="fast").field
    return np.array_equal(found, field, equal_nan=True)


@pytest.mark.parametrize(
    "convert",
    [
        np.asfortranarray,
        lambda a: np.repeat(a, 2, axis=2)[:, :, ::2],
        lambda a: a[::-1].copy()[::-1],
        lambda a: a.astype(">f4"),
        lambda a: a.astype(np.float64),
        lambda a: a.astype(">f8"),
        lambda a: veloxel.Image(a),
        lambda a: a.tolist(),
    ],
    ids=["fortran", "strided", "negative", "big-endian", "float64", "big-endian-64", "image", "list"],
)
def test_arrays_of_every_kind(expected, convert):
    assert same(expected, convert)


def test_read_only_arrays(expected):
    assert same(expected, locked)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int16", "uint16", ">i2", "int32", "uint32", "int64", "uint64", "float16"])
def test_every_type_of_number(dtype):
    array = (100 * (waves(0.0, (5, 6)) > 0)).astype(dtype)
    assert np.array_equal(veloxel.Image(array).array, array.astype(np.float32))


#: So many samples that several threads read them.
LARGE = (67, 130, 137)


def locked(array):
    array = array.copy()
    array.flags.writeable = False
    return array


LAYOUTS = {
    "C": lambda a: a,
    "Fortran": np.asfortranarray,
    "every other": lambda a: np.repeat(a, 2, axis=2)[:, :, ::2],
    "backwards": lambda a: a[::-1, :, ::-1],
    "turned": lambda a: a.transpose(1, 2, 0),
    "read-only": locked,
    "a part": lambda a: a[1:, 3:-2, 5:],
    "unaligned": lambda a: np.frombuffer(b"x" + a.tobytes(), np.uint8)[1:].view(a.dtype).reshape(a.shape),
}


@pytest.mark.parametrize("dtype", ["float32", "bool", "int8", "uint16", ">i4", "uint32", "int64", "float16", "float64", ">f4"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_large_arrays_of_every_kind(layout, dtype):
    array = LAYOUTS[layout]((50 + 20 * waves(0.0, LARGE)).astype(dtype))
    assert np.array_equal(veloxel.Image(array).array, array.astype(np.float32))


@pytest.mark.parametrize("order", [">", "<"])
def test_every_half_is_what_numpy_makes_of_it(order):
    halves = np.arange(1 << 16, dtype=np.uint16).reshape(256, 256).view(np.float16).astype(f"{order}f2")
    assert np.array_equal(veloxel.Image(halves).array.view(np.uint32), halves.astype(np.float32).view(np.uint32))


@pytest.mark.parametrize("dtype", ["uint8", "float32", ">f2", ">u2", ">i8", ">u8", ">f8"])
@pytest.mark.parametrize("shape", [LARGE, (5, 6, 7), (2, 40, 33), (40, 2, 33), (17, 16, 2)])
def test_axes_in_every_order(shape, dtype):
    array = np.floor(50 + 20 * waves(0.0, shape)).astype(dtype)
    for axes in itertools.permutations(range(3)):
        for own in (array.transpose(axes), np.asfortranarray(array.transpose(axes))[::-1], array.transpose(axes)[:, ::-2, ::-1]):
            assert np.array_equal(veloxel.Image(own).array, own.astype(np.float32)), (axes, own.strides)
            if shape != LARGE:
                still = veloxel.Field(np.zeros((*own.shape, 3), np.float32))
                assert np.array_equal(still.warp_labels(own, choice="nearest"), own.astype(np.int32)), (axes, own.strides)
    field = np.asfortranarray(np.stack([array, array / 2, array / 4], axis=-1).astype(np.float32))
    assert np.array_equal(veloxel.Field(field).array, field)


def test_large_arrays_whose_numbers_are_told():
    session = veloxel.Session("cpu", threads=2)
    fixed, moving = waves(0.0, LARGE), waves(0.5, LARGE)
    for odd, told in [(np.nan, "are NaN or infinite"), (-3e38, "are beyond ±1e15")]:
        spoilt = fixed.copy()
        spoilt[-1, -1, -3:] = odd
        with pytest.warns(UserWarning, match=told):
            veloxel.flow(spoilt, moving, session=session, preset="fast", finest_level=3)
    # What was found of an image's samples is not taken for those of its change.
    image = veloxel.Image(fixed)
    kept = image.array.copy()
    mask = np.ones(LARGE)
    mask[: LARGE[0] // 2] = 0
    veloxel.flow(fixed, image, moving_mask=mask, session=session, preset="fast", finest_level=3)
    assert np.array_equal(image.array, kept)
    found = [veloxel.flow(fixed, own, session=session, preset="fast", finest_level=3).field for own in (image, moving, fixed)]
    assert np.array_equal(found[0], found[2]) and not np.array_equal(found[0], found[1])


def test_large_fields_and_labels():
    components = np.stack([waves(0.1 * nth, LARGE) for nth in range(3)], axis=-1)
    for laid in (components, np.asfortranarray(components), np.moveaxis(np.moveaxis(components, -1, 0).copy(), 0, -1)):
        field = veloxel.Field(laid, spacing_zyx=(4.0, 2.0, 0.5))
        assert np.array_equal(field.array, components.astype(np.float32))
        assert np.array_equal(field.array_mm, components.astype(np.float32) * np.float32([0.5, 2.0, 4.0]))
    still = veloxel.Field(np.zeros((*LARGE, 3)), session=veloxel.Session("cpu", threads=2))
    labels = np.arange(np.prod(LARGE), dtype=np.int64).reshape(LARGE) % 7
    assert np.array_equal(still.warp_labels(labels, choice="nearest"), labels)
    labels[-1, -1, -1] = 1 << 40
    with pytest.raises(veloxel.InputError, match="beyond"):
        still.warp_labels(labels)


def test_simpleitk(expected):
    sitk = pytest.importorskip("SimpleITK")
    assert same(expected, sitk.GetImageFromArray)
    image = sitk.GetImageFromArray(waves(0.0, (4, 5, 6)))
    image.SetSpacing((1.0, 2.0, 3.0))
    image.SetOrigin((-5.0, 6.0, 7.0))
    image.SetDirection((0, 1, 0, 1, 0, 0, 0, 0, -1))
    own = veloxel.Image(image)
    assert own.spacing_zyx == (3.0, 2.0, 1.0) and own.origin_xyz == (-5.0, 6.0, 7.0)
    back = own.to_sitk()
    assert back.GetSpacing() == image.GetSpacing() and back.GetDirection() == image.GetDirection()
    assert np.array_equal(sitk.GetArrayFromImage(back), sitk.GetArrayFromImage(image))


def test_simpleitk_warps_by_our_fields(expected):
    sitk = pytest.importorskip("SimpleITK")
    session, fixed, moving, _ = expected
    place = {"spacing_zyx": (2.0, 1.5, 1.0), "direction": [[0, 1, 0], [1, 0, 0], [0, 0, -1]], "origin_xyz": (3, 4, 5)}
    fixed, moving = veloxel.Image(fixed, **place), veloxel.Image(moving, **place)
    found = veloxel.flow(fixed, moving, session=session, preset="fast")
    transform = sitk.DisplacementFieldTransform(found.to_sitk())
    theirs = sitk.GetArrayFromImage(sitk.Resample(moving.to_sitk(), fixed.to_sitk(), transform, sitk.sitkLinear, -9.0))
    ours = found.warp(moving, outside=-9.0).array
    inside = (slice(2, -2),) * 3
    assert np.abs(theirs - ours)[inside].max() < 1e-4


def test_nibabel(expected):
    nibabel = pytest.importorskip("nibabel")
    assert same(expected, lambda a: nibabel.Nifti1Image(a.T, np.diag([-1.0, -1.0, 1.0, 1.0])))
    affine = np.array([[0, -2.0, 0, 10], [1.5, 0, 0, -20], [0, 0, 3.0, 5], [0, 0, 0, 1]])
    image = veloxel.Image(nibabel.Nifti1Image(waves(0.0, (4, 5, 6)).T.copy(), affine))
    assert np.allclose(image.spacing_zyx, (3.0, 2.0, 1.5)) and image.origin_xyz == (-10.0, 20.0, 5.0)
    assert np.allclose(image.to_nibabel().affine, affine)


def test_nibabel_and_our_own_reader_agree(tmp_path):
    nibabel = pytest.importorskip("nibabel")
    affine = np.array([[0, -2.0, 0, 10], [1.5, 0, 0, -20], [0, 0, 3.0, 5], [0, 0, 0, 1]])
    theirs = nibabel.Nifti1Image(waves(0.0, (4, 5, 6)).T.copy(), affine)
    nibabel.save(theirs, tmp_path / "image.nii.gz")
    read, given = veloxel.read(tmp_path / "image.nii.gz"), veloxel.Image(theirs)
    assert np.array_equal(read.array, given.array) and np.allclose(read.direction, given.direction)
    assert np.allclose(read.origin_xyz, given.origin_xyz) and np.allclose(read.spacing_zyx, given.spacing_zyx)


def test_xarray(expected):
    xarray = pytest.importorskip("xarray")
    assert same(expected, lambda a: xarray.DataArray(a, dims=("z", "y", "x")))
    assert same(expected, lambda a: xarray.DataArray(a.transpose(2, 0, 1), dims=("x", "z", "y")))
    placed = veloxel.Image(xarray.DataArray(np.zeros((3, 4)), dims=("y", "x"), coords={"y": [1.0, 3.0, 5.0], "x": [0, 1, 2, 3]}))
    assert placed.spacing_zyx == (2.0, 1.0) and placed.origin_xyz[:2] == (0.0, 1.0)
    again = veloxel.Image(placed.to_xarray())
    assert again.spacing_zyx == placed.spacing_zyx and again.origin_xyz == placed.origin_xyz
    with pytest.raises(veloxel.InputError, match="even steps"):
        veloxel.Image(xarray.DataArray(np.zeros((3, 4)), dims=("y", "x"), coords={"y": [1.0, 3.0, 9.0]}))
    with pytest.raises(veloxel.InputError, match="axes"):
        veloxel.Image(xarray.DataArray(np.zeros((3, 4)), dims=("time", "x")))


def test_ngff_images(expected):
    ngff = pytest.importorskip("ngff_zarr")
    assert same(expected, lambda a: ngff.to_ngff_image(a, dims=("z", "y", "x")))
    placed = ngff.to_ngff_image(
        np.zeros((1, 3, 4, 5)), dims=("c", "z", "y", "x"), scale={"z": 2.0, "y": 1.0, "x": 0.5}, translation={"z": 0, "y": 7, "x": 0}
    )
    image = veloxel.Image(placed)
    assert image.shape == (3, 4, 5) and image.spacing_zyx == (2.0, 1.0, 0.5) and image.origin_xyz == (0.0, 7.0, 0.0)


def test_pil():
    pil = pytest.importorskip("PIL.Image")
    grey = (128 + 40 * waves(0.0)).astype(np.uint8)
    assert np.array_equal(veloxel.Image(pil.fromarray(grey)).array, grey)
    assert veloxel.Image(pil.fromarray(np.stack([grey] * 3, axis=-1))).shape == grey.shape


def test_tensors(expected):
    torch = pytest.importorskip("torch")
    assert same(expected, torch.from_numpy)


def test_paths(expected, tmp_path):
    def saved(array):
        path = tmp_path / f"{abs(hash(array.tobytes()))}.nii.gz"
        veloxel.Image(array).save(path)
        return path

    assert same(expected, saved)
    assert same(expected, lambda a: str(saved(a)))


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (np.zeros(5), "axes"),
        (np.zeros((2, 3, 4, 5)), "axes"),
        (np.zeros((0, 4)), "0"),
        (np.array([["a", "b"]]), "whole numbers"),
        (object(), "object"),
        (np.zeros((4, 4), dtype=complex), "complex"),
    ],
)
def test_wrong_images_are_one_clear_error(wrong, says):
    with pytest.raises(veloxel.InputError, match=says):
        veloxel.Image(wrong)


def test_places_are_never_ambiguous():
    array = np.zeros((3, 4, 5))
    with pytest.raises(veloxel.InputError, match="spacing= does not say its order"):
        veloxel.Image(array, spacing=(1, 2, 3))
    with pytest.raises(veloxel.InputError, match="twice"):
        veloxel.Image(array, spacing_zyx=(1, 2, 3), spacing_xyz=(3, 2, 1))
    assert veloxel.Image(array, spacing_zyx=(1, 2, 3)).spacing_zyx == veloxel.Image(array, spacing_xyz=(3, 2, 1)).spacing_zyx
    with pytest.raises(veloxel.InputError):
        veloxel.Image(array, spacing_zyx=(0, 1, 1))
    with pytest.raises(veloxel.InputError):
        veloxel.Image(array, direction=np.zeros((3, 3)))


def test_pictures_and_volumes_do_not_go_together(session, pair, volumes):
    with pytest.raises(veloxel.InputError):
        veloxel.flow(pair[0], volumes[0], session=session)


def test_holes_are_told_and_have_no_confidence(session, pair):
    broken = pair[0].copy()
    broken[3, 4] = np.nan
    with pytest.warns(veloxel.VeloxelWarning, match="1 of .* samples are NaN or infinite"):
        found = veloxel.flow(broken, pair[1], session=session)
    assert found.confidence.array[3, 4] == 0 and found.confidence.array.max() > 0.5


def test_an_image_of_nans_and_an_empty_mask_are_called_that(session, pair):
    with pytest.raises(veloxel.InputError, match="has no data"):
        veloxel.flow(np.full_like(pair[0], np.nan), pair[1], session=session)
    with pytest.raises(veloxel.InputError, match="the mask is empty"):
        veloxel.flow(*pair, mask=np.zeros_like(pair[0]), session=session)


def test_a_mask_of_the_moving_image_makes_holes_of_what_lies_outside(session, pair):
    inside = np.ones_like(pair[1])
    inside[8:12, 8:12] = 0
    holed = np.where(inside > 0, pair[1], np.nan)
    with pytest.warns(veloxel.VeloxelWarning, match="16 of .* samples are NaN or infinite"):
        left_out = veloxel.flow(pair[0], holed, session=session)
    masked = veloxel.flow(*pair, moving_mask=inside, session=session)
    assert np.array_equal(masked.field, left_out.field, equal_nan=True)
    assert (masked.confidence.array == 0).any()
    with pytest.raises(veloxel.InputError, match="moving_mask="):
        veloxel.flow(*pair, method="phase", frames="two", moving_mask=inside, session=session)


def test_a_finer_image_is_smoothed_only_where_that_is_asked_for(session):
    samples = np.arange(4 * 40 * 40, dtype=np.float32).reshape(4, 40, 40) % 7
    image = veloxel.Image(samples, spacing_zyx=(1.0, 0.5, 0.5))
    field = veloxel.Field(np.zeros((4, 20, 20, 3), np.float32))
    exact = field.warp(image).array
    assert np.allclose(exact, samples[:, ::2, ::2])
    assert not np.allclose(field.warp(image, smooth=True).array, exact, atol=0.5)


def unaligned(array):
    """The same array at an odd address, as arrays come out of messages."""
    bytes_ = b"\0" + np.ascontiguousarray(array).tobytes()
    moved = np.frombuffer(bytes_, dtype=np.uint8)[1:].view(array.dtype).reshape(array.shape)
    assert not moved.flags.aligned
    return moved


def test_arrays_at_odd_addresses_are_taken(session):
    fixed, moving = (np.random.default_rng(n).normal(size=(24, 32)).cumsum(axis=0).astype(np.float32) for n in range(2))
    found = veloxel.flow(fixed, moving, session=session, preset="fast")
    same = veloxel.flow(unaligned(fixed), unaligned(moving), session=session, preset="fast")
    assert np.array_equal(same.field, found.field, equal_nan=True)
    points = np.array([[3.0, 4.0], [8.5, 9.25]])
    assert np.array_equal(found.points(unaligned(points)), found.points(points), equal_nan=True)
    assert np.array_equal(veloxel.Field(unaligned(found.field.copy())).array, found.field, equal_nan=True)
    tracks = [veloxel.track_points([fixed, moving], rows, session=session).xy for rows in (points, unaligned(points))]
    assert np.array_equal(*tracks, equal_nan=True)
