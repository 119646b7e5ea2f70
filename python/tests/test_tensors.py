"""Tensors of other libraries go in without a copy, and results come out as them."""

import numpy as np
import pytest

import veloxel
from conftest import waves


class Tensor:
    """A tensor that speaks DLPack, on a device of one's own."""

    def __init__(self, array, device=(1, 0)):
        self.array, self.where = array, device

    def __dlpack_device__(self):
        return self.where

    def __dlpack__(self, **options):
        if self.where[0] not in (1, 3):
            raise AssertionError("what lies elsewhere is not asked for")
        return self.array.__dlpack__(**options)


@pytest.fixture(scope="module")
def expected():
    fixed, moving = waves(0.0), waves(0.5)
    return fixed, moving, veloxel.flow(fixed, moving, device="cpu", preset="fast").field


@pytest.mark.parametrize("convert", [lambda a: Tensor(a), lambda a: Tensor(a, (3, 0)), lambda a: Tensor(a.T.copy().T)])
def test_tensors_of_the_host_are_images(expected, convert):
    fixed, moving, field = expected
    found = veloxel.flow(convert(fixed), convert(moving), mask=convert(np.ones(fixed.shape, dtype=np.uint8)), device="cpu", preset="fast")
    assert np.array_equal(found.field, veloxel.flow(fixed, moving, mask=np.ones(fixed.shape), device="cpu", preset="fast").field)
    assert np.array_equal(veloxel.Field(convert(field)).array, field)


def test_the_samples_of_a_tensor_are_seen_and_not_copied():
    from veloxel._images import tensor_array

    array = waves(0.0)
    assert np.shares_memory(tensor_array(Tensor(array), "the image"), array)


def test_tensors_of_a_gpu_are_refused_by_name(expected):
    fixed, moving, _ = expected
    for device in (2, 10):
        with pytest.raises(veloxel.InputError, match=r"the moving image is a tensor in the memory of a GPU.*cpu\(\)") as raised:
            veloxel.flow(fixed, Tensor(moving, (device, 0)), device="cpu")
        assert "host's memory" in str(raised.value)


def test_results_are_tensors(expected):
    fixed, moving, _ = expected
    found = veloxel.flow(fixed, moving, device="cpu", preset="fast", warped=0.0)
    for result in (found.flow, found.confidence, found.warped):
        assert result.__dlpack_device__() == (1, 0)
        view = np.from_dlpack(result)
        assert np.array_equal(view, result.array) and not view.flags.writeable and np.shares_memory(view, result.array)

    # A consumer of before DLPack 1.0 gets a copy of its own.
    class Old:
        def __dlpack_device__(self):
            return 1, 0

        def __dlpack__(self, **options):
            return found.flow.__dlpack__()

    copy = np.from_dlpack(Old())
    assert np.array_equal(copy, found.field) and not np.shares_memory(copy, found.field)
    with pytest.raises(BufferError):
        found.flow.__dlpack__(copy=False)


def test_jax(expected):
    jax = pytest.importorskip("jax")
    fixed, moving, field = expected
    found = veloxel.flow(jax.numpy.asarray(fixed), jax.numpy.asarray(moving), device="cpu", preset="fast")
    assert np.array_equal(found.field, field)
    half = veloxel.Image(jax.numpy.asarray(fixed).astype("bfloat16"))
    assert np.abs(half.array - fixed).max() < 0.02
    assert np.array_equal(np.asarray(jax.dlpack.from_dlpack(found.confidence)), found.confidence.array)


def test_torch(expected):
    torch = pytest.importorskip("torch")
    fixed, moving, field = expected
    found = veloxel.flow(torch.from_numpy(fixed), torch.from_numpy(moving).requires_grad_(), device="cpu", preset="fast")
    assert np.array_equal(found.field, field)
    assert np.array_equal(veloxel.Image(torch.from_numpy(fixed).bfloat16()).array, torch.from_numpy(fixed).bfloat16().float().numpy())
    for tensor in (found.to_torch(), torch.from_dlpack(found.flow)):
        assert np.array_equal(tensor.numpy(), field)
    same = veloxel.flow(fixed, moving, device=torch.device("cpu"), preset="fast")
    assert np.array_equal(same.field, field)
    if torch.cuda.is_available():
        with pytest.raises(veloxel.InputError, match="cuda:0"):
            veloxel.flow(torch.from_numpy(fixed).cuda(), moving)


def test_cupy(expected):
    cupy = pytest.importorskip("cupy")
    with pytest.raises(veloxel.InputError, match=r"\.get\(\)"):
        veloxel.Image(cupy.asarray(expected[0]))


def test_monai(expected):
    pytest.importorskip("torch")
    data = pytest.importorskip("monai.data")
    affine = np.diag([-2.0, -1.5, 3.0, 1.0])
    samples = waves(0.0, (4, 5, 6))
    image = veloxel.Image(data.MetaTensor(samples.T[None].copy(), affine=affine))
    assert np.array_equal(image.array, samples) and image.spacing_zyx == (3.0, 1.5, 2.0)
    picture = veloxel.Image(data.MetaTensor(waves(0.0).T[None].copy(), affine=np.eye(4)))
    assert np.array_equal(picture.array, waves(0.0))


def test_itk(expected):
    itk = pytest.importorskip("itk")
    place = {"spacing_zyx": (2.0, 1.5, 1.0), "direction": [[0, 1, 0], [1, 0, 0], [0, 0, -1]], "origin_xyz": (3, 4, 5)}
    image = veloxel.Image(waves(0.0, (12, 16, 20)), **place)
    theirs = image.to_itk()
    again = veloxel.Image(theirs)
    assert np.array_equal(again.array, image.array) and again.spacing_zyx == image.spacing_zyx
    assert again.origin_xyz == image.origin_xyz and np.array_equal(again.direction, image.direction)
    assert list(theirs.GetSpacing()) == [1.0, 1.5, 2.0]
    found = veloxel.flow(theirs, veloxel.Image(waves(0.5, (12, 16, 20)), **place).to_itk(), device="cpu", preset="fast")
    vectors = found.to_itk()
    assert np.allclose(itk.array_from_image(vectors), found.flow.array_mm, atol=1e-6)
    back = veloxel.Field(vectors)
    assert np.allclose(back.array, found.field, atol=1e-5) and back.spacing_zyx == found.flow.spacing_zyx


def test_fields_of_simpleitk_come_back():
    sitk = pytest.importorskip("SimpleITK")
    vectors = np.random.default_rng(5).normal(size=(4, 5, 6, 3)).astype(np.float32)
    field = veloxel.Field(vectors, spacing_zyx=(2.0, 1.5, 1.0), direction=[[0, 1, 0], [1, 0, 0], [0, 0, -1]], origin_xyz=(3, 4, 5))
    again = veloxel.Field(field.to_sitk())
    assert np.allclose(again.array, vectors, atol=1e-5) and np.allclose(again.array_mm, field.array_mm, atol=1e-5)
    picture = veloxel.Field(np.full((4, 5, 2), [0.5, -1.0]), spacing_zyx=(2.0, 0.5))
    assert np.allclose(veloxel.Field(picture.to_sitk()).array, picture.array)
    with pytest.raises(veloxel.InputError, match="vectors of 3 numbers"):
        veloxel.Field(sitk.GetImageFromArray(np.zeros((4, 5, 6, 2)), isVector=True))
