"""What newcomers get wrong is one sentence that names the argument, and nothing is guessed in silence."""

import pathlib
import pickle
import subprocess
import sys
import warnings

import numpy as np
import pytest

import veloxel
from conftest import waves

A, B = waves(0.0), waves(0.5)
STILL = np.random.default_rng(1).uniform(0, 255, (64, 64))
TETRAHEDRON = veloxel.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])
CINE = veloxel.phantom("cine", (32, 32), noise=0)
FOUND = veloxel.flow(A, B, preset="fast", device="cpu")
LABELS = np.pad(np.full((8, 8), 3), 12)


class Unready:
    """A bar that has not all that bars of tqdm have."""

    n = total = 0


MISTAKES = {
    "a picture in colour": (lambda: veloxel.flow(np.zeros((48, 64, 3)), np.zeros((48, 64, 3))), "colour.*grey.*spacing_zyx"),
    "one channel": (lambda: veloxel.Image(np.zeros((48, 64, 1))), r"array\[\.\.\., 0\]"),
    "colours of a film": (lambda: veloxel.track_points(np.zeros((2, 48, 64, 3))), "frame 0.*colour"),
    "a number for an image": (lambda: veloxel.flow(3, A), "fixed image is of type int"),
    "rows of several lengths": (lambda: veloxel.flow([[1, 2], [3]], A), "several lengths"),
    "an array of objects": (lambda: veloxel.flow(A, np.array([[1, None]])), "moving image is of type array of objects"),
    "a bare spacing": (lambda: veloxel.Image(A, spacing=(1, 1)), "spacing= does not say its order: spacing_zyx="),
    "a bare origin of a field": (lambda: veloxel.Field(FOUND.field, origin=(1, 1)), "origin= does not say its order"),
    "a spacing of flow": (lambda: veloxel.flow(A, B, spacing_zyx=(1, 1)), r"veloxel\.Image\(array, spacing_zyx"),
    "a spacing that is one number": (lambda: veloxel.Image(A, spacing_zyx=1.0), "spacing_zyx= has two or three numbers"),
    "two numbers of a volume": (lambda: veloxel.Image(np.zeros((3, 4, 5)), spacing_zyx=(1, 2)), "spacing_zyx= has three numbers"),
    "two numbers of a field": (lambda: veloxel.Field(np.zeros((3, 4, 5, 3)), spacing_xyz=(1, 2)), "spacing_xyz= has three numbers"),
    "an origin that is nowhere": (lambda: veloxel.Image(A, origin_xyz=(np.nan, 0)), "origin_xyz=.*finite"),
    "a session by its word": (lambda: veloxel.flow(A, B, session="cpu"), "session= is a veloxel.Session.*device="),
    "a device by its number": (lambda: veloxel.flow(A, B, device=0), 'a device is a word such as "auto"'),
    "threads below 0": (lambda: veloxel.Session("cpu", threads=-1), "threads= is a whole number from 0 on, not -1"),
    "memory with a unit": (lambda: veloxel.Session("cpu", max_memory="2GB"), "max_memory= is a whole number.*'2GB'"),
    "progress that is a word": (lambda: veloxel.flow(A, B, progress=True), "progress= is a function"),
    "a bar that is none": (lambda: veloxel.flow(A, B, progress=Unready()), "progress= is a function"),
    "a start that is a number": (lambda: veloxel.flow(A, B, init=3), "init= is a word"),
    "no field": (lambda: veloxel.Field(None), "the field is of type NoneType"),
    "one point": (lambda: FOUND.points([3, 4]), r"rows \(x, y\)"),
    "points that are words": (lambda: FOUND.points("a"), "points are numbers"),
    "points of a transform": (lambda: veloxel.Transform(xy=np.eye(3)).points([[1, 2, 3]]), r"rows \(x, y\)"),
    "a transform of words": (lambda: veloxel.Transform(lps="a"), "lps= are numbers"),
    "a transform with holes": (lambda: veloxel.Transform(lps=np.diag([np.nan, 1, 1, 1])), "lps=.*not finite"),
    "a scale below 0": (lambda: FOUND.plot(scale=-1.0), "scale=.*above 0"),
    "a path that is a number": (lambda: veloxel.read(3), "a path is a string"),
    "an empty path": (lambda: veloxel.read(""), "the path is empty"),
    "the path second": (lambda: veloxel.write(A, "a.nii"), "the path first"),
    "a mesh to write": (lambda: veloxel.write("a.ply", TETRAHEDRON), "write takes an Image"),
    "parts below 1": (lambda: veloxel.segment(TETRAHEDRON, -1), "parts is a whole number from 1 on"),
    "parts with a fraction": (lambda: veloxel.segment(TETRAHEDRON, 2.5), "parts is a whole number from 1 on"),
    "a source below 0": (lambda: veloxel.distances(TETRAHEDRON, sources=[-1]), "sources= is a whole number"),
    "a full matrix": (lambda: veloxel.distances(np.ones((4, 4))), "csr_array"),
    "corners below 0": (lambda: veloxel.track_points([STILL, STILL], corners=-1), "corners= is a whole number"),
    "a window with a point": (lambda: veloxel.track_points([STILL, STILL], window=21.0), "window= is a whole number"),
    "points of several lengths": (lambda: veloxel.track_points([STILL, STILL], [[1, 2], [3]]), "points are numbers in rows of one length"),
    "one frame for a film": (lambda: veloxel.sequence(A), r"time as its first axis.*\(48, 64\)"),
    "no film": (lambda: veloxel.sequence(5), "frames are a list of images.*not int"),
    "a reference below 0": (lambda: veloxel.sequence([A, B], mode="reference", reference=-1), "reference= is a whole number"),
    "no outlines": (lambda: veloxel.track(CINE["cine"], None), "outlines are veloxel.Outline.*NoneType"),
    "an outline of three": (lambda: veloxel.track(CINE["cine"], [("endo", 0, [[1, 2]])]), "tuple of these four"),
    "labels of another size": (lambda: veloxel.track(CINE["cine"], LABELS[:20]), r"label image of frame 0 has the shape \(20, 32\).*\(32, 32\)"),
    "no cine": (lambda: veloxel.track(3, CINE["contours"]), "frames are a list of images"),
    "the size of a phantom": (lambda: veloxel.phantom("shift", 32), "size_zyx has two or three numbers"),
    "four axes": (lambda: veloxel.parameters("clg", axes=4), "axes= is 2 for pictures or 3"),
    "a stream of nothing": (lambda: veloxel.PhaseEngine(flow=False, device="cpu"), "find something"),
    "one eye": (lambda: veloxel.PhaseEngine(flow=False, stereo=True, device="cpu").push(STILL), "right camera's frame"),
    "rows that are words": (lambda: veloxel.batch(["a"], "out"), "a row is a dictionary"),
    "cameras of words": (lambda: veloxel.Cameras("a", "b", np.eye(3), [1, 0, 0]), "a camera's matrix are numbers"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_one_sentence_with_its_kind(mistake):
    call, text = MISTAKES[mistake]
    with pytest.raises((veloxel.InputError, veloxel.ParameterError), match=text) as raised:
        call()
    error = raised.value
    assert error.kind == ("input" if isinstance(error, veloxel.InputError) else "parameter") and error.hint is None
    assert "\n" not in str(error)
    same = pickle.loads(pickle.dumps(error))
    assert (type(same), str(same), same.kind) == (type(error), str(error), error.kind)


class Tensor:
    """A tensor of another library, in the host's memory."""

    def __init__(self, array):
        self.array = array

    def __dlpack_device__(self):
        return 1, 0

    def __dlpack__(self, **options):
        return self.array.__dlpack__()


@pytest.mark.parametrize(("channels", "text"), [(1, r"tensor\[0\]"), (3, r"tensor\[:3\]\.mean\(0\)")])
def test_tensors_with_channels_are_no_volumes(channels, text):
    stack = np.repeat(A[np.newaxis], channels, axis=0)
    with pytest.raises(veloxel.InputError, match=f"moving image has the shape.*channels.*{text}"):
        veloxel.flow(A, Tensor(stack))
    assert veloxel.Image(Tensor(stack), spacing_zyx=(1, 1, 1)).shape == stack.shape
    # Arrays have slices first.
    assert veloxel.Image(stack).shape == stack.shape


def test_thin_volumes_are_told_by_their_spacing_or_their_size():
    slab = np.random.default_rng(2).normal(size=(24, 20, 3))
    assert veloxel.Image(slab, spacing_zyx=(1, 1, 1)).shape == (24, 20, 3)
    assert veloxel.Image(slab[:16]).shape == (16, 20, 3)
    assert veloxel.Image(np.zeros((48, 64, 5))).shape == (48, 64, 5)


def test_masked_samples_are_not_data():
    hidden = np.ma.masked_array(A, mask=np.zeros(A.shape, dtype=bool))
    hidden[10:14, 20:30] = np.ma.masked
    image = veloxel.Image(hidden)
    assert np.isnan(image.array[10:14, 20:30]).all() and np.isnan(image.array).sum() == 40
    assert np.array_equal(veloxel.Image(np.ma.masked_array(A)).array, A)
    whole = veloxel.Image(np.ma.masked_array(np.arange(6, dtype=np.int32).reshape(2, 3), mask=[[1, 0, 0], [0, 0, 0]]))
    assert np.isnan(whole.array[0, 0]) and whole.array[1].tolist() == [3, 4, 5]


def test_what_arrays_have_is_told_of_images_and_fields():
    with pytest.raises(AttributeError, match=r"'Image'.*'mean'.*\.array\.mean"):
        FOUND.confidence.mean()
    with pytest.raises(AttributeError, match=r"'Field'.*'dtype'.*\.array\.dtype"):
        FOUND.flow.dtype
    with pytest.raises(AttributeError, match="'nothing_such'$"):
        FOUND.confidence.nothing_such
    assert not hasattr(FOUND.confidence, "mean") and not hasattr(FOUND.flow, "__len__")
    assert np.array_equal(np.asarray(FOUND), FOUND.field) and np.array_equal(veloxel.Field(FOUND).array, FOUND.field)


def test_one_word_and_one_number_are_lists_of_one(tmp_path):
    assert list(veloxel.compare(A, B, methods="clg:fast", device="cpu").results) == ["clg:fast"]
    beat = veloxel.track(CINE["cine"], CINE["contours"], methods="clg:fast", start_frames=0, device="cpu")
    assert (beat.method, beat.preset) == ("clg", "fast")
    assert veloxel.distances(TETRAHEDRON, sources=0, device="cpu").shape == (1, 4)
    veloxel.write(tmp_path / "field.flo", FOUND)
    assert np.array_equal(veloxel.read_field(bytes(tmp_path / "field.flo")).array, FOUND.field)


def test_a_bar_of_tqdm_is_moved():
    class Bar:
        n, total, told = 0, None, None

        def set_description(self, text, refresh=True):
            self.told = text

        def refresh(self):
            assert 0 <= self.n <= self.total

    bar = Bar()
    veloxel.flow(waves(0.0, (24, 64, 64)), waves(0.5, (24, 64, 64)), device="cpu", progress=bar)
    assert bar.total == 1.0 and bar.n > 0.3 and isinstance(bar.told, str)
    of_ten = Bar()
    of_ten.total = 10
    veloxel.flow(waves(0.0, (24, 64, 64)), waves(0.5, (24, 64, 64)), device="cpu", progress=of_ten)
    assert of_ten.total == 10 and of_ten.n > 3


@pytest.mark.parametrize(
    "result", [CINE["contours"][0], veloxel.track(CINE["cine"], CINE["contours"], start_frames=[0], device="cpu"), TETRAHEDRON, FOUND]
)
def test_results_print_as_a_line_and_are_pickled(result):
    assert len(repr(result)) < 120 and "\n" not in repr(result)
    same = pickle.loads(pickle.dumps(result))
    assert repr(same) == repr(result) and type(same) is type(result)


def test_what_belongs_to_a_process_says_so():
    for own in (veloxel.Session("cpu", threads=1), veloxel.PhaseEngine(device="cpu")):
        with pytest.raises(TypeError, match="make one in each process"):
            pickle.dumps(own)
    with pytest.raises(TypeError, match=r"evaluate\.flow"):
        veloxel.evaluate(A, B)


def test_warnings_name_the_users_line():
    calls = [
        lambda: veloxel.flow(np.where(A > 1.9, np.nan, A), B, preset="fast", device="cpu"),
        lambda: veloxel.register(np.where(A > 1.9, np.nan, A), B, preset="fast", device="cpu"),
        lambda: veloxel.track([np.where(frame.array > frame.array.max() * 0.99, np.nan, frame.array) for frame in CINE["cine"]], CINE["contours"], start_frames=[0], device="cpu"),
    ]
    for call in calls:
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            call()
        own = [one for one in told if isinstance(one.message, veloxel.VeloxelWarning)]
        assert own and all(one.filename == __file__ for one in own)
    warning = veloxel.VeloxelWarning("text", "header")
    same = pickle.loads(pickle.dumps(warning))
    assert (str(same), same.kind) == ("text", "header")


def test_the_source_without_its_extension_says_what_to_do(tmp_path):
    source = pathlib.Path(veloxel.__file__).parent
    (tmp_path / "veloxel").mkdir()
    (tmp_path / "veloxel" / "__init__.py").write_text((source / "__init__.py").read_text(encoding="utf-8"), encoding="utf-8")
    told = subprocess.run([sys.executable, "-c", "import veloxel"], cwd=tmp_path, capture_output=True, text=True, env={"PYTHONPATH": str(tmp_path)})
    assert told.returncode == 1 and "pip install ." in told.stderr and "circular" not in told.stderr
