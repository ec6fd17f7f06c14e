"""What a subscription tells, kept in order and in bounds until somebody reads it, and the tiles that follow from it."""

from collections import OrderedDict
from dataclasses import dataclass
from typing import Callable, Dict, Iterator, Optional, Set, Union

from .core import AreasChanged, Ended, Progress, SettingsChanged, Synced, TileEvent, TilePlace
from .errors import NavdError
from .paths import PathChanged

@dataclass
class Lost:
    """The connection broke. The client tries to come back."""

    error: NavdError


@dataclass
class Restored:
    """The connection is there again, and the subscription goes on where it was."""


@dataclass
class Reset:
    """All tiles come again; those that have not come by the next Synced are gone. Only after Restored."""


Followed = Union[TileEvent, PathChanged, Synced, Progress, SettingsChanged, AreasChanged, Ended, Lost, Restored, Reset]


class EventQueue:
    """Events that wait for their reader. A tile or path that waits already is replaced by its newer state where it stands, so
    the queue is never longer than the world has tiles, or the watch paths, and what Synced says stays true. Not for several threads at once."""

    def __init__(self) -> None:
        self._events: "OrderedDict[int, Followed]" = OrderedDict()
        self._newest: Dict[object, int] = {}  # number of the event that a newer one may replace
        self._next = 0

    def __len__(self) -> int:
        return len(self._events)

    def put(self, event: Followed) -> None:
        if isinstance(event, TileEvent):
            place, failed = event.place, (*event.place, "failed")
            before = self._newest.pop(failed, None)
            if before is not None:
                del self._events[before]
            name: object = failed if event.status == "failed" else place  # the tile before a failed one stays valid
            at = self._newest.get(name)
            if at is not None:
                self._events[at] = event
                return
            self._newest[name] = self._next
        elif isinstance(event, PathChanged):
            at = self._newest.get(("path", event.query))
            if at is not None:
                self._events[at] = event
                return
            self._newest["path", event.query] = self._next
        elif isinstance(event, (Synced, Progress)):
            before = self._newest.pop(type(event), None)
            if before is not None:
                del self._events[before]
            self._newest[type(event)] = self._next
        else:  # what comes after it is told after it
            self._newest.clear()
        self._events[self._next] = event
        self._next += 1

    def take(self) -> Optional[Followed]:
        """The oldest event, or None."""
        if not self._events:
            return None
        number, event = self._events.popitem(last=False)
        if isinstance(event, TileEvent):
            place = event.place
            for key in (place, (*place, "failed")):
                if self._newest.get(key) == number:
                    del self._newest[key]
        elif isinstance(event, PathChanged):
            if self._newest.get(("path", event.query)) == number:
                del self._newest["path", event.query]
        elif self._newest.get(type(event)) == number:
            del self._newest[type(event)]
        return event


class TileMap:
    """The tiles of a profile as the events tell them: give it each event in order. Not for several threads at once."""

    def __init__(self) -> None:
        self.tiles: Dict[TilePlace, TileEvent] = {}  # those with something in them, by TileEvent.place
        self.failed: Dict[TilePlace, str] = {}  # why the newest run of a tile failed; the tile before it is still in `tiles`
        self.revision: Optional[int] = None  # everything is as at this revision, or newer; None before the first Synced
        self._doubtful: Set[TilePlace] = set()

    def __len__(self) -> int:
        return len(self.tiles)

    def __iter__(self) -> Iterator[TileEvent]:
        return iter(list(self.tiles.values()))

    def apply(self, event: object) -> None:
        """Takes an event; those that do not concern tiles change nothing."""
        if isinstance(event, TileEvent):
            place = event.place
            self._doubtful.discard(place)
            if event.status == "failed":
                self.failed[place] = event.reason
                return
            self.failed.pop(place, None)
            if event.status == "ok":
                self.tiles[place] = event
            elif event.status in ("empty", "removed"):
                self.tiles.pop(place, None)
        elif isinstance(event, Synced):
            for place in self._doubtful:
                self.tiles.pop(place, None)
                self.failed.pop(place, None)
            self._doubtful.clear()
            self.revision = event.revision
        elif isinstance(event, Reset):
            self._doubtful = set(self.tiles) | set(self.failed)


Callback = Callable[[Followed], None]
