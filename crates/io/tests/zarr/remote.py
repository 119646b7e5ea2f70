"""Stores at addresses, read from Python's HTTP server and from moto's S3 on this machine, and compared with the same stores in folders;
and stores that are written there: the same objects, the metadata of the root last, and none where a run fails.

    python3 -m pip install SimpleITK numpy zarr 'moto[s3,server]'
    VELOXEL_CONVERT=… python3 crates/io/tests/zarr/remote.py

VELOXEL_CONVERT names `examples/convert.rs`, built with the feature `remote`. Exits with 1 and one line a difference. Without moto the
part of S3 is left out with a line.
"""

import contextlib
import functools
import http.server
import importlib.util
import logging
import os
import pathlib
import shutil
import ssl
import subprocess
import sys
import tempfile
import threading

import numpy as np
import SimpleITK as sitk
import zarr

BUCKET = "cells"
failures = []


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        stores = made(folder / "stores")
        with served(folder / "stores") as address:
            compared(stores, address, folder, {})
            told = convert("image", f"{address}/none.ome.zarr", folder / "none.mha", {})
            check(told.returncode == 1 and told.stderr.count("\n") == 1, f"a store that is not there: {told.stderr}")
        print(f"http.server: {len(stores)} stores compared")
        over_http(folder)
        if shutil.which("openssl"):
            over_tls(folder)
        else:
            print("openssl is not there: https is not compared", file=sys.stderr)
        if importlib.util.find_spec("moto") is None:
            print("moto is not installed: S3 is not compared", file=sys.stderr)
        else:
            with bucket(folder / "stores") as variables:
                compared([*stores, *sharded(folder)], f"s3://{BUCKET}", folder, variables)
                of_all(folder, variables)
                to_s3(folder, variables)
    print("no differences" if not failures else f"{len(failures)} differences")
    return 1 if failures else 0


def check(holds, message):
    if not holds:
        failures.append(message)
        print(f"FAILED {message}", file=sys.stderr)


def convert(kind, source, target, variables):
    own = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    line = [os.environ["VELOXEL_CONVERT"], kind, str(source), str(target)]
    return subprocess.run(line, capture_output=True, text=True, env={**own, **variables}, timeout=120)


def made(folder):
    """Stores of images, labels and fields that Veloxel writes, and of an image that zarr-python does: kind and name."""
    folder.mkdir()
    random = np.random.default_rng(3)
    samples = random.normal(0, 50, (40, 70, 130)).astype(np.float32)
    images = {
        "image": sitk.GetImageFromArray(samples),
        "labels": sitk.GetImageFromArray((samples > 20).astype(np.uint8)),
        "flow": sitk.GetImageFromArray(random.normal(0, 1, (9, 30, 70, 3)).astype(np.float32), isVector=True),
    }
    for kind, image in images.items():
        image.SetSpacing((0.5, 0.75, 2.0))
        sitk.WriteImage(image, str(folder / f"{kind}.mha"))
        done = convert(kind, folder / f"{kind}.mha", folder / f"{kind}.ome.zarr", {})
        check(done.returncode == 0, done.stderr)
    by_zarr(folder / "their image.ome.zarr", samples, 2)
    return [*((kind, f"{kind}.ome.zarr") for kind in images), ("image", "image.ome.zarr/1"), ("image", "their image.ome.zarr")]


def by_zarr(path, samples, zarr_format, **chosen):
    root = zarr.open_group(str(path), mode="w", zarr_format=zarr_format)
    root.create_array("0", shape=samples.shape, dtype=samples.dtype, chunks=(10, 35, 65), **chosen)[...] = samples
    axes = [{"name": name, "type": "space", "unit": "micrometer"} for name in "zyx"]
    datasets = [{"path": "0", "coordinateTransformations": [{"type": "scale", "scale": [2.0, 0.75, 0.5]}]}]
    image = {"axes": axes, "datasets": datasets}
    root.attrs.update({"multiscales": [{"version": "0.4", **image}]} if zarr_format == 2 else {"ome": {"version": "0.5", "multiscales": [image]}})


def sharded(folder):
    """A store whose chunks lie in shards, of which parts are asked for."""
    samples = np.random.default_rng(4).normal(0, 50, (40, 70, 130)).astype(np.float32)
    by_zarr(folder / "stores" / "shards.ome.zarr", samples, 3, shards=(20, 70, 130))
    return [("image", "shards.ome.zarr")]


def compared(stores, address, folder, variables):
    for kind, name in stores:
        here, there = folder / "here.mha", folder / "there.mha"
        for source, target in ((folder / "stores" / name, here), (f"{address}/{name}", there)):
            done = convert(kind, source, target, variables)
            check(done.returncode == 0 and not done.stderr, f"{source}: {done.stderr}")
        check(here.read_bytes() == there.read_bytes(), f"{address}/{name} differs from the same store in a folder")


def over_tls(folder):
    """A store over https, with a certificate that the system knows by SSL_CERT_FILE, and without."""
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                    "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-addext", "basicConstraints=critical,CA:FALSE",
                    "-keyout", str(key), "-out", str(certificate)], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with served(folder / "stores", context) as address:
        compared([("image", "image.ome.zarr")], address, folder, {"SSL_CERT_FILE": str(certificate)})
        told = convert("image", f"{address}/image.ome.zarr", folder / "none.mha", {})
        check(told.returncode == 1 and told.stderr.count("\n") == 1, f"a certificate that nobody knows: {told.stderr}")
    print("http.server over TLS: a store compared")


KINDS = ("image", "labels", "flow")


def files_of(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def over_http(folder):
    """Stores that are put at a server: what is there after a run, and after one that failed, was killed, or met a store."""
    there = folder / "there"
    there.mkdir()
    with taking(there) as server:
        address = f"http://127.0.0.1:{server.server_port}"
        for kind in KINDS:
            server.put.clear()
            source, name = folder / "stores" / f"{kind}.mha", f"{kind}.ome.zarr"
            done = convert(kind, source, f"{address}/deep/{name}", {})
            check(done.returncode == 0 and not done.stderr, f"{kind} to {address}: {done.stderr}")
            found = files_of(there / "deep" / name) if (there / "deep" / name).is_dir() else {}
            check(found == files_of(folder / "stores" / name), f"{kind}: other objects than files: {sorted(found)[:5]}")
            metadata = [nth for nth, key in enumerate(server.put) if key.endswith("zarr.json")]
            chunks = [nth for nth, key in enumerate(server.put) if not key.endswith("zarr.json")]
            check(max(chunks) < min(metadata) and server.put[-1] == f"deep/{name}/zarr.json", f"{kind}: order {server.put}")
        before = files_of(there)
        told = convert("image", folder / "stores" / "image.mha", f"{address}/deep/image.ome.zarr", {})
        check(told.returncode == 1 and "a store is there" in told.stderr and told.stderr.count("\n") == 1, f"a second store: {told.stderr}")
        check(files_of(there) == before, "a store that was there has changed")
        for refused in (1, 3, len(files_of(folder / "stores" / "image.ome.zarr"))):
            server.put.clear()
            server.refused = refused
            told = convert("image", folder / "stores" / "image.mha", f"{address}/failed.ome.zarr", {})
            check(told.returncode == 1 and told.stderr.count("\n") == 1 and "failed.ome.zarr" in told.stderr, f"refused: {told.stderr}")
            check(files_of(there) == before, f"object {refused} is refused: some are left")
        server.refused, server.waits = None, 4
        server.put.clear()
        line = [os.environ["VELOXEL_CONVERT"], "image", str(folder / "stores" / "image.mha"), f"{address}/killed/image.ome.zarr"]
        process = subprocess.Popen(line, stderr=subprocess.DEVNULL)
        check(server.is_waiting.wait(60), "no object was sent")
        process.kill()
        process.wait()
        server.waits = None
        server.goes_on.set()
        check(not (there / "killed" / "image.ome.zarr" / "zarr.json").exists(), "a killed run left a store")
        done = convert("image", folder / "stores" / "image.mha", f"{address}/killed/image.ome.zarr", {})
        found = files_of(there / "killed" / "image.ome.zarr")
        check(done.returncode == 0 and found == files_of(folder / "stores" / "image.ome.zarr"), f"after a kill: {done.stderr}")
    print(f"HTTP: {len(KINDS)} stores put; refused, killed and second ones")


@contextlib.contextmanager
def taking(folder):
    """A server that takes what is put into a folder, and tells in which order. It refuses the object of number `refused`, and does not
    answer that of number `waits` until it `goes_on`."""

    class Taking(http.server.SimpleHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_):
            pass

        def answer(self, status):
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def do_PUT(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            name = self.path.lstrip("/")
            with server.turn:
                server.put.append(name)
                number = len(server.put)
            if number == server.waits:
                server.is_waiting.set()
                server.goes_on.wait(60)
            if number == server.refused:
                return self.answer(403)
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(body)
            self.answer(201)

        def do_DELETE(self):
            path = folder / self.path.lstrip("/")
            is_there = path.is_file()
            if is_there:
                path.unlink()
            self.answer(204 if is_there else 404)

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Taking, directory=str(folder)))
    # Connections of runs that were killed end without a word.
    server.handle_error = lambda *_: None
    server.put, server.refused, server.waits, server.turn = [], None, None, threading.Lock()
    server.is_waiting, server.goes_on = threading.Event(), threading.Event()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()


def to_s3(folder, variables):
    """Stores that are put into a bucket have the objects of those in folders; nobody without the key puts one, nor over another."""
    client = s3(variables)

    def objects(prefix):
        pages = client.get_paginator("list_objects_v2").paginate(Bucket=BUCKET, Prefix=prefix)
        keys = [item["Key"] for page in pages for item in page.get("Contents", [])]
        return {key.removeprefix(prefix): client.get_object(Bucket=BUCKET, Key=key)["Body"].read() for key in keys}

    for kind in KINDS:
        source, address = folder / "stores" / f"{kind}.mha", f"s3://{BUCKET}/put/{kind}.ome.zarr"
        done = convert(kind, source, address, variables)
        check(done.returncode == 0 and not done.stderr, f"{kind} to {address}: {done.stderr}")
        check(objects(f"put/{kind}.ome.zarr/") == files_of(folder / "stores" / f"{kind}.ome.zarr"), f"{address}: other objects than files")
        convert(kind, address, folder / "back.mha", variables)
        convert(kind, folder / "stores" / f"{kind}.ome.zarr", folder / "here.mha", {})
        check((folder / "back.mha").read_bytes() == (folder / "here.mha").read_bytes(), f"{address} read back differs")
        told = convert(kind, source, address, variables)
        check(told.returncode == 1 and "a store is there" in told.stderr, f"{address} a second time: {told.stderr}")
    told = convert("image", folder / "stores" / "image.mha", "s3://nowhere/image.ome.zarr", variables)
    check(told.returncode == 1 and told.stderr.count("\n") == 1, f"a bucket that is not there: {told.stderr}")
    told = convert("image", folder / "stores" / "image.mha", f"s3://{BUCKET}/put/image.ome.zarr/0", variables)
    check(told.returncode == 1 and "whole store" in told.stderr, f"a part of a store: {told.stderr}")
    print(f"moto's S3: {len(KINDS)} stores put and read back")


@contextlib.contextmanager
def served(folder, context=None):
    class Quiet(http.server.SimpleHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
    if context is not None:
        server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http{'s' if context else ''}://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()


@contextlib.contextmanager
def bucket(folder):
    """A bucket with all files of a folder; the variables of the environment that lead to it."""
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    sharded(folder.parent)
    variables = {"AWS_ENDPOINT": f"http://{host}:{port}", "AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret",
                 "AWS_REGION": "us-east-1"}
    try:
        client = s3(variables)
        client.create_bucket(Bucket=BUCKET)
        for path in folder.rglob("*"):
            if path.is_file():
                client.upload_file(str(path), BUCKET, str(path.relative_to(folder)), ExtraArgs={"ACL": acl_of(path)})
        yield variables
    finally:
        server.stop()


def acl_of(path):
    """All may read images; the rest belongs to who has the key."""
    return "public-read" if "image.ome.zarr" in str(path) else "private"


def s3(variables):
    import boto3

    return boto3.client("s3", endpoint_url=variables["AWS_ENDPOINT"], aws_access_key_id="key", aws_secret_access_key="secret",
                        region_name="us-east-1")


def of_all(folder, variables):
    """What all may read needs no key; what is not there, or not for all, is told in one line."""
    nobody = {"AWS_ENDPOINT": variables["AWS_ENDPOINT"]}
    compared([("image", "image.ome.zarr")], f"s3://{BUCKET}", folder, nobody)
    wrong = {"s3://nowhere/image.ome.zarr": variables, f"s3://{BUCKET}/image.ome.zarr/9": variables, f"s3://{BUCKET}/labels.ome.zarr": nobody}
    for name, who in wrong.items():
        told = convert("image", name, folder / "none.mha", who)
        check(told.returncode == 1 and told.stderr.count("\n") == 1 and len(told.stderr) < 800, f"{name}: {told.stderr}")
    print("moto's S3: stores, shards, and objects that need no key compared")


if __name__ == "__main__":
    sys.exit(main())
