"""A client of navd, a navigation-mesh service. docs/editors/python.md is its page.

navd.core is the protocol without sockets. navd.tiles and navd.detour read tiles, navd.mesh packs meshes.
"""

from .errors import ConnectionLost, NavdError, TimedOut

__all__ = ["ConnectionLost", "NavdError", "TimedOut"]
__version__ = "0.1.0"
