"""In a real window: the navigation mesh is drawn, in each of its colours, changes with the scene, and goes with its switch, the
connection and the add-on. With an argument, the pictures are kept in that folder."""
import math
import os
import sys
import tempfile

import bpy

sys.path.insert(0, os.path.dirname(__file__))
import harness  # noqa: E402
from live import Live  # noqa: E402

folder = harness.arguments[0] if harness.arguments else tempfile.mkdtemp()
harness.install()


def differ(before, after):
    """The share of the picture that is another one."""
    return float((abs(before - after).max(axis=2) > 0.03).mean())


def script():
    from navd_blender import handlers
    from navd_blender.overlay import batches, draw, manager
    model = manager.model
    look = bpy.context.scene.navd_overlay

    def shot(name):
        path = os.path.join(folder, f"overlay_{name}.png")
        harness.screenshot(path)
        return harness.pixels(path)

    window, area, region = harness.view()
    area.spaces.active.region_3d.view_distance = 50
    bpy.ops.mesh.primitive_plane_add(size=40)
    cube = bpy.data.objects["Cube"]
    cube.scale = (3, 3, 3)
    bare = shot("bare")
    live = Live("overlay")

    def settled():
        return (live.follow.settled and model.synced >= live.follow.publisher.revision
                and manager.settled())

    yield settled
    assert len(model.states) == 16, model.states.keys()
    drawn = shot("area")
    assert differ(bare, drawn) > 0.05, f"the mesh covers {differ(bare, drawn):.2f} of the window"

    seen = {"area": drawn}
    for mode in ("HEIGHT", "AGE", "STATUS"):
        look.color = mode
        yield lambda: not model.chunks.dirty
        seen[mode] = shot(mode.lower())
        assert all(differ(seen[mode], other) > 0.05 for name, other in seen.items() if name != mode), f"{mode} looks like another"
    look.color = "AREA"
    yield lambda: not model.chunks.dirty

    # The cube moves: where it was there is ground, where it is there is none.
    drawn = shot("again")
    assert differ(seen["area"], drawn) < 0.01, f"the same mesh looks otherwise: {differ(seen['area'], drawn):.3f}"
    before = live.follow.publisher.revision
    cube.location = (10, 8, 0)
    yield lambda: live.follow.publisher.revision > before
    yield settled
    moved = shot("moved")
    assert differ(drawn, moved) > 0.01

    # X-ray shows what the ground covers from below.
    area.spaces.active.region_3d.view_rotation = (0.2, -0.97, 0, 0)
    below = shot("below")
    look.xray = True
    assert differ(below, shot("below_xray")) > 0.05
    look.xray = False

    # Far away, few triangles stand for the heights in between, at the same place on the screen.
    area.spaces.active.region_3d.view_rotation = (0.72, 0.44, 0.29, 0.45)
    area.spaces.active.region_3d.view_distance = 400
    bpy.ops.mesh.primitive_grid_add(size=40, x_subdivisions=80, y_subdivisions=80, location=(0, 0, 0.5))
    for vertex in bpy.context.object.data.vertices:
        vertex.co.z = 0.5 * math.sin(vertex.co.x) * math.cos(vertex.co.y)
    before = live.follow.publisher.revision
    yield lambda: live.follow.publisher.revision > before
    yield settled
    look.edges, look.xray, draw.timings = False, True, []
    coarse = shot("coarse")
    kept, batches.COARSE_PIXELS = batches.COARSE_PIXELS, -1
    fine = shot("fine")
    batches.COARSE_PIXELS = kept
    look.show = False
    bare = shot("far_bare")
    look.edges, look.xray, look.show = True, False, True
    few, many = (timing[2] for timing in (draw.timings[0], draw.timings[-1]))
    draw.timings = None
    assert 0 < few < 0.6 * many, f"{few} triangles instead of {many}"
    assert differ(coarse, fine) < 0.2 * differ(bare, fine), f"{differ(coarse, fine)} of {differ(bare, fine)} looks otherwise"

    # Off: nothing is drawn.
    look.show = False
    hidden = shot("hidden")
    area.spaces.active.overlay.show_overlays = False
    area.spaces.active.overlay.show_overlays = True
    look.show = True
    yield lambda: not model.chunks.dirty

    # The connection ends, and what it showed with it.
    live.connections.disconnect()
    yield lambda: not model.states and manager.settled()
    assert differ(hidden, shot("disconnected")) < 0.01
    harness.disable()
    shot("disabled")
    assert not handlers.workers


harness.play(script)
