# SPDX-License-Identifier: MIT
"""The thread's side of a link: connects, logs in, opens the world, keeps subscriptions, and does so again when it breaks.

Everything here runs on the link's thread, except run_soon() and stop(), which any thread may call. Nothing touches bpy.
"""
import collections
import selectors
import socket
import time
import traceback
from typing import Any, Callable, Deque, Dict, List, Optional, Tuple

from navd import compression
from navd.address import Access, Address, explain, is_local
from navd.core import (PROTOCOL_VERSION, AreasChanged, Bye, Closed, Connection, Ended, Progress, Response, SettingsChanged, Synced, TileEvent)
from navd.errors import ConnectionLost, NavdError
from navd.session import FINAL
from navd.transport import open_socket

from .turn import Turn

Profiles = Dict[str, Dict[str, Any]]
Done = Callable[[Any, Optional[NavdError]], None]

_NOTES = {Synced: "synced", Progress: "progress", SettingsChanged: "settings", AreasChanged: "areas", Ended: "ended", Bye: "bye"}
_FIRST_RETRY_S, _LAST_RETRY_S = 0.1, 5.0
_SILENCE = 3  # times the daemon's keepalive_s: then it is gone
_READ_BYTES = 1 << 15  # a dozen tiles: what is decoded in one piece
_CONNECT_S = 10.0


class _Feed:
    """What the thread knows of a subscription."""

    def __init__(self, subscription: Any) -> None:
        self.subscription = subscription
        self.number: Optional[int] = None  # the daemon's id of it; None: not subscribed at present
        self.world: Optional[int] = None  # that `since` and `known` are of
        self.since: Optional[int] = None
        self.known: Dict[Tuple[int, int], bytes] = {}  # what has come after `since`

    def request(self, world: int) -> Dict[str, Any]:
        params = dict({"compression": compression.choice(), "sheets": ["up"]}, **self.subscription.params, world=world)
        if self.world == world and self.since is not None:
            params["since"] = self.since
            params["known"] = [[x, z, key] for (x, z), key in self.known.items()]
        return params


class Port:
    def __init__(self, address: Address, access: Access, world: Dict[str, Any], profiles: Profiles, client: str,
                 post: Callable[[Any], None], turn: Turn) -> None:
        self._address, self._access, self._client = address, access, client
        self._world_params, self._profiles = world, profiles
        self.post = post
        self._turn = turn
        self.limits: Dict[str, Any] = {}
        self._keepalive_s = 0.0  # the daemon says something at least this often; 0: not known
        self.world: Optional[int] = None  # the id of the open world; None: not open
        self.opened: List[Callable[[Dict[str, Any]], None]] = []  # called when the world is open, before anything else is sent
        self.lost: List[Callable[[], None]] = []  # called when the connection is gone, after the calls that were open
        self._feeds: List[_Feed] = []
        self._inbox: Deque[Tuple[Any, ...]] = collections.deque()
        self._stopping = False
        self._wake_in, self._wake_out = socket.socketpair()
        self._wake_in.setblocking(False)
        self._wake_out.setblocking(False)
        self._connection: Optional[Connection] = None
        self._calls: Dict[int, Done] = {}
        self._unsent = memoryview(b"")
        self._retry_ms = 0
        self._withheld = ""  # a token that the daemon has not asked for yet
        self._good = False  # the world was open in this session

    # Any thread.

    def run_soon(self, function: Callable[..., None], *arguments: Any) -> None:
        self._inbox.append((function, *arguments))
        self._wake()

    def stop(self) -> None:
        self._stopping = True
        self._wake()

    def _wake(self) -> None:
        try:
            self._wake_out.send(b"\0")
        except OSError:
            pass  # full: it wakes anyway. Closed: it has ended

    # The thread.

    def run(self) -> None:
        pause = _FIRST_RETRY_S
        try:
            while not self._stopping:
                why, good = self._session()
                if self._stopping:
                    break
                if why.code in FINAL:  # coming again later does not help
                    self.post(("disconnected", {"reason": why.message, "retry_s": 0}))
                    self._idle(float("inf"))
                    break
                pause = max(_FIRST_RETRY_S if good else pause, self._retry_ms / 1000)
                self._retry_ms = 0
                self.post(("disconnected", {"reason": why.message, "retry_s": pause}))
                self._idle(pause)
                pause = min(pause * 2, _LAST_RETRY_S)
        except BaseException:  # our bug: say so instead of a link that is silent for ever
            self.post(("disconnected", {"reason": "a defect in the add-on: " + traceback.format_exc(), "retry_s": 0}))
        finally:
            self._wake_in.close()
            self._wake_out.close()

    def call(self, method: str, params: Dict[str, Any], done: Done) -> None:
        """done is called on this thread, once: also when the connection is lost first, or is not there."""
        try:
            if self._connection is None:
                raise ConnectionLost("closed", "not connected")
            self._calls[self._connection.call(method, params)] = done
        except NavdError as error:
            done({}, error)

    def call_of_world(self, method: str, params: Dict[str, Any], done: Done) -> None:
        if "world" in params or not method.startswith(("world.", "tiles.", "jobs.", "path.")):
            self.call(method, params, done)
        elif self.world is None:
            done({}, ConnectionLost("closed", "not connected: the world is not open"))
        else:
            self.call(method, dict(params, world=self.world), done)

    def subscribe(self, subscription: Any) -> None:
        feed = _Feed(subscription)
        self._feeds.append(feed)
        if self.world is not None:
            self._subscribe(feed)

    def unsubscribe(self, subscription: Any) -> None:
        for feed in self._feeds:
            if feed.subscription is subscription:
                self._feeds.remove(feed)
                if feed.number is not None:
                    self.call("tiles.unsubscribe", {"subscription": feed.number}, lambda result, error: None)
                return

    def focus(self, subscription: Any, params: Dict[str, Any]) -> None:
        subscription.params.update(params)
        for feed in self._feeds:
            if feed.subscription is subscription and feed.number is not None:
                if "bounds" in params:
                    feed.since = None  # what it knows is of other bounds
                self.call("tiles.focus", dict(params, subscription=feed.number), self._refused_or)

    def set_profile(self, name: str, settings: Optional[Dict[str, Any]]) -> None:
        if settings is None:
            self._profiles.pop(name, None)
        else:
            self._profiles[name] = settings
        if self.world is not None:
            change = {"remove": True} if settings is None else {"settings": settings}
            self.call("world.profile", dict(change, world=self.world, name=name), self._refused_or)

    def _refused_or(self, result: Any, error: Optional[NavdError]) -> None:
        if error and error.code not in ("closed", "cancelled"):
            self.post(("refused", error))

    def _idle(self, seconds: float) -> None:
        """Between two connections: what is asked is done, calls are answered with "closed"."""
        end = time.monotonic() + seconds
        with selectors.DefaultSelector() as selector:
            selector.register(self._wake_in, selectors.EVENT_READ)
            while not self._stopping and (left := end - time.monotonic()) > 0:
                if selector.select(left if left != float("inf") else None):
                    self._run_inbox()

    def _run_inbox(self) -> None:
        try:
            while self._wake_in.recv(4096):
                pass
        except BlockingIOError:
            pass
        while self._inbox:
            with self._turn.piece:
                function, *arguments = self._inbox.popleft()
                function(*arguments)

    def _session(self) -> Tuple[NavdError, bool]:
        """One connection from start to end: why it ended, and whether its world was open."""
        why: NavdError = ConnectionLost("closed", "the connection is closed")
        sock, self._good = None, False
        try:
            token = self._access.read_token()
            sock, peer = open_socket(self._address, self._access, time.monotonic() + _CONNECT_S)
            if token and self._address.kind == "tcp" and not is_local(peer):
                raise NavdError("argument", f"{self._address.text}: the token would cross the network unencrypted; use tls://")
            with self._turn.piece:
                self._connection, self._unsent, self._keepalive_s = Connection(), memoryview(b""), 0.0
                # Without TLS, a token goes only to a daemon that has asked for one: another program may have taken its port.
                self._withheld = token if self._address.kind == "tcp" else ""
                self._hello("" if self._withheld else token)
            self._serve(sock)
        except NavdError as error:
            why = error
        except OSError as error:
            why = explain(error, self._address)
        finally:
            if sock:
                sock.close()
            with self._turn.piece:
                self._close(ConnectionLost("closed", why.message))
        return why, self._good

    def _close(self, why: NavdError) -> None:
        connection, self._connection, self.world = self._connection, None, None
        for event in connection.close(why) if connection else []:
            self._take(event)
        for done in list(self._calls.values()):
            done({}, why)
        self._calls.clear()
        for feed in self._feeds:
            feed.number = None
        for lost in self.lost:
            lost()

    def _serve(self, sock: Any) -> None:
        connection = self._connection
        assert connection is not None
        silence_s, heard = 30.0, time.monotonic()
        with selectors.DefaultSelector() as selector:
            selector.register(self._wake_in, selectors.EVENT_READ)
            selector.register(sock, selectors.EVENT_READ)
            while not self._stopping:
                self._send(sock, connection)
                events = selectors.EVENT_READ | (selectors.EVENT_WRITE if self._unsent else 0)
                if selector.get_key(sock).events != events:
                    selector.modify(sock, events)
                pending = getattr(sock, "pending", lambda: 0)()
                ready = {key.fileobj for key, _ in selector.select(0 if pending else max(0.0, heard + silence_s - time.monotonic()))}
                if self._wake_in in ready:
                    self._run_inbox()
                if sock in ready or pending:
                    with self._turn.piece:
                        data = self._receive(sock)
                        arrived = [] if data is None else connection.receive(data)
                    if data is not None:
                        heard = time.monotonic()
                        if connection.closed:
                            self.world = None  # nobody shall send anything because of these
                        for event in arrived:
                            if isinstance(event, Closed):
                                raise event.error
                            with self._turn.piece:
                                self._take(event)
                        silence_s = _SILENCE * self._keepalive_s if self._keepalive_s else silence_s
                elif not ready and time.monotonic() >= heard + silence_s:
                    raise ConnectionLost("closed", f"{self._address.text}: nothing was heard for {silence_s:.0f} s")

    def _receive(self, sock: Any) -> Optional[bytes]:
        try:
            return sock.recv(_READ_BYTES)
        except (BlockingIOError, InterruptedError):
            return None
        except OSError as error:
            if type(error).__name__ in ("SSLWantReadError", "SSLWantWriteError"):
                return None
            raise

    def _send(self, sock: Any, connection: Connection) -> None:
        while True:
            if not self._unsent:
                self._unsent = memoryview(connection.send_buffer())
                if not self._unsent:
                    return
            try:
                self._unsent = self._unsent[sock.send(self._unsent):]
            except (BlockingIOError, InterruptedError):
                return
            except OSError as error:
                if type(error).__name__ in ("SSLWantReadError", "SSLWantWriteError"):
                    return
                raise

    def _hello(self, token: str) -> None:
        hello = {"version": PROTOCOL_VERSION, "client": self._client, "keepalive": True}
        if token:
            hello["token"] = token
        if self._access.namespace_name():
            hello["namespace"] = self._access.namespace_name()
        self.call("hello", hello, self._greeted)

    def _greeted(self, result: Any, error: Optional[NavdError]) -> None:
        if error and error.code == "unauthenticated" and self._withheld:
            token, self._withheld = self._withheld, ""
            self._hello(token)
            return
        if error:
            self._fail(error)
            return
        self.limits, self._keepalive_s = result.get("limits") or {}, result.get("keepalive_s") or 0.0
        self.post(("connected", result))
        self.call("world.open", self._world_params, self._world_opened)

    def _fail(self, error: NavdError) -> None:
        """Without this answer there is no session: ends it, and run() tries again where that can help."""
        if error.code != "closed":
            self.post(("refused", error))
            raise error

    def _world_opened(self, result: Any, error: Optional[NavdError]) -> None:
        if error:
            self._fail(error)
            return
        present = {profile["name"] for profile in result.get("profiles") or []}
        missing = [name for name in self._profiles if name not in present]
        if missing:
            self.call("world.open", dict(self._world_params, profiles=[
                {"name": name, "settings": self._profiles[name]} for name in missing]), self._complete)
        else:
            self._complete(result, None)

    def _complete(self, result: Any, error: Optional[NavdError]) -> None:
        if error:
            self._fail(error)
            return
        self.world, self._good = result["world"], True
        self.post(("opened", result))
        for opened in self.opened:
            opened(result)
        for feed in self._feeds:
            self._subscribe(feed)

    def _subscribe(self, feed: _Feed) -> None:
        world = self.world
        assert world is not None

        def subscribed(result: Any, error: Optional[NavdError]) -> None:
            if error:
                if error.code != "closed":
                    self.post(("refused", error, None, feed.subscription))
                return
            feed.number = result["subscription"]
            if not result.get("resumed"):
                feed.since, feed.known = None, {}
            feed.world = world
            self.post(("subscribed", result, None, feed.subscription))
            if feed.subscription.closed:
                self.call("tiles.unsubscribe", {"subscription": feed.number}, lambda result, error: None)
        self.call("tiles.subscribe", feed.request(world), subscribed)

    def _take(self, event: Any) -> None:
        if isinstance(event, Response):
            done = self._calls.pop(event.id, None)
            if done:
                done(event.result, event.error)
            return
        if isinstance(event, TileEvent):
            self._take_tile(event)
            return
        name = _NOTES.get(type(event))
        if name is None:
            return
        feed = self._feed(getattr(event, "subscription", None))
        if isinstance(event, Synced) and feed:
            feed.since, feed.known = event.revision, {}
        elif isinstance(event, Ended) and feed:
            feed.number = None
        elif isinstance(event, Bye):
            self._retry_ms = event.retry_ms
        self.post((name, event, None, feed.subscription if feed else None))

    def _take_tile(self, event: TileEvent) -> None:
        feed = self._feed(event.subscription)
        if feed is None:
            return
        tile = None
        if event.status != "failed":
            feed.known[event.x, event.z] = event.key
        if event.data is not None:
            try:
                tile = event.read()
                if feed.subscription.prepare:
                    tile = feed.subscription.prepare(tile)
            except (NavdError, IndexError, ValueError) as error:
                if not isinstance(error, NavdError):
                    error = NavdError("format", f"tile {event.x},{event.z} makes no sense: {error}")
                self.post(("refused", error, None, feed.subscription))
                return
            event.data = None
        self.post(("tile", event, tile, feed.subscription))

    def _feed(self, number: Optional[int]) -> Optional[_Feed]:
        for feed in self._feeds:
            if number is not None and feed.number == number:
                return feed
        return None
