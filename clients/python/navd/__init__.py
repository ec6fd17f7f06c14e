"""A client of navd, a navigation-mesh service. docs/editors/python.md is its page.

connect() gives a blocking client, aio.connect() one for asyncio with the same names. core is the protocol without sockets;
tiles and detour read tiles, mesh packs meshes. A module is imported when something of it is first asked for, so that an add-on
that brings sockets of its own does not pay for these.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import aio
    from .client import Client, connect
    from .core import AreasChanged, Ended, Progress, SettingsChanged, Synced, TileEvent
    from .edits import Edit, EditResult, Instance, SyncResult, object_id
    from .errors import ConnectionLost, NavdError, TimedOut
    from .heights import Terrain
    from .follow import Lost, Reset, Restored, TileMap
    from .mesh import Mesh, pack
    from .operations import FailedTile, WorldObject
    from .paths import Path, PathChanged, PathLink
    from .places import Place, Wall, Within
    from .settings import Settings
    from .world import PathWatch, Subscription, World

__all__ = [
    "AreasChanged", "Client", "ConnectionLost", "Edit", "EditResult", "Ended", "FailedTile", "Instance", "Lost", "Mesh", "NavdError",
    "Path", "PathChanged", "PathLink", "PathWatch", "Place", "Progress", "Reset", "Restored", "Settings", "SettingsChanged", "Subscription", "SyncResult",
    "Synced", "Terrain", "TileEvent", "TileMap", "TimedOut", "Wall", "Within", "World", "WorldObject", "aio", "connect", "object_id", "pack",
]  # fmt: skip
__version__ = "0.1.0"

_PLACES = {
    "client": ("Client", "connect"),
    "core": ("AreasChanged", "Ended", "Progress", "SettingsChanged", "Synced", "TileEvent"),
    "edits": ("Edit", "EditResult", "Instance", "SyncResult", "object_id"),
    "errors": ("ConnectionLost", "NavdError", "TimedOut"),
    "heights": ("Terrain",),
    "follow": ("Lost", "Reset", "Restored", "TileMap"),
    "mesh": ("Mesh", "pack"),
    "operations": ("FailedTile", "WorldObject"),
    "paths": ("Path", "PathChanged", "PathLink"),
    "places": ("Place", "Wall", "Within"),
    "settings": ("Settings",),
    "world": ("PathWatch", "Subscription", "World"),
}
_MODULES = (
    "address", "aio", "compression", "core", "detour", "edits", "errors", "follow", "heights", "mesh", "operations", "paths", "places", "session",
    "settings", "tiles",
)  # fmt: skip


def __getattr__(name: str) -> Any:
    for module, names in _PLACES.items():
        if name in names:
            found = getattr(import_module("." + module, __name__), name)
            globals()[name] = found
            return found
    if name in _MODULES:
        return import_module("." + name, __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
