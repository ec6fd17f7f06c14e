"""Paths, as path.find answers them and as path.watch tells them."""

import struct
from dataclasses import dataclass
from typing import Any, Dict, List, NamedTuple

from .arrays import Array, view


class Path(NamedTuple):
    """status: "found", "partial" (ends as near to the goal as one can get), "no_start", "no_goal" or "limit"."""

    status: str
    length_m: float  # horizontal
    surface_m: float  # along the ground
    points: Array  # rows x, y, z, from start to end


@dataclass
class PathChanged:
    """A watched path is another one now, or has come for the first time."""

    subscription: int
    world: int
    revision: int  # of the world, when it was looked for
    query: int  # its place among the queries
    path: Path


@dataclass
class PathsChanged:
    """The daemon's notification: several at once."""

    subscription: int
    changes: List[PathChanged]


def path_from_map(path: Dict[str, Any]) -> Path:
    """One of a result or of a notification."""
    points = path.get("points") or b""
    if not isinstance(points, bytes):
        points = struct.pack(f"<{len(points)}f", *points)
    lengths = float(path.get("length_m") or 0), float(path.get("surface_m") or 0)
    return Path(path["status"], *lengths, view(points, "f", 0, len(points) // 4, 3))
