"""Many pairs, or the tiles of one large pair, over the workers of a Dask cluster: ``pip install veloxel[dask]``.

A pair is a task. Tasks are sent as they are needed, so there is no graph of millions, and the scheduler retries those of a worker
that dies. Fields have the bits of one process. A worker process of a machine with GPUs takes one of them for itself.

>>> from dask.distributed import Client  # doctest: +SKIP
>>> import veloxel.dask
>>> with Client(n_workers=2, threads_per_worker=1) as client:  # doctest: +SKIP
...     for done in veloxel.dask.map_pairs([("a.nii.gz", "b.nii.gz")], "fields", preset="fast"):
...         print(done.index, done.output, done.seconds)
"""

from __future__ import annotations

import inspect
import os
import tempfile
import threading
import time
import warnings
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any
from uuid import uuid4

from .. import _veloxel
from .._files import write
from .._flow import flow as _flow
from .._flow import parameters
from .._results import FlowResult
from .._session import Session, devices
from .._warnings import VeloxelWarning, tell
from ._ahead import Ahead
from ._clients import client_of as _client
from ._tiles import flow

__all__ = ["PairDone", "flow", "map_pairs", "pair"]

#: Tasks that wait at the scheduler for each thread of the workers.
_AHEAD = 4
#: Tasks that wait at least, so that a cluster that adapts sees what there is to do.
_LEAST_AHEAD = 64
#: Formats of fields.
_ENDINGS = (".nii.gz", ".nii", ".mha", ".mhd", ".nrrd", ".nhdr", ".npy", ".flo", ".pfm", ".png")
#: Arguments of flow that are the cluster's, or the caller's alone.
_NOT_HERE = {"device", "session", "progress"}


@dataclass(frozen=True)
class PairDone:
    """What became of a pair.

    >>> import veloxel.dask
    >>> done = veloxel.dask.PairDone(0, None, "fields/000000.flo", None, 0.5, "tcp://10.0.0.2:4000", "cpu")
    >>> done.output, done.error is None
    ('fields/000000.flo', True)
    """

    index: int
    """The number of the pair, from 0 on."""
    result: FlowResult | None
    """What was found, where nothing is written."""
    output: str | None
    """The field's file, where there is a folder."""
    error: Exception | None
    """Why nothing was found."""
    seconds: float
    """How long the pair took on its worker, reading and writing included."""
    worker: str
    """The address of the worker."""
    device: str
    """What computed."""


def pair(fixed: Any, moving: Any, *, device: str | None = None, threads: int = 1, **options: Any) -> FlowResult:
    """:func:`veloxel.flow` with the device of this worker, for tasks of your own: ``dask.delayed(veloxel.dask.pair)(fixed, moving)``.

    Args:
        fixed, moving: As for :func:`veloxel.flow`.
        device: The device of every worker; ``None``: a GPU of its own for each worker process where there are some, else the
            processor.
        threads: Threads of the processor for this pair; 0: all. Dask counts on one for each thread of a worker.
        **options: As for :func:`veloxel.flow`.

    Returns:
        What :func:`veloxel.flow` returns, with the same bits.

    Raises:
        As :func:`veloxel.flow`.

    >>> import numpy as np
    >>> import veloxel.dask
    >>> y, x = np.mgrid[:40, :40]
    >>> still = np.sin(x / 3) + np.cos(y / 4)
    >>> veloxel.dask.pair(still, still, preset="fast", device="cpu").field.shape
    (40, 40, 2)
    """
    return _flow(fixed, moving, session=_session(device, threads), **options)


def map_pairs(
    pairs: Iterable[Any],
    output_folder: str | os.PathLike[str] | None = None,
    *,
    client: Any = None,
    suffix: str | None = None,
    confidence: bool = False,
    errors: str = "raise",
    ahead: int | None = None,
    device: str | None = None,
    threads: int = 1,
    **options: Any,
) -> Iterator[PairDone]:
    """Estimates the flow of many pairs on the workers of a cluster, one task a pair, and gives what was found in the order of the pairs.

    Pairs are taken from their iterable as tasks are sent: a few for each thread of the workers wait at the scheduler, not all. A
    cluster that adapts sees them. Where the loop is left, tasks that have not begun are cancelled. A worker that dies costs the tasks
    that it had; the scheduler gives them to others, and gives up a task after so many deaths as its settings say.

    Args:
        pairs: ``(fixed, moving)``, or a dictionary with these keys, ``output``, a name of its own in the folder, and options of the pair that
            replace those of all (``mask``, ``init``, …). Images are paths that the workers can read, arrays, or collections of Dask.
        output_folder: Where each field is written by the worker that found it, whole or not at all: a folder that the workers see, made
            if it is not there. ``None``: results come back to this process.
        client: The client of a cluster; ``None``: the one that was made last.
        suffix: The format of the fields; ``None``: ``".flo"`` for pictures, ``".nii.gz"`` for volumes.
        confidence: Whether confidences are written beside the fields, as ``000012_confidence.nii.gz`` (of pictures ``.pfm``).
        errors: ``"raise"``: the first pair that fails ends the loop; ``"keep"``: it is given with its ``error``, and the others go on.
        ahead: Tasks that are under way at most; ``None``: four for each thread of the workers, and 64 at least.
        device, threads: As for :func:`pair`.
        **options: As for :func:`veloxel.flow`; they are checked before the first task is sent.

    Raises:
        InputError: No client, a pair that is none, two pairs with one output; with ``errors="raise"`` what is wrong with a pair.
        ParameterError: A name or a value that the method does not take.

    >>> import numpy as np
    >>> import veloxel.dask
    >>> images = [np.random.default_rng(n).normal(size=(32, 32)).cumsum(axis=0) for n in range(3)]
    >>> from dask.distributed import Client  # doctest: +SKIP
    >>> with Client(processes=False):  # doctest: +SKIP
    ...     fields = [done.result.field for done in veloxel.dask.map_pairs(zip(images, images[1:]), preset="fast")]
    """
    if errors not in ("raise", "keep"):
        raise _veloxel.InputError(f'errors is "raise" or "keep", not {errors!r}')
    _check(options)
    own = _client(client)
    folder = None if output_folder is None else os.path.abspath(output_folder)
    if folder is not None:
        os.makedirs(folder, exist_ok=True)
    elif suffix is not None or confidence:
        raise _veloxel.InputError("suffix= and confidence= are of files: name a folder for them")
    sending = _Sending(own, folder, suffix, confidence, device, threads, options)
    return _run(sending, iter(pairs), errors, ahead)


def _run(sending: _Sending, pairs: Iterator[Any], errors: str, ahead: int | None) -> Iterator[PairDone]:
    under_way: deque[Any] = deque()
    own, has_more = Ahead(sending.client, ahead, each=_AHEAD, least=_LEAST_AHEAD), True
    try:
        while has_more or under_way:
            room = own.room(len(under_way)) if has_more else 0
            if room:
                given = list(islice(pairs, room))
                has_more = len(given) == room
                under_way.extend(sending.send(given))
            for done in sending.take(under_way):
                for message, kind in done[1]:
                    tell([(kind, message)])
                if done[0].error is not None and errors == "raise":
                    raise done[0].error
                yield done[0]
    finally:
        sending.client.cancel([future for _, future in under_way])


class _Sending:
    """Turns pairs into tasks, and tasks into what became of the pairs."""

    def __init__(
        self,
        client: Any,
        folder: str | None,
        suffix: str | None,
        confidence: bool,
        device: str | None,
        threads: int,
        options: dict[str, Any],
    ) -> None:
        self.client = client
        self.folder, self.suffix, self.confidence = folder, suffix, confidence
        self.device, self.threads, self.options = device, threads, options
        self.token = uuid4().hex[:12]
        self.count = 0
        self.names: set[str] = set()

    def send(self, given: list[Any]) -> list[tuple[int, Any]]:
        """Sends pairs as tasks: their numbers and futures."""
        if not given:
            return []
        tasks = [self._task(one) for one in given]
        indices, fixed, moving, own = (list(column) for column in zip(*tasks, strict=True))
        keys = [f"veloxel-pair-{self.token}-{index}" for index in indices]
        with warnings.catch_warnings():
            # A pair of arrays travels with its task, so that it is there again for another worker.
            warnings.filterwarnings("ignore", message="Sending large graph")
            futures = self.client.map(_task, indices, fixed, moving, own, key=keys, pure=False)
        return list(zip(indices, futures, strict=True))

    def _task(self, given: Any) -> tuple[int, Any, Any, dict[str, Any]]:
        index = self.count
        self.count += 1
        fixed, moving, output, own = _parts(given, index)
        if own:
            _check({**self.options, **own})
        if self.folder is None and output is not None:
            raise _veloxel.InputError(f"pair {index}: output= is a name in the folder of the results, and there is none")
        if self.folder is not None:
            output = self._output(output, index)
        task = {
            "options": {**self.options, **own},
            "output": output,
            "suffix": self.suffix,
            "confidence": self.confidence,
            "device": self.device,
            "threads": self.threads,
        }
        return index, self._sent(fixed), self._sent(moving), task

    def _output(self, output: str | None, index: int) -> str:
        assert self.folder is not None
        if output is None:
            return os.path.join(self.folder, f"{index:06d}")
        name = os.fspath(output)
        bare = _split(name, self.suffix)[0]
        wrong = None
        if os.path.isabs(name) or ".." in name.split(os.sep) or not os.path.basename(bare):
            wrong = "is no name in the folder of the results"
        elif bare.isdigit():
            wrong = "is a number, which pairs without a name have"
        elif bare in self.names:
            wrong = "is another pair's too"
        if wrong is not None:
            raise _veloxel.InputError(f"pair {index}: the output {name!r} {wrong}")
        self.names.add(bare)
        return os.path.join(self.folder, name)

    def _sent(self, image: Any) -> Any:
        from dask.base import is_dask_collection

        return self.client.compute(image) if is_dask_collection(image) else image

    def take(self, under_way: deque[Any]) -> Iterator[tuple[PairDone, list[tuple[str, str]]]]:
        """Waits for the first task, and takes those behind it that are done as well."""
        from distributed import wait

        if not under_way:
            return
        wait(under_way[0][1])
        ready = [under_way.popleft()]
        while under_way and under_way[0][1].done():
            ready.append(under_way.popleft())
        try:
            found = self.client.gather([future for _, future in ready])
        except Exception:
            found = [self._single(index, future) for index, future in ready]
        # What came is the caller's; the cluster forgets it.
        for _, future in ready:
            future.release()
        yield from found

    def _single(self, index: int, future: Any) -> tuple[PairDone, list[tuple[str, str]]]:
        try:
            return future.result()
        except Exception as error:  # noqa: BLE001
            return PairDone(index, None, None, error, 0.0, "", ""), []


def _task(index: int, fixed: Any, moving: Any, task: dict[str, Any]) -> tuple[PairDone, list[tuple[str, str]]]:
    """A pair, on a worker."""
    begin = time.perf_counter()
    result, output, error = None, None, None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", VeloxelWarning)
        try:
            result = pair(fixed, moving, device=task["device"], threads=task["threads"], **task["options"])
            if task["output"] is not None:
                output = _written(result, task)
                result = None
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as raised:  # noqa: BLE001
            # A thread of a worker that ends with anything else would leave its task waiting for ever.
            result, error = None, raised if isinstance(raised, Exception) else RuntimeError(str(raised))
    told = [(str(one.message), one.message.kind) for one in caught if isinstance(one.message, VeloxelWarning)]
    seconds = time.perf_counter() - begin
    return PairDone(index, result, output, error, seconds, _worker(), _session(task["device"], task["threads"]).device), told


def _written(found: FlowResult, task: dict[str, Any]) -> str:
    is_picture = found.field.shape[-1] == 2
    bare, suffix = _split(task["output"], task["suffix"])
    path = bare + (suffix or (".flo" if is_picture else ".nii.gz"))
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if task["confidence"]:
        write(f"{bare}_confidence" + (".pfm" if is_picture else ".nii.gz"), found.confidence)
    # The field comes last: where it is, all of the pair is.
    write(path, found.flow)
    return path


def _split(name: str, suffix: str | None) -> tuple[str, str | None]:
    """A name without the ending of a format, and that ending, or the one that all have."""
    for own in (suffix, *_ENDINGS):
        if own and name.endswith(own):
            return name[: -len(own)], own
    return name, suffix


def _parts(given: Any, index: int) -> tuple[Any, Any, str | None, dict[str, Any]]:
    if isinstance(given, Mapping):
        own = dict(given)
        if "fixed" not in own or "moving" not in own:
            raise _veloxel.InputError(f'pair {index}: a dictionary of a pair has "fixed" and "moving"')
        return own.pop("fixed"), own.pop("moving"), own.pop("output", None), own
    if isinstance(given, (tuple, list)) and len(given) == 2:
        return given[0], given[1], None, {}
    raise _veloxel.InputError(f"pair {index}: a pair is (fixed, moving), or a dictionary with these keys")


def _check(options: dict[str, Any]) -> None:
    """Refuses what every task would refuse."""
    refused = sorted(_NOT_HERE & options.keys())
    if refused:
        raise _veloxel.InputError(f"{refused[0]}= is of calls in this process: workers have devices of their own")
    known = {name for name, own in inspect.signature(_flow).parameters.items() if own.kind is own.KEYWORD_ONLY}
    chosen = {name: value for name, value in options.items() if name not in known}
    method = options.get("method", "clg")
    parameters(method, preset=options.get("preset"), **chosen)


def _worker() -> str:
    from distributed import get_worker

    try:
        return str(get_worker().address)
    except ValueError:
        return ""


_of_thread = threading.local()
_opening = threading.Lock()
_shared: dict[str, Session] = {}
_pinned: list[Any] = []


def _session(device: str | None, threads: int) -> Session:
    """The session of this thread on the processor, of this process on a GPU."""
    name = device or _own_device()
    if name != "cpu":
        with _opening:
            if name not in _shared:
                _shared[name] = Session(name, threads=threads)
            return _shared[name]
    kept = getattr(_of_thread, "sessions", None)
    if kept is None:
        kept = _of_thread.sessions = {}
    key = (os.getpid(), threads)
    if key not in kept:
        kept[key] = Session("cpu", threads=threads)
    return kept[key]


def _own_device() -> str:
    """A GPU of this machine that no other worker process has; where each is taken one of them, and without GPUs the processor."""
    with _opening:
        if not _pinned or _pinned[0] != os.getpid():
            _pinned[:] = [os.getpid(), *_pin()]
        return _pinned[1]


def _pin() -> tuple[str, Any]:
    there = [own["name"] for own in devices() if own["name"].startswith("cuda") and not own.get("reason_absent")]
    if not there:
        return "cpu", None
    try:
        import fcntl
    except ImportError:
        return there[os.getpid() % len(there)], None
    seen = [part for part in os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",") if part]
    for nth, name in enumerate(there):
        number = seen[nth] if nth < len(seen) else str(nth)
        path = os.path.join(tempfile.gettempdir(), f"veloxel-{os.getuid()}-gpu-{number.replace('/', '_')}.lock")
        lock = open(path, "w")  # noqa: SIM115
        try:
            # The system takes it back from a process that ends, however it does.
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            lock.close()
        else:
            return name, lock
    return there[os.getpid() % len(there)], None
