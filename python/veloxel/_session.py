"""A device that is opened once, and lent to every call."""

from __future__ import annotations

import json
import os
import threading
from typing import Any

from . import _veloxel
from ._arguments import whole


class Session:
    """A device with its threads, its memory and its compiled kernels.

    Calls without ``session=`` share one session a device, which is opened by the first of them. A session of your own decides how
    many threads and how much memory runs may take, and gives both back when it is closed.

    Args:
        device: ``"auto"`` (the fastest there is), ``"cpu"``, or a GPU: ``"cuda"``, ``"vulkan"``, ``"metal"``, ``"dx12"``;
            ``"cuda:1"`` is the second of its kind; ``"cuda:0,1"`` and ``"cuda:all"`` are several that work as one.
        threads: Threads of the processor; 0: all.
        max_memory: Bytes that a run may take, of the process on a processor and of the device on a GPU; ``None``: what there is.
            Larger runs are done in tiles where their method allows it.

    Raises:
        DeviceError: The device is not there; the text says why.

    >>> import veloxel
    >>> with veloxel.Session("cpu", threads=1) as session:
    ...     session.device.startswith("cpu")
    True
    """

    def __init__(self, device: str = "auto", *, threads: int = 0, max_memory: int | None = None) -> None:
        most = None if max_memory is None else whole(max_memory, "max_memory=")
        self._own = _veloxel.Session(device_word(device), whole(threads, "threads="), most)

    @property
    def device(self) -> str:
        """What the device is."""
        return self._own.device()[0]

    @property
    def chosen_because(self) -> str:
        """Why the device was chosen."""
        return self._own.device()[1]

    @property
    def copied_bytes(self) -> dict[str, int]:
        """How many bytes were copied between the memory of the host and that of a GPU since the session was opened: ``to_device`` and
        ``to_host``; 0 on a processor."""
        to_device, to_host = self._own.copied_bytes()
        return {"to_device": to_device, "to_host": to_host}

    def close(self) -> None:
        """Gives the device's memory back. What is under way ends first; later calls raise :class:`DeviceError`."""
        self._own.close()

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> Any:
        raise TypeError("a Session belongs to its process and cannot be copied or pickled: make one in each process, or give device=")

    def __repr__(self) -> str:
        try:
            return f"Session({self.device!r})"
        except _veloxel.DeviceError:
            return "Session(closed)"


def device_word(device: Any) -> str:
    """A device by its name; a ``torch.device`` has the names of ours, ``"cpu"`` and ``"cuda:1"``.

    Raises:
        InputError: No word.
    """
    if type(device).__module__ == "torch" and type(device).__name__ == "device":
        device = str(device)
    if isinstance(device, str) and device:
        return device
    raise _veloxel.InputError(f'a device is a word such as "auto", "cpu", "cuda" or "cuda:1", not {device!r}')


_shared: dict[tuple[int, str], Session] = {}
_opening = threading.Lock()


def lent(session: Session | None, device: str | None) -> Any:
    """The session of a call: the one that is given, or the one that all calls for this device share in this process."""
    if session is not None:
        if not isinstance(session, Session):
            raise _veloxel.InputError(f"session= is a veloxel.Session, not {session!r}; a device by its name is device=")
        if device is not None:
            raise _veloxel.InputError("device= belongs to a session of its own: give session= or device=, not both")
        return session._own
    # The threads of a session are not in a child that was forked: it opens one of its own.
    key = (os.getpid(), device_word("auto" if device is None else device))
    with _opening:
        if key not in _shared:
            _shared[key] = Session(key[1])
        return _shared[key]._own


def _forked() -> None:
    """In a child, forgets the parent's sessions, whose threads are not here, and a lock that a thread of the parent may hold."""
    global _opening
    _opening = threading.Lock()
    # They are kept alive: closing them would wait for threads that are not here.
    _left_behind.extend(_shared.values())
    _shared.clear()


_left_behind: list[Session] = []
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)


def devices() -> list[dict[str, Any]]:
    """The devices of this machine: a dictionary each, with ``name``, ``description``, ``memory_bytes``, and ``reason_absent`` for
    those that cannot be used.

    >>> import veloxel
    >>> veloxel.devices()[0]["name"]
    'cpu'
    """
    return json.loads(_veloxel.devices())
