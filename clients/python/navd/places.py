"""Places of a world's ground: the nearest one, rays, walls, places at random, what can be reached (docs/protocol/places.md)."""

import struct
from typing import Any, Iterable, List, NamedTuple, Optional, Sequence, Tuple

from .arrays import Array, view
from .core import Map
from .session import Call, Steps

Point = Sequence[float]


class Wall(NamedTuple):
    """An edge of a cell that one cannot cross, or behind which the ground is excluded."""

    start: Tuple[float, ...]
    end: Tuple[float, ...]
    normal: Tuple[float, ...]  # level, of length 1, towards the ground


class Place(NamedTuple):
    """status: "found", "none", "wall" (a ray ends there), "no_start" or "limit". What an answer does not have is None."""

    status: str
    distance_m: float  # of the nearest ground, in space; of a ray, its length; of a wall, seen from above
    at: Optional[Tuple[float, ...]]
    tile: Optional[Tuple[int, int]]
    cell: Optional[int]  # of that tile: it says on which floor the place is
    wall: Optional[Wall]


class Within(NamedTuple):
    """status: "found", "no_start" or "limit"."""

    status: str
    cells: List[Tuple[int, int, int, float, bool]]  # x and z of the tile, cell, metres to its nearest point, all of it?
    outlines: List[Array]  # convex polygons, rows x, y, z


def _point(at: Point) -> List[float]:
    return [float(n) for n in at]


def _floats(data: Any) -> bytes:
    return data if isinstance(data, bytes) else struct.pack(f"<{len(data)}f", *data)


def _place(answer: Map, place: str, distance: str) -> Place:
    where, wall = answer.get(place), answer.get("wall")
    return Place(
        answer["status"],
        float(answer.get(distance) or 0),
        tuple(where["at"]) if where else None,
        (where["x"], where["z"]) if where else None,
        where["cell"] if where else None,
        Wall(tuple(wall["from"]), tuple(wall["to"]), tuple(wall["normal"])) if wall else None,
    )


def scope(world: int, profile: str, near_m: Optional[float], exclude: Iterable[int]) -> Map:
    """What the params of all these calls begin with."""
    params: Map = {"world": world, "profile": profile, "exclude": [int(area) for area in exclude]}
    if near_m is not None:
        params["near_m"] = float(near_m)
    return params


def _ask(method: str, params: Map, key: str, asked: List[Map], answers: str) -> Steps[List[Map]]:
    """As many calls as the questions need."""
    out: List[Map] = []
    for first in range(0, len(asked), 1024):
        answer = yield Call(method, {**params, key: asked[first : first + 1024]}, again=True)
        out.extend(answer[answers])
    return out


def nearest(params: Map, places: Iterable[Point]) -> Steps[List[Place]]:
    asked = [{"at": _point(at)} for at in places]
    answers = yield from _ask("path.nearest", params, "queries", asked, "places")
    return [_place(answer, "place", "distance_m") for answer in answers]


def raycast(params: Map, lines: Iterable[Tuple[Point, Point]]) -> Steps[List[Place]]:
    asked = [{"from": _point(start), "to": _point(end)} for start, end in lines]
    answers = yield from _ask("path.raycast", params, "queries", asked, "rays")
    return [_place(answer, "end", "length_m") for answer in answers]


def walls(params: Map, places: Iterable[Point], limit_m: Optional[float]) -> Steps[List[Place]]:
    asked = [{"at": _point(at)} for at in places]
    if limit_m is not None:
        params = {**params, "limit_m": float(limit_m)}
    answers = yield from _ask("path.wall", params, "queries", asked, "walls")
    return [_place(answer, "place", "distance_m") for answer in answers]


def reach(params: Map, start: Point, goals: Iterable[Point]) -> Steps[List[str]]:
    asked = [{"at": _point(at)} for at in goals]
    answers = yield from _ask("path.reach", {**params, "from": _point(start)}, "goals", asked, "goals")
    return [answer["status"] for answer in answers]


def random(
    params: Map, count: int, seed: int, areas: Optional[Iterable[int]], at: Optional[Point], radius_m: float, reachable: bool
) -> Steps[Array]:  # fmt: skip
    params = {**params, "count": count, "seed": seed, "radius_m": float(radius_m), "reachable": reachable}
    if areas is not None:
        params["areas"] = list(areas)
    if at is not None:
        params["at"] = _point(at)
    answer = yield Call("path.random", params, again=True)
    points = _floats(answer["points"])
    return view(points, "f", 0, len(points) // 4, 3)


def within(params: Map, at: Point, distance_m: float, outlines: bool) -> Steps[Within]:
    params = {**params, "at": _point(at), "distance_m": float(distance_m), "outlines": outlines}
    answer = yield Call("path.within", params, again=True)
    cells = [(x, z, cell, length, bool(whole)) for x, z, cell, length, whole in struct.iter_unpack("<iiIfI", answer["cells"])]
    found: List[Array] = []
    first = 0
    for (count,) in struct.iter_unpack("<I", answer["outlines"]):
        found.append(view(answer["points"], "f", 12 * first, 3 * count, 3))
        first += count
    return Within(answer["status"], cells, found)
