"""The way between two empties, without a window: found, found again when an empty moves or the tiles change, one call at a
time, and right after undo and a broken connection."""
import os
import sys

import bpy

sys.path.insert(0, os.path.dirname(__file__))
import harness  # noqa: E402
from live import Live  # noqa: E402

harness.install()
from navd_blender.overlay import manager  # noqa: E402
from navd_blender.tools import path  # noqa: E402

way = path.way
bpy.data.objects["Cube"].location.z = -20  # below the ground, until the test raises it
bpy.ops.mesh.primitive_plane_add(size=60)
assert bpy.ops.navd.path_add() == {"FINISHED"}
settings = bpy.context.scene.navd_path
start, goal = settings.start, settings.end
start.location, goal.location = (-10, 0, 0), (10, 0, 0)
bpy.context.view_layer.update()
assert way.status == "", "a way without a connection"
live = Live("path")


def settle():
    """Until all tiles of the scene as it is now are here, and the way asked for after the last of them: ways asked for before,
    while the tiles come one by one, lead through what is not yet there."""
    live.settle()
    live.wait(lambda: manager.model.synced >= live.follow.publisher.revision and way.asked is None and way.shown is not None,
              "the way is not found")


settle()
live.wait(lambda: way.status == "found", "no way on a plane")
assert abs(way.length - 20) < 1e-3 and len(way.points) == 2, (way.length, way.points)
assert abs(way.points[0] - (-10, 0, way.points[0][2])).max() < 1e-3, "the way is not in Blender's axes"

# An empty moves. Many moves while a call is under way cost one more call.
sent = []
call = live.link.call
live.link.call = lambda method, params, done=None: (sent.append(method), call(method, params, done))
for step in range(50):
    goal.location.y = step / 5
    bpy.context.view_layer.update()
settle()
assert abs(way.length - (20 ** 2 + 9.8 ** 2) ** 0.5) < 1e-3, way.length
assert sent.count("path.find") == 2, sent
goal.location.y = 0
bpy.context.view_layer.update()
settle()
assert abs(way.length - 20) < 1e-3, way.length

# A wall comes into the way: it leads around.
cube = bpy.data.objects["Cube"]
cube.location, cube.scale = (0, 0, 1), (1, 6, 1)
cube.location.z = 1.5
settle()
around = way.length
assert around > 21 and len(way.points) > 2, (around, "the way leads through the wall")

# The goal where no ground is.
goal.location = (200, 0, 0)
bpy.context.view_layer.update()
settle()
assert way.status == "no_goal" and not len(way.points) and "goal" in way.text, (way.status, way.text)
goal.location = (10, 0, 0)
bpy.context.view_layer.update()
settle()
assert abs(way.length - around) < 1e-3, (way.length, around)

# Undo gives other objects the same names: the way is that of the objects that are there.
bpy.ops.ed.undo_push(message="here")
goal.location = (10, 10, 0)
bpy.context.view_layer.update()
bpy.ops.ed.undo_push(message="moved")
settle()
moved = way.length
assert abs(moved - around) > 0.1
bpy.ops.ed.undo()
settle()
live.wait(lambda: abs(way.length - around) < 1e-3, f"after undo the way is {way.length} long, expected {around}")

# Without an end, and without a connection, there is none.
bpy.context.scene.navd_path.end = None
assert way.status == "" and not len(way.points)
bpy.context.scene.navd_path.end = bpy.data.objects["navd goal"]
settle()
assert way.status == "found"
live.connections.disconnect()
path.refresh()
assert way.status == "" and not len(way.points), "a way without a connection"
print(f"ok: {around:.2f} m around the wall")
