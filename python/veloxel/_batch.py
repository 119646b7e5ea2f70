"""Many rows, each a line of a command, on all devices."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from typing import Any

from . import _veloxel
from ._arguments import Progress, as_progress


def batch(
    jobs: str | os.PathLike[str] | Iterable[Mapping[str, Any]],
    output: str | os.PathLike[str],
    *,
    options: Mapping[str, Any] | None = None,
    shard: str = "1/1",
    retry: bool = False,
    dry_run: bool = False,
    device: str = "auto",
    threads: int = 0,
    at_once: int = 0,
    max_memory: int | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Runs many rows, each a line of another command, on all devices, and goes on where an ended run was.

    All rows are checked before the first is run. A row that fails has its reason in the summary, and the others are done. The
    folder gets ``ledger.jsonl``, in which a row stands once all its outputs are there: the same call again does what is left,
    whatever ended the one before. ``veloxel batch`` does the same, with the same bits.

    Args:
        jobs: Rows as dictionaries: ``command`` (``"flow"`` without it, ``"register"``, ``"track"``, ``"stereo"``, ``"features"``,
            ``"segment"``, ``"warp image"``, ``"warp labels"`` or ``"warp points"``), ``fixed``, ``moving``, ``output``, and the
            command's options by their long names, with underscores or hyphens; flags are ``True`` or ``False``, several values of
            one option a list. Or the path of such a table (``.csv``, ``.jsonl``), or of a BIDS folder.
        output: The folder for ledger, ``summary.json`` and ``summary.html``; relative outputs of rows lie in it.
        options: Options of every row that does not say them itself.
        shard: Every n-th row, from the i-th: ``"i/n"``; all shards write into one folder.
        retry: Whether rows that failed in an earlier run are run again.
        dry_run: Whether rows are checked alone, and nothing is run.
        device: ``"auto"``: all GPUs of the fastest kind, or the processor; else as for :class:`Session`.
        threads: Threads of the processor, of all rows together; 0: all.
        at_once: Rows that run at once on each device, each in its own memory; on a processor they part its threads, on a GPU each has a
            queue of its own; 0: one on a processor, on a GPU as many as its free memory holds, up to four.
        max_memory: Bytes that each row may take.
        progress: Is called with ``"solve"`` and the share of the rows that have ended.

    Returns:
        The content of ``summary.json``: ``rows``, ``done``, ``failed``, ``left``, ``records`` (a dictionary for every row that was
        run: ``row``, ``status``, ``reason``, ``figures``, ``outputs``, …) and ``outliers``.
        Of a dry run ``rows``, ``to_run`` and ``standings``: ``row``, ``state``, ``reason`` and ``job`` of every row.

    Raises:
        InputError: Rows that cannot be run, or not together; nothing was run then.
        FileError: A ledger of other jobs, or one that another run is writing.

    >>> import pathlib
    >>> import tempfile
    >>> import numpy as np
    >>> import veloxel
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> y, x = np.mgrid[:48, :64].astype(np.float32)
    >>> for name, shift in [("a", 0.0), ("b", 0.5), ("c", 1.0)]:
    ...     veloxel.write(folder / f"{name}.nii", np.sin(0.3 * (x - shift)) + np.cos(0.2 * y))
    >>> rows = [{"fixed": folder / "a.nii", "moving": folder / f"{name}.nii", "output": f"{name}.nii"} for name in "bc"]
    >>> summary = veloxel.batch(rows, folder / "fields", options={"preset": "fast"}, device="cpu")
    >>> summary["done"], [round(record["figures"]["mean_motion_vox"], 1) for record in summary["records"]]
    (2, [0.5, 1.0])
    """
    asked = _asked(jobs, output, options, shard) | {"retry": retry, "dry_run": dry_run}
    devices = {"device": device, "threads": threads, "at_once": at_once, "max_memory": max_memory}
    return json.loads(_veloxel.batch(asked, devices, as_progress(progress)))


def _asked(jobs: Any, output: Any, options: Mapping[str, Any] | None, shard: str) -> dict[str, Any]:
    is_path = isinstance(jobs, (str, os.PathLike))
    return {
        "path": os.fspath(jobs) if is_path else None,
        "rows": [] if is_path else [_fields(row) for row in jobs],
        "folder": os.fspath(output),
        "options": _fields(options or {}),
        "shard": shard,
    }


def _fields(row: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """The fields of a row that have a value."""
    if not isinstance(row, Mapping):
        raise _veloxel.InputError(f"a row is a dictionary with \"fixed\", \"moving\" and \"output\", not {type(row).__name__}")
    return [(str(name), _value(value)) for name, value in row.items() if value is not None]


def _value(value: Any) -> bool | str | list[str]:
    if isinstance(value, bool):
        return value
    if isinstance(value, (list, tuple)):
        return [_text(each) for each in value]
    return _text(value)


def _text(value: Any) -> str:
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)
