"""A large mesh is read in many short steps, as it is: the same numbers as in one go, also when it changes in between."""
import os
import sys

import bpy
import numpy

sys.path.insert(0, os.path.dirname(__file__))
import harness  # noqa: E402
from live import Live  # noqa: E402

harness.install()
from navd_blender.world import shapes  # noqa: E402
from navd_blender.world.follow import evaluated_depsgraph  # noqa: E402

SIDE = 120  # squares: 28,800 triangles
AREAS = (7, shapes.OWN_AREA)
shapes.STEP_S = 0  # one slice in each step


def evaluated():
    return terrain.evaluated_get(evaluated_depsgraph())


def steps_to(reader, slots):
    """How often it was unfinished, and the arrays."""
    for unfinished in range(1000):
        try:
            return unfinished, reader.get(evaluated(), slots).arrays
        except shapes.Unfinished:
            pass
    raise AssertionError("it is never finished")


def plainly(slots):
    """Read in the plainest way."""
    mesh = evaluated().data
    mesh.calc_loop_triangles()
    return (numpy.array([vertex.co for vertex in mesh.vertices], "f4").ravel(),
            numpy.array([triangle.vertices for triangle in mesh.loop_triangles], "i4").ravel(),
            numpy.array([slots[triangle.material_index] for triangle in mesh.loop_triangles], "u1") if slots else None)


def check(arrays, slots):
    for got, wanted in zip(arrays, plainly(slots)):
        assert got is wanted or (got == wanted).all()


for ob in list(bpy.data.objects):
    bpy.data.objects.remove(ob)
bpy.ops.mesh.primitive_grid_add(x_subdivisions=SIDE, y_subdivisions=SIDE, size=60)
terrain = bpy.context.object
for name in ("grass", "road"):
    terrain.data.materials.append(bpy.data.materials.new(name))
terrain.data.polygons.foreach_set("material_index", numpy.arange(len(terrain.data.polygons)) % 3 % 2)
terrain.data.update()

reader = shapes.Shapes()
unfinished, arrays = steps_to(reader, AREAS)
assert unfinished >= 14, f"{unfinished} steps for 28,800 triangles"
check(arrays, AREAS)
assert reader.get(evaluated(), AREAS).arrays is arrays, "it is read again"


def begin():
    """In the middle of it."""
    for _ in range(5):
        try:
            reader.get(evaluated(), ())
        except shapes.Unfinished:
            continue
        raise AssertionError("it is finished too early")


def move():
    terrain.data.vertices[0].co.z += 1
    terrain.data.update()
    bpy.context.view_layer.update()


# A change in between: nothing of what was read before it counts.
begin()
move()
reader.changed(terrain.as_pointer())
check(steps_to(reader, ())[1], ())
reader.all_changed()
begin()
move()
reader.all_changed()
check(steps_to(reader, ())[1], ())
# Another number of triangles, which nobody told of.
reader.all_changed()
begin()
terrain.modifiers.new("Half", "DECIMATE").ratio = 0.5
bpy.context.view_layer.update()
check(steps_to(reader, ())[1], ())
terrain.modifiers.clear()

# The whole way: the world has it, and what is changed while it is being read.
live = Live("large")
for step in range(8):
    live.handlers.step()
terrain.data.vertices[7].co.z = 3
terrain.data.update()
bpy.ops.mesh.primitive_cube_add(location=(0, 0, 5))
live.settle()
objects = live.named()
assert set(objects) == {"Grid", "Cube"}, set(objects)
sent = live.call("mesh.get", hash=bytes(objects["Grid"]["mesh"]))
vertices, triangles, _ = plainly(())
assert (sent["vertices"], sent["triangles"]) == (len(vertices) // 3, len(triangles) // 3)
assert (numpy.frombuffer(sent["data"], "<f4", len(vertices)) == vertices).all(), "the world has other vertices"
assert (numpy.frombuffer(sent["data"], "<u4", len(triangles), 4 * len(vertices)) == triangles).all(), "the world has other triangles"
print(f"ok: {unfinished} steps")
