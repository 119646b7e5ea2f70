"""Several methods on one pair, side by side."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _veloxel
from ._arguments import Progress, as_progress, words
from ._flow import methods as all_methods, settings
from ._images import Image, as_image_beside, as_images
from ._results import Field, FlowResult
from ._session import Session, lent
from ._warnings import tell


class Comparison:
    """What several methods found on one pair, with a page that shows it.

    ``results`` are by ``"method:preset"``, ``report`` has times and errors, ``page`` is HTML.

    :func:`compare` makes it:

    >>> import veloxel
    >>> parts = veloxel.phantom("shift", (32, 40))
    >>> found = veloxel.compare(parts["fixed"], parts["moving"], methods=["lucas-kanade", "clg:fast"], device="cpu")
    >>> sorted(found.results)
    ['clg:fast', 'lucas-kanade:accurate']
    """

    def __init__(self, results: dict[str, FlowResult], report: dict[str, Any], page: str) -> None:
        self.results, self.report, self.page = results, report, page

    results: dict[str, FlowResult]
    """What each method found, by ``"method:preset"``."""
    report: dict[str, Any]
    """Device, times (milliseconds), parameters and errors (voxels) of each method under ``"runs"``; ``"left_out"`` says which methods
    cannot take the images, and why."""
    page: str
    """The page of ``veloxel compare``: HTML that asks nothing of a network."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the page as a file of HTML."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.page)

    def _repr_html_(self) -> str:
        """The page, in a frame of its own."""
        import html

        return f'<iframe style="width:100%;height:40em;border:0" srcdoc="{html.escape(self.page, quote=True)}"></iframe>'

    def __repr__(self) -> str:
        return f"Comparison({', '.join(self.results)})"


def compare(
    fixed: Any,
    moving: Any,
    *,
    methods: Sequence[str] | str | None = None,
    truth: Any = None,
    mask: Any = None,
    title: str = "fixed → moving",
    device: str | None = None,
    session: Session | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """Runs several methods on one pair, and measures what each of them found.

    Args:
        fixed, moving: Images of axes ``(y, x)`` or ``(z, y, x)``, as for :func:`flow`.
        methods: Names of methods, each with its preset if you like: ``["clg", "clg:fast", "fe"]``; ``None``: all, first presets.
        truth: The true field, if it is known: :class:`Field`, an array of voxels ``(…, 2)`` or ``(…, 3)``, or a path.
        mask: Where data count, and where errors are measured: not 0.
        title: What the page is called.
        device, session, progress: As for :func:`flow`.

    Raises:
        As :func:`flow`; InputError where no method can take the images.

    >>> import veloxel
    >>> parts = veloxel.phantom("shift", (32, 40))
    >>> found = veloxel.compare(parts["fixed"], parts["moving"], methods=["clg:fast"], truth=parts["truth"], device="cpu")
    >>> found.report["runs"][0]["method"], len(found.results)
    ('clg', 1)
    """
    chosen = all_methods() if methods is None else words(methods)
    named = [own.partition(":") for own in chosen]
    image, moved = as_images((fixed, moving), ("the fixed image", "the moving image"))
    like = Image._of(image) if isinstance(truth, np.ndarray) else None
    own_truth = None if truth is None else Field(truth, like=like)._own
    known = {"mask": as_image_beside(mask, image, "the mask"), "truth": own_truth, "title": title}
    found, report, page, told = _veloxel.compare(
        lent(session, device),
        image,
        moved,
        [settings(method, preset or None, {}) for method, _, preset in named],
        known,
        as_progress(progress),
    )
    tell(told)
    measured = json.loads(report)
    names = [f"{run['method']}:{run['preset']}" for run in measured["runs"]]
    return Comparison({name: FlowResult(own, session, image) for name, own in zip(names, found, strict=True)}, measured, page)
