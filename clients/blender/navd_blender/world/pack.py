# SPDX-License-Identifier: MIT
"""Meshes and blocks of height grids as the bytes that the daemon takes, their boxes, and what a stroke changes. Any thread."""
import hashlib
import struct
from typing import Any, Dict, Optional

import numpy
from navd.mesh import Mesh

HEAD = struct.Struct("<IIiidddBB6x")  # of a height grid (docs/protocol/heights.md)


def pack(arrays: Any) -> Mesh:
    parts = [arrays.vertices.astype("<f4", copy=False).tobytes(), arrays.triangles.astype("<u4", copy=False).tobytes()]
    if arrays.areas is not None:
        parts.append(arrays.areas.tobytes())
    data = b"".join(parts)
    return Mesh(len(arrays.vertices) // 3, len(arrays.triangles) // 3, arrays.areas is not None, data, hashlib.sha256(data).digest())


def box_of(arrays: Any) -> Any:
    """(minimum, maximum) of the vertices that are finite."""
    points = arrays.vertices.reshape(-1, 3)
    points = points[numpy.isfinite(points).all(axis=1)]
    return (points.min(axis=0), points.max(axis=0)) if len(points) else (numpy.zeros(3), numpy.zeros(3))


def pack_grid(grid: Any) -> Mesh:
    data = grid.head + grid.samples.tobytes() + (grid.areas.tobytes() if grid.areas is not None else b"")
    rows, columns = grid.samples.shape
    return Mesh(rows * columns, 2 * (rows - 1) * (columns - 1), grid.areas is not None, data, hashlib.sha256(data).digest(), 32)


def box_of_grid(grid: Any) -> Any:
    columns, rows, column, row, spacing, scale, offset, _, _ = HEAD.unpack(grid.head)
    low, high = offset + scale * float(grid.samples.min()), offset + scale * float(grid.samples.max())
    return (column * spacing, low, row * spacing), ((column + columns) * spacing, high, (row + rows) * spacing)


def stroke_between(before: Any, after: Any) -> Optional[Dict[str, Any]]:
    """The samples in which two grids differ, as patch_heights takes them; None: they differ in more."""
    if before.head != after.head or (before.areas is None) != (after.areas is None):
        return None
    if before.areas is not None and not numpy.array_equal(before.areas, after.areas):
        return None
    differs = before.samples != after.samples
    down, along = numpy.flatnonzero(differs.any(axis=1)), numpy.flatnonzero(differs.any(axis=0))
    if not len(down):
        return None
    row, column, rows, columns = int(down[0]), int(along[0]), int(down[-1] - down[0]) + 1, int(along[-1] - along[0]) + 1
    part = after.samples[row:row + rows, column:column + columns]
    return {"column": column, "row": row, "columns": columns, "rows": rows, "samples": part.astype("<f4").tobytes()}
