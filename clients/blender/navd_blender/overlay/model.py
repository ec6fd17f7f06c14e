# SPDX-License-Identifier: MIT
"""The tiles of one subscription as they are to be shown. Without bpy and without gpu.

take() is a listener of the link. What it changes becomes visible when the dirty chunks are made (batches.py).
"""
import collections
from typing import Any, Callable, Deque, Dict, List, NamedTuple, Optional, Set, Tuple

from .chunks import Chunks
from .colors import AGE, AGES, AREA, HEIGHT, STATUS, Palette, TileState, age_class
from .geometry import EMPTY, TileGeometry

Key = Tuple[int, int]


class Failed(NamedTuple):
    """A tile that could not be built."""
    x: int
    z: int
    reason: str
    revision: int


def _ages() -> List[Deque[Tuple[float, Key]]]:
    """For each age class: when a tile came, and which; the oldest first."""
    return [collections.deque() for _ in AGES]


class Model:
    """changed: called when there is something new to draw or to list."""

    def __init__(self, changed: Callable[[], None] = lambda: None) -> None:
        self.chunks = Chunks()
        self.palette = Palette()
        self.changed = changed
        self.failed: Dict[Key, Failed] = {}
        self.progress = (0, 0)
        self.revision = 0  # the newest that a tile showed
        self.version = 0  # rises with every tile
        self.side = 0.0  # of a tile, metres; 0: not known yet
        self.origin = (0.0, 0.0, 0.0)
        self.synced = -1  # the newest revision that is complete here
        self.grid = 0
        self._next_origin: Optional[Tuple[float, ...]] = None  # of the new grid, while what is shown is of the one before
        self._older = False
        self._unseen: Set[Key] = set()  # shown, and gone unless they come before the next synced
        self._aging = _ages()

    @property
    def states(self) -> Dict[Key, TileState]:
        return self.palette.states

    def clear(self) -> None:
        self.__init__(self.changed)
        self.changed()

    def take(self, event: Any) -> None:
        """An Event of the link (link.py)."""
        handler = getattr(self, "_take_" + event.name, None)
        if handler:
            handler(event)

    def set_look(self, mode: str, alpha: float) -> None:
        if (mode, alpha) == (self.palette.mode, self.palette.alpha):
            return
        self.palette.set_look(mode, alpha)
        self._aging = _ages()
        if mode == AGE:
            now = self.palette.now()
            for key, state in sorted(self.states.items(), key=lambda item: -item[1].received):
                self._aging[age_class(now - state.received)].append((state.received, key))
        self.chunks.mark_all()
        self.changed()

    def set_areas(self, areas: List[dict]) -> None:
        self.palette.set_areas(areas)
        if self.palette.mode == AREA:
            self.chunks.mark_all()
        self.changed()

    def grow_old(self) -> None:
        """With colours by age: marks what has another colour by now."""
        if self.palette.mode != AGE:
            return
        now = self.palette.now()
        for at, (until, _) in enumerate(AGES[:-1]):
            older: List[Tuple[float, Key]] = []
            waiting = self._aging[at]
            while waiting and now - waiting[0][0] >= until:
                received, key = waiting.popleft()
                state = self.states.get(key)
                if state is not None and state.received == received:
                    self.chunks.mark(key)
                    older.append((received, key))
            self._aging[at + 1].extend(older)
            if older:
                self.changed()

    def _take_tile(self, event: Any) -> None:
        tile = event.data
        key = (tile.x, tile.z)
        if tile.status != "removed":
            self._end_older()
        self._unseen.discard(key)
        self.revision = max(self.revision, tile.revision)
        self.version += 1
        if tile.status == "failed":
            self.failed[key] = Failed(tile.x, tile.z, tile.reason, tile.revision)
            state = self.states.setdefault(key, TileState())
            state.failed = tile.reason or "failed"
            if self.palette.mode == STATUS:
                self.chunks.mark(key)
        elif tile.status == "removed":
            self._drop(key)
        else:
            self.failed.pop(key, None)
            geometry = event.tile if event.tile is not None else EMPTY
            state = TileState(self.palette.now(), tile.made_us, tile.revision)
            self.states[key] = state
            if self.palette.mode == AGE:
                self._aging[0].append((state.received, key))
            self._widen(geometry)
            self.chunks.put(key, geometry)
        self.changed()

    def _take_subscribed(self, event: Any) -> None:
        self._begin_grid(event.data.get("grid", 0))
        self._unseen = set() if event.data.get("resumed") else set(self.states)

    def _take_settings(self, event: Any) -> None:
        self._begin_grid(event.data.grid, event.data.origin_m)

    def _take_synced(self, event: Any) -> None:
        self._end_older()
        for key in self._unseen:
            self._drop(key)
        self._unseen = set()
        self.synced = event.data.revision
        self.changed()

    def _take_areas(self, event: Any) -> None:
        self.set_areas(event.data.areas)

    def _take_progress(self, event: Any) -> None:
        done, total = event.data.done, event.data.total
        self.progress = (done, total) if done < total else (0, 0)
        self.changed()

    def _take_disconnected(self, event: Any) -> None:
        self.progress = (0, 0)
        self.changed()

    def _take_ended(self, event: Any) -> None:
        self.clear()

    def _begin_grid(self, grid: int, origin: Optional[Tuple[float, ...]] = None) -> None:
        """Where the grid is another one, (x, z) means another place. What is shown stays until there is something of the new one."""
        if grid != self.grid:
            self.grid, self._older = grid, True
        if self._older:
            self._next_origin = origin or self._next_origin
        elif origin:
            self.origin = origin
        self.changed()

    def _end_older(self) -> None:
        """Nothing of the older grid can stay beside the new one."""
        if not self._older:
            return
        for key in list(self.states):
            self._drop(key)
        self._older, self.side = False, 0.0
        self.origin, self._next_origin = self._next_origin or self.origin, None

    def _drop(self, key: Key) -> None:
        self.chunks.remove(key)
        self.failed.pop(key, None)
        self.states.pop(key, None)

    def _widen(self, geometry: TileGeometry) -> None:
        if geometry.side:
            self.side, self.origin = geometry.side, geometry.origin
        if not len(geometry.positions):
            return
        palette = self.palette
        first = not len(self.chunks)
        low = geometry.low if first else min(palette.low, geometry.low)
        high = geometry.high if first else max(palette.high, geometry.high)
        if (low, high) != (palette.low, palette.high):
            palette.low, palette.high = low, high
            if palette.mode == HEIGHT:
                self.chunks.mark_all()
