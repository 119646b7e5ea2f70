"""Images, fields and results are pickled, copied, and come back from other processes."""

import copy
import multiprocessing
import pickle
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import numpy as np
import pytest

import veloxel

TURNED = [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]


def pair():
    y, x = np.mgrid[:40, :48].astype(np.float32)
    return [np.sin(0.3 * (x - shift)) + np.cos(0.2 * y) for shift in (0.0, 0.5)]


@pytest.mark.parametrize("again", [lambda value: pickle.loads(pickle.dumps(value)), copy.copy, copy.deepcopy])
def test_images_and_fields_keep_their_samples_and_their_place(again):
    samples = np.random.default_rng(3).normal(size=(4, 5, 6)).astype(np.float32)
    image = veloxel.Image(samples, spacing_zyx=(2.5, 1, 0.5), origin_xyz=(1, 2, 3), direction=TURNED)
    same = again(image)
    assert np.array_equal(same.array, samples) and same.spacing_zyx == (2.5, 1.0, 0.5)
    assert same.origin_xyz == (1.0, 2.0, 3.0) and np.array_equal(same.direction, image.direction)
    vectors = np.random.default_rng(4).normal(size=(4, 5, 6, 3)).astype(np.float32)
    vectors[0, 0, 0] = np.nan
    field = again(veloxel.Field(vectors, like=image))
    assert np.array_equal(field.array, vectors, equal_nan=True)
    assert np.array_equal(field.array_mm, veloxel.Field(vectors, like=image).array_mm, equal_nan=True)


def test_results_keep_all_that_they_hold():
    found = veloxel.flow(*pair(), preset="fast", warped=True, device="cpu")
    same = pickle.loads(pickle.dumps(found))
    assert np.array_equal(same.field, found.field, equal_nan=True)
    assert np.array_equal(same.covariance, found.covariance, equal_nan=True)
    assert np.array_equal(same.confidence.array, found.confidence.array)
    assert np.array_equal(same.warped.array, found.warped.array, equal_nan=True)
    assert same.report == found.report and same.occlusion is None
    assert np.array_equal(same.warp(pair()[1]).array, found.warp(pair()[1]).array)


def test_batches_of_other_processes_are_the_same_bits():
    fixed, moving = pair()
    here = [veloxel.flow(fixed, moving, preset="fast", device="cpu").field for _ in range(2)]
    work = partial(veloxel.flow, preset="fast", device="cpu")
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        there = list(pool.map(work, [fixed] * 4, [moving] * 4))
    assert all(np.array_equal(found.field, here[0], equal_nan=True) for found in there)


def test_fields_of_xarray_have_their_coordinates():
    xarray = pytest.importorskip("xarray")
    field = veloxel.Field(np.full((4, 5, 6, 3), 0.5), spacing_zyx=(2.0, 1.0, 0.5), origin_xyz=(1, 2, 3))
    array = field.to_xarray()
    assert isinstance(array, xarray.DataArray) and array.dims == ("z", "y", "x", "component")
    assert array.z.values.tolist() == [3.0, 5.0, 7.0, 9.0] and array.component.values.tolist() == ["x", "y", "z"]
    assert np.array_equal(array.sel(component="x"), field.array[..., 0])
