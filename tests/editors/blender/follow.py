"""The thinnest way through: a cube in Blender reaches the daemon, moves, and the daemon's tiles change."""
import os
import struct
import sys

import bpy

sys.path.insert(0, os.path.dirname(__file__))
import harness  # noqa: E402
from live import Live, Tiles  # noqa: E402

harness.install()
bpy.ops.mesh.primitive_plane_add(size=40)
live = Live("follow")
live.settle()
assert set(live.named()) == {"Cube", "Plane"}, live.named()

tiles = Tiles(live.link, "human")
live.wait(lambda: tiles.synced >= live.follow.revision, "no tiles")
before = dict(tiles.keys)
assert len(before) == 16, before

bpy.data.objects["Cube"].location = (10, 6, 0.5)
live.settle()
live.wait(lambda: tiles.synced >= live.follow.revision, "no tiles after the move")
changed = {place for place, key in tiles.keys.items() if key != before.get(place)}
assert changed, "no tile changed"
transform = struct.unpack("<12f", live.named()["Cube"]["transform"])
assert transform[3::4] == (10, 6, 0.5), transform
print(f"ok: {len(before)} tiles, {len(changed)} changed by the move")
