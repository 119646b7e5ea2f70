"""Arrays do not say where they lie: what belongs to an image lies where that does, and what cannot be known is refused."""

import numpy as np
import pytest

import veloxel

PLACE = {"spacing_xyz": (0.7, 1.1, 2.0), "origin_xyz": (-30.0, 12.0, 55.0), "direction": [[-1, 0, 0], [0, -1, 0], [0, 0, 1]]}


@pytest.fixture(scope="module")
def pair():
    parts = veloxel.phantom("twist", (20, 22, 24))
    return [veloxel.Image(parts[name].array, **PLACE) for name in ("fixed", "moving")]


@pytest.fixture(scope="module")
def mask():
    inside = np.zeros((20, 22, 24), bool)
    inside[5:15, 6:16, 6:18] = True
    return inside


@pytest.mark.parametrize("name", ["mask", "moving_mask", "volume_mask", "weight"])
def test_masks_lie_where_their_image_does(pair, mask, name):
    # The methods that use them.
    settings = {"method": "lucas-kanade"} if name == "weight" else {"beta": 3.0}

    def field(own):
        return veloxel.flow(*pair, device="cpu", preset="fast", **settings, **{name: own}).field

    placed = field(veloxel.Image(mask.astype("u1"), **PLACE))
    assert np.array_equal(field(mask), placed, equal_nan=True)
    assert not np.array_equal(field(None), placed, equal_nan=True), "the mask should count"
    with pytest.raises(veloxel.InputError, match=r"\(19, 22, 24\).*\(20, 22, 24\)"):
        field(mask[1:])


def test_masks_of_sequences_and_comparisons_do_so_as_well(pair, mask):
    placed = veloxel.Image(mask.astype("u1"), **PLACE)
    frames = [*pair, pair[0]]
    for own in (placed, mask):
        found = veloxel.sequence(frames, device="cpu", preset="fast", beta=3.0, volume_mask=own)
        first = found[0].field if own is placed else first
        assert np.array_equal(found[0].field, first, equal_nan=True)
    truth = veloxel.phantom("twist", (20, 22, 24))["truth"].array
    both = [
        veloxel.compare(*pair, methods=["clg:fast"], truth=own, mask=mask, device="cpu").report["runs"][0]
        for own in (truth, veloxel.Field(truth, like=pair[0]))
    ]
    assert both[0]["pair"]["error"] == both[1]["pair"]["error"]
    field = veloxel.Field(truth, like=pair[0])
    assert veloxel.evaluate.flow(field, field, mask=mask) == veloxel.evaluate.flow(field, field, mask=placed)


def test_a_field_to_begin_from_lies_where_the_fixed_image_does(pair):
    start = veloxel.flow(*pair, device="cpu", preset="fast")
    again = [veloxel.flow(*pair, device="cpu", preset="fast", init=own).field for own in (start, start.field)]
    assert np.array_equal(*again, equal_nan=True)


def test_an_array_beside_an_image_with_a_place_is_refused(pair):
    fixed, moving = pair
    for images in ([fixed, moving.array], [fixed.array, moving]):
        with pytest.raises(veloxel.InputError, match="array without one"):
            veloxel.flow(*images, device="cpu")
    both = veloxel.flow(fixed.array, moving.array, device="cpu", preset="fast")
    placed = veloxel.flow(fixed, moving, device="cpu", preset="fast")
    assert both.field.shape == placed.field.shape
