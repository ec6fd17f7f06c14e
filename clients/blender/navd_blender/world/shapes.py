# SPDX-License-Identifier: MIT
"""Meshes of evaluated objects as arrays, read once for as long as they stay as they are. Main thread only.

Blender shares one evaluated mesh between linked duplicates, so its address is what a mesh is looked up by. An address may be
used again for another mesh: forget() must be called for what an update of the depsgraph names, and forget_all() whenever
updates do not tell everything (undo, load).
"""
from typing import Any, Dict, NamedTuple, Optional, Tuple

import numpy

OWN_AREA = 255  # of a triangle: the area of the instance that shows it


class Arrays(NamedTuple):
    """A mesh as it will be sent."""
    vertices: Any  # float32, three for each
    triangles: Any  # uint32, three for each
    areas: Any  # uint8 for each triangle; None: all have the instance's area


class Shape:
    """A mesh that was read. Compared by identity: what the same bytes have in common is found on the link's thread.

    arrays: until the thread has taken them
    The other attributes are the thread's (publish.py).
    """
    __slots__ = ("arrays", "mesh", "digest", "refused")

    def __init__(self, arrays: Arrays) -> None:
        self.arrays: Optional[Arrays] = arrays
        self.mesh: Any = None
        self.digest: Optional[bytes] = None
        self.refused = ""


class Shapes:
    def __init__(self) -> None:
        self._shapes: Dict[Tuple[int, Tuple[int, ...]], Optional[Shape]] = {}
        self.read_count = 0

    def get(self, ob: Any, areas_of_slots: Tuple[int, ...]) -> Optional[Shape]:
        """The mesh of an evaluated object of type MESH; None: it has no triangles."""
        key = (ob.data.as_pointer(), areas_of_slots)
        try:
            return self._shapes[key]
        except KeyError:
            arrays = read(ob.data, areas_of_slots)
            self.read_count += 1
            shape = self._shapes[key] = Shape(arrays) if arrays else None
            return shape

    def forget(self, ob: Any) -> None:
        address = ob.data.as_pointer()
        for key in [key for key in self._shapes if key[0] == address]:
            del self._shapes[key]

    def forget_all(self) -> None:
        self._shapes.clear()


def read(mesh: Any, areas_of_slots: Tuple[int, ...]) -> Optional[Arrays]:
    """areas_of_slots: the area of each material slot, OWN_AREA for none; empty: no material has one."""
    mesh.calc_loop_triangles()
    count = len(mesh.loop_triangles)
    if not count:
        return None
    vertices = numpy.empty(len(mesh.vertices) * 3, numpy.float32)
    mesh.vertices.foreach_get("co", vertices)
    triangles = numpy.empty(count * 3, numpy.int32)
    mesh.loop_triangles.foreach_get("vertices", triangles)
    areas = None
    if areas_of_slots:
        slots = numpy.empty(len(mesh.polygons), numpy.int32)
        mesh.polygons.foreach_get("material_index", slots)
        polygons = numpy.empty(count, numpy.int32)
        mesh.loop_triangles.foreach_get("polygon_index", polygons)
        table = numpy.array(areas_of_slots, numpy.uint8)
        areas = table[numpy.clip(slots, 0, len(table) - 1)][polygons]
        if (areas == OWN_AREA).all():
            areas = None
    return Arrays(vertices, triangles, areas)
