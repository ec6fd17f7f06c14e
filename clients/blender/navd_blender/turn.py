# SPDX-License-Identifier: MIT
"""Whose turn it is: while the add-on works on the main thread, the link's thread does nothing.

Python runs one thread at a time, and takes the interpreter from a busy one only after 5 ms. A main thread that lets go of it for
a moment, as numpy and a draw call do, would wait for so long each time. So the link's thread works in pieces of a fraction of
a millisecond, and asks before each. Blender's manual wants it so, too: only threads that work while the main thread waits are safe.

    with turn:          the main thread works; may be nested
    with turn.piece:    the link's thread works
"""
import threading
import time
from typing import Any

_PATIENCE_S = 0.01  # the main thread waits no longer for the end of a piece: to hash a large mesh is one, too
_WORK_S, _REST_S = 0.001, 0.0001


class _Piece:
    """Waits for the end of the main thread's turn. Lets others in now and then."""

    def __init__(self, turn: "Turn") -> None:
        self._turn = turn
        self._holds = False
        self._rested = 0.0

    def __enter__(self) -> None:
        turn = self._turn
        while not turn.closed:
            turn.over.wait()
            turn.lock.acquire()
            if turn.over.is_set():
                self._holds = True
                return
            turn.lock.release()

    def __exit__(self, *_: Any) -> None:
        if self._holds:
            self._holds = False
            self._turn.lock.release()
        if time.perf_counter() - self._rested > _WORK_S:
            time.sleep(_REST_S)
            self._rested = time.perf_counter()


class Turn:
    def __init__(self) -> None:
        self.piece = _Piece(self)
        self.lock = threading.Lock()  # held by a piece, or for a turn
        self.over = threading.Event()
        self.over.set()
        self.closed = False
        self._depth = 0
        self._holds = False

    def __enter__(self) -> None:
        self._depth += 1
        if self._depth == 1 and not self.closed:
            self.over.clear()
            self._holds = self.lock.acquire(timeout=_PATIENCE_S)

    def __exit__(self, *_: Any) -> None:
        self._depth -= 1
        if self._depth == 0:
            self._let_go()

    def close(self) -> None:
        """The link's thread shall end, and asks no more."""
        self.closed = True
        self._let_go()

    def _let_go(self) -> None:
        self.over.set()
        if self._holds:
            self._holds = False
            self.lock.release()
