"""The figures of following a scene: bench_scene.py, beside a navd (NAVD_ADDRESS), in a Blender without a window.

- scene of 1 M triangles sent: from connecting until the world has it, as one mesh and as 200
- the add-on's time on the main thread, each call of a handler and of the timer, with 200 objects and 5,000 tiles
- change to tiles: from the update of the depsgraph until the changed tiles are with the main thread (batches excluded)
"""
import os
import random
import sys
import time

import bpy
import numpy

sys.path.insert(0, os.path.dirname(__file__))
import harness  # noqa: E402
from live import Live, Tiles  # noqa: E402

FLOOR_M = 1010  # 5,041 tiles of 14.4 m
MOVES = int(harness.arguments[0]) if harness.arguments else 400


def grid(name, cells, size, at=(0, 0, 0)):
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=cells, y_subdivisions=cells, size=size, location=at)
    bpy.context.object.name = name
    bpy.context.object.data.vertices.foreach_set("co", numpy.column_stack((
        numpy.array([vertex.co[:2] for vertex in bpy.context.object.data.vertices]),
        numpy.random.default_rng(len(name) + cells).uniform(0, 0.1, len(bpy.context.object.data.vertices)))).ravel())
    return bpy.context.object


def empty():
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)


def sent(what):
    bpy.context.view_layer.update()
    start = time.perf_counter()
    live = Live(what)
    live.settle()
    seconds = time.perf_counter() - start
    triangles = sum(len(ob.data.loop_triangles) or 2 * len(ob.data.polygons) for ob in bpy.context.scene.objects)
    print(f"{what}: {triangles} triangles sent in {seconds:.2f} s (bar 1.5)")
    live.connections.disconnect()


def spread(seconds):
    values = numpy.array(seconds) * 1000
    return f"n {len(values)}, p50 {numpy.percentile(values, 50):.2f}, p99 {numpy.percentile(values, 99):.2f}, max {values.max():.2f} ms"


def main_thread():
    chance = random.Random(1)
    empty()
    bpy.ops.mesh.primitive_plane_add(size=FLOOR_M)
    for number in range(199):
        at = (chance.uniform(-480, 480), chance.uniform(-480, 480), 0.5)
        if number % 10 == 0:
            grid(f"terrain{number}", 20, 8, at)
        else:
            bpy.ops.mesh.primitive_cube_add(size=chance.uniform(1, 5), location=at)
    live = Live("main thread")
    tiles = Tiles(live.link, "human")
    live.settle()
    live.wait(lambda: tiles.synced >= live.follow.revision, "tiles")
    print(f"{live.follow.count} objects, {len(tiles.keys)} tiles")
    bpy.ops.ed.undo_push(message="start")
    live.handlers.measure = True
    names = [ob.name for ob in bpy.context.scene.objects if ob.name != "Plane"]
    arrivals, kinds = [], {}
    for number in range(MOVES):
        kind = ("move", "move", "move", "move", "edit", "hide", "unhide", "undo")[number % 8]
        ob = bpy.data.objects[chance.choice(names)]
        if kind == "move":
            ob.location.x += chance.uniform(-3, 3)
        elif kind == "edit":
            ob.data.vertices[0].co.z += 0.5
            ob.data.update()
        elif kind == "undo":
            bpy.ops.ed.undo_push(message="before")
            bpy.data.objects[chance.choice(names)].location.y += 2
            bpy.ops.ed.undo_push(message="move")
            bpy.ops.ed.undo()
        else:
            ob.hide_set(kind == "hide")
        first = len(live.handlers.calls)
        bpy.context.view_layer.update()
        start, before = time.perf_counter(), dict(tiles.keys)
        live.settle()
        live.wait(lambda: tiles.synced >= live.follow.revision, "tiles")
        if kind == "move" and tiles.keys != before:
            arrivals.append(time.perf_counter() - start)
        kinds.setdefault(kind, []).extend(seconds for _, seconds in live.handlers.calls[first:])
    live.handlers.measure = False
    everything = [seconds for _, seconds in live.handlers.calls]
    print(f"main thread, a call: {spread(everything)} (bar p99 4, max 16)")
    print(f"  processor's time alone: {spread(live.handlers.used_calls)}")
    for kind, seconds in kinds.items():
        print(f"  {kind}: {spread(seconds)}")
    for name in sorted({name for name, _ in live.handlers.calls}):
        print(f"  {name}: {spread([seconds for called, seconds in live.handlers.calls if called == name])}, processor's time "
              f"{spread([used for (called, _), used in zip(live.handlers.calls, live.handlers.used_calls) if called == name])}")
    values = numpy.array(arrivals) * 1000
    print(f"change to tiles: n {len(values)}, p50 {numpy.percentile(values, 50):.1f}, p95 {numpy.percentile(values, 95):.1f} ms "
          "(bar with batches: 15, 30)")
    live.connections.disconnect()


harness.install()
empty()
grid("one", 707, 50)
sent("one mesh")
empty()
for number in range(200):
    grid(f"part{number}", 50, 5, (number % 20 * 6, number // 20 * 6, 0))
sent("200 meshes")
main_thread()
