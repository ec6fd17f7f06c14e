"""A lattice as a height grid: the tiles of its triangles, strokes as rectangles of samples, and what is no lattice."""
import os
import sys

import bpy
import numpy

sys.path.insert(0, os.path.dirname(__file__))
import harness  # noqa: E402
from live import Fresh, Live, Tiles, bytes_of, objects_of  # noqa: E402

SIDE = 130  # cells; three by three blocks

harness.install()
bpy.data.objects.remove(bpy.data.objects["Cube"])
bpy.ops.mesh.primitive_grid_add(x_subdivisions=SIDE, y_subdivisions=SIDE, size=SIDE / 4, location=(3, -2, 0.5))
ground = bpy.context.object
ground.name = "Ground"
mesh = ground.data


def sculpt(change):
    """change: of x, y, z of all vertices, as a stroke in object mode leaves them."""
    points = numpy.empty(len(mesh.vertices) * 3, "f4")
    mesh.vertices.foreach_get("co", points)
    change(points.reshape(-1, 3))
    mesh.vertices.foreach_set("co", points)
    mesh.update()


def hills(p):
    p[:, 2] = numpy.round(numpy.sin(p[:, 0] / 3) * numpy.cos(p[:, 1] / 4) * 16) / 8


def bump(x, y, radius, height):
    def change(p):
        near = (p[:, 0] - x) ** 2 + (p[:, 1] - y) ** 2 < radius**2
        p[near, 2] += height
    return change


sculpt(hills)
live = Live("heights")
live.settle()
tiles = Tiles(live.link, "human")
port, sent = live.link.port, []
plain_call = port.call
port.call = lambda method, params, done=None: (sent.append((method, params)), plain_call(method, params, done))[1]


def settle():
    live.settle()
    live.call("jobs.wait")
    live.wait(lambda: tiles.synced >= live.follow.revision, "tiles")


def strokes():
    """The operations that were sent since the last call, of edits; and whether a mesh was."""
    ops = [op for method, params in sent if method == "world.edit" for op in params["ops"]]
    meshes = sum(method == "mesh.put" for method, _ in sent)
    sent.clear()
    return ops, meshes


def compare():
    """The same as a fresh push of all of it."""
    fresh = Fresh(live, os.environ["NAVD_ADDRESS"])
    fresh.settle()
    wanted, got = objects_of(fresh.call), live.objects()
    assert wanted == got, (wanted.keys() ^ got.keys(), [key for key in wanted if wanted[key] != got.get(key)])
    assert bytes_of(fresh.call, "human", tiles.keys) == bytes_of(live.call, "human", tiles.keys), "the tiles differ"
    fresh.close()


def ground_of():
    """The tiles as Detour has them, which hold no key of what they were made from."""
    while True:
        answer = live.call("tiles.get", profile="human", encoding="detour", compression="none", tiles=[list(place) for place in sorted(tiles.keys)])
        if all(tile["status"] in ("ok", "empty") for tile in answer["tiles"]):
            return {(tile["x"], tile["z"]): tile.get("data") for tile in answer["tiles"]}
        live.call("jobs.wait")


def refusal():
    return live.follow.grid_refused(ground)


settle()
as_triangles = ground_of()
assert len(live.objects()) == 1 and len(as_triangles) > 4

# As a height grid: nine blocks, and the same tiles.
strokes()
ground.navd.heights = True
settle()
assert refusal() == "", refusal()
assert len(live.objects()) == 9, live.objects()
assert strokes()[1] == 9
assert ground_of() == as_triangles, "a grid and its triangles give other tiles"
compare()

# A stroke in one block, and one across four: samples alone, of the rectangle that it has changed.
for x, y, wanted in ((-10, 10, 1), (-0.25, 0.25, 4)):
    before = dict(tiles.keys)
    sculpt(bump(x, y, 1.1, 0.5))
    settle()
    ops, meshes = strokes()
    assert meshes == 0 and len(ops) == wanted, (meshes, ops)
    assert all(op["op"] == "patch_heights" and op["columns"] <= 9 and op["rows"] <= 9 for op in ops), ops
    assert sum(len(op["samples"]) for op in ops) < 600, ops
    changed = {place for place in tiles.keys if tiles.keys[place] != before.get(place)}
    assert 0 < len(changed) < len(tiles.keys), changed
compare()

# The blocks that strokes have replaced are forgotten.
known = live.follow.publisher._known
before = len(known)
for _ in range(20):
    sculpt(lambda p: p.__setitem__((slice(None), 2), p[:, 2] + 0.125))
    live.settle()
assert len(known) < before + 100, (before, len(known))
settle()
compare()
strokes()

# Moved and scaled: no mesh, or all of them, and navd still draws it without triangles.
ground.location.z += 1
settle()
ops, meshes = strokes()
assert meshes == 0 and {op["op"] for op in ops} == {"move_instance"} and len(ops) == 9, ops
ground.scale = (0.5, 0.5, 2)
settle()
transforms = {item["transform"] for item in live.objects().values()}
assert len(transforms) == 1, transforms
compare()

# A stroke after a connection that broke: everything is compared first, then strokes go on.
live.follow.note_all(True)
settle()
strokes()
sculpt(bump(5, 5, 0.6, -0.25))
settle()
ops, meshes = strokes()
assert meshes == 0 and [op["op"] for op in ops] == ["patch_heights"], ops
compare()

# Somebody takes a block away: the stroke is refused, and the world is made equal again.
victim = sorted(live.objects())[0]
live.call("world.edit", world=live.link.world["world"], ops=[{"op": "remove_instance", "id": victim}])
sculpt(lambda p: p.__setitem__((slice(None), 2), p[:, 2] + 0.125))
settle()
assert len(live.objects()) == 9
compare()

# Areas of cells, by the faces' materials.
for name, kind in (("grass", "GROUND"), ("water", "AREA")):
    material = bpy.data.materials.new(name)
    material.navd.kind, material.navd.area = kind, 7
    mesh.materials.append(material)
materials = numpy.zeros(len(mesh.polygons), "i4")
materials[:SIDE * 20] = 1  # the first rows, which are those of the least y
mesh.polygons.foreach_set("material_index", materials)
mesh.update()
live.follow.note_settings()
settle()
compare()
strokes()

# What is no lattice goes as triangles, and the panel says why.
sculpt(lambda p: p.__setitem__((7, 0), p[7, 0] + 0.1))
settle()
assert "no lattice" in refusal(), refusal()
assert len(live.objects()) == 1
ground.name = "Terrain"  # the name before is forgotten
settle()
heights = live.follow._reader.heights
assert set(heights._objects) == set(heights.refused) == {"Terrain"} and "no lattice" in refusal(), heights.refused
sculpt(lambda p: p.__setitem__((7, 0), p[7, 0] - 0.1))
settle()
if refusal():  # the sum of two floats is not what it was
    sculpt(lambda p: p.__setitem__((slice(None), slice(0, 2)), numpy.round(p[:, :2] * 64) / 64))
    settle()
assert refusal() == "" and len(live.objects()) == 9, refusal()
ground.navd.heights = False
settle()
assert len(live.objects()) == 1 and not heights._objects, heights._objects
compare()
print("ok")
