"""Paths, as path.find answers them and as path.watch tells them."""

import struct
from dataclasses import dataclass
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

from .arrays import Array, view
from .settings import SHEETS


class PathLink(NamedTuple):
    """An off-mesh link that a path takes."""

    point: int  # where the path leaves the ground; it comes down at the next one
    link: int  # its id
    area: int
    back: bool  # from its end to its start


class Path(NamedTuple):
    """status: "found", "partial" (ends as near to the goal as one can get), "no_start", "no_goal" or "limit"."""

    status: str
    length_m: float  # horizontal
    surface_m: float  # along the ground
    points: Array  # rows x, y, z, from start to end
    cost: float = 0.0  # each metre seen from above at the cost of its area, and links
    lower_bound: float = 0.0  # no path costs less
    optimal: bool = False  # that is the cost
    limit: Optional[str] = None  # why there is no path, or a bound that is too far away: "nodes", "time", ...
    links: Tuple[PathLink, ...] = ()  # in order
    # Over walls and ceilings, where length_m is along the surface, too, one for each point: of the surface that the path
    # goes on over from there.
    normals: Optional[Array] = None  # rows x, y, z
    sheets: Tuple[str, ...] = ()


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
    normals = path.get("normals") or b""
    links = (PathLink(link["point"], link["link"], link["area"], bool(link.get("back"))) for link in path.get("links") or ())
    return Path(
        path["status"],
        float(path.get("length_m") or 0),
        float(path.get("surface_m") or 0),
        view(points, "f", 0, len(points) // 4, 3),
        float(path.get("cost") or 0),
        float(path.get("lower_bound") or 0),
        bool(path.get("optimal")),
        path.get("limit"),
        tuple(links),
        view(normals, "f", 0, len(normals) // 4, 3) if normals else None,
        tuple(SHEETS[number] if number < len(SHEETS) else "" for number in path.get("sheets") or b""),
    )
