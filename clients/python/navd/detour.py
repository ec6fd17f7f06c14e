"""Reads Detour's tiles and files of them (docs/formats.md#the-detour-tile, #the-multi-tile-file-mset), and writes the files."""

import struct
from functools import cached_property
from typing import Any, Iterable, List, NamedTuple, Tuple

from .arrays import Array, Bytes, view
from .errors import NavdError

_HEADER = struct.Struct("<4sIiiiIiiiiiiiii3f3f3ff")
_POLYGON = struct.Struct("<I6H6HHBB")
_DETAIL = struct.Struct("<IIBBxx")
_LINK = struct.Struct("<7fHBBI")
_SET = struct.Struct("<4sIi3fffii")
_SET_TILE = struct.Struct("<Ii")
MAGIC, VERSION = b"VAND", 7
SET_MAGIC, SET_VERSION = b"TESM", 1
POLYGONS, VERTICES = 32767, 65534  # the most of a tile
_BITS = 22  # of a 32-bit reference, for tile and polygon


class Polygon(NamedTuple):
    """neighbours: for each edge 0 at a wall, k + 1 for polygon k, 0x8000 | side at a border (side 0, 2, 4, 6: x+, z+, x-, z-)."""

    vertices: Tuple[int, ...]
    neighbours: Tuple[int, ...]
    flags: int
    area: int
    is_link: bool


class OffMeshLink(NamedTuple):
    start: Tuple[float, float, float]
    end: Tuple[float, float, float]
    radius: float
    polygon: int
    both_ways: bool
    side: int
    id: int


class DetourTile:
    """One tile as dtNavMesh::addTile takes it. Lengths and positions are metres."""

    x: int
    z: int
    agent_height: float
    agent_radius: float
    agent_climb: float
    min: Tuple[float, float, float]
    max: Tuple[float, float, float]
    polygon_count: int  # ground and off-mesh
    ground_polygons: int  # they come first

    def __init__(self, data: Bytes) -> None:
        """Views `data` and keeps it. Raises NavdError "format", "truncated" or "version"."""
        if len(data) < _HEADER.size:
            raise NavdError("truncated", f"a Detour tile has at least {_HEADER.size} bytes, this one {len(data)}")
        magic, version, self.x, self.z, _layer, _user, *rest = _HEADER.unpack_from(data)
        if magic != MAGIC:
            raise NavdError("format", f"no Detour tile: it begins with {bytes(magic)!r}, expected {MAGIC!r}")
        if version != VERSION:
            raise NavdError("version", f"a Detour tile of version {version}, this package reads {VERSION}")
        polygons, vertices, links, details, detail_vertices, detail_triangles, nodes, off_mesh, base = rest[:9]
        if min(rest[:9]) < 0 or polygons > POLYGONS or vertices > VERTICES or base + off_mesh != polygons or details != base:
            raise NavdError("format", "the counts of the Detour tile contradict each other")
        self.polygon_count, self.ground_polygons = polygons, base
        self.agent_height, self.agent_radius, self.agent_climb = rest[9:12]
        self.min = (rest[12], rest[13], rest[14])
        self.max = (rest[15], rest[16], rest[17])
        self.data = data
        self._counts = (vertices, polygons, links, details, detail_vertices, detail_triangles, nodes, off_mesh)
        self._offsets: List[int] = []
        at = _HEADER.size
        for count, each in zip(self._counts, (12, 32, 12, 12, 12, 4, 16, 36)):
            self._offsets.append(at)
            at += count * each
        if at != len(data):
            raise NavdError("truncated" if at > len(data) else "format", f"the Detour tile has {len(data)} bytes, its sections take {at}")

    def __repr__(self) -> str:
        return f"<Detour tile {self.x},{self.z}: {self.polygon_count} polygons>"

    @cached_property
    def vertices(self) -> Array:
        """Rows x, y, z."""
        return view(self.data, "f", self._offsets[0], 3 * self._counts[0], 3)

    @cached_property
    def polygons(self) -> List[Polygon]:
        polygons: List[Polygon] = []
        for at in range(self._offsets[1], self._offsets[2], _POLYGON.size):
            _first, *rest = _POLYGON.unpack_from(self.data, at)
            flags, count, kind = rest[12:15]
            if count > 6 or any(vertex >= self._counts[0] for vertex in rest[:count]):
                raise NavdError("format", f"polygon {len(polygons)}: its corners are not vertices of the tile")
            polygons.append(Polygon(tuple(rest[:count]), tuple(rest[6 : 6 + count]), flags, kind & 63, kind >> 6 == 1))
        return polygons

    @cached_property
    def detail_vertices(self) -> Array:
        """Rows x, y, z."""
        return view(self.data, "f", self._offsets[4], 3 * self._counts[4], 3)

    @cached_property
    def links(self) -> List[OffMeshLink]:
        links = []
        for at in range(self._offsets[7], len(self.data), _LINK.size):
            x, y, z, to_x, to_y, to_z, radius, polygon, flags, side, number = _LINK.unpack_from(self.data, at)
            links.append(OffMeshLink((x, y, z), (to_x, to_y, to_z), radius, polygon, bool(flags & 1), side, number))
        return links

    def triangles(self) -> List[Tuple[int, int, int, int]]:
        """The detail mesh: three points and the polygon of each triangle. Points below len(vertices) are vertices, the others
        detail vertices. Raises NavdError "format" where the indices make no sense."""
        found = []
        table = memoryview(self.data)[self._offsets[5] : self._offsets[6]]
        for number, polygon in enumerate(self.polygons[: self.ground_polygons]):
            base, first, extra, count = _DETAIL.unpack_from(self.data, self._offsets[3] + number * _DETAIL.size)
            corners = polygon.vertices
            if 4 * (first + count) > len(table) or base + extra > self._counts[4]:
                raise NavdError("format", f"polygon {number}: its detail mesh is not in the tile")
            points = corners + tuple(range(self._counts[0] + base, self._counts[0] + base + extra))
            for at in range(4 * first, 4 * (first + count), 4):
                a, b, c = table[at], table[at + 1], table[at + 2]
                if max(a, b, c) >= len(points):
                    raise NavdError("format", f"polygon {number}: a detail triangle has point {max(a, b, c)} of {len(points)}")
                found.append((points[a], points[b], points[c], number))
        return found


class TileSet(NamedTuple):
    """What a file of Detour tiles holds."""

    origin: Tuple[float, float, float]
    tile_size: float  # metres
    max_tiles: int
    max_polygons: int
    tiles: List[DetourTile]


def read_detour_tile(data: Bytes) -> DetourTile:
    """Reads a Detour tile; it keeps `data`. Raises NavdError "format", "truncated" or "version"."""
    return DetourTile(data)


def read_tile_set(data: Bytes) -> TileSet:
    """Reads a file of Detour tiles (MSET, as RecastDemo writes it); the tiles keep `data`. Raises as read_detour_tile()."""
    if len(data) < _SET.size:
        raise NavdError("truncated", f"a file of Detour tiles has at least {_SET.size} bytes, this one {len(data)}")
    magic, version, count, x, y, z, width, _height, most_tiles, most_polygons = _SET.unpack_from(data)
    if magic != SET_MAGIC:
        raise NavdError("format", f"no file of Detour tiles: it begins with {bytes(magic)!r}, expected {SET_MAGIC!r}")
    if version != SET_VERSION:
        raise NavdError("version", f"a file of Detour tiles of version {version}, this package reads {SET_VERSION}")
    tiles: List[DetourTile] = []
    at, whole = _SET.size, memoryview(data)
    for _ in range(count):
        if at + _SET_TILE.size > len(data):
            raise NavdError("truncated", f"the file ends in tile {len(tiles)} of {count}")
        _reference, size = _SET_TILE.unpack_from(data, at)
        at += _SET_TILE.size
        if size < 0 or at + size > len(data):
            raise NavdError("truncated", f"the file ends in tile {len(tiles)} of {count}")
        tiles.append(read_detour_tile(whole[at : at + size]))
        at += size
    return TileSet((x, y, z), width, most_tiles, most_polygons, tiles)


def write_tile_set(tiles: Iterable[Bytes], origin: "Iterable[float]", tile_size: float) -> bytes:
    """A file of Detour tiles (MSET), byte for byte as navctl writes it.

    tiles: their bytes, in any order; those without polygons are left out, as Detour takes none.
    origin: the world's origin_m. tile_size: tile_cells * cell_size_m, metres.
    Raises NavdError "limit" if tiles and polygons do not fit into Detour's 32-bit references, "argument" without tiles.
    """
    read = [read_detour_tile(data) for data in tiles]
    kept = sorted((tile for tile in read if tile.polygon_count), key=lambda tile: (tile.z, tile.x))
    if not kept:
        raise NavdError("argument", "a file of Detour tiles needs at least one tile with polygons")
    tile_bits = (len(kept) - 1).bit_length()
    most = max(tile.polygon_count for tile in kept)
    if tile_bits > _BITS or most > 1 << (_BITS - tile_bits):
        raise NavdError("limit", f"{len(kept)} tiles with up to {most} polygons do not fit into Detour's 32-bit references")
    corner: Any = tuple(origin)
    parts: List[Bytes] = [
        _SET.pack(
            SET_MAGIC, SET_VERSION, len(kept), *corner, tile_size, tile_size, 1 << tile_bits, 1 << (_BITS - tile_bits)
        )
    ]
    for index, tile in enumerate(kept):
        parts.append(_SET_TILE.pack(1 << _BITS | index << (_BITS - tile_bits), len(tile.data)))
        parts.append(tile.data)
    return b"".join(parts)
