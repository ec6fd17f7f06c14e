"""Meshes as the daemon takes them: one string of bytes, named by its hash (docs/protocol/meshes.md)."""

import hashlib
from array import array
from typing import Any, List, NamedTuple, Optional

from . import optional
from .errors import NavdError

OWN_AREA = 255  # of a triangle: the area of the instance that shows it


class Mesh(NamedTuple):
    """A mesh in the form in which it travels."""

    vertices: int
    triangles: int
    has_areas: bool
    data: bytes  # three float32 for each vertex, three uint32 for each triangle, one byte of area for each triangle
    sha256: bytes  # of data, 32 bytes
    heights: int = 0  # bits of a sample where it is a height grid (navd.heights), whose samples count as vertices


def pack(vertices: Any, faces: Any = None, areas: Any = None) -> Mesh:
    """Makes a Mesh.

    vertices: rows x, y, z (numpy or any sequence), or anything with `.vertices` and `.faces` (and `.areas`), such as a trimesh.
    faces: rows of three or more vertex indices, anticlockwise seen from the front; more than three make a fan.
    areas: for each face 0 to 63, or OWN_AREA; None: the area of the instance.
    Raises NavdError "argument".
    """
    if faces is None:
        if isinstance(vertices, Mesh):
            return vertices
        if not (hasattr(vertices, "vertices") and hasattr(vertices, "faces")):
            raise NavdError("argument", f"a {type(vertices).__name__} is no mesh: it has no vertices and faces")
        if areas is None:
            areas = getattr(vertices, "areas", None)
        vertices, faces = vertices.vertices, vertices.faces
    packed = None
    if optional.numpy is not None:
        packed = _pack_arrays(optional.numpy, vertices, faces, areas)
    return packed or _pack_lists(vertices, faces, areas)


def make_mesh(vertices: int, triangles: int, has_areas: bool, data: bytes, heights: int = 0) -> Mesh:
    """A Mesh of bytes that are as they travel."""
    return Mesh(vertices, triangles, has_areas, data, hashlib.sha256(data).digest(), heights)


def _pack_arrays(numpy: Any, vertices: Any, faces: Any, areas: Any) -> Optional[Mesh]:
    try:
        points = numpy.ascontiguousarray(vertices, "<f4").reshape(-1, 3) if len(vertices) else numpy.empty((0, 3), "<f4")
        corners = numpy.asarray(faces)
        if not len(corners):
            corners = numpy.empty((0, 3), "<u4")
    except (TypeError, ValueError):
        return None  # the other way knows what is wrong, or faces of several sizes
    if corners.ndim != 2 or corners.shape[1] < 3 or corners.dtype.kind not in "iu":
        return None
    if numpy.shape(vertices)[1:] not in ((), (3,)) or (len(points) and numpy.shape(vertices)[1:] != (3,)):
        return None
    if len(corners) and (corners.min() < 0 or corners.max() >= max(len(points), 1)):
        return None
    fans = corners.shape[1] - 2
    triangles = numpy.empty((len(corners), fans, 3), "<u4")
    for fan in range(fans):
        triangles[:, fan] = corners[:, (0, fan + 1, fan + 2)]
    parts = [points.tobytes(), triangles.tobytes()]
    if areas is not None:
        kinds = numpy.asarray(areas)
        if kinds.shape != (len(corners),) or kinds.dtype.kind not in "iu":
            return None
        if len(kinds) and not ((kinds >= 0) & ((kinds < 64) | (kinds == OWN_AREA))).all():
            return None
        parts.append(numpy.repeat(kinds.astype("u1"), fans).tobytes())
    return make_mesh(len(points), len(corners) * fans, areas is not None, b"".join(parts))


def _pack_lists(vertices: Any, faces: Any, areas: Any) -> Mesh:
    points, corners, kinds = array("f"), array("I"), bytearray()
    count = 0
    for at, vertex in enumerate(vertices):
        try:
            x, y, z = vertex
            points.extend((float(x), float(y), float(z)))
        except (TypeError, ValueError, OverflowError) as error:
            raise NavdError("argument", f"vertices[{at}]: {vertex!r}, expected three numbers") from error
        count += 1
    of_faces: Optional[List[Any]] = None
    if areas is not None:
        of_faces = list(areas)
        if len(of_faces) != len(faces):
            raise NavdError("argument", f"areas: {len(of_faces)} of them for {len(faces)} faces")
    for at, face in enumerate(faces):
        try:
            ring = [int(corner) for corner in face]
        except (TypeError, ValueError) as error:
            raise NavdError("argument", f"faces[{at}]: {face!r}, expected vertex indices") from error
        if len(ring) < 3 or min(ring) < 0 or max(ring) >= count:
            raise NavdError("argument", f"faces[{at}]: {ring}, expected three or more of the {count} vertices")
        for second in range(1, len(ring) - 1):
            corners.extend((ring[0], ring[second], ring[second + 1]))
        if of_faces is not None:
            area = of_faces[at]
            if not (isinstance(area, int) or hasattr(area, "__index__")) or not (0 <= int(area) < 64 or int(area) == OWN_AREA):
                raise NavdError("argument", f"areas[{at}]: {area!r}, expected 0 to 63, or {OWN_AREA} for the instance's")
            kinds += bytes([int(area)]) * (len(ring) - 2)
    if array("I").itemsize != 4:
        raise NavdError("internal", "this Python has no array of 32-bit integers; install numpy")
    _to_little_endian(points, corners)
    return make_mesh(count, len(corners) // 3, areas is not None, points.tobytes() + corners.tobytes() + bytes(kinds))


def _to_little_endian(*arrays: "array[Any]") -> None:
    import sys

    if sys.byteorder == "big":
        for numbers in arrays:
            numbers.byteswap()
