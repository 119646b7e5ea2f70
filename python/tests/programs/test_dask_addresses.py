"""Tiles and fields at addresses: workers that share nothing but a server, and the bytes of a folder.

An extension with the feature `remote` is needed (`cargo build --package veloxel-py --features remote`), and for S3 moto:
`pip install 'moto[s3,server]'`.
"""

import http.server
import logging
import os
import threading

import pytest
from test_dask_tiles import CHOSEN, expected, files, paths  # noqa: F401

import veloxel
import veloxel.dask

pytest.importorskip("distributed", reason="Dask is not installed: pip install veloxel[dask]")
from distributed import Client, LocalCluster  # noqa: E402

#: What a refusal may be.
ERRORS = (veloxel.FileError, veloxel.InputError, veloxel.UnsupportedError)


class Server:
    """Takes, gives and removes objects by HTTP. It refuses those whose path holds `refused`."""

    def __init__(self):
        self.objects, self.put, self.refused = {}, [], None
        owner = self

        class Taking(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def answer(self, status, body=b""):
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(body)

            def do_GET(self):
                body = owner.objects.get(self.path)
                self.answer(404 if body is None else 200, body or b"")

            do_HEAD = do_GET

            def do_PUT(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if owner.refused is not None and owner.refused in self.path:
                    return self.answer(403)
                owner.put.append(self.path)
                owner.objects[self.path] = body
                self.answer(201)

            def do_DELETE(self):
                self.answer(404 if owner.objects.pop(self.path, None) is None else 204)

        self.own = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Taking)
        self.own.handle_error = lambda *_: None
        threading.Thread(target=self.own.serve_forever, daemon=True).start()
        self.address = f"http://127.0.0.1:{self.own.server_port}"

    def store(self, name):
        return {path.removeprefix(f"/{name}/"): body for path, body in self.objects.items() if path.startswith(f"/{name}/")}


@pytest.fixture
def server():
    server = Server()
    yield server
    server.own.shutdown()


@pytest.fixture(scope="module")
def remote(tmp_path_factory):
    """Skips without the feature."""
    image, server = tmp_path_factory.mktemp("image") / "a.mha", Server()
    veloxel.write(image, veloxel.phantom("shift", (12, 12, 12))["fixed"])
    try:
        veloxel.flow_files(image, image, f"{server.address}/field.ome.zarr", preset="fast")
    except ERRORS as error:
        assert "feature `remote`" in str(error)
        pytest.skip("the extension was built without the feature `remote`")
    finally:
        server.own.shutdown()


@pytest.fixture
def client(tmp_path):
    """Two workers, each with a folder of its own to work in."""
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster, Client(cluster) as client:
        for nth, worker in enumerate(client.scheduler_info()["workers"]):
            folder = tmp_path / f"worker {nth}"
            folder.mkdir()
            client.run(os.chdir, folder, workers=[worker])
        yield client


def left(tmp_path):
    return [path.name for path in tmp_path.glob("worker*/*")] + [path.name for path in tmp_path.glob("worker*/.*")]


def test_a_field_at_an_address_has_the_bytes_of_a_folder(remote, server, client, paths, expected, tmp_path):  # noqa: F811
    out = f"{server.address}/deep/field.ome.zarr"
    report = veloxel.dask.flow(*paths, out, max_memory=expected[1], client=client, **CHOSEN)
    assert server.store("deep/field.ome.zarr") == expected[0]
    assert report["pairs"][0]["statistics"]["tiles"]["run"] > 1
    # Tiles were put by the workers, each before its note, and are gone; the store's own metadata came last.
    tiles = [path for path in server.put if "/.field.ome.zarr.tiles/" in path]
    notes = [path.removesuffix(".note") for path in tiles if path.endswith(".note")]
    assert len(notes) == report["pairs"][0]["statistics"]["tiles"]["run"] + 1
    assert all(tiles.index(path) < tiles.index(f"{path}.note") for path in notes)
    assert not [path for path in server.objects if ".tiles/" in path or "probe" in path]
    assert server.put[-1] == "/deep/field.ome.zarr/zarr.json"
    assert left(tmp_path) == []


def test_a_call_that_failed_goes_on_with_its_tiles(remote, server, client, paths, expected, tmp_path):  # noqa: F811
    out = f"{server.address}/field.ome.zarr"
    server.refused = "/field.ome.zarr/0/"
    with pytest.raises(veloxel.FileError, match="field.ome.zarr"):
        veloxel.dask.flow(*paths, out, max_memory=expected[1], client=client, **CHOSEN)
    assert not server.store("field.ome.zarr")
    kept = [path for path in server.objects if path.endswith(".note")]
    assert len(kept) > 1
    with pytest.raises(veloxel.InputError, match="an ended run left its tiles there"):
        veloxel.dask.flow(*paths, out, max_memory=expected[1], client=client, preset="fast", warps=2)
    server.refused, before = None, len(server.put)
    veloxel.dask.flow(*paths, out, max_memory=expected[1], client=client, **CHOSEN)
    assert server.store("field.ome.zarr") == expected[0]
    assert not [path for path in server.put[before:] if ".tiles/" in path]
    assert left(tmp_path) == []


def test_a_field_in_a_bucket_has_the_bytes_of_a_folder(remote, client, paths, expected, tmp_path, monkeypatch):  # noqa: F811
    pytest.importorskip("moto.server", reason="moto is not installed")
    import boto3
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    variables = {"AWS_ENDPOINT": f"http://{host}:{port}", "AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_REGION": "us-east-1"}
    try:
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        client.run(os.environ.update, variables)
        bucket = boto3.client("s3", endpoint_url=variables["AWS_ENDPOINT"], aws_access_key_id="key", aws_secret_access_key="secret", region_name="us-east-1")
        bucket.create_bucket(Bucket="cells")
        veloxel.dask.flow(*paths, "s3://cells/x/field.ome.zarr", max_memory=expected[1], client=client, **CHOSEN)
        pages = bucket.get_paginator("list_objects_v2").paginate(Bucket="cells")
        keys = [item["Key"] for page in pages for item in page.get("Contents", [])]
        found = {key.removeprefix("x/field.ome.zarr/"): bucket.get_object(Bucket="cells", Key=key)["Body"].read() for key in keys}
        assert found == expected[0]
        with pytest.raises(veloxel.FileError, match="a store is there"):
            veloxel.dask.flow(*paths, "s3://cells/x/field.ome.zarr", max_memory=expected[1], client=client, **CHOSEN)
    finally:
        server.stop()
    assert left(tmp_path) == []


class NoTasks:
    """A client that is given no task."""

    def submit(self, *_, **__):
        raise AssertionError("a task began")

    map = submit


def test_what_cannot_be_written_is_refused_before_any_task(remote, server, paths):  # noqa: F811
    server.objects["/there.ome.zarr/zarr.json"] = b"{}"
    server.refused = "no-put"
    wrong = {
        f"{server.address}/there.ome.zarr": "there.ome.zarr.*a store is there",
        f"{server.address}/field.ome.zarr/0": "field.ome.zarr/0.*whole store",
        f"{server.address}/field.ome.zarr.zip": "field.ome.zarr.zip.*only a whole store",
        f"{server.address}/field.nii.gz": "field.nii.gz.*only a whole store",
        f"{server.address}/no-put.ome.zarr": "no-put.ome.zarr.*403",
        "s3://me:secret@bucket/field.ome.zarr": "password",
    }
    for out, why in wrong.items():
        for outputs in ({"out": out}, {"out": f"{server.address}/f.ome.zarr", "confidence": out}):
            with pytest.raises(ERRORS, match=f"(?s){why}") as told:
                veloxel.dask.flow(*paths, **outputs, client=NoTasks(), max_memory=1 << 30)
            assert "secret" not in str(told.value)
    assert list(server.objects) == ["/there.ome.zarr/zarr.json"]


def test_without_the_feature_addresses_are_refused_before_any_task(paths):  # noqa: F811
    try:
        veloxel.dask.flow(*paths, "http://127.0.0.1:9/field.ome.zarr", client=NoTasks(), max_memory=1 << 30)
    except ERRORS as error:
        assert "127.0.0.1:9/field.ome.zarr" in str(error)
