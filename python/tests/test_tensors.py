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
        with pytest.raises(veloxel.InputError, match=r"cpu\(\)") as raised:
            veloxel.flow(fixed, Tensor(moving, (device, 0)), device="cpu")
        assert "in the memory of a GPU" in str(raised.value)
        with pytest.raises(veloxel.InputError, match=r"the image is a tensor in the memory of a GPU.*cpu\(\)"):
            veloxel.Image(Tensor(moving, (device, 0)))
    on_gpu = Tensor(moving, (2, 0))
    with pytest.raises(veloxel.InputError, match="memory of cuda:0 and the session computes on cpu"):
        veloxel.flow(on_gpu, on_gpu, device="cpu")
    with pytest.raises(veloxel.InputError, match="warped="):
        veloxel.flow(on_gpu, on_gpu, warped=0.0)


def resident(fixed, moving, *, mask=None, method="clg", init=None):
    """The flow of arrays of the host through the way that tensors on a GPU go: a processor's memory is the host's."""
    from veloxel import _veloxel
    from veloxel._flow import _options, settings
    from veloxel._gpu.flow import GpuFlow

    own = _veloxel.Session("cpu", 2)
    nowhere = (None, None, None)
    known = {"mask": mask, "moving_mask": None, "volume_mask": None, "weight": None, "init": init}
    options = _options(settings(method, "fast", {}), False, False, None, None)
    images = [(np.ascontiguousarray(image).__dlpack__(), nowhere) for image in (fixed, moving)]
    return GpuFlow(_veloxel.resident_flow(own, images, options, known), None)


def test_what_stays_on_a_device_has_the_bits_of_the_host():
    fixed, moving = waves(0.0, (16, 20, 24)), waves(0.5, (16, 20, 24))
    inside = (fixed > 0).astype(np.float32)
    expected = veloxel.flow(fixed, moving, mask=inside, method="symmetric", preset="fast", init="affine", device="cpu")
    mask = (inside.__dlpack__(), (None, None, None))
    found = resident(fixed, moving, mask=mask, method="symmetric", init="affine")
    assert found.flow.shape == (16, 20, 24, 3) and found.flow.__dlpack_device__() == (1, 0)
    assert np.array_equal(np.from_dlpack(found.flow), expected.field, equal_nan=True)
    assert np.array_equal(found.flow.numpy(), expected.field, equal_nan=True)
    assert np.array_equal(np.from_dlpack(found.confidence), expected.confidence.array)
    assert found.inverse is None
    assert np.array_equal(found.transform.matrix, expected.transform.matrix)
    there = found.cpu()
    assert np.array_equal(there.field, expected.field, equal_nan=True)
    # Levels have times.
    told = [{name: value for name, value in found.report["statistics"].items() if name != "levels"} for found in (there, expected)]
    assert told[0] == told[1]
    assert np.array_equal(there.inverse.array, expected.inverse.array, equal_nan=True)
    both = resident(fixed, moving, method="symmetric")
    back = veloxel.flow(fixed, moving, method="symmetric", preset="fast", device="cpu").inverse.array
    assert np.array_equal(np.from_dlpack(both.inverse), back) and np.array_equal(both.cpu().inverse.array, back)
    assert found.report["copied_bytes"] == {"to_device": 0, "to_host": 0}


def test_views_of_what_stays_outlive_it():
    field = np.from_dlpack(resident(waves(0.0), waves(0.5)).flow)
    for shift in (0.1, 0.2):
        resident(waves(0.0), waves(shift))
    assert np.array_equal(field, veloxel.flow(waves(0.0), waves(0.5), preset="fast", device="cpu").field, equal_nan=True)


def test_capsules_are_taken_once_and_as_they_are(expected):
    from veloxel import _veloxel

    fixed, moving, _ = expected
    nowhere = (None, None, None)
    capsule = moving.__dlpack__()
    taken = [(fixed.__dlpack__(), nowhere), (capsule, nowhere)]
    from veloxel._flow import _options, settings

    options = _options(settings("clg", "fast", {}), False, False, None, None)
    known = dict.fromkeys(("mask", "moving_mask", "volume_mask", "weight", "init"))
    own = _veloxel.Session("cpu", 2)
    _veloxel.resident_flow(own, taken, options, known)
    with pytest.raises(ValueError, match="PyCapsule"):
        _veloxel.resident_flow(own, [(fixed.__dlpack__(), nowhere), (capsule, nowhere)], options, known)
    for wrong in (fixed.astype(np.float64), np.asfortranarray(fixed), fixed[:, ::2]):
        with pytest.raises(veloxel.InputError, match="float32 in C order"):
            _veloxel.resident_flow(own, [(wrong.__dlpack__(), nowhere), (moving.__dlpack__(), nowhere)], options, known)
    with pytest.raises(veloxel.InputError, match="tensor in the memory of a GPU, not a ndarray"):
        veloxel.GpuImage(fixed)


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
            veloxel.Image(torch.from_numpy(fixed).cuda())


def test_torch_on_a_gpu(expected):
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("no CUDA GPU")
    fixed, moving, field = expected
    here = [torch.from_numpy(image).cuda() for image in (fixed, moving)]
    found = veloxel.flow(*here, preset="fast")
    assert found.to_torch().is_cuda and found.report["copied_bytes"]["to_host"] < fixed.nbytes
    assert np.array_equal(found.to_torch().cpu().numpy(), field, equal_nan=True)
    assert np.array_equal(found.cpu().field, field, equal_nan=True)
    # Views with strides, halves, other streams.
    wide = torch.stack([here[0], here[0]], dim=-1)
    with torch.cuda.stream(torch.cuda.Stream()):
        late = torch.nn.functional.pad(here[1], (0, 64))[:, :64]
        again = veloxel.flow(wide[..., 0], late, preset="fast", mask=torch.ones_like(here[0], dtype=torch.bool))
        doubled = again.to_torch() * 2
    torch.cuda.synchronize()
    masked = veloxel.flow(fixed, moving, preset="fast", mask=np.ones(fixed.shape), device="cpu").field
    assert np.array_equal(doubled.cpu().numpy(), 2 * masked, equal_nan=True)
    for _ in range(20):
        view = veloxel.flow(*here, preset="fast").to_torch()
        total = (view * 1.0).nan_to_num()
        del view
        veloxel.flow(here[1], here[0], preset="fast")
        assert np.array_equal(total.cpu().numpy(), np.nan_to_num(field))
    placed = [veloxel.GpuImage(image, spacing_zyx=(2.0, 0.5)) for image in here]
    on_host = [veloxel.Image(image, spacing_zyx=(2.0, 0.5)) for image in (fixed, moving)]
    there = veloxel.flow(*placed, preset="fast").cpu()
    assert there.flow.spacing_zyx == (2.0, 0.5)
    assert np.array_equal(there.field, veloxel.flow(*on_host, preset="fast", device="cpu").field, equal_nan=True)
    registered = veloxel.register(*here, preset="fast")
    expected_both = veloxel.register(fixed, moving, preset="fast", device="cpu")
    assert np.array_equal(registered.cpu().inverse.array, expected_both.inverse.array, equal_nan=True)
    with pytest.warns(veloxel.VeloxelWarning, match="memory of the host"):
        holes = here[1].clone()
        holes[3, 4] = float("nan")
        veloxel.flow(here[0], holes, preset="fast")
    with pytest.raises(veloxel.InputError, match="bring both to one place"):
        veloxel.flow(here[0], moving)
    with pytest.raises(veloxel.InputError, match="session computes on cpu"):
        veloxel.flow(*here, device="cpu")


def test_cupy(expected):
    cupy = pytest.importorskip("cupy")
    with pytest.raises(veloxel.InputError, match=r"\.get\(\)"):
        veloxel.Image(cupy.asarray(expected[0]))
    fixed, moving, field = expected
    found = veloxel.flow(cupy.asarray(fixed), cupy.asfortranarray(cupy.asarray(moving)), preset="fast")
    assert np.array_equal(cupy.asnumpy(cupy.from_dlpack(found.flow)), field, equal_nan=True)


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
