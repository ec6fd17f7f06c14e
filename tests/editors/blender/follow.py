"""The thinnest way through: a cube in Blender reaches the daemon, moves, and the daemon's tiles change."""
import os
import struct
import sys

import bpy

sys.path.insert(0, os.path.dirname(__file__))
import harness  # noqa: E402
from live import Live  # noqa: E402

harness.install()
bpy.ops.mesh.primitive_plane_add(size=40)
live = Live("follow")
live.settle()
assert set(live.named()) == {"Cube", "Plane"}, live.named()

tiles = {}


def take(event):
    if event.name == "tile":
        tiles[event.data.x, event.data.z] = event.data.key


def synced(revision):
    return any(event.name == "synced" and event.data.revision >= revision for event in live.events)


live.link.listeners.append(take)
live.link.subscribe("human")
live.wait(lambda: synced(live.follow.publisher.revision), "no tiles")
before = dict(tiles)
assert len(before) == 16, before

bpy.data.objects["Cube"].location = (10, 6, 0.5)
live.settle()
revision = live.follow.publisher.revision
live.wait(lambda: synced(revision), "no tiles after the move")
changed = {place for place in tiles if tiles[place] != before.get(place)}
assert changed, "no tile changed"
transform = struct.unpack("<12f", live.named()["Cube"]["transform"])
assert transform[3::4] == (10, 6, 0.5), transform
print(f"ok: {len(before)} tiles, {len(changed)} changed by the move")
