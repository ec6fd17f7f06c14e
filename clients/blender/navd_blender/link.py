# SPDX-License-Identifier: MIT
"""The connection to a navd: a thread owns the socket, the main thread gets what it brings.

Threads. The thread decodes messages (navd.core) and parses tiles (navd.tiles); it never touches bpy. What it has for Blender
goes into a mailbox. pump() empties it on the main thread, from a timer or, without a window, when a test calls it.
Link is for the main thread; Port (port.py) is the thread's side.

    link.call(method, params, done)      done(result, error) later, on the main thread; error: navd.errors.NavdError or None
    link.listeners                       each is called with every Event, on the main thread
    link.subscribe(profile, prepare=None, **params) -> Subscription
                                         survives reconnects: subscribes again, resumed from what has come
    subscription.close()
    link.turn                            "with link.turn:" keeps the thread from competing with what the main thread does
    link.pump(budget_s)                  runs callbacks and listeners for at most about that long; True: there is more
    link.wait(condition, timeout_s)      tests: pumps, waiting for the thread in between, until condition() is true
"""
import threading
import time
from typing import Any, Callable, Dict, List, NamedTuple, Optional

from navd.address import Access, Address

from .mailbox import Mailbox
from .port import Port, Profiles
from .turn import Turn


class Event(NamedTuple):
    """Something that a link's listeners are told, on the main thread.

    name, data:
        "tile" (navd.core.TileEvent, its `data` dropped), "synced" (Synced), "progress" (Progress), "settings"
        (SettingsChanged), "areas" (AreasChanged), "ended" (Ended), "bye" (Bye)
        "connected"     the answer of hello, a dict
        "opened"        the answer of world.open; after each "connected"
        "subscribed"    the answer of tiles.subscribe. With "resumed" false, tiles that do not come before the next
                        "synced" no longer exist
        "disconnected"  {"reason": a sentence, "retry_s": seconds until the next try; 0: it was closed for good}
        "refused"       navd.errors.NavdError: hello, world.open, world.profile or tiles.subscribe was refused
        others          of what runs on the thread, such as the publisher's (world.publish)
    tile: of "tile" with status "ok", or "empty" with data: the parsed tile (navd.tiles.Tile), or what the subscription's
        `prepare` has made of it; else None
    subscription: the Subscription that it belongs to, or None
    """
    name: str
    data: Any
    tile: Any = None
    subscription: Any = None


class Subscription:
    """The tiles of a profile, from subscribe() to close(). Main thread; the rest of it is the thread's (port.py)."""

    def __init__(self, link: "Link", params: Dict[str, Any], prepare: Optional[Callable[[Any], Any]] = None) -> None:
        self.link = link
        self.params = params  # of tiles.subscribe, without `world`, `since` and `known`
        self.prepare = prepare  # on the link's thread: what listeners get as `tile`, from the parsed tile
        self.closed = False

    @property
    def profile(self) -> str:
        return self.params["profile"]

    def close(self) -> None:
        """No event of it comes any more."""
        if not self.closed:
            self.closed = True
            self.link.on_thread(self.link.port.unsubscribe, self)

    def focus(self, **params: Any) -> None:
        """tiles.focus with these params; they count after a reconnect, too."""
        self.link.on_thread(self.link.port.focus, self, params)


class Link:
    """One connection to one world, tried again and again until close().

    address, access: where it is, and how to log in (navd.address)
    world: params of world.open, without profiles. The session's axes are among them (`up`, `unit_m`).
    profiles: agents that the world shall have: name to settings. One that the world has with other settings stays as it is.
    """

    def __init__(self, address: Address, access: Access, world: Dict[str, Any], profiles: Optional[Profiles] = None, *,
                 client: str = "navd_blender", on_error: Callable[[BaseException], None] = lambda _: None):
        self.listeners: List[Callable[[Event], None]] = []
        self.connected = False
        self.world: Optional[Dict[str, Any]] = None  # the answer of world.open while connected
        self._on_error = on_error  # an exception in a callback or a listener
        self._mailbox = Mailbox()
        self.turn = Turn()
        self.port = Port(address, access, world, dict(profiles or {}), client, self._mailbox.put, self.turn)
        self._thread = threading.Thread(target=self.port.run, name="navd link", daemon=True)
        self._thread.start()

    def call(self, method: str, params: Dict[str, Any], done: Optional[Callable[[Any, Any], None]] = None) -> None:
        """Sends a call now, or answers it at once with "closed" while there is no connection. `world` is filled in."""
        def answered(result: Any, error: Any) -> None:
            if done:
                self._mailbox.put((done, result, error))
        self.on_thread(self.port.call_of_world, method, params, answered)

    def subscribe(self, profile: str, prepare: Optional[Callable[[Any], Any]] = None, **params: Any) -> Subscription:
        """prepare: makes something else of each parsed tile, on the thread, so it must not touch bpy. It may raise
        IndexError or ValueError for a tile that makes no sense."""
        subscription = Subscription(self, dict(params, profile=profile), prepare)
        self.on_thread(self.port.subscribe, subscription)
        return subscription

    def set_profile(self, name: str, settings: Optional[Dict[str, Any]]) -> None:
        """Makes the world have this profile with these settings, now and after each reconnect; None: removes it."""
        self.on_thread(self.port.set_profile, name, settings)

    def on_thread(self, function: Callable[..., None], *arguments: Any) -> None:
        """Runs a function on the link's thread, in order. It must not touch bpy."""
        self.port.run_soon(function, *arguments)

    def close(self) -> None:
        """Ends the connection. What was queued for sending is not waited for. Nothing is called afterwards."""
        self.port.stop()
        self.turn.close()
        self._thread.join(0.5)  # longer only while it connects to somebody who does not answer; it ends by itself then
        self._mailbox.clear()
        self.connected = False
        self.world = None

    def pump(self, budget_s: float = 0.003) -> bool:
        end = time.perf_counter() + budget_s
        while (item := self._mailbox.take()) is not None:
            self._dispatch(item)
            if time.perf_counter() >= end:
                return len(self._mailbox) > 0
        return False

    def wait(self, condition: Callable[[], bool], timeout_s: float = 30.0) -> bool:
        """For scripts without timers. False: the time is over."""
        end = time.monotonic() + timeout_s
        while True:
            with self.turn:
                if condition() or not self.pump(0.1) and condition():
                    return True
            left = end - time.monotonic()
            if left <= 0 or not self._mailbox.wait(left):
                return condition()

    def _dispatch(self, item: Any) -> None:
        if isinstance(item[0], str):
            event = Event(*item)
            if event.subscription is not None and event.subscription.closed:
                return
            if event.name == "connected":
                self.connected = True
            elif event.name == "opened":
                self.world = event.data
            elif event.name == "disconnected":
                self.connected, self.world = False, None
            for listener in list(self.listeners):
                self._guarded(listener, event)
        else:
            self._guarded(*item)

    def _guarded(self, function: Callable[..., None], *arguments: Any) -> None:
        try:
            function(*arguments)
        except Exception as error:  # one listener's fault must not cost the others their event
            self._on_error(error)
