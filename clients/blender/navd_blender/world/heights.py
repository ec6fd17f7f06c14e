# SPDX-License-Identifier: MIT
"""Objects that are sent as height grids: meshes whose vertices are a regular lattice in x and y, as Add > Mesh > Grid and the
A.N.T. Landscape add-on make them, and as they stay while they are sculpted up and down. Main thread only.

A grid is cut into blocks of 64 by 64 cells, as navd's own clients do; each is an instance, and their ids follow each other. A
block that did not change keeps its Shape, so a stroke costs what it touches.
"""
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Set, Tuple

import numpy
from mathutils import Matrix

from .pack import HEAD
from .shapes import OWN_AREA, Shape, Slots

BLOCK = 64
_FLOAT, _BACKWARD = 1, 1  # Blender cuts a lattice's quads from their first corner to their third, which is backward seen by rows
_NEAR = 1e-3  # of the spacing: how far a vertex may be from its place in the lattice


class Grid(NamedTuple):
    """A block as it will be sent."""
    head: bytes
    samples: Any  # float32, rows by columns
    areas: Any  # uint8 for each cell; None: all have the instance's area


class Lattice(NamedTuple):
    """Where the vertices of a mesh are in its lattice. Rows go down y, as z of navd's axes does."""
    columns: int
    rows: int
    spacing: float
    x: float  # of the first column
    y: float  # of the first row
    order: Any  # the vertex of each sample, row by row


def _steps(places: Any) -> Optional[Tuple[int, float, float]]:
    """How many places there are along an axis, the first, and their distance; None: they are not evenly spaced."""
    low, high = float(places.min()), float(places.max())
    if not high > low or not numpy.isfinite(high - low):
        return None
    ordered = numpy.sort(places)
    gaps = numpy.diff(ordered)
    count = 1 + int((gaps > (high - low) * 1e-6).sum())
    if not 2 <= count <= 1 + (1 << 20):
        return None
    return count, low, (high - low) / (count - 1)


def find_lattice(x: Any, y: Any) -> "Lattice | str":
    """Of the vertices' places; a str says why there is none."""
    if len(x) < 4:
        return f"{len(x)} vertices; 4 are the least"
    along_x, along_y = _steps(x), _steps(y)
    if along_x is None or along_y is None or along_x[0] * along_y[0] != len(x):
        return "its vertices are no lattice in x and y"
    (columns, x0, dx), (rows, y0, dy) = along_x, along_y
    if abs(dx - dy) > _NEAR * dx:
        return f"its lattice is {dx:.6g} by {dy:.6g} wide, expected squares"
    spacing = (dx * (columns - 1) + dy * (rows - 1)) / (columns + rows - 2)
    top = y0 + dy * (rows - 1)
    column, row = numpy.rint((x - x0) / dx), numpy.rint((top - y) / dy)
    if (numpy.abs(x0 + column * dx - x).max() > _NEAR * dx or numpy.abs(top - row * dy - y).max() > _NEAR * dy):
        return "its vertices are no lattice in x and y"
    place = row.astype(numpy.int64) * columns + column.astype(numpy.int64)
    order = numpy.full(columns * rows, -1, numpy.int64)
    order[place] = numpy.arange(len(x))
    if (order < 0).any():
        return "two of its vertices are at one place"
    return Lattice(columns, rows, spacing, x0, top, order)


def _folded(matrix: Any) -> Optional[Tuple[float, float]]:
    """The scales of x and y, and of z, where the matrix only scales and moves; else None."""
    a, b, c = matrix[0][0], matrix[1][1], matrix[2][2]
    others = [matrix[row][column] for row in range(3) for column in range(3) if row != column]
    if min(a, b, c) <= 0 or abs(a - b) > 1e-6 * a or any(abs(value) > 1e-6 * a for value in others):
        return None
    return a, c


class _Object:
    """What was read of an object last."""
    __slots__ = ("lattice", "x", "y", "key", "blocks")

    def __init__(self) -> None:
        self.lattice: "Lattice | str" = ""
        self.x: Any = None
        self.y: Any = None
        self.key: Any = None  # what all blocks depend on
        self.blocks: List[Shape] = []


class Heights:
    """unit_m: of the scene."""

    def __init__(self, unit_m: float) -> None:
        self._unit_m = unit_m
        self._objects: Dict[str, _Object] = {}
        self.refused: Dict[str, str] = {}  # by the object's name: why it goes as triangles
        self._used: Optional[Set[str]] = None

    def begin_pass(self) -> None:
        self._used = set()

    def end_pass(self) -> None:
        """Forgets the objects that were not asked for since begin_pass()."""
        used, self._used = self._used, None
        if used is not None:
            self._objects = {name: found for name, found in self._objects.items() if name in used}
            self.refused = {name: why for name, why in self.refused.items() if name in used}

    def blocks(self, name: str, mesh: Any, matrix: Any, slots: Slots) -> Optional[Tuple[Any, List[Shape]]]:
        """The transform of all blocks, and the blocks, row by row; None: it is no lattice (self.refused says why)."""
        if self._used is not None:
            self._used.add(name)
        found = self._objects.setdefault(name, _Object())
        points = numpy.empty(len(mesh.vertices) * 3, numpy.float32)
        mesh.vertices.foreach_get("co", points)
        points = points.reshape(-1, 3)
        x, y, z = points[:, 0], points[:, 1], points[:, 2]
        if found.x is None or not (numpy.array_equal(found.x, x) and numpy.array_equal(found.y, y)):
            found.lattice, found.x, found.y, found.key = find_lattice(x.astype("f8"), y.astype("f8")), x.copy(), y.copy(), None
        why = found.lattice if isinstance(found.lattice, str) else self._check(found.lattice, mesh, z)
        if why:
            self.refused[name] = why
            return None
        self.refused.pop(name, None)
        lattice: Any = found.lattice
        scales = _folded(matrix)
        across, up = scales or (1.0, 1.0)
        # From metres with Y up, as samples are, to where the object has them. Scales go into the grid, which navd then just moves.
        grid = Matrix(((1, 0, 0, lattice.x * across), (0, 0, -1, lattice.y * across), (0, 1, 0, 0), (0, 0, 0, 1)))
        metres = Matrix.Diagonal((1 / self._unit_m, 1 / self._unit_m, 1 / self._unit_m, 1))
        transform = (Matrix.Translation(matrix.translation) if scales else matrix) @ grid @ metres
        head = (lattice.columns, lattice.rows, lattice.spacing * across * self._unit_m, up * self._unit_m)
        samples = z[lattice.order].reshape(lattice.rows, lattice.columns)
        areas = self._areas(mesh, lattice, slots) if slots else None
        self._cut(found, head, samples, areas)
        return transform, found.blocks

    @staticmethod
    def _check(lattice: Lattice, mesh: Any, z: Any) -> str:
        cells = (lattice.columns - 1) * (lattice.rows - 1)
        if len(mesh.polygons) not in (cells, 2 * cells):
            return f"it has {len(mesh.polygons)} faces for the {cells} cells of its lattice"
        return "" if numpy.isfinite(z).all() else "a height is not finite"

    @staticmethod
    def _areas(mesh: Any, lattice: Lattice, slots: Slots) -> Any:
        count = len(mesh.polygons)
        materials, centers = numpy.empty(count, numpy.int32), numpy.empty(count * 3, numpy.float32)
        mesh.polygons.foreach_get("material_index", materials)
        mesh.polygons.foreach_get("center", centers)
        centers = centers.reshape(-1, 3)
        column = numpy.clip(((centers[:, 0] - lattice.x) / lattice.spacing).astype(numpy.int64), 0, lattice.columns - 2)
        row = numpy.clip(((lattice.y - centers[:, 1]) / lattice.spacing).astype(numpy.int64), 0, lattice.rows - 2)
        areas = numpy.full((lattice.rows - 1, lattice.columns - 1), OWN_AREA, numpy.uint8)
        areas[row, column] = numpy.array(slots, numpy.uint8)[numpy.clip(materials, 0, len(slots) - 1)]
        return None if (areas == OWN_AREA).all() else areas

    @staticmethod
    def _cut(found: _Object, head: Tuple[int, int, float, float], samples: Any, areas: Any) -> None:
        """Makes the blocks anew that differ from those before."""
        columns, rows, spacing, scale = head
        key = (head, areas is not None)
        before = found.blocks if found.key == key else []
        blocks: List[Shape] = []
        for number, (x, y) in enumerate(_places(columns, rows)):
            part = samples[y:y + BLOCK + 1, x:x + BLOCK + 1]
            cells = None if areas is None else areas[y:y + BLOCK, x:x + BLOCK]
            if before:
                grid = before[number].grid
                if numpy.array_equal(grid.samples, part) and (cells is None or numpy.array_equal(grid.areas, cells)):
                    blocks.append(before[number])
                    continue
            start = HEAD.pack(part.shape[1], part.shape[0], x, y, spacing, scale, 0.0, _FLOAT, _BACKWARD)
            blocks.append(Shape(None, Grid(start, numpy.ascontiguousarray(part), None if cells is None else numpy.ascontiguousarray(cells))))
        found.key, found.blocks = key, blocks


def _places(columns: int, rows: int) -> Iterator[Tuple[int, int]]:
    """The first column and row of each block."""
    for y in range(0, rows - 1, BLOCK):
        for x in range(0, columns - 1, BLOCK):
            yield x, y
