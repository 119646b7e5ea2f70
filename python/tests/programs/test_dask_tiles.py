"""The tiles of one pair on the workers of a cluster: the bytes of one process, whatever happens to a worker."""

import functools
import http.server
import os
import signal
import threading
import time

import numpy as np
import pytest
from conftest import waves

import veloxel
import veloxel.dask

pytest.importorskip("distributed", reason="Dask is not installed: pip install veloxel[dask]")
from distributed import Client, LocalCluster  # noqa: E402

CHOSEN = {"preset": "fast", "warps": 1}


@pytest.fixture(scope="module")
def paths(tmp_path_factory):
    folder = tmp_path_factory.mktemp("images")
    paths = [folder / f"{nth}.ome.zarr" for nth in range(2)]
    for path, shift in zip(paths, (0.0, 0.6), strict=True):
        veloxel.write(path, veloxel.Image(waves(shift, (72, 80, 192))))
    return paths


@pytest.fixture(scope="module")
def expected(paths, tmp_path_factory):
    """The field of one process, and the smallest budget that does."""
    out = tmp_path_factory.mktemp("one") / "field.ome.zarr"
    for mebibytes in range(80, 140, 2):
        with veloxel.Session("cpu", threads=2, max_memory=mebibytes << 20) as session:
            try:
                report = veloxel.flow_files(*paths, out, session=session, **CHOSEN)
            except veloxel.OutOfMemoryError:
                continue
        assert report["pairs"][0]["statistics"]["tiles"]["run"] > 1
        return files(out), mebibytes << 20
    raise AssertionError("some budget should do")


def files(store):
    """Every file of a store with its bytes."""
    return {
        os.path.relpath(os.path.join(folder, name), store): open(os.path.join(folder, name), "rb").read()
        for folder, _, names in os.walk(store)
        for name in names
    }


@pytest.fixture(scope="module")
def client():
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster, Client(cluster) as client:
        yield client


def test_tiles_of_workers_make_the_field_of_one_process(client, paths, expected, tmp_path):
    out = tmp_path / "field.ome.zarr"
    report = veloxel.dask.flow(*paths, out, max_memory=expected[1], client=client, **CHOSEN)
    assert files(out) == expected[0]
    assert report["method"] == "clg" and report["pairs"][0]["statistics"]["tiles"]["run"] > 1
    assert any("tiles are kept" in warning["message"] for warning in report["warnings"])
    assert [path.name for path in tmp_path.iterdir()] == ["field.ome.zarr"]


def test_what_fits_is_one_task_and_mistakes_are_told(client, paths, tmp_path):
    small = [tmp_path / f"{nth}.mha" for nth in range(2)]
    for path, shift in zip(small, (0.0, 0.4), strict=True):
        veloxel.write(path, veloxel.Image(waves(shift, (20, 24, 28))))
    veloxel.dask.flow(*small, tmp_path / "field.mha", max_memory=1 << 30, client=client, preset="fast")
    found = veloxel.flow(*small, device="cpu", preset="fast")
    assert np.allclose(veloxel.read_field(tmp_path / "field.mha").array, found.field, atol=1e-5)
    with pytest.raises(veloxel.InputError, match="session= is of calls in this process"):
        veloxel.dask.flow(*small, tmp_path / "no.mha", max_memory=1 << 30, client=client, session=None)
    with pytest.raises(veloxel.ParameterError):
        veloxel.dask.flow(*small, tmp_path / "no.mha", max_memory=1 << 30, client=client, preset="quickest")
    with pytest.raises(veloxel.OutOfMemoryError):
        veloxel.dask.flow(*paths, tmp_path / "no.ome.zarr", max_memory=30 << 20, client=client, **CHOSEN)
    assert not [path for path in tmp_path.iterdir() if path.name.startswith((".", "no"))]


def test_a_worker_that_dies_costs_its_tiles_alone(paths, expected, tmp_path):
    out, kept = tmp_path / "field.ome.zarr", tmp_path / ".field.ome.zarr.tiles"
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster, Client(cluster) as client:
        killed = []

        def kill():
            begin = time.monotonic()
            while time.monotonic() - begin < 300 and not list(kept.glob("*.note")):
                time.sleep(0.01)
            worker = next(iter(client.run(os.getpid).values()))
            os.kill(worker, signal.SIGKILL)
            killed.append(len(list(kept.glob("*.note"))))

        thread = threading.Thread(target=kill)
        thread.start()
        veloxel.dask.flow(*paths, out, max_memory=expected[1], client=client, **CHOSEN)
        thread.join()
    assert killed and killed[0] > 0
    assert files(out) == expected[0]
    assert [path.name for path in tmp_path.iterdir()] == ["field.ome.zarr"]


def test_images_at_addresses_are_read_by_the_workers(client, paths, expected, tmp_path):
    class Quiet(http.server.SimpleHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(paths[0].parent)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    addresses = [f"http://127.0.0.1:{server.server_port}/{path.name}" for path in paths]
    out = tmp_path / "field.ome.zarr"
    try:
        veloxel.dask.flow(*addresses, out, client=client, max_memory=expected[1], **CHOSEN)
    except veloxel.UnsupportedError as error:
        assert "feature `remote`" in str(error)
        pytest.skip("the extension was built without the feature `remote`")
    finally:
        server.shutdown()
    assert files(out) == expected[0]
