"""Pairs on the workers of a cluster: the same bits, in order, whatever happens to a worker."""

import os
import signal
import time

import numpy as np
import pytest

import veloxel
import veloxel.dask

pytest.importorskip("distributed", reason="Dask is not installed: pip install veloxel[dask]")
from distributed import Client, LocalCluster  # noqa: E402


def pairs(count=6):
    y, x = np.mgrid[:40, :48].astype(np.float32)
    frames = [np.sin(0.3 * (x - 0.2 * n)) + np.cos(0.2 * y) for n in range(count + 1)]
    return list(zip(frames, frames[1:]))


def here(given, **options):
    return [veloxel.flow(*one, preset="fast", device="cpu", **options).field for one in given]


@pytest.fixture(scope="module")
def client():
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster, Client(cluster) as client:
        yield client


def test_results_come_back_in_order_with_the_bits_of_one_process(client):
    given = pairs()
    found = list(veloxel.dask.map_pairs(iter(given), client=client, preset="fast", device="cpu"))
    assert [done.index for done in found] == list(range(6))
    for done, field in zip(found, here(given)):
        assert np.array_equal(done.result.field, field, equal_nan=True) and done.error is None and done.output is None
    assert {done.worker for done in found} <= set(client.scheduler_info()["workers"])


def test_workers_write_fields_whole(client, tmp_path):
    given = pairs(3)
    volumes = [np.random.default_rng(n).normal(size=(12, 16, 20)).cumsum(axis=1) for n in range(2)]
    named = {"fixed": given[1][0], "moving": given[1][1], "output": "own/name.flo", "init": "matches"}
    wanted = [given[0], named, tuple(volumes)]
    found = list(veloxel.dask.map_pairs(wanted, tmp_path / "out", client=client, preset="fast", confidence=True))
    names = sorted(os.path.relpath(os.path.join(folder, name), tmp_path / "out") for folder, _, files in os.walk(tmp_path / "out") for name in files)
    assert names == sorted([
        "000000.flo", "000000_confidence.pfm", "000002.nii.gz", "000002_confidence.nii.gz", "own/name.flo", "own/name_confidence.pfm"
    ])
    assert [done.result for done in found] == [None] * 3
    assert np.array_equal(veloxel.read_field(found[0].output).array, here(given[:1])[0], equal_nan=True)
    matched = here(given[1:2], init="matches")[0]
    assert np.array_equal(veloxel.read_field(found[1].output).array, matched, equal_nan=True)


def test_what_fails_is_raised_or_kept(client):
    given = pairs(2)
    bad = [given[0], (given[0][0], np.zeros((4,))), given[1], ("none.nii", "none.nii")]
    kept = list(veloxel.dask.map_pairs(bad, client=client, errors="keep", preset="fast"))
    assert [type(done.error) for done in kept] == [type(None), veloxel.InputError, type(None), veloxel.FileMissingError]
    with pytest.raises(veloxel.InputError):
        list(veloxel.dask.map_pairs(bad, client=client, preset="fast"))
    for options, error in [
        ({"preset": "quickest"}, veloxel.ParameterError),
        ({"alhpa": 2}, veloxel.ParameterError),
        ({"session": None}, veloxel.InputError),
        ({"errors": "hide"}, veloxel.InputError),
        ({"confidence": True}, veloxel.InputError),
    ]:
        with pytest.raises(error):
            veloxel.dask.map_pairs(given, client=client, **options)
    for wrong in ([given[0][0]], [{"fixed": given[0][0]}], [{"fixed": 1, "moving": 2, "output": "a"}]):
        with pytest.raises(veloxel.InputError, match="pair 0"):
            list(veloxel.dask.map_pairs(wrong, client=client))


def test_two_pairs_of_one_output_are_refused(client, tmp_path):
    named = [{"fixed": f, "moving": m, "output": "same.flo"} for f, m in pairs(2)]
    with pytest.raises(veloxel.InputError, match="another pair's"):
        list(veloxel.dask.map_pairs(named, tmp_path, client=client, preset="fast"))
    with pytest.raises(veloxel.InputError, match="no name in the folder"):
        list(veloxel.dask.map_pairs([{**named[0], "output": "../a.flo"}], tmp_path, client=client, preset="fast"))
    for other in ("same", "000000"):
        clash = [named[0], {**named[0], "output": other}]
        with pytest.raises(veloxel.InputError, match="pair 1: the output"):
            list(veloxel.dask.map_pairs(clash, tmp_path, client=client, preset="fast"))


def test_pairs_are_taken_as_they_are_needed(client):
    taken = []

    def endless():
        one = pairs(1)[0]
        while True:
            taken.append(1)
            yield one

    found = veloxel.dask.map_pairs(endless(), client=client, ahead=3, preset="fast")
    assert next(found).index == 0 and next(found).index == 1
    assert len(taken) <= 8
    found.close()
    until = time.monotonic() + 10
    while client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks)) and time.monotonic() < until:
        time.sleep(0.05)
    assert client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks)) == 0


def test_collections_of_dask_and_tasks_of_ones_own(client):
    dask = pytest.importorskip("dask")
    array = pytest.importorskip("dask.array")
    given = pairs(1)[0]
    field = here([given])[0]
    lazy = [array.from_array(image, chunks=20) for image in given]
    found = list(veloxel.dask.map_pairs([lazy], client=client, preset="fast"))
    assert np.array_equal(found[0].result.field, field, equal_nan=True)
    delayed = dask.delayed(veloxel.dask.pair)(*given, preset="fast")
    assert np.array_equal(delayed.compute().field, field, equal_nan=True)
    assert np.array_equal(delayed.compute(scheduler="threads").field, field, equal_nan=True)


def test_a_worker_that_dies_costs_its_tasks_alone():
    given = pairs(2) * 20
    expected = here(pairs(2)) * 20
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster, Client(cluster) as client:
        found = []
        for done in veloxel.dask.map_pairs(given, client=client, preset="fast", device="cpu"):
            found.append(done.result.field)
            if len(found) == 5:
                os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)
        assert len(found) == 40
        assert all(np.array_equal(a, b, equal_nan=True) for a, b in zip(found, expected))


def test_a_cluster_that_adapts_gets_workers():
    with LocalCluster(n_workers=0, threads_per_worker=1, processes=True, dashboard_address=None) as cluster, Client(cluster) as client:
        cluster.adapt(minimum=0, maximum=2, interval="100ms")
        found = list(veloxel.dask.map_pairs(pairs(4), client=client, preset="fast"))
        assert [done.error for done in found] == [None] * 4


def test_without_a_client_one_line_says_what_to_make(monkeypatch):
    def none():
        raise ValueError("no clients found")

    monkeypatch.setattr("distributed.default_client", none)
    with pytest.raises(veloxel.InputError, match="client"):
        veloxel.dask.map_pairs(pairs(1))
