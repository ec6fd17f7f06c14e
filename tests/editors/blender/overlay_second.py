"""Two Blenders on one world: what the first one edits, the second one sees as its overlay, and the other way round."""
import hashlib
import os
import subprocess
import sys

import bpy

sys.path.insert(0, os.path.dirname(__file__))
import harness  # noqa: E402
from live import Live  # noqa: E402

harness.install()
from navd_blender.overlay import manager  # noqa: E402

model = manager.model
second = "second" in harness.arguments


def shown(live, revision):
    """What the overlay has at a revision of the world: tiles, and a hash of their triangles."""
    live.wait(lambda: model.synced >= revision, f"revision {revision} does not come")
    digest = hashlib.sha256()
    for key in sorted(model.chunks.tiles):
        tile = model.chunks.tiles[key]
        digest.update(repr(key).encode() + tile.positions.tobytes() + tile.triangles.tobytes() + tile.lines.tobytes())
    return f"{len(model.chunks.tiles)} {digest.hexdigest()}"


def answer(text):
    print("second:", text, flush=True)


for ob in list(bpy.data.objects):
    bpy.data.objects.remove(ob)
if second:
    # Its own scene is empty until it is told otherwise. Each line on standard input is a revision to show, or "add".
    live = Live("shared")
    live.settle()
    for line in sys.stdin:
        if line.strip() == "add":
            bpy.ops.mesh.primitive_cube_add(size=4, location=(-8, -8, 1))
            live.settle()
            answer(live.call("jobs.wait")["revision"])
        else:
            answer(shown(live, int(line)))
    sys.exit(0)

bpy.ops.mesh.primitive_plane_add(size=40)
bpy.ops.mesh.primitive_cube_add(size=4, location=(6, 6, 1))
cube = bpy.context.object
live = Live("shared")
live.settle()
other = subprocess.Popen([os.path.join(os.path.dirname(__file__), "run_blender.sh"), __file__, "second"], stdin=subprocess.PIPE,
                         stdout=subprocess.PIPE, text=True)


def ask(text):
    other.stdin.write(f"{text}\n")
    other.stdin.flush()
    for line in other.stdout:
        if line.startswith("second: "):
            return line.removeprefix("second: ").strip()
    raise AssertionError("the second Blender has ended")


revision = live.call("jobs.wait")["revision"]
first = shown(live, revision)
assert ask(revision) == first, "the second Blender shows something else"
cube.location.x = -4
live.settle()
revision = live.call("jobs.wait")["revision"]
moved = shown(live, revision)
assert moved != first, "the move changed nothing"
assert ask(revision) == moved, "the second Blender does not see the move"
revision = int(ask("add"))
added = shown(live, revision)
assert added != moved, "the first Blender does not see what the second one added"
assert ask(revision) == added

# Another grid: the ground of the one before stays until there is some of the new one.
seen = []
live.link.listeners.append(lambda event: seen.append((event.name, len(model.states))))
bpy.context.scene.navd.agents[0].tile_cells = 32
live.wait(lambda: any(name == "settings" for name, _ in seen), "the settings do not change")
revision = live.call("jobs.wait")["revision"]
other_grid = shown(live, revision)
assert other_grid.startswith("36 "), other_grid
assert all(count for _, count in seen), f"for a while there is no ground: {seen}"
assert ask(revision) == other_grid
other.stdin.close()
assert other.wait(60) == 0
print("ok: two Blenders show the same at four revisions")
