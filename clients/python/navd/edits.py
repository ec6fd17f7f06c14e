"""Edits of a world, collected before they are sent, and what they are made of (docs/protocol/edits.md)."""

import hashlib
import struct
from typing import Any, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Union

from .errors import NavdError
from .heights import Terrain
from .mesh import Mesh, pack

Map = Dict[str, Any]
Id = Union[int, str]  # a number of the caller's, or a name from which one is made


def object_id(name: str, source: str = "") -> int:
    """The u64 that stands for a name: the first 8 bytes of the SHA-256 of the source, a zero byte and the name."""
    return int.from_bytes(hashlib.sha256(source.encode() + b"\0" + name.encode()).digest()[:8], "little")


def id_of(given: Id, source: str = "") -> int:
    """The number of an object that is given by number, or by its name in a source. Two sources may use the same names."""
    if isinstance(given, str):
        return object_id(given, source)
    try:
        return int(given.__index__())
    except AttributeError:
        raise NavdError("argument", f"id: {given!r}, expected a number or a name") from None


def transform_of(
    matrix: Any = None,
    at: Optional[Sequence[float]] = None,
    rotation: Optional[Sequence[float]] = None,
    scale: Union[float, Sequence[float]] = 1.0,
) -> bytes:
    """Where an object stands, as 12 little-endian float32: three rows of four, p' = R p + t.

    matrix: 12 numbers, or rows: 3 or 4 of 4 numbers (nested sequences, numpy, a mathutils.Matrix). Or, instead,
    at: x, y, z. rotation: a quaternion x, y, z, w, of any length above 0. scale: a number, or one for each axis.
    """
    if matrix is None:
        numbers = _from_parts(at or (0, 0, 0), rotation or (0, 0, 0, 1), scale)
    elif at is not None or rotation is not None or scale != 1.0:
        raise NavdError("argument", "transform: give a matrix, or at, rotation and scale")
    elif isinstance(matrix, (bytes, bytearray, memoryview)):
        if len(matrix) != 48:
            raise NavdError("argument", f"transform: {len(matrix)} bytes, expected 48")
        return bytes(matrix)
    else:
        try:
            numbers = _from_rows(matrix)
        except (TypeError, ValueError) as error:
            raise NavdError("argument", f"transform: {matrix!r}, expected 12 numbers or 3 or 4 rows of 4") from error
    try:
        return struct.pack("<12f", *numbers)
    except (OverflowError, struct.error) as error:
        raise NavdError("argument", f"transform: {numbers!r}: {error}") from error


def _from_rows(matrix: Any) -> List[float]:
    rows = list(matrix)
    if len(rows) == 12:
        return [float(number) for number in rows]
    numbers = [float(number) for row in rows for number in row]
    if len(rows) not in (3, 4) or len(numbers) != 4 * len(rows):
        raise ValueError("shape")
    if len(rows) == 4 and any(abs(got - wanted) > 1e-6 for got, wanted in zip(numbers[12:], (0, 0, 0, 1))):
        raise ValueError("the last row is not 0 0 0 1")
    return numbers[:12]


def _from_parts(at: Any, rotation: Any, scale: Any) -> List[float]:
    try:
        tx, ty, tz = (float(number) for number in at)
        x, y, z, w = (float(number) for number in rotation)
        sx, sy, sz = (float(scale),) * 3 if isinstance(scale, (int, float)) else (float(number) for number in scale)
        size = x * x + y * y + z * z + w * w
        double = 2.0 / size
    except (TypeError, ValueError, ZeroDivisionError) as error:
        raise NavdError("argument", f"at {at!r}, rotation {rotation!r}, scale {scale!r}: {error}") from error
    return [
        (1 - double * (y * y + z * z)) * sx, double * (x * y - z * w) * sy, double * (x * z + y * w) * sz, tx,
        double * (x * y + z * w) * sx, (1 - double * (x * x + z * z)) * sy, double * (y * z - x * w) * sz, ty,
        double * (x * z - y * w) * sx, double * (y * z + x * w) * sy, (1 - double * (x * x + y * y)) * sz, tz,
    ]  # fmt: skip


class EditResult(NamedTuple):
    """revision: of the world with this edit. dirty_tiles: that it touches, in all profiles. durable: it is on disk."""

    revision: int
    dirty_tiles: int
    durable: bool


class SyncResult(NamedTuple):
    """What world.sync changed, or would change (docs/protocol/sources.md). The counts are instances."""

    revision: int
    dirty_tiles: int
    durable: bool
    applied: bool
    added: int
    changed: int
    moved: int
    renamed: int
    removed: int
    unchanged: int


class Instance(NamedTuple):
    """One entry of a source's list. mesh: a Mesh, a key, or anything that navd.mesh.pack() takes. transform: as transform_of()
    takes it; None: where the mesh is. area: 0 to 63; 0 is an obstacle."""

    id: Id
    mesh: Any
    transform: Any = None
    area: int = 63
    name: str = ""


class Edit:
    """Operations that are applied together, in order, all or none. Each method returns the edit, so they can be chained."""

    def __init__(self, source: str = "") -> None:
        """source: who owns what is put (docs/protocol/sources.md), and whose names are meant."""
        self.ops: List[Map] = []
        self.meshes: List[Optional[Mesh]] = []  # of each operation whose mesh is not a key yet
        self.source = source

    def __len__(self) -> int:
        return len(self.ops)

    def _add(self, op: str, keys: Mapping[str, Any], mesh: Optional[Mesh] = None) -> "Edit":
        self.ops.append({"op": op, **{key: value for key, value in keys.items() if value is not None}})
        self.meshes.append(mesh)
        return self

    def _named(self, given: Id, name: Optional[str]) -> Map:
        shown = name if name is not None else given if isinstance(given, str) else None
        return {"id": id_of(given, self.source), "name": shown or None, "source": self.source or None}

    def put(
        self,
        id: Id,
        mesh: Any,
        matrix: Any = None,
        *,
        at: Optional[Sequence[float]] = None,
        rotation: Optional[Sequence[float]] = None,
        scale: Union[float, Sequence[float]] = 1.0,
        area: int = 63,
        name: Optional[str] = None,
    ) -> "Edit":
        """Places a mesh: a key, a Mesh, or anything that navd.mesh.pack() takes; replaces the instance with this id."""
        keys = {**self._named(id, name), "transform": transform_of(matrix, at, rotation, scale), "area": area}
        if isinstance(mesh, (bytes, bytearray)):
            return self._add("put_instance", {**keys, "mesh": bytes(mesh)})
        return self._add("put_instance", keys, pack(mesh))

    def move(
        self,
        id: Id,
        matrix: Any = None,
        *,
        at: Optional[Sequence[float]] = None,
        rotation: Optional[Sequence[float]] = None,
        scale: Union[float, Sequence[float]] = 1.0,
    ) -> "Edit":
        """Gives an instance another transform, as transform_of() takes it: all of it, not only what is given."""
        return self._add("move_instance", {"id": id_of(id, self.source), "transform": transform_of(matrix, at, rotation, scale)})

    def remove(self, id: Id) -> "Edit":
        """Removes an instance."""
        return self._add("remove_instance", {"id": id_of(id, self.source)})

    def put_terrain(
        self,
        id: Id,
        terrain: Terrain,
        matrix: Any = None,
        *,
        at: Optional[Sequence[float]] = None,
        area: int = 63,
        name: Optional[str] = None,
    ) -> "Edit":
        """Places a terrain. Its blocks are instances of their own, whose ids follow each other from this one on. matrix: as put() has
        it; where it does not just move, tiles take longer."""
        first = id_of(id, self.source)
        shown = name if name is not None else id if isinstance(id, str) else None
        for block, mesh in enumerate(terrain.blocks()):
            self.put(_block_id(first, block), mesh, matrix, at=at, area=area, name=shown)
        return self

    def patch_terrain(
        self, id: Id, terrain: Terrain, column: int, row: int, samples: Any, areas: Any = None, *, columns: Optional[int] = None
    ) -> "Edit":
        """A brush stroke: other samples in a rectangle whose first is (column, row), as Terrain.patch() takes them."""
        first = id_of(id, self.source)
        for part in terrain.patch(column, row, samples, areas, columns=columns):
            block, *keys = part
            names = ("column", "row", "columns", "rows", "samples", "areas")
            self._add("patch_heights", {"id": _block_id(first, block), **dict(zip(names, keys))})
        return self

    def remove_terrain(self, id: Id, terrain: Terrain) -> "Edit":
        """Removes all blocks of a terrain."""
        first = id_of(id, self.source)
        for block in range(terrain.block_count):
            self._add("remove_instance", {"id": _block_id(first, block)})
        return self

    def put_volume(
        self,
        id: Id,
        points: Sequence[Sequence[float]],
        min_y: float,
        max_y: float,
        area: Optional[int] = None,
        *,
        include: bool = False,
        name: Optional[str] = None,
    ) -> "Edit":
        """A prism over a convex polygon (pairs x z) that marks ground as an area, blocks it (area 0), or includes it."""
        flat = [float(number) for point in points for number in point]
        keys = {"points": flat, "min_y": float(min_y), "max_y": float(max_y), "area": area, "include": include or None}
        return self._add("put_volume", {**self._named(id, name), **keys})

    def remove_volume(self, id: Id) -> "Edit":
        return self._add("remove_volume", {"id": id_of(id, self.source)})

    def put_link(
        self,
        id: int,
        start: Sequence[float],
        end: Sequence[float],
        radius_m: float,
        *,
        area: int = 63,
        both_ways: bool = False,
        flags: int = 1,
        name: Optional[str] = None,
    ) -> "Edit":
        """A way that is not on the ground. id: a u32."""
        keys = {
            "start": [float(number) for number in start],
            "end": [float(number) for number in end],
            "radius_m": float(radius_m),
            "area": area,
            "both_ways": both_ways,
            "flags": flags,
        }
        return self._add("put_link", {**self._named(id, name), **keys})

    def remove_link(self, id: int) -> "Edit":
        return self._add("remove_link", {"id": id_of(id, self.source)})

    def dirty(self, min: Sequence[float], max: Sequence[float]) -> "Edit":
        """Rebuilds the tiles of a rectangle; min, max: x z."""
        return self._add("dirty", {"min": [float(n) for n in min], "max": [float(n) for n in max]})

    def set_areas(self, areas: Sequence[Mapping[str, Any]]) -> "Edit":
        """Replaces the table of areas."""
        return self._add("set_areas", {"areas": [dict(area) for area in areas]})

    def set_reach(
        self, unreachable: str, seeds: Sequence[Sequence[float]] = (), island_min_area_m2: float = 0.0
    ) -> "Edit":
        """What shall be reachable. unreachable: "keep", "flag" or "drop"."""
        reach: Map = {"unreachable": unreachable, "island_min_area_m2": float(island_min_area_m2)}
        reach["seeds"] = [[float(number) for number in seed] for seed in seeds]
        return self._add("set_reach", {"reach": reach})

    def set_build(self, build: str, margin_m: float = 0.0) -> "Edit":
        """What is built: "all" or "watched"."""
        return self._add("set_build", {"build": build, "margin_m": float(margin_m)})


def _block_id(first: int, block: int) -> int:
    return (first + block) % (1 << 64)


def sync_parts(instances: Sequence[Instance], keys: Sequence[bytes], source: str, most_bytes: int) -> Iterator[Map]:
    """The list of a source in columns, as world.sync takes it, in parts of at most most_bytes; at least one part."""
    ids = [struct.pack("<Q", id_of(instance.id, source)) for instance in instances]
    transforms = [transform_of(instance.transform) for instance in instances]
    areas = bytes(_area(instance.area) for instance in instances)
    names = [_name(instance) for instance in instances]
    named = any(len(name) > 1 for name in names)
    first = 0
    while True:
        end, size = first, 0
        while end < len(ids) and (end == first or size + 73 + len(names[end]) <= most_bytes):
            size += 73 + len(names[end])
            end += 1
        part: Map = {
            "offset": first,
            "more": end < len(ids),
            "ids": b"".join(ids[first:end]),
            "meshes": b"".join(keys[first:end]),
            "transforms": b"".join(transforms[first:end]),
            "areas": areas[first:end],
        }
        if named:
            part["names"] = b"".join(names[first:end])
        yield part
        first = end
        if first == len(ids):
            return


def _area(area: int) -> int:
    if not 0 <= area <= 63:
        raise NavdError("argument", f"area: {area}, expected an integer from 0 to 63")
    return area


def _name(instance: Instance) -> bytes:
    text = instance.name or (instance.id if isinstance(instance.id, str) else "")
    name = text.encode()
    if len(name) > 200:
        raise NavdError("argument", f"name: {text!r} has more than 200 bytes")
    return bytes([len(name)]) + name
