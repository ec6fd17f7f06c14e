# SPDX-License-Identifier: MIT
"""Meshes of evaluated objects as arrays, read once for as long as they stay as they are. Main thread only.

Blender shares one evaluated mesh between linked duplicates, so its address is what a mesh is looked up by. As an address may be
used again for another mesh, each entry also has the age at which it was read: one that is older than the last change of
the object that asks for it does not count.

A large mesh is read in steps of some milliseconds: get() raises Unfinished until the last one is done.
"""
import itertools
import operator
import time
from typing import Any, Dict, NamedTuple, Optional, Set, Tuple

import numpy

OWN_AREA = 255  # of a triangle: the area of the instance that shows it
_AT_ONCE = 8192  # triangles that are read in one go, in two milliseconds; in slices it takes nearly twice as long
_SLICE = 2048
STEP_S = 0.006  # of a large mesh: longer than other steps, as thousands of short ones would take long

Slots = Tuple[int, ...]


class Arrays(NamedTuple):
    """A mesh as it will be sent."""
    vertices: Any  # float32, three for each
    triangles: Any  # int32, three for each
    areas: Any  # uint8 for each triangle; None: all have the instance's area


class Unfinished(Exception):
    """A large mesh is read in part. The next step goes on with it."""


class Shape:
    """A mesh that was read. Compared by identity: what the same bytes have in common is found on the link's thread.

    arrays: until the thread has taken them
    grid: of a block of a height grid (world.heights), which has no arrays; it never changes
    digest: the thread's (world.publish)
    """
    __slots__ = ("arrays", "grid", "digest")

    def __init__(self, arrays: Optional[Arrays], grid: Any = None) -> None:
        self.arrays: Optional[Arrays] = arrays
        self.grid = grid
        self.digest: Optional[bytes] = None


class Shapes:
    def __init__(self) -> None:
        self._read: Dict[Tuple[int, Slots], Tuple[Optional[Shape], int]] = {}
        self._age = 1  # rises with each change
        self._oldest = 0  # what was read before does not count
        self._changed: Dict[int, int] = {}  # by the original object's address, which a rename keeps: the age of its last change
        self._used: Optional[Set[Tuple[int, Slots]]] = None
        self._begun: Dict[Tuple[int, Slots], _Reading] = {}

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
        self._begun.clear()

    def get(self, ob: Any, slots: Slots) -> Optional[Shape]:
        """The mesh of an evaluated object of type MESH; None: it has no triangles. Raises Unfinished."""
        key = (ob.data.as_pointer(), slots)
        if self._used is not None:
            self._used.add(key)
        valid = max(self._oldest, self._changed.get(ob.original.as_pointer(), 0))
        found = self._read.get(key)
        if found and found[1] >= valid:
            return found[0]
        age = self._age
        if _is_edited(ob):
            arrays = _edited(ob, slots)
        else:
            begun = self._begun.get(key)
            if begun is None or begun.age < valid or not begun.fits(ob.data):
                begun = self._begun[key] = _Reading(ob.data, slots, age)
            if not begun.go_on(ob.data):
                raise Unfinished
            arrays, age = begun.arrays(), begun.age
            del self._begun[key]
        shape = Shape(arrays) if arrays else None
        self._read[key] = (shape, age)
        return shape

    def begin_pass(self) -> None:
        self._used = set()

    def end_pass(self) -> None:
        """Forgets what was not asked for since begin_pass()."""
        used, self._used = self._used, None
        if used is not None:
            self._read = {key: found for key, found in self._read.items() if key in used}
            self._begun = {key: begun for key, begun in self._begun.items() if key in used}


def _is_edited(ob: Any) -> bool:
    return ob.original.type == "MESH" and ob.original.data.is_editmode


def _edited(ob: Any, slots: Slots) -> Optional[Arrays]:
    """In edit mode the evaluated mesh is a shell around the mesh that is being edited, which a copy is made of."""
    mesh = ob.to_mesh()
    try:
        return read(mesh, slots) if mesh else None
    finally:
        ob.to_mesh_clear()


def read(mesh: Any, slots: Slots) -> Optional[Arrays]:
    """slots: the area of each material slot, OWN_AREA for none; empty: no material has one. None: there is no triangle."""
    reading = _Reading(mesh, slots, 0)
    while not reading.go_on(mesh):
        pass
    return reading.arrays()


class _Reading:
    """A mesh of which some triangles are read. It holds nothing of Blender's: the mesh is handed in each time."""

    def __init__(self, mesh: Any, slots: Slots, age: int) -> None:
        self.age = age
        self._slots, self._at = slots, 0
        self._count = self._size(mesh)
        vertices, triangles = self._count
        self._vertices = numpy.empty(vertices * 3, numpy.float32)
        self._triangles = numpy.empty(triangles * 3, numpy.int32)
        self._materials = numpy.empty(triangles if slots else 0, numpy.int32)
        self._begun = False

    @staticmethod
    def _size(mesh: Any) -> Tuple[int, int]:
        mesh.calc_loop_triangles()  # nothing, where Blender has them already
        return len(mesh.vertices), len(mesh.loop_triangles)

    def fits(self, mesh: Any) -> bool:
        return self._size(mesh) == self._count

    def go_on(self, mesh: Any) -> bool:
        """Reads for STEP_S, one slice at least. True: all is read."""
        count, triangles, end = self._count[1], mesh.loop_triangles, time.perf_counter() + STEP_S
        if not self._begun:
            self._begun = True
            mesh.vertices.foreach_get("co", self._vertices)  # quick: 10 ms for a million
            if count > _AT_ONCE:
                return False
            triangles.foreach_get("vertices", self._triangles)
            if self._slots:
                triangles.foreach_get("material_index", self._materials)
            return True
        while self._at < count:
            after = min(self._at + _SLICE, count)
            part = triangles[self._at:after]
            self._triangles[3 * self._at:3 * after] = numpy.fromiter(
                itertools.chain.from_iterable(map(_VERTICES, part)), numpy.int32, 3 * len(part))
            if self._slots:
                self._materials[self._at:after] = numpy.fromiter(map(_MATERIAL, part), numpy.int32, len(part))
            self._at = after
            if time.perf_counter() >= end:
                break
        return self._at == count

    def arrays(self) -> Optional[Arrays]:
        if not self._count[1]:
            return None
        areas = None
        if self._slots:
            areas = numpy.array(self._slots, numpy.uint8)[numpy.clip(self._materials, 0, len(self._slots) - 1)]
            if (areas == OWN_AREA).all():
                areas = None
        return Arrays(self._vertices, self._triangles, areas)


_VERTICES, _MATERIAL = operator.attrgetter("vertices"), operator.attrgetter("material_index")
