"""Tasks that are sent some at a time: the scheduler knows few of them, and takes one message for many."""

from __future__ import annotations

import time
from typing import Any

#: How often the workers are counted.
_LOOK_EVERY_S = 1.0


class Ahead:
    """How many tasks may be under way, and how many are sent at once.

    Args:
        client: The client of the cluster.
        given: Tasks under way at most; ``None``: so many for each thread of the workers, ``each``, and ``least`` at least, so that a
            cluster that adapts sees what there is to do.
    """

    def __init__(self, client: Any, given: int | None, *, each: int, least: int) -> None:
        self._client, self._given, self._each, self._least = client, given, each, least
        self._most, self._looked = 0, float("-inf")

    def most(self) -> int:
        """Tasks under way at most; workers come and go."""
        if self._given is not None:
            return max(1, self._given)
        if time.monotonic() - self._looked > _LOOK_EVERY_S:
            threads = sum(self._client.nthreads().values())
            self._most, self._looked = max(self._least, self._each * threads), time.monotonic()
        return self._most

    def room(self, under_way: int) -> int:
        """Tasks to be sent now beside those under way: a quarter of all at once, or none yet."""
        most = self.most()
        some = max(1, most // 4)
        return (most - under_way) // some * some
