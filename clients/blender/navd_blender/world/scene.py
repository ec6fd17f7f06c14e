# SPDX-License-Identifier: MIT
"""What of the scene is geometry: reads the evaluated objects and their instances. Main thread only, and it only reads.

An instance's id follows from names alone: the source's, the object's, and for what another object instances, that object's
and Blender's persistent id of the instance. So any client that reads the same scene comes to the same ids, and nothing has
to be stored in the file: an undo, a copy or a linked library cannot take an id away or double it. A rename is a new id at the
same place with the same mesh, for which no tile is generated.
"""
import math
import struct
from typing import Any, Dict, List, NamedTuple, Optional, Set, Tuple

import bpy
from mathutils import Vector
from navd.edits import object_id

from .heights import Heights
from .names import display_name
from .shapes import OWN_AREA, Shape, Shapes, Slots

GROUND, OBSTACLE = 63, 0
_TRANSFORM = struct.Struct("<12f")
_NO_INDEX = 2147483647


class Placed(NamedTuple):
    """An instance as the world shall have it."""
    shape: Shape
    transform: bytes  # 12 f32: three rows of four
    area: int
    name: str


class Filter(NamedTuple):
    """The panel's choice of what is geometry. Objects are named in full, with their library."""
    names: Optional[frozenset]  # the objects of a collection: only these; None: all
    kinds: frozenset  # types of objects
    instances: bool  # what particles, collections and geometry nodes place
    render_only: bool  # only what is rendered, too
    bounds: Optional[str]  # the object that bounds the mesh, which is not geometry itself


def area_of(settings: Any) -> int:
    """The area of an object's or a material's settings (properties.py); OWN_AREA: it has none of its own."""
    kind = settings.kind
    if kind == "AREA":
        return settings.area
    return OBSTACLE if kind == "OBSTACLE" else OWN_AREA


def transform_of(matrix: Any) -> Optional[bytes]:
    """None: it is not finite."""
    try:
        packed = _TRANSFORM.pack(*matrix[0], *matrix[1], *matrix[2])
    except OverflowError:
        return None
    return packed if all(map(math.isfinite, _TRANSFORM.unpack(packed))) else None


def slots_of(ob: Any) -> Slots:
    """The area of each material slot of an evaluated object; empty: none has one of its own."""
    slots = ob.material_slots
    if not slots:
        return ()
    areas = tuple(area_of(slot.material.original.navd) if slot.material else OWN_AREA for slot in slots)
    return areas if any(area != OWN_AREA for area in areas) else ()


def box_of(name: Optional[str]) -> Optional[Dict[str, Any]]:
    """An object's box along the world's axes, as put_volume takes it; None: there is no such object."""
    ob = bpy.data.objects.get(name) if name else None
    if ob is None:
        return None
    corners = [ob.matrix_world @ Vector(corner) for corner in ob.bound_box]
    if ob.type == "EMPTY":  # its box has no size
        size = ob.empty_display_size
        corners = [ob.matrix_world @ Vector((x, y, z)) for x in (-size, size) for y in (-size, size) for z in (-size, size)]
    low, high = ([pick(corner[axis] for corner in corners) for axis in range(3)] for pick in (min, max))
    if not all(map(math.isfinite, low + high)) or low[0] >= high[0] or low[1] >= high[1]:
        return None
    return {"points": [low[0], low[1], high[0], low[1], high[0], high[1], low[0], high[1]], "min_y": low[2], "max_y": high[2],
            "name": display_name(ob.name)}


class Reader:
    """Reads instances one by one, with the meshes that it has read before."""

    def __init__(self, source: str, unit_m: float) -> None:
        self.shapes = Shapes()
        self.heights = Heights(unit_m)
        self.instancing: Set[str] = set()  # objects that instance others, and those that are instanced; since clear()
        self.metaballs: Set[int] = set()  # addresses of the originals
        self._source = source
        self._ids: Dict[Any, int] = {}

    def id_of(self, key: str) -> int:
        number = self._ids.get(key)
        if number is None:
            number = self._ids[key] = object_id(key.encode("utf-8", "replace").decode(), self._source)
        return number

    def place(self, instance: Any, choice: Filter) -> List[Tuple[int, Placed]]:
        """One of depsgraph.object_instances, a height grid in blocks; empty: it is not geometry."""
        ob = instance.object
        name = ob.name_full
        if ob.type == "META":
            self.metaballs.add(ob.original.as_pointer())
        if not instance.is_instance:
            if ob.type != "MESH" or not instance.show_self:
                return []
            return self.place_object(ob, instance.matrix_world, choice)
        parent = instance.parent
        self.instancing.update((name, parent.name_full))
        if ob.type != "MESH":
            return []
        original, owner = ob.original, parent.original
        if owner == original and original.type != "MESH":  # the surface of a curve, a text, a metaball
            label = ob.name
        elif choice.instances:
            label = f"{owner.name} / {ob.name}"
        else:
            return []
        indices = ".".join(str(index) for index in instance.persistent_id if index != _NO_INDEX)
        return self._placed(ob, original, owner, instance.matrix_world, choice, f"{owner.name_full}\0{indices}\0{name}", label)

    def place_object(self, ob: Any, matrix: Any, choice: Filter) -> List[Tuple[int, Placed]]:
        """An evaluated object that is of type MESH and shown itself."""
        original = ob.original
        return self._placed(ob, original, original, matrix, choice, ob.name_full, ob.name)

    def _grid(self, key: str, ob: Any, matrix: Any) -> Any:
        """As Heights.blocks(). In edit mode the mesh is a shell around the one that is being edited, which a copy is made of."""
        if not ob.original.data.is_editmode:
            return self.heights.blocks(key, ob.data, matrix, slots_of(ob))
        mesh = ob.to_mesh()
        try:
            return self.heights.blocks(key, mesh, matrix, slots_of(ob)) if mesh else None
        finally:
            ob.to_mesh_clear()

    def _placed(self, ob: Any, original: Any, owner: Any, matrix: Any, choice: Filter, key: str, label: str) -> List[Tuple[int, Placed]]:
        settings = original.navd
        owner_name = owner.name_full
        if (settings.kind == "IGNORE" or owner.navd.kind == "IGNORE" or original.type not in choice.kinds
                or choice.names is not None and owner_name not in choice.names or choice.bounds == owner_name
                or choice.render_only and owner.hide_render):
            return []
        area = area_of(settings)
        area, name, first = GROUND if area == OWN_AREA else area, display_name(label), self.id_of(key)
        if settings.heights and area != OBSTACLE and original.type == "MESH":
            grid = self._grid(key, ob, matrix)
            transform = transform_of(grid[0]) if grid else None
            if grid and transform:
                return [((first + number) % 2**64, Placed(shape, transform, area, name)) for number, shape in enumerate(grid[1])]
        transform = transform_of(matrix)
        shape = self.shapes.get(ob, slots_of(ob)) if transform else None
        return [(first, Placed(shape, transform, area, name))] if shape and transform else []
