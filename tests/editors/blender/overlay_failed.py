"""In a real window, beside a navd whose tiles may take little memory: a tile that fails is shown where it is, with the reason,
the list's button moves the view there, and it goes when the tile can be built. The status bar says how far the tiles are."""
import os
import sys
import tempfile

import bpy

sys.path.insert(0, os.path.dirname(__file__))
import harness  # noqa: E402
from live import Live  # noqa: E402

folder = harness.arguments[0] if harness.arguments else tempfile.mkdtemp()
harness.install()


def script():
    from navd_blender import panels_overlay
    from navd_blender.overlay import manager
    from navd_blender.state import session
    model = manager.model

    def shot(name):
        path = os.path.join(folder, f"failed_{name}.png")
        harness.screenshot(path)
        return harness.pixels(path)

    def red(picture):
        """The share that is red: more red than twice of green and of blue."""
        return float(((picture[:, :, 0] > 0.25) & (picture[:, :, 0] > 2 * picture[:, :, 1:].max(axis=2))).mean())

    for ob in list(bpy.data.objects):
        bpy.data.objects.remove(ob)
    bpy.ops.mesh.primitive_plane_add(size=40)
    window, area, region = harness.view()
    area.spaces.active.region_3d.view_distance = 60
    area.spaces.active.show_region_ui = True
    live = Live("failed")

    def settled():
        return (live.follow.settled and model.synced >= live.follow.publisher.revision
                and manager.settled())
    yield settled
    assert not model.failed, model.failed
    clean = shot("none")

    # Too much for one tile: a pile of sheets, each a storey.
    sheets = bpy.data.meshes.new("Sheets")
    corners = [(x, y, z * 3.0) for z in range(300) for x, y in ((1, 1), (13, 1), (13, 13), (1, 13))]
    sheets.from_pydata(corners, [], [tuple(range(4 * z, 4 * z + 4)) for z in range(300)])
    pile = bpy.data.objects.new("Sheets", sheets)
    bpy.context.collection.objects.link(pile)
    yield lambda: model.failed
    yield settled
    assert set(model.failed) == {(0, -1)}, model.failed
    pile.display_type = "BOUNDS"
    failed = shot("one")
    assert red(failed) > red(clean) + 0.001, (red(failed), red(clean))
    reason = model.failed[0, -1].reason
    assert reason, "a failed tile without a reason"

    with bpy.context.temp_override(window=window, area=area, region=region):
        assert bpy.ops.navd.show_tile(x=0, z=-1) == {"FINISHED"}
    place = area.spaces.active.region_3d.view_location
    assert abs(place.x - 7.2) < 0.1 and abs(place.y - 7.2) < 0.1, place
    shot("jump")
    bpy.context.scene.navd_overlay.failed = False
    assert red(shot("hidden")) < red(failed)
    bpy.context.scene.navd_overlay.failed = True

    bpy.data.objects.remove(pile)
    yield lambda: not model.failed
    yield settled

    # Another file: nothing of the old world stays, and nothing fails to draw.
    bpy.ops.wm.read_homefile(use_factory_startup=False)
    yield lambda: not model.states and manager.settled()
    shot("other_file")

    # The status bar, beside what others show there. Nothing else writes to it now, as nothing is connected.
    assert session.link is None
    def bar(picture):
        return picture[:18, :1200]
    before = bar(shot("idle"))
    session.progress = (3, 10)
    assert panels_overlay.status_text() == "navd: 3 of 10 tiles"
    session.touch()
    yield lambda: True
    during = bar(shot("progress"))
    session.progress = (0, 0)
    session.touch()
    yield lambda: True
    assert abs(during - before).max() > 0.2, "the status bar does not show the progress"
    assert abs(bar(shot("done")) - before).max() < 0.05, "the status bar still shows it"
    print(f"ok: {reason}")


harness.play(script)
