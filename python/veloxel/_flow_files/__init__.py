"""Flows from files to files, which need not fit into memory."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any

from .. import _veloxel
from .._arguments import Progress, whole
from .._flow import _options, _symmetric, settings
from .._session import Session, lent
from .._warnings import tell


def flow_files(
    fixed: str | os.PathLike[str],
    moving: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    confidence: str | os.PathLike[str] | None = None,
    method: str = "clg",
    preset: str | None = None,
    device: str | None = None,
    session: Session | None = None,
    init: str | os.PathLike[str] | None = None,
    symmetric: bool = False,
    inverse_consistency: bool = False,
    refine: bool = False,
    progress: Progress | None = None,
    **parameters: Any,
) -> dict[str, Any]:
    """Estimates the flow from a file to another one and writes it, as ``veloxel flow`` does.

    Volumes need not fit into memory: where a session on the processor has a ``max_memory`` that images and field do not fit into, and
    ``out`` is a folder named ``.ome.zarr``, images in OME-Zarr, or in NIfTI, MetaImage or NRRD without compression, are read in
    parts, and the field is written so. A run that was ended goes on when it is called again with the same arguments.

    Args:
        fixed, moving: The files of the images.
        out: Where the field goes: any name that the command takes.
        confidence: Where the confidence goes; of a field that is written in parts a folder named ``.ome.zarr`` as well.
        method, preset, device, session, symmetric, inverse_consistency, refine, progress, **parameters: As of :func:`flow`.
        init: What the run begins from: ``"none"``, ``"centre-of-mass"``, ``"rigid"``, ``"similarity"``, ``"affine"``, ``"matches"``, or
            the path of a transform or a field.

    Returns:
        The report, as the command writes it with ``--report``: device, parameters, warnings, times, and the field in numbers.

    Raises:
        InputError, ParameterError, OutOfMemoryError, DeviceError, FileError: The text says what is wrong.

    >>> import os, tempfile
    >>> import numpy as np
    >>> import veloxel
    >>> y, x = np.mgrid[:40, :40]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     image, out = os.path.join(folder, "still.mha"), os.path.join(folder, "field.mha")
    ...     veloxel.write(image, veloxel.Image(np.sin(x / 3) + np.cos(y / 4)))
    ...     report = veloxel.flow_files(image, image, out, device="cpu", method="lucas-kanade")
    ...     veloxel.read_field(out).shape, report["method"]
    ((40, 40, 2), 'lucas-kanade')
    """
    files, options = file_job(
        (fixed, moving, out, confidence),
        init=init,
        method=method,
        preset=preset,
        symmetric=symmetric,
        inverse_consistency=inverse_consistency,
        refine=refine,
        progress=progress,
        **parameters,
    )
    report, told = _veloxel.flow_files(lent(session, device), files, options)
    tell(told)
    return json.loads(report)


def file_job(
    paths: tuple[Any, Any, Any, Any],
    *,
    init: str | os.PathLike[str] | None = None,
    method: str = "clg",
    preset: str | None = None,
    symmetric: bool = False,
    inverse_consistency: bool = False,
    refine: bool = False,
    progress: Progress | None = None,
    **parameters: Any,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The files and the options of a flow, as the extension takes them; paths of the images, the field and the confidence."""
    chosen = settings(_symmetric(method) if symmetric else method, preset, parameters)
    names = ("fixed", "moving", "out", "confidence", "init")
    files = {name: None if path is None else os.fspath(path) for name, path in zip(names, (*paths, init), strict=True)}
    return files, _options(chosen, inverse_consistency, refine, None, progress)


def sequence_files(
    frames: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    out: str | os.PathLike[str],
    *,
    mode: str = "consecutive",
    reference: int | None = None,
    field_format: str | None = None,
    confidence: str | os.PathLike[str] | None = None,
    method: str = "clg",
    preset: str | None = None,
    device: str | None = None,
    session: Session | None = None,
    symmetric: bool = False,
    inverse_consistency: bool = False,
    refine: bool = False,
    progress: Progress | None = None,
    **parameters: Any,
) -> dict[str, Any]:
    """Estimates the flows between frames in files and writes them into a folder, as ``veloxel flow --sequence`` does.

    The frames need not fit into memory: where a session has a ``max_memory`` that they do not fit into, they are taken pair by pair, each
    as :func:`flow_files` takes two files, with its bits; with ``field_format="ome.zarr"`` on the processor not even a pair need fit. A
    run that was ended goes on when it is called again with the same arguments.

    Args:
        frames: A file with a time axis, a folder or a pattern, or the files of the frames in order of time.
        out: The folder of the fields, ``consecutive_000_001.nii.gz`` and so on, and of ``report.json``.
        mode, reference: As of :func:`sequence`; pair by pair not ``"both"``.
        field_format: The extension of the fields; ``None``: ``flo`` for pictures, ``nii.gz`` for volumes.
        confidence: Where the confidences go: a folder, or, unless frames are taken pair by pair, one file.
        method, preset, device, session, symmetric, inverse_consistency, refine, progress, **parameters: As of :func:`flow`.

    Returns:
        The report, as the command writes it, with an entry of ``pairs`` for every field.

    Raises:
        InputError, ParameterError, OutOfMemoryError, DeviceError, FileError: The text says what is wrong.

    >>> import os, tempfile
    >>> import numpy as np
    >>> import veloxel
    >>> y, x = np.mgrid[:40, :40]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     files = [os.path.join(folder, f"{t}.mha") for t in range(3)]
    ...     for t, file in enumerate(files):
    ...         veloxel.write(file, veloxel.Image(np.sin((x - t) / 3) + np.cos(y / 4)))
    ...     report = veloxel.sequence_files(files, os.path.join(folder, "fields"), device="cpu", method="lucas-kanade")
    ...     [pair["frames"] for pair in report["pairs"]], len(os.listdir(os.path.join(folder, "fields")))
    ([[0, 1], [1, 2]], 3)
    """
    inputs = [frames] if isinstance(frames, (str, os.PathLike)) else list(frames)
    files = {
        "inputs": [os.fspath(frame) for frame in inputs],
        "out": os.fspath(out),
        "mode": mode,
        "reference": None if reference is None else whole(reference, "reference="),
        "field_format": field_format,
        "confidence": None if confidence is None else os.fspath(confidence),
    }
    chosen = settings(_symmetric(method) if symmetric else method, preset, parameters)
    options = _options(chosen, inverse_consistency, refine, None, progress)
    report, told = _veloxel.sequence_files(lent(session, device), files, options)
    tell(told)
    return json.loads(report)
