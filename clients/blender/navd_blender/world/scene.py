# SPDX-License-Identifier: MIT
"""What of the scene is geometry: reads the evaluated objects and their instances. Main thread only, and it only reads.

An instance's id follows from names alone: the source's, the object's, and for what another object instances, that object's
and Blender's persistent id of the instance. So any client that reads the same scene comes to the same ids, and nothing has
to be stored in the file: an undo, a copy or a linked library cannot take an id away or double it.
"""
import hashlib
import math
import struct
from typing import Any, Dict, NamedTuple, Optional, Tuple

from .names import display_name
from .shapes import OWN_AREA, Shape, Shapes

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
    """The panel's choice of what is geometry."""
    names: Optional[frozenset]  # full names of the objects of a collection: only these; None: all
    kinds: frozenset  # types of objects
    instances: bool  # what particles, collections and geometry nodes place
    render_only: bool  # only what is rendered, too
    bounds: Optional[str]  # full name of the object that bounds the mesh, which is not geometry itself


class Ids:
    """Ids of one source: the first 8 bytes of a hash of the names."""

    def __init__(self, source: str) -> None:
        self._prefix = source.encode("utf-8", "surrogateescape") + b"\0"
        self._known: Dict[Any, int] = {}

    def get(self, key: Any) -> int:
        number = self._known.get(key)
        if number is None:
            text = "\0".join(map(str, key)) if isinstance(key, tuple) else key
            digest = hashlib.blake2b(self._prefix + text.encode("utf-8", "surrogateescape"), digest_size=8).digest()
            number = self._known[key] = int.from_bytes(digest, "little")
        return number


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


def slots_of(ob: Any) -> Tuple[int, ...]:
    """The area of each material slot of an evaluated object; empty: none has one of its own."""
    slots = ob.material_slots
    if not slots:
        return ()
    areas = tuple(area_of(slot.material.original.navd) if slot.material else OWN_AREA for slot in slots)
    return areas if any(area != OWN_AREA for area in areas) else ()


def key_of(instance: Any) -> Any:
    ob = instance.object
    if not instance.is_instance:
        return ob.name_full
    indices = ".".join(str(index) for index in instance.persistent_id if index != _NO_INDEX)
    return (instance.parent.name_full, indices, ob.name_full)


class Reader:
    """Reads instances one by one, with the meshes that it has read before."""

    def __init__(self, source: str) -> None:
        self.ids = Ids(source)
        self.shapes = Shapes()

    def place(self, instance: Any, choice: Filter) -> Optional[Tuple[int, Placed]]:
        """One of depsgraph.object_instances; None: it is not geometry."""
        ob = instance.object
        if ob.type != "MESH":
            return None
        original = ob.original
        settings = original.navd
        if settings.kind == "IGNORE" or original.type not in choice.kinds:
            return None
        if instance.is_instance:
            owner = instance.parent.original
            if not choice.instances or owner.navd.kind == "IGNORE":
                return None
        else:
            owner = original
            if not instance.show_self:
                return None
        if choice.names is not None and owner.name_full not in choice.names or choice.bounds == owner.name_full:
            return None
        if choice.render_only and owner.hide_render:
            return None
        transform = transform_of(instance.matrix_world)
        if transform is None:
            return None
        shape = self.shapes.get(ob, slots_of(ob))
        if shape is None:
            return None
        area = area_of(settings)
        name = ob.name if not instance.is_instance else f"{owner.name} / {ob.name}"
        return self.ids.get(key_of(instance)), Placed(shape, transform, GROUND if area == OWN_AREA else area, display_name(name))
