"""The protocol without sockets: bytes in, events out.

A Connection turns what a socket delivers into typed events and calls into bytes to send. It knows nothing of time, threads
or files, so any event loop can drive it. Not for several threads at once.

    connection = Connection()
    hello = connection.call("hello", {"version": 1, "client": "example"})
    socket.sendall(connection.send_buffer())
    for event in connection.receive(socket.recv(65536)):
        if isinstance(event, Response) and event.id == hello:
            print(event.unwrap()["server"])
"""

from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Mapping, Optional, Tuple, Union

from . import compression
from .detour import DetourTile, read_detour_tile
from .errors import ConnectionLost, NavdError, from_wire
from .paths import PathChanged, PathsChanged, path_from_map
from .stream import MESSAGE_BYTES, Stream
from .tiles import Tile, read_tile
from .wire import msgpack

PROTOCOL_VERSION = 1
Map = Dict[str, Any]
NO_KEY = bytes(16)


@dataclass
class Response:
    """The answer to a call. Either `error` is None, or `result` is empty."""

    id: int
    method: str  # of the call; "" if the id is not that of an open call (id 0: why the daemon closes the connection)
    result: Map
    error: Optional[NavdError]

    def unwrap(self) -> Map:
        """The result; raises the error."""
        if self.error:
            raise self.error
        return self.result


TilePlace = Union[Tuple[int, int], Tuple[int, int, str]]


@dataclass
class TileEvent:
    """A tile as the daemon sends it: in notifications, and in the answers of tiles.get and tiles.build (then `subscription`
    and `world` are 0 and `profile` is ""). See docs/protocol/tiles.md."""

    subscription: int
    world: int
    profile: str
    x: int
    z: int
    status: str  # "ok", "empty", "failed", "removed" or "pending"
    reason: str  # why it failed
    revision: int
    key: bytes  # 16 bytes; equal keys mean equal tiles
    size: int  # bytes of the unpacked tile
    encoding: str  # "navd", "detour" or "packed"
    queued_us: int
    made_us: int
    data: Optional[bytes]  # as it came
    sheet: str = "up"  # docs/protocol/settings.md#walls-and-ceilings; x and z are of its frame

    @property
    def place(self) -> TilePlace:
        """Where it belongs among others: (x, z), and (x, z, sheet) for walls and ceilings."""
        return (self.x, self.z) if self.sheet == "up" else (self.x, self.z, self.sheet)

    def unpacked(self) -> bytes:
        """The tile's bytes; for "packed" see docs/formats.md. Raises NavdError: "not_found" without data, "format"."""
        if self.data is None:
            raise NavdError("not_found", f"tile {self.x},{self.z}: {self.status}, without data")
        return compression.unpack(self.data, self.size)

    def tile(self) -> Tile:
        """The contents, of a tile in the encoding "navd". Raises NavdError as unpacked() does; "argument" for another encoding."""
        self._expect("navd")
        return read_tile(self.unpacked())

    def detour(self) -> DetourTile:
        """The contents, of a tile in the encoding "detour". Raises NavdError as tile() does."""
        self._expect("detour")
        return read_detour_tile(self.unpacked())

    def read(self) -> Union[Tile, DetourTile]:
        """The contents, by the encoding of the tile. Raises NavdError as tile() does."""
        return self.tile() if self.encoding == "navd" else self.detour()

    def _expect(self, encoding: str) -> None:
        if self.encoding != encoding:
            raise NavdError("argument", f"tile {self.x},{self.z}: encoding {self.encoding}; subscribe with encoding=\"{encoding}\"")


@dataclass
class Synced:
    """The client has every tile of the subscription as it is at `revision`, or newer."""

    subscription: int
    world: int
    revision: int


@dataclass
class Progress:
    """How far a profile is: tiles since it was last idle."""

    world: int
    profile: str
    done: int
    total: int


@dataclass
class SettingsChanged:
    """Tiles that come from now on were built with these settings. With another `grid`, (x, z) means other places."""

    subscription: int
    world: int
    profile: str
    settings: Map
    origin_m: Tuple[float, float, float]
    revision: int
    grid: int


@dataclass
class AreasChanged:
    """The world's whole table of areas, by id."""

    subscription: int
    world: int
    revision: int
    areas: List[Map]


@dataclass
class Ended:
    """The daemon ended a subscription."""

    subscription: int
    world: int
    reason: str


@dataclass
class Alive:
    """Nothing else was sent for a while."""


@dataclass
class Bye:
    """The daemon is stopping; connect again after `retry_ms`."""

    reason: str
    retry_ms: int


@dataclass
class Notification:
    """One that this package does not know."""

    method: str
    params: Map


@dataclass
class Closed:
    """The last event of a connection. Every open call has got a Response with the same error before."""

    error: NavdError


Event = Union[
    Response, TileEvent, Synced, Progress, SettingsChanged, AreasChanged, Ended, Alive, Bye, PathsChanged, Notification,
    Closed
]


def tile_from_map(tile: Map) -> TileEvent:
    """A tile of a notification or of a result. Raises NavdError "format"."""
    get = tile.get
    event = TileEvent(
        get("subscription") or 0,
        get("world") or 0,
        get("profile") or "",
        get("x", ""),
        get("z", ""),
        get("status", 0),
        get("reason") or "",
        get("revision", ""),
        get("key") or NO_KEY,
        get("size") or 0,
        get("encoding") or "navd",
        get("queued_us") or 0,
        get("made_us") or 0,
        get("data"),
        get("sheet") or "up",
    )
    numbers = (event.x, event.z, event.revision, event.size, event.subscription, event.world, event.queued_us, event.made_us)
    for number in numbers:
        if type(number) is not int:
            raise _wrong("tile", tile)
    for text in (event.profile, event.status, event.reason, event.encoding, event.sheet):
        if type(text) is not str:
            raise _wrong("tile", tile)
    if type(event.key) is not bytes or not (event.data is None or type(event.data) is bytes):
        raise _wrong("tile", tile)
    return event


def _wrong(what: str, params: Map) -> NavdError:
    shown = repr({key: value for key, value in params.items() if key != "data"})
    return NavdError("format", f"a {what} arrived that is not one of the protocol: {shown[:500]}")


def _int(params: Map, key: str) -> int:
    value = params.get(key) or 0
    if type(value) is not int:
        raise _wrong(f"notification with {key}", params)
    return value


def _str(params: Map, key: str) -> str:
    value = params.get(key) or ""
    if type(value) is not str:
        raise _wrong(f"notification with {key}", params)
    return value


def _maps(params: Map, key: str) -> List[Map]:
    value = params.get(key) or []
    if type(value) is not list or any(type(entry) is not dict for entry in value):
        raise _wrong(f"notification with {key}", params)
    return value


def _settings(params: Map) -> SettingsChanged:
    x, y, z = params["origin_m"]
    settings = params["settings"]
    if type(settings) is not dict:
        raise _wrong("notification with settings", params)
    return SettingsChanged(
        _int(params, "subscription"),
        _int(params, "world"),
        _str(params, "profile"),
        settings,
        (float(x), float(y), float(z)),
        _int(params, "revision"),
        _int(params, "grid"),
    )


def _paths(params: Map) -> PathsChanged:
    numbers = _int(params, "subscription"), _int(params, "world"), _int(params, "revision")
    changes = [PathChanged(*numbers, _int(path, "query"), path_from_map(path)) for path in _maps(params, "paths")]
    return PathsChanged(numbers[0], changes)


_NOTES: Dict[str, Callable[[Map], Event]] = {
    "tile": tile_from_map,
    "synced": lambda p: Synced(_int(p, "subscription"), _int(p, "world"), _int(p, "revision")),
    "progress": lambda p: Progress(_int(p, "world"), _str(p, "profile"), _int(p, "done"), _int(p, "total")),
    "settings": _settings,
    "areas": lambda p: AreasChanged(_int(p, "subscription"), _int(p, "world"), _int(p, "revision"), _maps(p, "areas")),
    "ended": lambda p: Ended(_int(p, "subscription"), _int(p, "world"), _str(p, "reason")),
    "paths": _paths,
    "alive": lambda p: Alive(),
    "bye": lambda p: Bye(_str(p, "reason"), _int(p, "retry_ms")),
}


@dataclass
class Connection:
    """One connection to a daemon, without the socket.

    message_bytes: the longest message to take, and the longest to send; the daemon's `limits` in the answer of hello
    set the latter anew.
    """

    message_bytes: int = MESSAGE_BYTES
    closed: Optional[NavdError] = None  # why it is closed
    limits: Map = field(default_factory=dict)  # what hello reported
    _stream: Stream = field(init=False, repr=False)
    _out: List[bytes] = field(default_factory=list, repr=False)
    _open: Dict[int, str] = field(default_factory=dict, repr=False)
    _last_id: int = field(default=0, repr=False)

    def __post_init__(self) -> None:
        self._stream = Stream(self.message_bytes)

    @property
    def open_calls(self) -> int:
        """Calls that have no response yet."""
        return len(self._open)

    def method_of(self, number: int) -> str:
        """Of a call that has no response yet; else ""."""
        return self._open.get(number, "")

    def call(self, method: str, params: Optional[Mapping[str, Any]] = None) -> int:
        """Queues a request and returns its id, which its Response repeats.

        Raises NavdError: why the connection is closed; "argument" if MessagePack cannot hold the params; "limit" if the
        message is longer than the daemon takes.
        """
        if self.closed:
            raise self.closed
        number = self._last_id % 0xFFFFFFFF + 1
        while number in self._open:
            number = number % 0xFFFFFFFF + 1
        try:
            message: bytes = msgpack.packb([0, number, method, params or {}], use_bin_type=True)
        except (TypeError, ValueError, OverflowError) as error:
            raise NavdError("argument", f"{method}: MessagePack cannot hold the params: {error}") from error
        most = self.limits.get("message_bytes", self.message_bytes)
        if len(message) > most:
            raise NavdError("limit", f"{method}: the message has {len(message)} bytes, the daemon takes message_bytes = {most}")
        self._last_id = number
        self._open[number] = method
        self._out.append(message)
        return number

    def send_buffer(self) -> bytes:
        """Everything that is to be sent, once. b"" if there is nothing."""
        data = b"".join(self._out)
        self._out.clear()
        return data

    def receive(self, data: "bytes | bytearray | memoryview") -> List[Event]:
        """Takes what the socket delivered, cut anywhere; b"" says that the peer has closed. Never raises: bytes that
        make no sense close the connection, and the events end with Closed."""
        if self.closed:
            return []
        if not len(data):
            return self.close(ConnectionLost("closed", "the daemon has closed the connection"))
        events: List[Event] = []
        try:
            self._stream.feed(data)
            while True:
                message = self._stream.next_message()
                if message is None:
                    break
                event = self._take(message)
                if isinstance(event, Response) and event.id == 0 and event.error:
                    return events + self.close(ConnectionLost(event.error.code, event.error.message))  # its last words
                events.append(event)
        except NavdError as error:
            events += self.close(ConnectionLost(error.code, error.message))
        return events

    def close(self, why: NavdError) -> List[Event]:
        """Ends the connection. The events: a Response with the error for each open call, then Closed."""
        if self.closed:
            return []
        self.closed = why
        events: List[Event] = [Response(number, method, {}, why) for number, method in self._open.items()]
        self._open.clear()
        self._out.clear()
        events.append(Closed(why))
        return events

    def _take(self, message: Any) -> Event:
        try:
            if message[0] == 2:
                _, method, params = message
                make = _NOTES.get(method)
                if type(method) is not str or type(params) is not dict:
                    raise NavdError("format", "a notification arrived that is not one of the protocol")
                return make(params) if make else Notification(method, params)
            kind, number, error, result = message
            if kind != 1:
                raise NavdError("format", f"a message of kind {kind!r} arrived; expected a response (1) or a notification (2)")
            method = self._open.pop(number, "")
            if type(number) is not int or type(result or {}) is not dict:
                raise NavdError("format", "a response arrived that is not one of the protocol")
            response = Response(number, method, result or {}, from_wire(error) if error is not None else None)
            if method == "hello" and not error:
                limits = response.result.get("limits") or {}
                self.limits = {name: limit for name, limit in limits.items() if type(limit) is int}
            return response
        except (TypeError, ValueError, KeyError, IndexError, AttributeError) as error:
            raise NavdError("format", f"a message arrived that is not one of the protocol: {error!r}") from error
