"""Bake and export without a window: Detour's file has navctl's bytes, glTF has the mesh's triangles, the object its areas."""
import json
import os
import struct
import subprocess
import sys
import tempfile

import bpy
import numpy

sys.path.insert(0, os.path.dirname(__file__))
import harness  # noqa: E402
from live import Live  # noqa: E402

harness.install()
from navd_blender.overlay import manager  # noqa: E402

folder = tempfile.mkdtemp()
bpy.ops.mesh.primitive_plane_add(size=60)
bpy.ops.mesh.primitive_plane_add(size=12, location=(-20, -20, 3))
road = bpy.context.object
road.name = "Road"
road.navd.kind, road.navd.area = "AREA", 7
live = Live("export")
live.settle()
live.call("world.areas", areas=[{"id": 7, "name": "road", "color": 0x3366cc}])

# Detour's file is navctl's, byte for byte, also right after a move that nobody has waited for.
bpy.data.objects["Cube"].scale = (4, 4, 4)
bpy.data.objects["Cube"].location = (8, 3, 0)
bpy.context.view_layer.update()
ours, theirs = os.path.join(folder, "ours.bin"), os.path.join(folder, "theirs.bin")
assert bpy.ops.navd.export_detour(filepath=ours) == {"FINISHED"}
subprocess.run([os.environ["NAVCTL"], "watch", "--world", "export", "--profile", "human", "--once", "-o", theirs], check=True,
               stdout=subprocess.DEVNULL)
with open(ours, "rb") as one, open(theirs, "rb") as other:
    assert one.read() == other.read(), f"{ours} and {theirs} differ"
tiles = struct.unpack_from("<I", open(ours, "rb").read(), 8)[0]
assert tiles >= 25, tiles

# Bake saves where the scene says; a path beside a file that was never saved is refused.
try:
    bpy.ops.navd.bake()
    raise AssertionError("Bake wrote beside a file that does not exist")
except RuntimeError as error:
    assert "Save the file first" in str(error), error
bpy.context.scene.navd_bake.path = os.path.join(folder, "baked.bin")
assert bpy.ops.navd.bake() == {"FINISHED"}
assert open(os.path.join(folder, "baked.bin"), "rb").read() == open(ours, "rb").read()
try:
    bpy.ops.navd.export_detour(filepath=os.path.join(folder, "absent", "x.bin"))
    raise AssertionError("a folder that does not exist was written to")
except RuntimeError as error:
    assert "no such folder" in str(error), error

# glTF: Blender's own importer reads it, and finds the same ground.
path = os.path.join(folder, "mesh.glb")
assert bpy.ops.navd.export_gltf(filepath=path) == {"FINISHED"}
data = open(path, "rb").read()
document = json.loads(data[20:20 + struct.unpack_from("<I", data, 12)[0]])
assert [material["name"] for material in document["materials"]] == ["road", "ground"], document["materials"]


def area_m2(ob):
    """By material, seen from above."""
    mesh, found = ob.data, {}
    mesh.calc_loop_triangles()
    for triangle in mesh.loop_triangles:
        a, b, c = (ob.matrix_world @ mesh.vertices[at].co for at in triangle.vertices)
        name = mesh.materials[triangle.material_index].name.split(".")[0].removeprefix("navd ")
        found[name] = found.get(name, 0.0) + (b - a).cross(c - a).z / 2
    return found


# The object: every triangle looks up, each area is a material, and it is no geometry itself.
expected = {}
for tile in manager.model.chunks.tiles.values():
    a, b, c = (tile.positions[tile.triangles[:, corner]].astype("f8") for corner in range(3))
    sizes = abs(numpy.cross(b - a, c - a)[:, 1]) / 2
    for size, look in zip(sizes, tile.looks[tile.triangles[:, 0]]):
        name = {7: "road", 63: "ground"}[int(look)]
        expected[name] = expected.get(name, 0.0) + float(size)
revision = live.call("jobs.wait")["revision"]
assert bpy.ops.navd.to_mesh() == {"FINISHED"}
made = bpy.context.object
assert made.navd.kind == "IGNORE" and not made.data.validate()
found = area_m2(made)
assert found.keys() == expected.keys() == {"road", "ground"}, (found, expected)
for name, size in expected.items():
    assert abs(found[name] - size) < 1e-3 * size, (name, found, expected)
bounds = numpy.array([made.matrix_world @ vertex.co for vertex in made.data.vertices])
assert (abs(bounds[:, :2]) <= 30).all() and bounds[:, 2].max() > 2.9, (bounds.min(axis=0), bounds.max(axis=0))
live.settle()
assert live.call("jobs.wait")["revision"] == revision, "the object went to the world"

made.hide_set(True)
numpy.bool = bool  # the importer of Debian's Blender is older than its numpy
bpy.ops.import_scene.gltf(filepath=path)
read = area_m2(next(ob for ob in bpy.context.selected_objects if ob.type == "MESH"))
for name, size in expected.items():
    assert abs(read[name] - size) < 1e-3 * size, (name, read, expected)
print(f"ok: {tiles} tiles, {len(data)} bytes of glTF")
