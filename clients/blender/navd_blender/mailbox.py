# SPDX-License-Identifier: MIT
"""What the link's thread has for the main thread, in order, and no more of it than there are tiles.

A Blender that renders for an hour empties nothing, while tiles go on changing. So a message about the same thing takes the
place of one that nobody has read yet. What comes in the meantime is never older than what it stands for.
"""
import collections
import threading
from typing import Any, Deque, Dict, List, Optional, Tuple

# After these (x, z) may mean another place, or count anew.
_NEW_PLACES = ("subscribed", "settings", "ended", "connected", "opened", "disconnected")
Subject = Tuple[Any, ...]


class Mailbox:
    """put() on any thread, the rest on one."""

    def __init__(self) -> None:
        self._letters: Deque[List[Any]] = collections.deque()  # [item, subject]; the item is None: another one stands for it
        self._open: Dict[Subject, List[Any]] = {}  # those that may still be replaced
        self._lock = threading.Lock()
        self._filled = threading.Event()

    def __len__(self) -> int:
        return len(self._letters)

    def put(self, item: Tuple[Any, ...]) -> None:
        """item: (name, data, tile, subscription) of an Event, shorter where the rest is None; or a function and its arguments."""
        with self._lock:
            subject = self._subject(item)
            before = self._open.get(subject) if subject else None
            if before is not None:
                before[0] = item
            else:
                letter = [item, subject]
                self._letters.append(letter)
                if subject:
                    self._open[subject] = letter
        self._filled.set()

    def take(self) -> Optional[Tuple[Any, ...]]:
        """The oldest item; None: there is none at present."""
        with self._lock:
            while self._letters:
                item, subject = self._letters.popleft()
                if subject:
                    self._open.pop(subject, None)
                if item is not None:
                    return item
            self._filled.clear()
            return None

    def wait(self, timeout_s: float) -> bool:
        """Until there may be something. False: the time is over."""
        return bool(self._letters) or self._filled.wait(timeout_s)

    def clear(self) -> None:
        with self._lock:
            self._letters.clear()
            self._open.clear()

    def _subject(self, item: Tuple[Any, ...]) -> Optional[Subject]:
        """What it is about, if only the newest word on that counts."""
        name = item[0]
        if name == "tile":
            event, subscription = item[1], item[3]
            failed = ("failed", subscription, event.x, event.z)
            if event.status == "failed":  # says nothing about what the tile looks like
                return failed
            overtaken = self._open.pop(failed, None)
            if overtaken:
                overtaken[0] = None
            return "tile", subscription, event.x, event.z
        if name == "progress":
            return "progress", item[1].profile
        if name == "synced":  # promises what came before it: it may only replace the last one
            last = self._letters[-1] if self._letters else None
            subject = ("synced", item[3])
            if last is None or last[1] != subject:
                self._open.pop(subject, None)
            return subject
        if name in _NEW_PLACES:
            self._open.clear()
        return None
