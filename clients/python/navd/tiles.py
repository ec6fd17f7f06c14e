"""Reads navd's own tiles (docs/formats.md#the-navd-tile).

Sections are views of the bytes, made when they are first asked for. Reading checks that the sections fit; whether the numbers
in them make sense is checked by check(), and by the methods that follow indices. The checksum is not: msgpack and TCP have
their own, and XXH3 is not in Python's library.
"""

import struct
from array import array
from functools import cached_property
from typing import Any, Dict, List, NamedTuple, Tuple

from . import optional
from .arrays import Array, Bytes, Rows, view
from .errors import NavdError

_HEADER = struct.Struct("<4sIQQII16sIiiI3d7f7IfI")
_LINK = struct.Struct("<7fIHBB")
MAGIC, VERSION = b"NAVT", 2

# Behind an edge, where there is no cell of the tile. The tile at x + 1, z + 1, x - 1, z - 1.
WALL, NEXT_X, NEXT_Z, PREVIOUS_X, PREVIOUS_Z = -1, -2, -3, -4, -5
SEAM = -6  # the surface goes on in a tile of another sheet
# By number: name, and of each axis of the world the frame's axis that lies along it, and which way.
_SHEETS = (
    ("up", (0, 1, 2), (1, 1, 1)),
    ("down", (0, 1, 2), (1, -1, -1)),
    ("x+", (1, 0, 2), (1, -1, 1)),
    ("x-", (1, 0, 2), (-1, 1, 1)),
    ("z+", (0, 2, 1), (1, -1, 1)),
    ("z-", (0, 2, 1), (1, 1, -1)),
)
# Bits of a cell's flags.
RELAXED, UNREACHABLE = 1, 2

# Sections in the order of the file: name, code of the numbers ("x": index), what is counted, how many more, how many each.
_SECTIONS = (
    ("vertex_x", "H", "vertices", 0, 1),
    ("vertex_z", "H", "vertices", 0, 1),
    ("vertex_y", "i", "vertices", 0, 1),
    ("first_corner", "x", "cells", 1, 1),
    ("first_triangle", "x", "cells", 1, 1),
    ("area", "B", "cells", 0, 1),
    ("flags", "B", "cells", 0, 1),
    ("corner_vertex", "x", "corners", 0, 1),
    ("_corner_behind", "x", "corners", 0, 1),
    ("portal_cell", "x", "portals", 0, 1),
    ("_portal_behind", "x", "portals", 0, 1),
    ("portal_from", "x", "portals", 0, 1),
    ("portal_to", "x", "portals", 0, 1),
    ("portal_width", "f", "portals", 0, 1),
    ("portal_clearance", "f", "portals", 0, 1),
    ("detail_x", "f", "details", 0, 1),
    ("detail_z", "f", "details", 0, 1),
    ("detail_y", "f", "details", 0, 1),
    ("triangles", "x", "triangles", 0, 3),
    ("_links", "B", "links", 0, 36),
)
_BYTES = {"B": 1, "H": 2, "I": 4, "i": 4, "f": 4}
_PLAN = {name: (code, counted, more, each) for name, code, counted, more, each in _SECTIONS}
# By the width of an index: name, what is counted, how many more, bytes for each.
_LAYOUTS = {
    width: [(name, counted, more, each * _BYTES.get(code, width)) for name, code, counted, more, each in _SECTIONS]
    for width in (2, 4)
}
_COUNTED = ("vertices", "details", "cells", "corners", "triangles", "links", "portals")


class Link(NamedTuple):
    """An off-mesh link: a jump, a ladder. Metres in the world."""

    start: Tuple[float, float, float]
    end: Tuple[float, float, float]
    radius: float
    id: int
    flags: int
    area: int
    both_ways: bool


class Tile:
    """One navd tile. Vertices are on a grid of its own, and count voxels upwards; positions() has them in metres."""

    x: int  # of the frame of its sheet
    z: int
    sheet: str  # "up", "down", "x+", "x-", "z+" or "z-" (docs/protocol/settings.md#walls-and-ceilings)
    revision: int  # of the world
    key: bytes  # content key: equal keys mean equal tiles
    checksum: int
    generator_version: int
    tile_cells: int  # squares of the vertices' grid along a side: the columns of the profile times `unit`
    origin: Tuple[float, float, float]  # of the world in the frame, metres
    cell_size: float  # metres: side of one of these squares
    unit: int  # of them along the side of a column: 1 with voxel outlines
    cell_height: float  # metres
    agent_height: float  # metres
    agent_radius: float  # metres
    agent_climb: float  # metres
    min_y: float  # metres, over all vertices and detail vertices
    max_y: float
    relaxation: float  # metres
    counts: Dict[str, int]  # vertices, details, cells, corners, triangles, links, portals

    def __init__(self, data: Bytes) -> None:
        """Views `data` and keeps it. Raises NavdError "format", "truncated" or "version"."""
        if len(data) < _HEADER.size:
            raise NavdError("truncated", f"a navd tile has at least {_HEADER.size} bytes, this one {len(data)}")
        magic, version, self.revision, self.checksum, size, index_bytes, self.key, *rest = _HEADER.unpack_from(data)
        if magic != MAGIC:
            raise NavdError("format", f"no navd tile: it begins with {bytes(magic)!r}, expected {MAGIC!r}")
        if version != VERSION:
            raise NavdError("version", f"a navd tile of version {version}, this package reads {VERSION}")
        if size != len(data):
            raise NavdError("truncated" if size > len(data) else "format", f"a tile of {size} bytes in {len(data)}")
        if index_bytes not in (2, 4):
            raise NavdError("format", f"index_bytes: {index_bytes}, expected 2 or 4")
        self.generator_version, self.x, self.z, self.tile_cells, *rest = rest
        self.origin = (rest[0], rest[1], rest[2])
        self.cell_size, self.cell_height, self.agent_height, self.agent_radius, self.agent_climb = rest[3:8]
        self.min_y, self.max_y = rest[8:10]
        self.counts = dict(zip(_COUNTED, rest[10:17]))
        self.relaxation = rest[17]
        self.unit = rest[18] & 0xFFFF or 1
        if rest[18] >> 16 >= len(_SHEETS):
            raise NavdError("format", f"sheet {rest[18] >> 16}, expected less than {len(_SHEETS)}")
        self.sheet, self._axes, self._signs = _SHEETS[rest[18] >> 16]
        self.data = data
        self._index = "H" if index_bytes == 2 else "I"
        self._offsets: Dict[str, int] = {}
        at, counts = _HEADER.size, self.counts
        for name, counted, more, bytes_each in _LAYOUTS[index_bytes]:
            self._offsets[name] = at
            at = (at + (counts[counted] + more) * bytes_each + 3) & ~3
        if at != size:
            raise NavdError("format", f"the sections of the tile take {at} bytes, but it has {size}")

    def __repr__(self) -> str:
        return f"<navd tile {self.x},{self.z}: {self.counts['cells']} cells, revision {self.revision}>"

    def _view(self, name: str, flat: bool = False) -> Array:
        code, counted, more, each = _PLAN[name]
        count = (self.counts[counted] + more) * each
        return view(self.data, self._index if code == "x" else code, self._offsets[name], count, 1 if flat else each)

    @cached_property
    def vertex_x(self) -> Array:
        """Squares of the grid from the tile's lower corner."""
        return self._view("vertex_x")

    @cached_property
    def vertex_z(self) -> Array:
        """Squares of the grid from the tile's lower corner."""
        return self._view("vertex_z")

    @cached_property
    def vertex_y(self) -> Array:
        """Voxels."""
        return self._view("vertex_y")

    @cached_property
    def first_corner(self) -> Array:
        """Cell c has the corners first_corner[c] to first_corner[c + 1] - 1."""
        return self._view("first_corner")

    @cached_property
    def first_triangle(self) -> Array:
        """Cell c has the triangles first_triangle[c] to first_triangle[c + 1] - 1."""
        return self._view("first_triangle")

    @cached_property
    def area(self) -> Array:
        """Of each cell, 1 to 63."""
        return self._view("area")

    @cached_property
    def flags(self) -> Array:
        """Of each cell: RELAXED, UNREACHABLE."""
        return self._view("flags")

    @cached_property
    def corner_vertex(self) -> Array:
        """Of each corner: a vertex."""
        return self._view("corner_vertex")

    @cached_property
    def portal_cell(self) -> Array:
        """Of each portal: its cell; of two, the one with the lower number."""
        return self._view("portal_cell")

    @cached_property
    def portal_from(self) -> Array:
        """Of each portal: the vertex at one end."""
        return self._view("portal_from")

    @cached_property
    def portal_to(self) -> Array:
        """Of each portal: the vertex at the other end."""
        return self._view("portal_to")

    @cached_property
    def portal_width(self) -> Array:
        """Of each portal, metres, seen from above."""
        return self._view("portal_width")

    @cached_property
    def portal_clearance(self) -> Array:
        """Of each portal, metres: the largest disc on it that touches no wall."""
        return self._view("portal_clearance")

    @cached_property
    def detail_x(self) -> Array:
        """Squares of the grid from the tile's lower corner, with fractions."""
        return self._view("detail_x")

    @cached_property
    def detail_z(self) -> Array:
        """Squares of the grid from the tile's lower corner, with fractions."""
        return self._view("detail_z")

    @cached_property
    def detail_y(self) -> Array:
        """Voxels, with fractions."""
        return self._view("detail_y")

    @cached_property
    def triangles(self) -> Array:
        """Rows of three: points as positions() lists them."""
        return self._view("triangles")

    @cached_property
    def corner_behind(self) -> Array:
        """Behind the edge from each corner to the cell's next one: a cell, or WALL, NEXT_X, ..., SEAM."""
        return self._signed(self._view("_corner_behind"))

    @cached_property
    def portal_behind(self) -> Array:
        """Behind each portal: the other cell, or NEXT_X, ..."""
        return self._signed(self._view("_portal_behind"))

    @cached_property
    def links(self) -> List[Link]:
        """Off-mesh links that start in this tile."""
        links = []
        for at in range(self._offsets["_links"], len(self.data), _LINK.size):
            x, y, z, to_x, to_y, to_z, radius, number, flags, area, both = _LINK.unpack_from(self.data, at)
            links.append(Link((x, y, z), (to_x, to_y, to_z), radius, number, flags, area, both == 1))
        return links

    def _signed(self, raw: Array) -> Array:
        top = 1 << (16 if self._index == "H" else 32)
        if optional.numpy is not None:
            wide: Any = optional.numpy.asarray(raw).astype("i8")
            wide[wide >= top - 6] -= top
            signed: Array = wide
            return signed
        return array("q", [value - top if value >= top - 6 else value for value in raw])

    def cell(self, number: int) -> List[int]:
        """The vertices of a cell's corners, clockwise seen from above (x to the right, z upwards)."""
        corners: List[int] = list(self.corner_vertex[self.first_corner[number] : self.first_corner[number + 1]])
        return corners

    def positions(self) -> Array:
        """All vertices, then all detail vertices, as rows x, y, z in metres, in the world whatever the sheet: what `triangles` index.

        Computed in double precision and rounded to float32 once, as docs/formats.md wants it: both tiles of a border have the
        same floats.
        """
        from_x = self.x * self.tile_cells
        from_z = self.z * self.tile_cells
        scale = (self.cell_size, self.cell_height, self.cell_size)
        if optional.numpy is not None:
            numpy = optional.numpy
            vertices, details = self.counts["vertices"], self.counts["details"]
            points = numpy.empty((vertices + details, 3))
            for axis, name in enumerate("xyz"):
                points[:vertices, axis] = self._view("vertex_" + name)
                if details:
                    points[vertices:, axis] = self._view("detail_" + name)
            points += (from_x, 0, from_z)
            points *= scale
            points += self.origin
            rounded: Array = points.astype("f4")
            if self.sheet != "up":
                rounded = rounded[:, self._axes] * numpy.array(self._signs, "f4")
            return rounded
        flat = array("f")
        for xs, ys, zs in (
            (self.vertex_x, self.vertex_y, self.vertex_z),
            (self.detail_x, self.detail_y, self.detail_z),
        ):
            for x, y, z in zip(xs, ys, zs):
                place = (
                    self.origin[0] + (from_x + x) * scale[0],
                    self.origin[1] + y * scale[1],
                    self.origin[2] + (from_z + z) * scale[2],
                )
                for axis, sign in zip(self._axes, self._signs):
                    flat.append(sign * place[axis])
        return Rows(flat, 3)

    def triangle_cells(self) -> Array:
        """The cell of each triangle."""
        if optional.numpy is not None:
            numpy = optional.numpy
            first = numpy.asarray(self.first_triangle).astype("i8")
            cells: Array = numpy.repeat(numpy.arange(self.counts["cells"]), numpy.maximum(numpy.diff(first), 0))
            return cells
        cells_of = array("q")
        for number in range(self.counts["cells"]):
            cells_of.extend([number] * (self.first_triangle[number + 1] - self.first_triangle[number]))
        return cells_of

    def check(self) -> "Tile":
        """Checks every index. Raises NavdError "format". The daemon's tiles pass; files from elsewhere may not."""
        cells, corners, triangles = self.counts["cells"], self.counts["corners"], self.counts["triangles"]
        points = self.counts["vertices"] + self.counts["details"]
        _rises(self.first_corner, "first_corner", corners)
        _rises(self.first_triangle, "first_triangle", triangles)
        _below(self.corner_vertex, "corner_vertex", self.counts["vertices"])
        _below(self.portal_cell, "portal_cell", cells)
        _below(self.portal_from, "portal_from", self.counts["vertices"])
        _below(self.portal_to, "portal_to", self.counts["vertices"])
        _below(self.corner_behind, "corner_behind", cells)
        _below(self.portal_behind, "portal_behind", cells)
        _below(self._view("triangles", flat=True), "triangles", points)
        return self


def _below(numbers: Array, name: str, count: int) -> None:
    highest = (numbers.max() if hasattr(numbers, "max") else max(numbers)) if len(numbers) else -1
    if highest >= count:
        raise NavdError("format", f"{name}: {highest}, expected less than {count}")


def _rises(numbers: Array, name: str, end: int) -> None:
    values = numbers.tolist()
    if values[0] != 0 or values[-1] != end or any(a > b for a, b in zip(values, values[1:])):
        raise NavdError("format", f"{name}: does not rise from 0 to {end}")


def read_tile(data: Bytes) -> Tile:
    """Reads a navd tile; it keeps `data`. Raises NavdError "format", "truncated" or "version"."""
    return Tile(data)
