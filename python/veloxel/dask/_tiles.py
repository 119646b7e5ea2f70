"""One large pair on the workers of a cluster, a task a tile."""

from __future__ import annotations

import json
import os
import threading
from itertools import islice
from typing import Any
from uuid import uuid4

from .. import _veloxel
from .._flow_files import file_job
from .._session import Session, lent
from .._warnings import tell
from ._ahead import Ahead
from ._clients import client_of

#: Tiles that wait at the scheduler for each thread of the workers, and at least.
_AHEAD = 2
_LEAST_AHEAD = 8


def flow(
    fixed: str | os.PathLike[str],
    moving: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    max_memory: int,
    confidence: str | os.PathLike[str] | None = None,
    client: Any = None,
    threads: int = 1,
    **options: Any,
) -> dict[str, Any]:
    """Estimates the flow of two volumes that need not fit into memory on the workers of a cluster, one task a tile.

    The tiles are those of :func:`veloxel.flow_files` in a session with this ``max_memory``, and the field has the same bits. A first task
    finds what all tiles begin from; each tile is written where it is found, into the hidden folder beside ``out``, or as an object
    beside it where ``out`` is the address of a store (``s3://bucket/field.ome.zarr``; a build with the feature ``remote``); a last task
    puts the field together. A worker that dies costs the tiles that it had, and a call that was ended goes on with the tiles that are there when
    it is made again, as :func:`veloxel.flow_files` and the command do.

    Args:
        fixed, moving, out, confidence: As of :func:`veloxel.flow_files`: paths that all workers see, or addresses of stores, for which
            each worker and this process have the variables that lead to them (``AWS_…``).
        max_memory: Bytes that a task may take: those of a worker over its threads.
        client: The client of a cluster; ``None``: the one that was made last.
        threads: Threads of the processor for each task; 0: all. Dask counts on one for each thread of a worker.
        **options: Options and parameters of :func:`veloxel.flow_files`; ``init`` is a word or a path.

    Returns:
        The report, as of :func:`veloxel.flow_files`.

    Raises:
        InputError: No client, options of calls in this process.
        FileError, InputError, UnsupportedError: An output at an address where a store is, that takes no objects, that is no whole store, or that this
            build does not write to; before any task begins.
        As :func:`veloxel.flow_files`.

    >>> import veloxel.dask
    >>> from dask.distributed import Client  # doctest: +SKIP
    >>> with Client(n_workers=2, threads_per_worker=1):  # doctest: +SKIP
    ...     report = veloxel.dask.flow("a.ome.zarr", "b.ome.zarr", "field.ome.zarr", max_memory=2 << 30, preset="fast")
    """
    for name in ("device", "session", "progress"):
        if name in options:
            raise _veloxel.InputError(f"{name}= is of calls in this process: workers have processors of their own")
    own = client_of(client)
    paths = [None if path is None else _place(path) for path in (fixed, moving, out, confidence)]
    init = options.pop("init", None)
    if init is not None and os.path.exists(init):
        init = os.path.abspath(init)
    files, chosen = file_job((paths[0], paths[1], paths[2], paths[3]), init=init, **options)
    tiles = _veloxel.FlowTiles(files, chosen)
    if any("://" in path for path in paths[2:] if path is not None):
        with Session("cpu", threads=1) as session:
            tiles.check_addresses(lent(session, None))
    token = uuid4().hex[:12]
    task = {"token": token, "files": files, "options": chosen, "max_memory": int(max_memory), "threads": threads}
    count = own.submit(_begin, task, key=f"veloxel-coarse-{token}", pure=False).result()
    _estimate_all(own, task, count)
    report, told = own.submit(_finish, task, key=f"veloxel-field-{token}", pure=False).result()
    tell(told)
    return json.loads(report)


def _place(path: str | os.PathLike[str]) -> str:
    """An absolute path; an address stays as it is."""
    text = os.fspath(path)
    return text if "://" in text else os.path.abspath(text)


def _estimate_all(client: Any, task: dict[str, Any], count: int) -> None:
    """Sends tiles as they are needed, so that there is no graph of all."""
    from distributed import as_completed

    ahead = Ahead(client, None, each=_AHEAD, least=_LEAST_AHEAD)
    under_way: set[Any] = set()
    numbers, finished = iter(range(count)), as_completed(loop=client.loop)
    try:
        while True:
            some = list(islice(numbers, ahead.room(len(under_way))))
            if some:
                keys = [f"veloxel-tile-{task['token']}-{nth}" for nth in some]
                sent = client.map(_estimate, [task] * len(some), some, key=keys, pure=False)
                under_way.update(sent)
                finished.update(sent)
            if not under_way:
                return
            for future in finished.next_batch():
                # What was found lies in its file: nothing is fetched but what is wrong.
                if future.status != "finished":
                    future.result()
                under_way.discard(future)
    finally:
        client.cancel(list(under_way))


def _begin(task: dict[str, Any]) -> int:
    return _tiles(task).begin(lent(_session(task), None))


def _estimate(task: dict[str, Any], nth: int) -> None:
    _tiles(task).estimate(lent(_session(task), None), nth)


def _finish(task: dict[str, Any]) -> tuple[str, Any]:
    report, told = _tiles(task).finish(lent(_session(task), None))
    return report, list(told)


_of_thread = threading.local()
_opening = threading.Lock()
#: The tiles of the run that this process is at: the first of them looks at the images, the others need not.
_at: dict[str, _veloxel.FlowTiles] = {}


def _tiles(task: dict[str, Any]) -> _veloxel.FlowTiles:
    with _opening:
        if task["token"] not in _at:
            _at.clear()
            _at[task["token"]] = _veloxel.FlowTiles(task["files"], task["options"])
        return _at[task["token"]]


def _session(task: dict[str, Any]) -> Session:
    key = (os.getpid(), task["threads"], task["max_memory"])
    kept = getattr(_of_thread, "kept", None)
    if kept is None or kept[0] != key:
        kept = _of_thread.kept = (key, Session("cpu", threads=task["threads"], max_memory=task["max_memory"]))
    return kept[1]
