# SPDX-License-Identifier: MIT
"""Ground with fewer triangles, for where it is too far away to need all of them. Without bpy and without gpu.

Points inside a cell are drawn together with one of their neighbours, those first that change the ground least; the triangles around
fold onto what is left. Points on a cell's edge stay, so that nothing gapes. At the end it is measured how far the two surfaces are
apart: they are made of planes, so most where a point is gone, or where two edges cross.
"""
from typing import Iterator, NamedTuple, Optional, Tuple

import numpy

GOAL = 0.4  # of the triangles: with so few it is done
WORTH = 0.7  # with more it is not worth its memory
_SHARES = (0.06, 0.12, 0.18, 0.24, 0.24, 0.24)  # of the greatest error: what the points of each round may change
_FLAT = 1e-3  # m2: smaller triangles are not made
_TRIANGLES, _MOST_TRIANGLES = 512, 2048  # that are looked at together: cells with more stay as they are
_ROWS = 16384  # pairs that are compared in one step
_MOST_AROUND = 16  # triangles around a point: one with more stays
_EDGE = 1e-6  # of a triangle: so far beside it, a point is still on its edge


class Ground(NamedTuple):
    """The cells of a chunk."""
    positions: numpy.ndarray  # f32 (N, 3): metres, Y up
    triangles: numpy.ndarray  # i32 (T, 3)
    first_triangle: numpy.ndarray  # i32 (C): the triangles of each cell follow one another


class Thinner(NamedTuple):
    triangles: numpy.ndarray  # i32 (T', 3): of the same positions
    error: float  # metres up or down, at most


def thinner(ground: Ground, error: float) -> Iterator[Optional[Thinner]]:
    """In steps of about a millisecond: None while there is more to do, at last what was found, if it is worth it. error: one that is
    much too large, metres."""
    at, parts, apart = ground.positions.astype("f8"), [], 0.0
    firsts = numpy.append(ground.first_triangle, len(ground.triangles))
    cell = 0
    while cell + 1 < len(firsts):
        after = max(int(numpy.searchsorted(firsts, firsts[cell] + _TRIANGLES, side="right")) - 1, cell + 1)
        part = ground.triangles[firsts[cell]:firsts[after]]
        found = None
        if len(part) <= _MOST_TRIANGLES:
            for found in _thinner(at, part.astype("i8"), numpy.repeat(numpy.arange(after - cell), numpy.diff(firsts[cell:after + 1])), error):
                yield None
        parts.append(found.triangles if found else part)
        apart = max(apart, found.error) if found else apart
        cell = after
    triangles = numpy.concatenate(parts) if parts else ground.triangles
    if len(triangles) < WORTH * len(ground.triangles):
        yield Thinner(triangles, apart)


def _thinner(at: numpy.ndarray, triangles: numpy.ndarray, cells: numpy.ndarray, error: float) -> Iterator[Optional[Thinner]]:
    """The same for a few cells. cells: of each triangle, ascending."""
    count, before_triangles, before_cells = len(triangles), triangles, cells
    before, times = _edges(triangles, cells, len(at))
    movable = numpy.ones(len(at), bool)
    movable[numpy.stack(_ends(before[times == 1], len(at)))] = False
    for share in _SHARES:
        if len(triangles) <= GOAL * count:
            break
        target = None
        for target in _moves(at, triangles, movable, share * error):
            yield None
        if target is not None:
            triangles = target[triangles]
            kept = (triangles != numpy.roll(triangles, 1, axis=1)).all(axis=1)
            triangles, cells = triangles[kept], cells[kept]
    if len(triangles) == count:
        return
    after, _ = _edges(triangles, cells, len(at))
    # An edge that both have is crossed by none.
    gone, new, apart = numpy.setdiff1d(before, after, True), numpy.setdiff1d(after, before, True), 0.0
    for one, other in _pairs(gone // len(at) ** 2, new // len(at) ** 2):
        (p, q), (a, b) = _ends(gone[one], len(at)), _ends(new[other], len(at))
        apart = max(apart, float(_crossing(at[p], at[q], at[a], at[b]).max()))
        yield None
    corners = (before_cells[:, None] * len(at) + before_triangles).ravel()
    points = numpy.setdiff1d(corners, (cells[:, None] * len(at) + triangles).ravel())
    for one, other in _pairs(points // len(at), cells):
        apart = max(apart, float(_above(at[points[one] % len(at)], *at[triangles[other]].transpose(1, 0, 2)).max()))
        yield None
    yield Thinner(triangles.astype("i4"), apart)


def _edges(triangles: numpy.ndarray, cells: numpy.ndarray, count: int) -> Tuple[numpy.ndarray, numpy.ndarray]:
    """The edges of each cell once, sorted by cell, as one number each; and how many triangles have each."""
    pairs = numpy.sort(triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    return numpy.unique((numpy.repeat(cells, 3) * count + pairs[:, 0]) * count + pairs[:, 1], return_counts=True)


def _ends(keys: numpy.ndarray, count: int) -> Tuple[numpy.ndarray, numpy.ndarray]:
    return keys // count % count, keys % count


def _area(a: numpy.ndarray, b: numpy.ndarray, c: numpy.ndarray) -> numpy.ndarray:
    """Twice the signed area of triangles, seen along Y."""
    return (b[:, 0] - a[:, 0]) * (c[:, 2] - a[:, 2]) - (c[:, 0] - a[:, 0]) * (b[:, 2] - a[:, 2])


def _squares(sizes: numpy.ndarray) -> Tuple[numpy.ndarray, numpy.ndarray, numpy.ndarray]:
    """For groups of such sizes, all pairs of each: (group, first of the pair, second of the pair), counted in the group."""
    squared = sizes * sizes
    group = numpy.repeat(numpy.arange(len(sizes)), squared)
    pair = numpy.arange(len(group)) - numpy.repeat(numpy.cumsum(squared) - squared, squared)
    return group, pair // sizes[group], pair % sizes[group]


def _moves(at: numpy.ndarray, triangles: numpy.ndarray, movable: numpy.ndarray, most: float) -> Iterator[Optional[numpy.ndarray]]:
    """None, and at last for each point where it goes; nothing if none can."""
    corners = triangles.ravel()
    around = numpy.bincount(corners, minlength=len(at))
    rows = numpy.nonzero((movable & (around <= _MOST_AROUND))[corners])[0]
    if not len(rows):
        return
    rows = rows[numpy.argsort(corners[rows], kind="stable")]
    point = corners[rows]
    following, last = (triangles[rows // 3, (rows + step) % 3] for step in (1, 2))
    first = numpy.nonzero(numpy.diff(point, prepend=-1))[0]
    sizes = numpy.diff(first, append=len(rows))
    points = point[first]

    # Every neighbour as the place to go: all other triangles around must stay upright.
    group, choice, other = _squares(sizes)
    to, a, b = following[first[group] + choice], following[first[group] + other], last[first[group] + other]
    goes = (a == to) | (b == to)
    v, u, p, q = at[points[group]], at[to], at[a], at[b]
    upright = numpy.sign(_area(v, p, q))
    stands = goes | (_area(u, p, q) * upright > _FLAT)
    apart = numpy.where(goes, 0.0, _above(v, u, p, q))
    row_sizes = numpy.repeat(sizes, sizes)
    starts = numpy.cumsum(row_sizes) - row_sizes
    cost = numpy.maximum.reduceat(apart, starts)
    cost[~numpy.logical_and.reduceat(stands, starts)] = numpy.inf
    yield None

    # The best neighbour, and what the edges that fold over make of it.
    owner = numpy.repeat(numpy.arange(len(points)), sizes)
    order = numpy.lexsort((cost, owner))[first]
    cost, best = cost[order], following[order]
    group, spoke, ring = _squares(sizes)
    v, u = at[points[group]], at[best[group]]
    fold = _crossing(v, at[following[first[group] + spoke]], u, at[following[first[group] + ring]])
    cost = numpy.maximum(cost, numpy.maximum.reduceat(fold, starts[first]))
    yield None

    # No two neighbours at once, the cheaper one first.
    rank = numpy.full(len(at), len(at))
    cheap = numpy.nonzero(cost <= most)[0]
    rank[points[cheap[numpy.argsort(cost[cheap], kind="stable")]]] = numpy.arange(len(cheap))
    chosen = rank[points] < numpy.minimum.reduceat(rank[following], first)
    if chosen.any():
        target = numpy.arange(len(at))
        target[points[chosen]] = best[chosen]
        yield target


def _above(v: numpy.ndarray, u: numpy.ndarray, p: numpy.ndarray, q: numpy.ndarray) -> numpy.ndarray:
    """How far the points v are above or below the triangles u, p, q; 0 where they are beside them."""
    whole = _area(u, p, q)
    whole[whole == 0] = numpy.inf
    near_p, near_q = _area(u, v, q) / whole, _area(u, p, v) / whole
    height = u[:, 1] + near_p * (p[:, 1] - u[:, 1]) + near_q * (q[:, 1] - u[:, 1])
    inside = (near_p >= -_EDGE) & (near_q >= -_EDGE) & (near_p + near_q <= 1 + _EDGE) & numpy.isfinite(whole)
    return numpy.where(inside, abs(height - v[:, 1]), 0.0)


def _crossing(p: numpy.ndarray, q: numpy.ndarray, a: numpy.ndarray, b: numpy.ndarray) -> numpy.ndarray:
    """How far the edges p to q are above or below a to b where they cross; 0 where they do not."""
    along, across, between = q - p, b - a, a - p
    turn = along[:, 0] * across[:, 2] - along[:, 2] * across[:, 0]
    turn[turn == 0] = numpy.inf  # side by side: they are farthest apart at an end
    s = (between[:, 0] * across[:, 2] - between[:, 2] * across[:, 0]) / turn
    t = (between[:, 0] * along[:, 2] - between[:, 2] * along[:, 0]) / turn
    cross = (s >= 0) & (s <= 1) & (t >= 0) & (t <= 1) & numpy.isfinite(turn)
    return numpy.where(cross, abs(p[:, 1] + s * along[:, 1] - a[:, 1] - t * across[:, 1]), 0.0)


def _pairs(one: numpy.ndarray, other: numpy.ndarray) -> Iterator[Tuple[numpy.ndarray, numpy.ndarray]]:
    """All pairs of the same cell, as indices, some of them in each step. The cells of both ascend."""
    numbers = numpy.arange(int(max(one.max(initial=-1), other.max(initial=-1))) + 1)
    first_one, first_other = numpy.searchsorted(one, numbers), numpy.searchsorted(other, numbers)
    others = numpy.bincount(other, minlength=len(numbers))
    starts = numpy.append(0, numpy.cumsum(numpy.bincount(one, minlength=len(numbers)) * others))
    for start in range(0, int(starts[-1]), _ROWS):
        row = numpy.arange(start, min(start + _ROWS, int(starts[-1])))
        cell = numpy.searchsorted(starts, row, side="right") - 1
        row -= starts[cell]
        yield first_one[cell] + row // others[cell], first_other[cell] + row % others[cell]
