# SPDX-License-Identifier: MIT
"""The connection to a navd: a thread owns the socket, the main thread gets what it brings.

Threads. The thread decodes messages (navd.core) and parses tiles (navd.tiles); it never touches bpy. What it has for Blender
goes into a queue. pump() empties the queue on the main thread, from a timer or, without a window, when a test calls it.
Everything in this file that a caller sees is for the main thread.

    link.call(method, params, done)      done(result, error) later, on the main thread; error: navd.errors.NavdError or None
    link.listeners                       each is called with every Event, on the main thread
    link.subscribe(profile, encoding="navd", **params) -> Subscription
                                         survives reconnects: subscribes again, resumed from what has come
    subscription.close()
    link.pump(budget_s)                  runs callbacks and listeners for at most about that long; True: there is more
    link.wait(condition, timeout_s)      tests: pumps, waiting for the thread in between, until condition() is true
"""
from typing import Any, NamedTuple


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
        "refused"       navd.errors.NavdError: hello, world.open or tiles.subscribe was refused
    tile: of "tile" with status "ok", or "empty" with data: the parsed tile (navd.tiles.Tile); else None
    subscription: the Subscription that it belongs to, or None
    """
    name: str
    data: Any
    tile: Any = None
    subscription: Any = None
