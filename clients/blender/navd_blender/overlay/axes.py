# SPDX-License-Identifier: MIT
"""From navd's metres with Y up, in which tiles are, to Blender's units with Z up: one matrix, applied while drawing."""
from mathutils import Matrix, Vector


def from_metres(world):
    """The inverse of `to_metres` in the answer of world.open (docs/protocol/axes.md): 4 x 4. world: that answer, or None."""
    rows = (world or {}).get("to_metres")
    if not rows:
        return Matrix.Identity(4)
    rows = [rows[at:at + 4] for at in (0, 4, 8)]
    return Matrix((*rows, (0, 0, 0, 1))).inverted()


def lifted(matrix, units: float):
    """The same, and so far up in Blender."""
    return Matrix.Translation(Vector((0, 0, units))) @ matrix
