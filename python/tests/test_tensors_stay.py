"""Sequences, warps and stereo of tensors that stay where they are: through a processor's memory here, on a GPU where there is one."""

import numpy as np
import pytest

import veloxel
from conftest import waves

NOWHERE = (None, None, None)


def bits(array):
    return np.ascontiguousarray(array, dtype=np.float32).view(np.uint32)


def same(found, expected):
    """Whether two arrays have the same bits."""
    return np.array_equal(bits(found), bits(expected))


def given(array, place=NOWHERE):
    """An array of the host as tensors on a GPU are handed over: a processor's memory is the host's."""
    return np.ascontiguousarray(array, dtype=np.float32).__dlpack__(), place


@pytest.fixture(scope="module")
def own():
    from veloxel import _veloxel

    return _veloxel.Session("cpu", 2)


def options(method="clg", preset="fast"):
    from veloxel._flow import _options, settings

    return _options(settings(method, preset, {}), False, False, None, None)


def stepwise(own, frames, *, method="clg", mode="consecutive", reference=None, mask=None, volume_mask=None):
    """The fields of frames of the host, through the way that tensors on a GPU go."""
    from veloxel import _veloxel
    from veloxel._gpu.sequence import _found

    beside = {"mode": mode, "reference": reference, "mask": mask, "volume_mask": volume_mask}
    preset = None if method == "phase" else "fast"
    return _found(_veloxel.resident_sequence(own, [given(frame) for frame in frames], options(method, preset), beside), None, own)


def film(count=4, shape=(40, 48)):
    return np.stack([waves(0.4 * t, shape) for t in range(count)])


def texture(count, shape):
    """Frames of 8 bits of a texture that moves by a pixel a frame along x."""
    height, width = shape
    whole = np.random.default_rng(3).uniform(0, 255, (height + 2, width + count + 2))
    smooth = sum(whole[y : y + height, x : x + width + count] for y in range(3) for x in range(3)) / 9
    return np.stack([np.round(smooth[:, nth : nth + width]) for nth in range(count)]).astype(np.float32)


@pytest.mark.parametrize("method", ["clg", "lucas-kanade", "symmetric"])
@pytest.mark.parametrize(("mode", "reference"), [("consecutive", None), ("reference", 2), ("both", 1)])
def test_sequences_that_stay_have_the_bits_of_the_host(own, method, mode, reference):
    frames = film()
    expected = {one.name: one for one in veloxel.sequence(frames, mode=mode, reference=reference, method=method, preset="fast", device="cpu")}
    found = list(stepwise(own, frames, method=method, mode=mode, reference=reference))
    assert sorted(one.name for one in found) == sorted(expected)
    for one in found:
        there = expected[one.name]
        assert (one.fixed_frame, one.moving_frame) == (there.fixed_frame, there.moving_frame)
        assert same(one.flow.numpy(), there.field) and same(one.confidence.numpy(), there.confidence.array)
        assert same(one.cpu().field, there.field)
        assert one.report["copied_bytes"] == {"to_device": 0, "to_host": 0}
        numbers = [{name: value for name, value in each.report["statistics"].items() if name != "levels"} for each in (one, there)]
        assert numbers[0] == numbers[1]


def test_sequences_of_volumes_under_masks(own):
    frames = film(3, (12, 20, 24))
    mask = (frames[0] > np.median(frames[0]) - 1).astype(np.float32)
    expected = veloxel.sequence(frames, mask=mask, volume_mask=mask, preset="fast", device="cpu")
    found = list(stepwise(own, frames, mask=given(mask), volume_mask=given(mask)))
    assert len(found) == 2 and all(same(one.flow.numpy(), there.field) for one, there in zip(found, expected))


def test_a_sequence_is_found_step_by_step_and_ends(own):
    frames = film(3)
    fields = stepwise(own, frames)
    first = next(fields)
    kept = np.from_dlpack(first.flow).copy()
    assert next(fields).name == "consecutive_001_002"
    assert same(first.flow.numpy(), kept)
    with pytest.raises(StopIteration):
        next(fields)
    # One that is left half way gives everything back.
    half = stepwise(own, frames)
    next(half)
    half.close()


def test_frames_that_preparation_changes_go_by_the_host(own):
    frames = film()
    frames[2, 5, 7] = np.nan
    with pytest.warns(veloxel.VeloxelWarning, match="memory of the host"):
        found = list(stepwise(own, frames))
    with pytest.warns(veloxel.VeloxelWarning):
        expected = veloxel.sequence(frames, preset="fast", device="cpu")
    assert all(same(one.flow.numpy(), there.field) for one, there in zip(found, expected))
    other = [film()[0], film(shape=(40, 50))[1]]
    with pytest.raises(veloxel.InputError, match="pictures must have one size"):
        stepwise(own, other)


def test_sequences_that_cannot_stay_are_refused_by_name(own):
    with pytest.raises(veloxel.UnsupportedError, match=r"phase takes windows of frames.*\.cpu\(\)"):
        stepwise(own, film(6), method="phase")
    with pytest.raises(veloxel.InputError, match="at least 2 frames"):
        stepwise(own, film(1))
    with pytest.raises(veloxel.InputError, match="reference frame from 0 to 3"):
        stepwise(own, film(), mode="reference", reference=7)


@pytest.fixture(scope="module")
def found(own):
    from veloxel import _veloxel
    from veloxel._gpu.flow import GpuFlow

    known = dict.fromkeys(("mask", "moving_mask", "volume_mask", "weight", "init"))
    images = [given(waves(0.0)), given(waves(0.5))]
    return GpuFlow(_veloxel.resident_flow(own, images, options(), known), None, own)


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"outside": "edge"},
        {"outside": -5.0},
        {"outside": float("nan")},
        {"interpolation": "nearest"},
        {"interpolation": "cubic"},
        {"interpolation": "cubic-convolution"},
        {"smooth": True},
    ],
)
def test_warps_that_stay_have_the_bits_of_the_host(own, found, asked):
    image = waves(0.9)
    kept = {"interpolation": "linear", "smooth": False, "outside": 0.0, **asked}
    warped, _ = found._found.warp(own, given(image), kept["interpolation"], kept["smooth"], kept["outside"])
    assert same(np.from_dlpack(warped), found.cpu().warp(image, **asked).array)


def test_warps_of_images_elsewhere_and_with_holes(own, found):
    image = waves(0.9)
    image[3, 4] = np.nan
    warped, told = found._found.warp(own, given(image), "linear", False, 0.0)
    assert any("memory of the host" in text for _, text in told)
    with pytest.warns(veloxel.VeloxelWarning, match="NaN"):
        assert same(np.from_dlpack(warped), found.cpu().warp(image).array)
    place = ([2.0, 1.5, 1.0], [3.0, -2.0, 0.0], None)
    warped, told = found._found.warp(own, given(image * 0 + waves(0.9), place), "linear", False, 0.0)
    assert np.from_dlpack(warped).shape == found.flow.shape[:2]
    with pytest.raises(veloxel.InputError, match=r"found\.cpu\(\)\.warp"):
        found.warp(image)
    with pytest.raises(AttributeError, match=r"found\.cpu\(\)\.points"):
        _ = found.points


def test_disparities_that_stay_have_the_bits_of_the_host(own):
    from veloxel import _veloxel
    from veloxel._flow import settings
    from veloxel._gpu.stereo import GpuStereo

    texture = np.random.default_rng(3).uniform(0, 255, (64, 103)).astype(np.float32)
    left, right = texture[:, :96], texture[:, 7:]
    for preset in ("accurate", "fast", "paper"):
        expected = veloxel.stereo(left, right, preset=preset, device="cpu")
        found = GpuStereo(_veloxel.resident_stereo(own, [given(left), given(right)], settings("phase", preset, {})), None)
        assert same(found.disparity.numpy(), expected.disparity.array) and same(found.confidence.numpy(), expected.confidence.array)
        there = found.cpu()
        for name in ("disparity", "confidence", "expected_error", "left", "right"):
            assert same(getattr(there, name).array, getattr(expected, name).array), name
        assert found.report["statistics"] == expected.report["statistics"]
        assert found.report["copied_bytes"] == {"to_device": 0, "to_host": 0}
    with pytest.raises(AttributeError, match=r"found\.cpu\(\)\.depth"):
        _ = found.depth
    swapped = _veloxel.resident_stereo(own, [given(right), given(left)], settings("phase", "fast", {}))
    assert any("seem to be swapped" in text for _, text in swapped.warnings)
    holes = right.copy()
    holes[:, 7] = np.nan
    told = _veloxel.resident_stereo(own, [given(left), given(holes)], settings("phase", "fast", {})).warnings
    assert any("memory of the host" in text for _, text in told)


def test_features_that_stay_have_the_bits_of_the_host(own):
    from veloxel import _veloxel
    from veloxel._flow import settings

    image = texture(1, (50, 61))[0]
    for preset in ("accurate", "hardware"):
        expected = veloxel.features(image, preset=preset, device="cpu")
        found, told = _veloxel.resident_features(own, given(image), settings("phase", preset, {}))
        assert told == [] and len(found) == len(expected)
        for maps, one in zip(found, expected):
            assert all(same(np.from_dlpack(map), there.array) for map, there in zip(maps, (one.energy, one.orientation, one.phase)))
    holes = image.copy()
    holes[3, 4] = np.nan
    found, told = _veloxel.resident_features(own, given(holes), settings("phase", "fast", {}))
    assert any("memory of the host" in text for _, text in told)
    with pytest.warns(veloxel.VeloxelWarning, match="NaN"):
        expected = veloxel.features(holes, preset="fast", device="cpu")
    assert same(np.from_dlpack(found[0][0]), expected[0].energy.array)


def streamed(own, frames, *, right=None, **wanted):
    """The results of a stream of frames of the host, through the way that tensors on a GPU go."""
    from veloxel import _veloxel
    from veloxel._flow import settings
    from veloxel._gpu.engine import _frame

    stream = {"settings": settings("phase", None, {}), "flow": True, "stereo": False, "features": False, "confidence": True}
    engine = _veloxel.ResidentStream(own, {**stream, "all_scales": False, "samples": None, **wanted})
    found = []
    for nth, frame in enumerate(frames):
        found.append(_frame(engine.push(given(frame), None if right is None else given(right[nth]))))
    while (last := _frame(engine.drain())) is not None:
        found.append(last)
    engine.finish()
    with pytest.raises(veloxel.InputError, match="the stream has ended"):
        engine.push(given(frames[0]))
    return [one for one in found if one is not None]


@pytest.mark.parametrize("shape", [(40, 48), (12, 60)])
@pytest.mark.parametrize("wanted", [{}, {"features": True, "all_scales": True}, {"flow": False, "stereo": True, "confidence": False}])
def test_streams_that_stay_have_the_bits_of_the_host(own, shape, wanted):
    frames = texture(7, shape)
    right = np.roll(frames, -2, axis=2) if wanted.get("stereo") else None
    with veloxel.PhaseEngine(device="cpu", **wanted) as engine:
        pairs = frames if right is None else list(zip(frames, right))
        expected = list(engine.run(pairs))
    found = streamed(own, frames, right=right, **wanted)
    assert [one.frame for one in found] == [one.frame for one in expected]
    for one, there in zip(found, expected):
        for name in ("flow", "confidence", "disparity", "disparity_confidence"):
            here, host = getattr(one, name), getattr(there, name)
            assert (here is None) == (host is None), name
            assert here is None or same(here.numpy(), host.array), name
        assert len(one.features) == len(there.features)
        for maps, host in zip(one.features, there.features):
            assert all(same(getattr(maps, name).numpy(), getattr(host, name).array) for name in ("energy", "orientation", "phase"))
        assert one.report["copied_bytes"] == {"to_device": 0, "to_host": 0}
        assert {name: there.report[name] for name in one.report if name in there.report} == {name: one.report[name] for name in one.report if name in there.report}


def test_streams_that_cannot_stay_are_refused_by_name(own):
    frames = texture(7, (40, 48))
    frames[3, 4, 5] = np.nan
    with pytest.raises(veloxel.InputError, match="no numbers.*memory of the host"):
        streamed(own, frames)
    with pytest.raises(veloxel.InputError, match="size|pixels"):
        streamed(own, [film()[0], film(shape=(40, 50))[0]])
    with pytest.raises(veloxel.InputError, match="flow needs"):
        streamed(own, film(2))
    with pytest.raises(veloxel.InputError, match="rounded for the memory of the host"):
        streamed(own, film(), samples="f16")


class OnGpu:
    """A tensor that says that it lies on a GPU: what is not to be asked for its samples."""

    def __init__(self, array):
        self.array, self.shape, self.ndim, self.dtype = array, array.shape, array.ndim, array.dtype

    def __dlpack_device__(self):
        return 2, 0

    def __dlpack__(self, **options):
        raise AssertionError("what lies elsewhere is not asked for")

    def __getitem__(self, nth):
        return OnGpu(self.array[nth])


def test_what_takes_no_tensors_of_a_gpu_says_what_to_do():
    image = OnGpu(waves(0.0))
    field = veloxel.Field(np.zeros((40, 48, 2)))
    calls = {
        "filter": lambda: veloxel.filter(image, "gaussian"),
        "field": lambda: veloxel.Field(OnGpu(np.zeros((40, 48, 2)))),
        "invert": lambda: veloxel.invert(OnGpu(np.zeros((40, 48, 2)))),
        "compose": lambda: veloxel.compose(field, OnGpu(np.zeros((40, 48, 2)))),
        "evaluate.flow": lambda: veloxel.evaluate.flow(OnGpu(np.zeros((40, 48, 2))), field),
        "evaluate.disparity": lambda: veloxel.evaluate.disparity(image, image),
        "evaluate.labels": lambda: veloxel.evaluate.labels(image, image),
        "warp": lambda: field.warp(image),
        "warp_labels": lambda: field.warp_labels(image),
        "points": lambda: field.points(OnGpu(np.zeros((3, 2)))),
        "track_points": lambda: veloxel.track_points([image, image]),
        "write": lambda: veloxel.write("picture.png", image),
        "placed": lambda: veloxel.Image(veloxel.GpuImage(image)),
    }
    for name, call in calls.items():
        with pytest.raises(veloxel.InputError, match=r"memory of a GPU.*`\.cpu\(\)`"):
            pytest.fail(f"{name} took it: {call()!r}")


def test_calls_with_tensors_of_a_gpu_say_what_they_cannot_do_with_them():
    image = OnGpu(waves(0.0))
    with pytest.raises(veloxel.InputError, match="bring both to one place"):
        veloxel.sequence([image, waves(0.5)])
    with pytest.raises(veloxel.InputError, match="bring both to one place"):
        veloxel.stereo(image, waves(0.5))
    with pytest.raises(veloxel.InputError, match="session computes on cpu"):
        veloxel.sequence(OnGpu(film()), device="cpu")
    with pytest.raises(veloxel.InputError, match=r"found\.warp\(frame\)"):
        veloxel.sequence(OnGpu(film()), warped=0.0)
    with pytest.raises(veloxel.InputError, match=r"\(t, y, x\)"):
        veloxel.sequence(image)
    with pytest.raises(veloxel.InputError, match="session computes on cpu"):
        veloxel.features(image, device="cpu")
    with veloxel.PhaseEngine(device="cpu") as engine:
        with pytest.raises(veloxel.InputError, match="session computes on cpu"):
            engine.push(image)
        engine.push(waves(0.0))
        with pytest.raises(veloxel.InputError, match="frames of a stream lie in one place"):
            engine.push(image)
    for known in ({"mask": waves(0.0)}, {"cameras": veloxel.Cameras.rectified(focal=400.0, baseline=0.1)}):
        with pytest.raises(veloxel.InputError, match=r"`\.cpu\(\)` takes tensors there"):
            veloxel.stereo(image, image, **known)


def test_a_session_counts_what_it_copied():
    with veloxel.Session("cpu", threads=1) as session:
        veloxel.flow(waves(0.0), waves(0.5), preset="fast", session=session)
        assert session.copied_bytes == {"to_device": 0, "to_host": 0}


def test_torch_on_a_gpu_through_every_call():
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("no CUDA GPU")
    frames = film(4, (24, 64, 72))
    there = torch.from_numpy(frames).cuda()
    expected = veloxel.sequence(frames, mode="both", preset="fast", device="cpu")
    expected = {one.name: one for one in expected}
    with veloxel.Session("cuda:0") as session:
        before = session.copied_bytes
        for one in veloxel.sequence(there, mode="both", preset="fast", session=session):
            assert same(one.to_torch().cpu().numpy(), expected[one.name].field), one.name
            warped = one.warp(there[one.moving_frame]).to_torch()
            assert warped.is_cuda and same(warped.cpu().numpy(), expected[one.name].warp(frames[one.moving_frame]).array)
        after = session.copied_bytes
        assert after["to_device"] == before["to_device"]
        assert after["to_host"] - before["to_host"] < frames.nbytes
    # A stream of the caller's, whose work is still under way, before and after.
    with torch.cuda.stream(torch.cuda.Stream()):
        torch.cuda._sleep(20_000_000)
        late = [torch.nn.functional.pad(frame, (0, 8))[..., :72] * 1.0 for frame in there]
        doubled = [one.to_torch() * 2 for one in veloxel.sequence(late, preset="fast")]
    torch.cuda.synchronize()
    consecutive = [one for name, one in expected.items() if name.startswith("consecutive")]
    for two, one in zip(doubled, consecutive):
        assert same(two.cpu().numpy(), 2 * one.field)
    texture = np.random.default_rng(3).uniform(0, 255, (128, 199)).astype(np.float32)
    pair = texture[:, :192], texture[:, 7:]
    found = veloxel.stereo(*(torch.from_numpy(np.ascontiguousarray(one)).cuda() for one in pair))
    host = veloxel.stereo(*pair, device="cpu")
    assert same(found.to_torch().cpu().numpy(), host.disparity.array) and same(found.cpu().expected_error.array, host.expected_error.array)
    scales = veloxel.features(torch.from_numpy(pair[0].copy()).cuda())
    for own, one in zip(scales, veloxel.features(pair[0], device="cpu"), strict=True):
        for name in ("energy", "orientation", "phase"):
            assert same(getattr(own, name).to_torch().cpu().numpy(), getattr(one, name).array), name


def test_cupy_through_every_call():
    cupy = pytest.importorskip("cupy")
    frames = film(3)
    fields = veloxel.sequence(cupy.asarray(frames), preset="fast")
    for one, there in zip(fields, veloxel.sequence(frames, preset="fast", device="cpu")):
        assert same(cupy.asnumpy(cupy.from_dlpack(one.flow)), there.field)
        assert same(cupy.asnumpy(cupy.from_dlpack(one.warp(cupy.asarray(frames[0])))), there.warp(frames[0]).array)
