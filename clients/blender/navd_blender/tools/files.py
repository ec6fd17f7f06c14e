# SPDX-License-Identifier: MIT
"""The bytes of exported files. Without bpy."""
import json
import struct
from typing import Dict, Iterable, List, Sequence, Tuple

import numpy

MSET_MAGIC, MSET_VERSION, REFERENCE_BITS = 0x4D534554, 1, 22


def mset(tiles: Sequence[bytes], origin: Sequence[float], side: float) -> bytes:
    """Detour's multi-tile file (docs/formats.md#the-multi-tile-file-mset), the same bytes as navctl's.

    tiles: Detour tiles. side: of a tile, metres. Raises ValueError with a sentence for a person.
    """
    if not tiles:
        raise ValueError("No tile has walkable ground, and a Detour file needs at least one tile")
    heads = [struct.unpack_from("<4s5ii", tile) for tile in tiles]  # magic, version, x, z, layer, user id, polygons
    tile_bits = (len(tiles) - 1).bit_length()
    most = max(head[6] for head in heads)
    poly_bits = max(most - 1, 0).bit_length()
    if tile_bits + poly_bits > REFERENCE_BITS:
        raise ValueError(f"{len(tiles)} tiles, and {most} polygons in the largest, do not fit into Detour's 32-bit references: "
                         "choose larger tiles (fewer) or smaller ones (less in each)")
    polys = 1 << (REFERENCE_BITS - tile_bits)
    out = [struct.pack("<IIi3fffii", MSET_MAGIC, MSET_VERSION, len(tiles), *origin, side, side, 1 << tile_bits, polys)]
    order = sorted(range(len(tiles)), key=lambda at: (heads[at][3], heads[at][2]))
    for index, at in enumerate(order):
        out.append(struct.pack("<Ii", 1 << REFERENCE_BITS | index * polys, len(tiles[at])))
        out.append(tiles[at])
    return b"".join(out)


class Part:
    """The ground of one area: positions f32 (N, 3) in metres with Y up, triangles (T, 3), counter-clockwise from above."""

    def __init__(self, area: int, name: str, color: Tuple[int, int, int], positions: numpy.ndarray, triangles: numpy.ndarray):
        self.area, self.name, self.color, self.positions, self.triangles = area, name, color, positions, triangles


def parts(tiles: Iterable, areas: Dict[int, dict], color_of) -> List[Part]:
    """The triangles of many tiles (overlay.geometry.TileGeometry) by area, with equal positions joined across tiles."""
    tiles = [tile for tile in tiles if len(tile.positions)]
    if not tiles:
        return []
    counts = [len(tile.positions) for tile in tiles]
    first = numpy.concatenate(([0], numpy.cumsum(counts)[:-1]))
    positions = numpy.concatenate([tile.positions for tile in tiles])
    looks = numpy.concatenate([tile.looks for tile in tiles]) & 63
    triangles = numpy.concatenate([tile.triangles + start for tile, start in zip(tiles, first)])
    made = []
    for area in numpy.unique(looks[triangles[:, 0]]).tolist():
        corners = positions[triangles[looks[triangles[:, 0]] == area].ravel()]
        points, indices = numpy.unique(corners, axis=0, return_inverse=True)
        name = areas.get(area, {}).get("name") or ("ground" if area == 63 else f"area {area}")
        made.append(Part(area, name, color_of(area, areas), points.astype("f4"), upward(points, indices.reshape(-1, 3))))
    return made


def upward(positions: numpy.ndarray, triangles: numpy.ndarray) -> numpy.ndarray:
    """The triangles without those that have no area, each turned so that its normal points up (Y)."""
    a, b, c = (positions[triangles[:, corner]].astype("f8") for corner in range(3))
    normal = numpy.cross(b - a, c - a)
    kept = (normal != 0).any(axis=1)
    triangles = numpy.where((normal[:, 1] < 0)[:, None], triangles[:, ::-1], triangles)
    return triangles[kept]


def glb(meshes: Sequence[Part], name: str) -> bytes:
    """A binary glTF 2.0 file: one mesh with one primitive and one material for each area."""
    if not meshes:
        raise ValueError("No tile has walkable ground: there is nothing to export")
    blob = bytearray()
    views, accessors, primitives, materials = [], [], [], []
    for number, part in enumerate(meshes):
        for data, target in ((part.positions.astype("<f4").tobytes(), 34962), (part.triangles.astype("<u4").tobytes(), 34963)):
            views.append({"buffer": 0, "byteOffset": len(blob), "byteLength": len(data), "target": target})
            blob += data
        accessors.append({"bufferView": 2 * number, "componentType": 5126, "count": len(part.positions), "type": "VEC3",
                          "min": part.positions.min(axis=0).tolist(), "max": part.positions.max(axis=0).tolist()})
        accessors.append({"bufferView": 2 * number + 1, "componentType": 5125, "count": part.triangles.size, "type": "SCALAR"})
        primitives.append({"attributes": {"POSITION": 2 * number}, "indices": 2 * number + 1, "material": number})
        linear = [round((channel / 255) ** 2.2, 6) for channel in part.color]
        materials.append({"name": part.name, "doubleSided": True, "extras": {"area": part.area},
                          "pbrMetallicRoughness": {"baseColorFactor": [*linear, 1.0], "metallicFactor": 0, "roughnessFactor": 1}})
    document = {"asset": {"version": "2.0", "generator": "navd"}, "scene": 0, "scenes": [{"nodes": [0]}],
                "nodes": [{"mesh": 0, "name": name}], "meshes": [{"name": name, "primitives": primitives}], "materials": materials,
                "accessors": accessors, "bufferViews": views, "buffers": [{"byteLength": len(blob)}]}
    text = json.dumps(document, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    return (struct.pack("<4sII", b"glTF", 2, 12 + 8 + len(text) + 8 + len(blob)) + struct.pack("<I4s", len(text), b"JSON") + text
            + struct.pack("<I4s", len(blob), b"BIN\0") + bytes(blob))
