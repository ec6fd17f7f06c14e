"""A session without sockets: logging in, calls with their answers, and subscriptions that outlive a connection.

What takes several calls is written once, as a generator that yields Call after Call and is sent their results; whoever has a
socket drives it (navd.client with a thread's patience, navd.aio with an event loop). See docs/protocol/subscriptions.md for how a
subscription resumes. Not for several threads at once.
"""

from dataclasses import dataclass, field
from typing import Any, Callable, Dict, Generator, List, NamedTuple, Optional, TypeVar, Union

from . import compression
from .address import Access, is_local
from .core import (
    PROTOCOL_VERSION, AreasChanged, Bye, Closed, Connection, Ended, Map, Progress, Response, SettingsChanged, Synced, TileEvent,
    TilePlace,
)  # fmt: skip
from .errors import NavdError
from .follow import EventQueue, Followed, Lost, Reset, Restored
from .paths import PathsChanged

MOST_SEEN = 1 << 17  # one request must be able to name them
SILENT_PERIODS = 3  # of keepalive, until the daemon counts as gone
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.1, 5.0  # between attempts to come back
NO_SUCH_KEY = b"\xff" * 16
# Coming again later does not help.
FINAL = frozenset(("unauthenticated", "forbidden", "version", "argument", "format"))


class Call(NamedTuple):
    """One call of a generator. again: it only reads, so it may be sent once more after a broken connection. take: is given the
    result before anything that arrived after it is looked at."""

    method: str
    params: Map
    again: bool = False
    take: Optional[Callable[[Map], None]] = None


T = TypeVar("T")
# Yields a Call and is sent its result, or yields several and is sent their results; the first error is thrown in.
Steps = Generator[Union[Call, List[Call]], Any, T]


@dataclass
class Watch:
    """A subscription as it is remembered."""

    id: int  # never changes, unlike that on the wire
    world: int
    profile: str
    params: Map
    method: str = "tiles.subscribe"  # or "path.watch"
    wire_id: int = 0  # 0: not subscribed at present
    begun: Optional[int] = None  # the world's revision when it began, or began anew
    since: Optional[int] = None
    seen: Dict[TilePlace, bytes] = field(default_factory=dict)  # that came after the last Synced
    seen_lost: bool = False  # too many of them
    had_tiles: bool = False  # or news of them
    ended: Optional[str] = None  # why
    queue: EventQueue = field(default_factory=EventQueue)
    told: Optional[Callable[[], None]] = None  # called after something was put into the queue

    def put(self, event: Followed) -> None:
        self.queue.put(event)
        if self.told:
            self.told()

    def note(self, event: Followed) -> None:
        self.had_tiles = self.had_tiles or isinstance(event, (TileEvent, Synced))
        if isinstance(event, TileEvent):
            # The key of a tile that failed says nothing of the one before it, which is still here.
            self.seen[event.place] = NO_SUCH_KEY if event.status == "failed" else event.key
            self.seen_lost = self.seen_lost or len(self.seen) > MOST_SEEN
        elif isinstance(event, Synced):
            self.since = event.revision
            self.seen.clear()
            self.seen_lost = False
        elif isinstance(event, Ended):
            self.ended = event.reason
            self.wire_id = 0  # the daemon has let it go
        self.put(event)

    def forget(self) -> None:
        self.since = None
        self.seen.clear()
        self.seen_lost = False


class Opened(NamedTuple):
    """A world as it was opened: a new connection opens it alike."""

    name: str
    up: str
    unit_m: float


class Session:
    """One client's session, over one connection after the other."""

    def __init__(self, access: Access, name: str, keepalive: bool, priority: str = "normal") -> None:
        self.access = access
        self.name = name
        self.keepalive = keepalive
        self.priority = priority
        self.connection = Connection()
        self.worlds: Dict[int, Opened] = {}
        self.watches: Dict[int, Watch] = {}
        self.hello: Map = {}
        self.retry_s = 0.0  # the daemon asked for this pause
        self._takes: Dict[int, Callable[[Map], None]] = {}
        self._last_watch = 0

    @property
    def silent_s(self) -> Optional[float]:
        """So long after the last bytes the daemon counts as gone; None: never."""
        keepalive_s = self.hello.get("keepalive_s") or 0
        return float(SILENT_PERIODS * keepalive_s) if self.keepalive and keepalive_s else None

    # --- bytes ---

    def start(self, call: Call) -> int:
        """Sends a call with the next send_buffer(); the id of its Response. Raises NavdError as Connection.call()."""
        number = self.connection.call(call.method, call.params)
        if call.take:
            self._takes[number] = call.take
        return number

    def cancel(self, numbers: List[int]) -> None:
        """Nobody waits for these calls any more. With the next send_buffer() the daemon hears so of those that it may give up."""
        for number in numbers:
            if self.connection.method_of(number).startswith("path."):
                self.start(Call("path.cancel", {"call": number}))

    def receive(self, data: bytes) -> List[Response]:
        """Takes what arrived. Events of subscriptions are in their queues then; connection.closed says if it is over."""
        return self._sort(self.connection.receive(data))

    def lose(self, error: NavdError, tell: bool) -> List[Response]:
        """The connection is of no use any more: what to tell the open calls. tell: subscriptions hear that it is lost."""
        responses = self._sort(self.connection.close(error))
        self._takes.clear()
        for watch in self.watches.values():
            watch.wire_id = 0
            if tell:
                watch.put(Lost(error))
        return responses

    def _sort(self, events: List[Any]) -> List[Response]:
        responses: List[Response] = []
        for event in events:
            if isinstance(event, Response):
                take = self._takes.pop(event.id, None)
                if take and not event.error:
                    take(event.result)
                responses.append(event)
            elif isinstance(event, Progress):
                for watch in self.watches.values():
                    if (watch.world, watch.profile) == (event.world, event.profile):
                        watch.put(event)
            elif isinstance(event, (TileEvent, Synced, SettingsChanged, AreasChanged, Ended)):
                for watch in self.watches.values():
                    if watch.wire_id == event.subscription:
                        event.subscription = watch.id
                        watch.note(event)
                        break
                if isinstance(event, Ended):
                    self.watches.pop(event.subscription, None)
            elif isinstance(event, PathsChanged):
                for watch in self.watches.values():
                    if watch.wire_id == event.subscription:
                        for change in event.changes:
                            change.subscription = watch.id
                            watch.note(change)
            elif isinstance(event, Bye):
                self.retry_s = event.retry_ms / 1000
            elif isinstance(event, Closed):
                pass
        return responses

    # --- logging in ---

    def login(self, kind: str, peer: str) -> Steps[None]:
        """Says hello. kind of the address; peer: the host that the socket is connected to.

        A token goes unencrypted to nobody beyond this machine, and on it over TCP only to a daemon that has asked for one.
        """
        token = self.access.read_token()
        withheld = False
        if token and kind == "tcp" and not self.access.insecure_token:
            if not is_local(peer):
                raise NavdError("argument", "the token would cross the network unencrypted; use tls://, or allow it with insecure_token")
            withheld = True
        try:
            yield self._hello("" if withheld else token)
        except NavdError as error:
            if error.code != "unauthenticated" or not (withheld or not token):
                raise
            if not token:
                raise NavdError(error.code, f"{error.message}; give token_file or NAVD_TOKEN_FILE") from error
            yield self._hello(token)

    def _hello(self, token: str) -> Call:
        params: Map = {"version": PROTOCOL_VERSION, "client": self.name}
        if token:
            params["token"] = token
        if self.access.namespace_name():
            params["namespace"] = self.access.namespace_name()
        if self.keepalive:
            params["keepalive"] = True
        if self.priority != "normal":
            params["priority"] = self.priority

        def take(answer: Map) -> None:
            self.hello = answer

        return Call("hello", params, take=take)

    # --- subscriptions ---

    def open_world(self, params: Map) -> Steps[Map]:
        """world.open, remembered for the next connection."""
        answer: Map = yield Call("world.open", params)
        self.worlds[answer["world"]] = Opened(params["name"], params.get("up", "y"), params.get("unit_m", 1.0))
        return answer

    def subscribe(
        self,
        world: int,
        profile: str,
        params: Map,
        told: Optional[Callable[[], None]],
        begin: Callable[[Watch], None],
        method: str = "tiles.subscribe",
    ) -> Steps[None]:
        """Begins a subscription. params: of the method, without world, profile, since and known. begin: is given the Watch
        before its first event; told: called after each event."""
        self._last_watch += 1
        if method == "tiles.subscribe":
            params = {"compression": compression.choice(), **params}
        watch = Watch(self._last_watch, world, profile, params, method, told=told)
        self.watches[watch.id] = watch
        begin(watch)
        try:
            yield self._subscribe(watch)
        except BaseException:
            self.watches.pop(watch.id, None)
            raise

    def _subscribe(self, watch: Watch) -> Call:
        params: Map = {"world": watch.world, "profile": watch.profile, **watch.params}
        if watch.method == "path.watch":  # all paths are told again

            def take_id(answer: Map) -> None:
                watch.wire_id = answer["subscription"]

            return Call(watch.method, params, take=take_id)
        if not watch.seen_lost:
            if watch.since is not None:
                params["since"] = watch.since
            if watch.seen:
                params["known"] = [[*place[:2], key, *place[2:]] for place, key in watch.seen.items()]

        def take(answer: Map) -> None:
            watch.wire_id = answer["subscription"]  # before the first of its tiles is looked at
            if watch.begun is None or not answer.get("resumed"):
                watch.begun = answer["revision"]
            if watch.had_tiles and not answer.get("resumed"):
                watch.forget()
                watch.put(Reset())

        return Call(watch.method, params, take=take)

    def unsubscribe(self, watch: Watch) -> Steps[None]:
        self.watches.pop(watch.id, None)
        if watch.ended is None:
            watch.ended = "closed"
            yield from self._let_go(watch)

    def _let_go(self, watch: Watch) -> Steps[None]:
        """Ends it in the daemon, if the daemon has it in this connection."""
        wire_id, watch.wire_id = watch.wire_id, 0
        if wire_id:
            method = "path.unwatch" if watch.method == "path.watch" else "tiles.unsubscribe"
            yield Call(method, {"subscription": wire_id})

    def forget_world(self, world: int) -> None:
        """It was closed or deleted by this session: nothing of it comes back."""
        self.worlds.pop(world, None)
        for watch in [watch for watch in self.watches.values() if watch.world == world]:
            del self.watches[watch.id]
            watch.ended = watch.ended or "world closed"
            watch.wire_id = 0

    def resume(self) -> Steps[None]:
        """After login on a new connection: worlds in their axes, and every subscription where it was. One that cannot go on ends,
        the others go on."""
        for opened in list(self.worlds.values()):
            if (opened.up, opened.unit_m) != ("y", 1.0):
                try:
                    yield self._open_again(opened)
                except NavdError as error:
                    if self.connection.closed:
                        raise
                    del error  # the world is gone; its subscriptions find out below
        for watch in list(self.watches.values()):
            try:
                yield from self._resume_one(watch)
            except NavdError as error:
                if self.connection.closed:
                    raise
                self.watches.pop(watch.id, None)
                watch.note(Ended(watch.id, watch.world, error.message))
        for watch in self.watches.values():
            watch.put(Restored())

    def _open_again(self, opened: Opened) -> Call:
        return Call("world.open", {"name": opened.name, "up": opened.up, "unit_m": opened.unit_m})

    def _resume_one(self, watch: Watch) -> Steps[None]:
        opened = self.worlds.get(watch.world)
        if opened:  # else it was opened elsewhere, and its number has to do
            answer: Map = yield self._open_again(opened)
            if answer["world"] != watch.world:
                raise NavdError("not_found", f"world {opened.name} was deleted and created again")
            for profile in answer.get("profiles") or []:
                if profile["name"] == watch.profile:
                    x, y, z = answer.get("origin_m") or (0.0, 0.0, 0.0)
                    watch.put(
                        SettingsChanged(
                            watch.id, watch.world, watch.profile, profile.get("settings") or {}, (x, y, z), answer["revision"],
                            profile.get("grid") or 0,
                        )
                    )  # fmt: skip
        yield self._subscribe(watch)
        if watch.ended is not None:  # it was ended while the daemon made it
            yield from self._let_go(watch)
