"""Blender's half of the demo: opens the courtyard, connects, and moves a crate step by step. See demo.mjs."""
import math
import os
import select
import sys

import bpy
from mathutils import Matrix, Vector

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "blender"))
import harness  # noqa: E402
from live import Live  # noqa: E402

FOLDER = harness.arguments[0]
STEPS = 18
ROOM = (45, -28)  # Where the crate starts, metres
harness.install()


def told():
    """demo.mjs has taken its picture."""
    return bool(select.select([sys.stdin], [], [], 0)[0]) and bool(sys.stdin.readline())


def script():
    from navd_blender.overlay import manager
    from navd_blender.tools import path
    model = manager.model
    for ob in list(bpy.data.objects):
        bpy.data.objects.remove(ob)
    bpy.ops.wm.obj_import(filepath=os.path.join(os.environ["NAVD_SOURCE"], "docs/demo/courtyard.obj"))
    bpy.ops.object.select_all(action="DESELECT")
    window, area, region = harness.view()
    with bpy.context.temp_override(window=window, area=area, region=region):
        bpy.ops.screen.screen_full_area()
    yield lambda: True
    window, area, region = harness.view()
    space = area.spaces.active
    space.show_region_toolbar = False
    space.overlay.show_floor = space.overlay.show_axis_x = space.overlay.show_axis_y = False
    space.overlay.show_object_origins = space.overlay.show_cursor = False
    space.region_3d.view_location = (35, -25, 0)
    space.region_3d.view_distance = 52
    # The crate, larger, where there is room for it to move; a way through that room.
    crate = bpy.data.objects["crate_1"]
    centre = crate.matrix_world @ (sum((Vector(corner) for corner in crate.bound_box), Vector()) / 8)
    centre.z = 0
    large = Matrix.Scale(2.2, 4) @ Matrix.Translation(-centre) @ crate.matrix_world

    def put_crate(turn):
        place = Vector((ROOM[0] + 5 * math.sin(turn), ROOM[1] - 4 * (1 - math.cos(turn)), 0))
        crate.matrix_world = Matrix.Translation(place) @ large

    put_crate(0)
    bpy.ops.navd.path_add()
    start, goal = bpy.context.scene.navd_path.start, bpy.context.scene.navd_path.end
    start.location, goal.location = (33, -30, 0.2), (57, -35, 0.2)
    bpy.ops.object.select_all(action="DESELECT")
    live = Live("courtyard")

    def settled():
        return (live.follow.settled and model.synced >= live.follow.publisher.revision
                and not model.chunks.dirty and not bpy.app.timers.is_registered(manager.tick)
                and path.way.status == "found" and path.way.asked is None and not bpy.app.timers.is_registered(path._after_tiles))

    def picture(name):
        path = os.path.join(FOLDER, f"blender_{name}.png")
        harness.screenshot(path)
        print(f"demo: frame {name} revision {live.follow.publisher.revision}", flush=True)

    yield settled
    picture("before")
    yield told
    for step in range(STEPS):
        before = live.follow.publisher.revision
        put_crate(2 * math.pi * step / STEPS)
        bpy.context.view_layer.update()
        yield lambda: step == 0 or live.follow.publisher.revision > before
        yield settled
        picture(f"{step:03d}")
        yield told
        if step == STEPS // 3:  # it stands in the way
            picture("after")
            yield told


harness.play(script)
