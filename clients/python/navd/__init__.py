"""A client of navd, a navigation-mesh service. docs/editors/python.md is its page.

connect() gives a blocking client, aio.connect() one for asyncio with the same names. core is the protocol without sockets;
tiles and detour read tiles, mesh packs meshes.
"""

from typing import Any

from .client import Client, connect
from .core import AreasChanged, Ended, Progress, SettingsChanged, Synced, TileEvent
from .edits import Edit, EditResult, Instance, SyncResult, object_id
from .errors import ConnectionLost, NavdError, TimedOut
from .follow import Lost, Reset, Restored, TileMap
from .mesh import Mesh, pack
from .operations import FailedTile, Path, WorldObject
from .settings import Settings
from .world import Subscription, World

__all__ = [
    "AreasChanged", "Client", "ConnectionLost", "Edit", "EditResult", "Ended", "FailedTile", "Instance", "Lost", "Mesh", "NavdError",
    "Path", "Progress", "Reset", "Restored", "Settings", "SettingsChanged", "Subscription", "SyncResult", "Synced", "TileEvent",
    "TileMap", "TimedOut", "World", "WorldObject", "aio", "connect", "object_id", "pack",
]  # fmt: skip
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """asyncio is imported when it is asked for."""
    if name == "aio":
        from importlib import import_module

        return import_module(".aio", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
