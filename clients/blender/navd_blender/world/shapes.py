# SPDX-License-Identifier: MIT
"""Meshes of evaluated objects as arrays, read once for as long as they stay as they are. Main thread only.

Blender shares one evaluated mesh between linked duplicates, so its address is what a mesh is looked up by. As an address may be
used again for another mesh, each entry also has the age at which it was read: one that is older than the last change of
the object that asks for it does not count.
"""
from typing import Any, Dict, NamedTuple, Optional, Set, Tuple

import numpy

OWN_AREA = 255  # of a triangle: the area of the instance that shows it

Slots = Tuple[int, ...]


class Arrays(NamedTuple):
    """A mesh as it will be sent."""
    vertices: Any  # float32, three for each
    triangles: Any  # int32, three for each
    areas: Any  # uint8 for each triangle; None: all have the instance's area


class Shape:
    """A mesh that was read. Compared by identity: what the same bytes have in common is found on the link's thread.

    arrays: until the thread has taken them
    digest: the thread's (world.publish)
    """
    __slots__ = ("arrays", "digest")

    def __init__(self, arrays: Arrays) -> None:
        self.arrays: Optional[Arrays] = arrays
        self.digest: Optional[bytes] = None


class Shapes:
    def __init__(self) -> None:
        self._read: Dict[Tuple[int, Slots], Tuple[Optional[Shape], int]] = {}
        self._age = 1  # rises with each change
        self._oldest = 0  # what was read before does not count
        self._changed: Dict[int, int] = {}  # by the original object's address, which a rename keeps: the age of its last change
        self._used: Optional[Set[Tuple[int, Slots]]] = None

    def changed(self, address: int) -> None:
        """An update of the depsgraph says that this object has another mesh."""
        self._age += 1
        self._changed[address] = self._age

    def all_changed(self) -> None:
        """Addresses mean nothing any more: after an undo, a load."""
        self._age += 1
        self._oldest = self._age
        self._changed.clear()
        self._read.clear()

    def get(self, ob: Any, slots: Slots) -> Optional[Shape]:
        """The mesh of an evaluated object of type MESH; None: it has no triangles."""
        key = (ob.data.as_pointer(), slots)
        if self._used is not None:
            self._used.add(key)
        found = self._read.get(key)
        if found and found[1] >= max(self._oldest, self._changed.get(ob.original.as_pointer(), 0)):
            return found[0]
        arrays = _arrays_of(ob, slots)
        shape = Shape(arrays) if arrays else None
        self._read[key] = (shape, self._age)
        return shape

    def begin_pass(self) -> None:
        self._used = set()

    def end_pass(self) -> None:
        """Forgets what was not asked for since begin_pass()."""
        used, self._used = self._used, None
        if used is not None:
            self._read = {key: found for key, found in self._read.items() if key in used}


def _arrays_of(ob: Any, slots: Slots) -> Optional[Arrays]:
    original = ob.original
    if original.type == "MESH" and original.data.is_editmode:
        # Its evaluated mesh is a shell around the mesh that is being edited, which a copy is made of.
        mesh = ob.to_mesh()
        try:
            return read(mesh, slots) if mesh else None
        finally:
            ob.to_mesh_clear()
    return read(ob.data, slots)


def read(mesh: Any, slots: Slots) -> Optional[Arrays]:
    """slots: the area of each material slot, OWN_AREA for none; empty: no material has one. None: there is no triangle."""
    mesh.calc_loop_triangles()
    count = len(mesh.loop_triangles)
    if not count:
        return None
    vertices = numpy.empty(len(mesh.vertices) * 3, numpy.float32)
    mesh.vertices.foreach_get("co", vertices)
    triangles = numpy.empty(count * 3, numpy.int32)
    mesh.loop_triangles.foreach_get("vertices", triangles)
    areas = None
    if slots:
        indices = numpy.empty(count, numpy.int32)
        mesh.loop_triangles.foreach_get("material_index", indices)
        areas = numpy.array(slots, numpy.uint8)[numpy.clip(indices, 0, len(slots) - 1)]
        if (areas == OWN_AREA).all():
            areas = None
    return Arrays(vertices, triangles, areas)
