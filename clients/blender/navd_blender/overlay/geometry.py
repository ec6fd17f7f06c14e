# SPDX-License-Identifier: MIT
"""What is drawn of one tile. Without bpy: the link's thread calls it, and so do tests without Blender."""
from typing import NamedTuple

import numpy
from navd import tiles

INNER, WALL, BORDER = 0, 1, 2  # kinds of lines: between two cells, where ground ends, where the tile ends
UNREACHABLE = 64  # added to the area of a vertex: no seed leads there


class TileGeometry(NamedTuple):
    """Metres, Y up. Two cells share a vertex if they look alike."""
    positions: numpy.ndarray  # f32 (N, 3)
    triangles: numpy.ndarray  # i32 (T, 3), seen from above counter-clockwise in Blender's axes
    looks: numpy.ndarray  # u8 (N): area of the vertex, + UNREACHABLE
    first_triangle: numpy.ndarray  # i32 (C): of each cell
    coarse: numpy.ndarray  # i32 (T', 3): the cells without their heights in between, from the same vertices
    first_coarse: numpy.ndarray  # i32 (C): of each cell
    lines: numpy.ndarray  # f32 (2 L, 3), two points each
    line_kinds: numpy.ndarray  # u8 (2 L), the same for both points
    low: float  # heights of positions; 0 without any
    high: float
    side: float  # of the tile, metres
    origin: tuple  # of the world, x y z


def _empty(side: float, origin: tuple) -> TileGeometry:
    points, numbers, first = numpy.zeros((0, 3), "f4"), numpy.zeros(0, "u1"), numpy.zeros(0, "i4")
    triangles = numpy.zeros((0, 3), "i4")
    return TileGeometry(points, triangles, numbers, first, triangles, first, points, numbers, 0.0, 0.0, side, origin)


EMPTY = _empty(0.0, (0.0, 0.0, 0.0))


def tile_geometry(tile: tiles.Tile) -> TileGeometry:
    """Raises IndexError or ValueError if the tile's indices lead nowhere."""
    side = tile.tile_cells * tile.cell_size
    if tile.counts["cells"] == 0:
        return _empty(side, tile.origin)
    positions = tile.positions()
    corners = positions[:tile.counts["vertices"]]
    cell_looks = tile.area + ((tile.flags & tiles.UNREACHABLE) != 0).astype("u1") * numpy.uint8(UNREACHABLE)
    triangles = tile.triangles.astype("i4")
    if triangles.min() < 0 or triangles.max() >= len(positions):
        raise IndexError(f"tile {tile.x},{tile.z}: a triangle names a vertex that it does not have")
    coarse, first_coarse = _fans(tile)
    if (cell_looks == cell_looks[0]).all():
        looks = numpy.full(len(positions), cell_looks[0])
    else:
        # A vertex between cells of different looks becomes several, one for each look.
        points, count = len(positions), len(triangles)
        cells = numpy.concatenate((tile.triangle_cells(), numpy.repeat(numpy.arange(len(cell_looks)), numpy.diff(first_coarse))))
        keys = cell_looks[cells].astype("i4")[:, None] * points + numpy.concatenate((triangles, coarse))
        keys, both = numpy.unique(keys, return_inverse=True)
        both = both.astype("i4").reshape(-1, 3)
        triangles, coarse = both[:count], both[count:]
        looks = (keys // points).astype("u1")
        positions = positions[keys % points]
    lines, kinds = _lines(tile, corners)
    return TileGeometry(positions, triangles, looks, tile.first_triangle[:-1].astype("i4"), coarse, first_coarse[:-1], lines, kinds,
                        float(positions[:, 1].min()), float(positions[:, 1].max()), side, tile.origin)


def _fans(tile: tiles.Tile):
    """The cells as fans around their first corner, and the first triangle of each cell and one more."""
    first = tile.first_corner.astype("i4")
    counts = numpy.diff(first) - 2
    if (counts < 1).any() or (numpy.diff(tile.first_triangle.astype("i8")) < 1).any():
        raise IndexError(f"tile {tile.x},{tile.z}: a cell without ground")
    first_coarse = numpy.concatenate(([0], numpy.cumsum(counts))).astype("i4")
    start = numpy.repeat(first[:-1], counts)
    corner = numpy.arange(len(start), dtype="i4") - numpy.repeat(first_coarse[:-1], counts) + start + 1
    corners = numpy.stack((start, corner, corner + 1), axis=1)
    coarse = tile.corner_vertex.astype("i4")[corners]
    if coarse.max() >= tile.counts["vertices"]:
        raise IndexError(f"tile {tile.x},{tile.z}: a corner names a vertex that it does not have")
    return coarse, first_coarse


def _lines(tile: tiles.Tile, corners: numpy.ndarray):
    """The cells' edges, each once: of a border with ground on both sides, the tile behind has none."""
    first = tile.first_corner.astype("i8")
    cells = numpy.repeat(numpy.arange(tile.counts["cells"]), numpy.diff(first))
    start = tile.corner_vertex
    following = numpy.arange(1, len(start) + 1)
    following[first[1:] - 1] = first[:-1]
    behind = tile.corner_behind
    kept = (behind > cells) | (behind == tiles.WALL) | (behind == tiles.NEXT_X) | (behind == tiles.NEXT_Z)
    kinds = numpy.where(behind >= 0, INNER, numpy.where(behind == tiles.WALL, WALL, BORDER)).astype("u1")[kept]
    points = numpy.empty((2 * len(kinds), 3), "f4")
    points[0::2] = corners[start[kept]]
    points[1::2] = corners[start[following][kept]]
    return points, numpy.repeat(kinds, 2)
