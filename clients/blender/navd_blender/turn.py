# SPDX-License-Identifier: MIT
"""Whose turn it is: while the main thread works, the link's thread begins nothing.

Python runs one thread at a time, and takes the interpreter from a thread that is busy only after 5 ms. A main thread that lets go of
it for a moment, as numpy and a draw call do, would wait for so long each time. So the link's thread works in pieces of a
fraction of a millisecond, and asks here before each.
"""
import threading
import time
from typing import Any

_LONGEST_S = 0.05  # if the main thread waits for the link's in its turn
_WORK_S, _REST_S = 0.001, 0.0001


class Turn:
    """with turn: what the main thread does."""

    def __init__(self) -> None:
        self._over = threading.Event()
        self._over.set()
        self._rested = 0.0

    def __enter__(self) -> None:
        self._over.clear()

    def __exit__(self, *_: Any) -> None:
        self._over.set()

    def await_end(self) -> None:
        """The link's thread, between two pieces: waits for the end of the main thread's turn, and lets others in now and then."""
        if not self._over.is_set():
            self._over.wait(_LONGEST_S)
            self._rested = time.perf_counter()
        elif time.perf_counter() - self._rested > _WORK_S:
            time.sleep(_REST_S)
            self._rested = time.perf_counter()
