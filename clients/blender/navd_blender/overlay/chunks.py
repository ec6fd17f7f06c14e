# SPDX-License-Identifier: MIT
"""Tiles in merged batches. Without bpy and without gpu: what a batch is made of, not the batch.

A chunk is a square of 8 x 8 tiles, drawn in one go. Where tiles hold so much that a chunk would exceed CHUNK_VERTICES it is cut
into four, down to single tiles: so a changed tile costs one chunk of bounded size, and the whole mesh few draw calls.
A chunk that changed is dirty; the newest change is made first.
"""
import itertools
from typing import Dict, Iterator, List, NamedTuple, Optional, Set, Tuple

import numpy

from .geometry import TileGeometry

ROOT_LEVEL = 3  # 8 x 8 tiles
CHUNK_VERTICES = 16384

Key = Tuple[int, int]
ChunkKey = Tuple[int, int, int]  # level, x >> level, z >> level

_versions = itertools.count(1)


class Arrays(NamedTuple):
    """What the batches of a chunk are filled with: metres, Y up, as the tiles have them."""
    positions: numpy.ndarray  # f32 (N, 3)
    colors: numpy.ndarray  # u8 (N, 4), red green blue alpha
    triangles: numpy.ndarray  # i32 (T, 3)
    first_triangle: numpy.ndarray  # i32 (C): of each cell
    coarse: numpy.ndarray  # i32 (T', 3): far fewer, for a view from far away
    error: float  # metres: how far up or down `coarse` is from `triangles` at most
    line_positions: numpy.ndarray  # f32 (2 L, 3)
    line_colors: numpy.ndarray  # u8 (2 L, 4)


class Chunk:
    """tiles: the keys of its tiles; low, high: its bounds after arrays(), None before.
    version: another one after each change of its ground, and never that of another chunk."""

    def __init__(self) -> None:
        self.tiles: Set[Key] = set()
        self.version = 0
        self.vertices = 0
        self.low: Optional[numpy.ndarray] = None
        self.high: Optional[numpy.ndarray] = None


class Chunks:
    def __init__(self) -> None:
        self.tiles: Dict[Key, TileGeometry] = {}
        self.chunks: Dict[ChunkKey, Chunk] = {}
        self.dirty: Dict[ChunkKey, None] = {}  # in the order of the changes
        self._cut: Set[ChunkKey] = set()

    def __len__(self) -> int:
        return len(self.tiles)

    def put(self, key: Key, geometry: TileGeometry) -> None:
        """A tile as it is now, in the place of the one before."""
        chunk_key = self._place(key)
        chunk = self.chunks.setdefault(chunk_key, Chunk())
        before = self.tiles.get(key)
        chunk.vertices += len(geometry.positions) - (len(before.positions) if before else 0)
        self.tiles[key] = geometry
        chunk.tiles.add(key)
        chunk.version = next(_versions)
        if chunk.vertices > CHUNK_VERTICES and chunk_key[0] > 0:
            self._cut_in_four(chunk_key)
            chunk_key = self._place(key)
        self._mark(chunk_key)

    def remove(self, key: Key) -> None:
        before = self.tiles.pop(key, None)
        if before is None:
            return
        chunk_key = self._place(key)
        chunk = self.chunks[chunk_key]
        chunk.vertices -= len(before.positions)
        chunk.tiles.discard(key)
        chunk.version = next(_versions)
        self._mark(chunk_key)

    def mark(self, key: Key) -> None:
        """The tile looks otherwise, its geometry is the same."""
        if key in self.tiles:
            self._mark(self._place(key))

    def mark_all(self) -> None:
        for chunk_key in self.chunks:
            self.dirty.setdefault(chunk_key)

    def take_dirty(self) -> Optional[ChunkKey]:
        """The chunk that changed last of those that are not made yet; None: all are made."""
        return self.dirty.popitem()[0] if self.dirty else None

    def arrays(self, chunk_key: ChunkKey, palette) -> Optional[Arrays]:
        """The chunk's arrays in the palette's colours; None: it has nothing to show, and is gone if it has no tiles."""
        chunk = self.chunks.get(chunk_key)
        if chunk is None:
            return None
        if not chunk.tiles:
            del self.chunks[chunk_key]
            return None
        keys = list(chunk.tiles)
        tiles = [self.tiles[key] for key in keys]
        counts = numpy.array([len(tile.positions) for tile in tiles])
        positions = numpy.concatenate([tile.positions for tile in tiles])
        if len(positions) == 0:
            return None
        triangles, first_triangle = _merged([tile.triangles for tile in tiles], [tile.first_triangle for tile in tiles], counts)
        coarse, first_coarse = _merged([tile.coarse for tile in tiles], [tile.first_coarse for tile in tiles], counts)
        chunk.low, chunk.high = positions.min(axis=0), positions.max(axis=0)
        return Arrays(positions, palette.colors(keys, tiles, counts, positions), triangles, first_triangle, coarse,
                      _error(positions, triangles, first_triangle, coarse, first_coarse),
                      numpy.concatenate([tile.lines for tile in tiles]),
                      palette.line_colors(numpy.concatenate([tile.line_kinds for tile in tiles])))

    def _place(self, key: Key) -> ChunkKey:
        level = ROOT_LEVEL
        while True:
            chunk_key = (level, key[0] >> level, key[1] >> level)
            if chunk_key not in self._cut:
                return chunk_key
            level -= 1

    def _mark(self, chunk_key: ChunkKey) -> None:
        self.dirty.pop(chunk_key, None)
        self.dirty[chunk_key] = None

    def _cut_in_four(self, chunk_key: ChunkKey) -> None:
        chunk = self.chunks[chunk_key]
        self._cut.add(chunk_key)
        parts = set()
        for key in chunk.tiles:
            part_key = self._place(key)
            part = self.chunks.setdefault(part_key, Chunk())
            part.tiles.add(key)
            part.version = next(_versions)
            part.vertices += len(self.tiles[key].positions)
            parts.add(part_key)
        chunk.tiles, chunk.vertices = set(), 0  # what was drawn of it goes with its next arrays()
        self._mark(chunk_key)
        for part_key in parts:
            self._mark(part_key)
            if self.chunks[part_key].vertices > CHUNK_VERTICES and part_key[0] > 0:
                self._cut_in_four(part_key)


def _merged(parts: List[numpy.ndarray], firsts: List[numpy.ndarray], vertices: numpy.ndarray):
    """The triangles of several tiles as one list, and where each cell's begin."""
    sizes = [len(part) for part in parts]
    merged = numpy.concatenate(parts)
    merged += numpy.repeat(_before(vertices), sizes)[:, None]
    first = numpy.concatenate(firsts)
    first += numpy.repeat(_before(sizes), [len(part) for part in firsts])
    return merged, first


def _before(counts) -> numpy.ndarray:
    """The sum of what comes before each."""
    counts = numpy.asarray(counts)
    return (numpy.cumsum(counts) - counts).astype("i4")


def _error(positions, triangles, first_triangle, coarse, first_coarse) -> float:
    """A bound, in metres up or down. Both surfaces of a cell lie between two planes that are parallel to one fitted to its corners."""
    cells = len(first_coarse)
    fine_cell = numpy.repeat(numpy.arange(cells), 3 * numpy.diff(first_triangle, append=len(triangles)))
    corner_cell = numpy.repeat(numpy.arange(cells), 3 * numpy.diff(first_coarse, append=len(coarse)))
    corners, fine = positions[coarse.ravel()].astype("f8"), positions[triangles.ravel()].astype("f8")
    centre = corners[3 * first_coarse]
    x, y, z = (corners - centre[corner_cell]).T
    xx, zz, xz, xy, yz = (numpy.bincount(corner_cell, one * other, cells) for one, other in ((x, x), (z, z), (x, z), (x, y), (y, z)))
    area = xx * zz - xz * xz
    area[area < 1e-9] = numpy.inf  # corners on a line: a level plane does
    slope_x, slope_z = (xy * zz - yz * xz) / area, (yz * xx - xy * xz) / area
    above = y - slope_x[corner_cell] * x - slope_z[corner_cell] * z
    x, y, z = (fine - centre[fine_cell]).T
    fine_above = y - slope_x[fine_cell] * x - slope_z[fine_cell] * z
    high, low = numpy.maximum.reduceat(above, 3 * first_coarse), numpy.minimum.reduceat(above, 3 * first_coarse)
    fine_high, fine_low = (extreme.reduceat(fine_above, 3 * first_triangle) for extreme in (numpy.maximum, numpy.minimum))
    return float(max((fine_high - low).max(), (high - fine_low).max()))
