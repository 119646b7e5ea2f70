"""The client of a cluster."""

from __future__ import annotations

from typing import Any

from .. import _veloxel


def client_of(client: Any) -> Any:
    """The client that is given, or the one that was made last."""
    try:
        from distributed import default_client
    except ImportError:
        raise _veloxel.UnsupportedError("Dask's scheduler is not installed: pip install veloxel[dask]") from None
    if client is not None:
        return client
    try:
        return default_client()
    except ValueError:
        text = "there is no client of a cluster: make one first, dask.distributed.Client(), or give it (client=)"
        raise _veloxel.InputError(text) from None
