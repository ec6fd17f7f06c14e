"""What a person does, by the buttons: start a navd, agents, areas by object and by material, bounds, units, other files, errors."""
import os
import struct
import sys
import tempfile

import bmesh
import bpy
import numpy

sys.path.insert(0, os.path.dirname(__file__))
import harness  # noqa: E402
from live import TIMEOUT_S, Live, Tiles  # noqa: E402

harness.install()
from navd_blender.local import local  # noqa: E402
from navd_blender.properties import preferences  # noqa: E402
from navd_blender.state import session  # noqa: E402


def refused(operator, word, **arguments):
    try:
        operator(**arguments)
    except RuntimeError as error:  # so operators report in scripts
        assert word in str(error), error
    else:
        raise AssertionError(f"expected an error with '{word}'")


# What goes wrong is said in words.
refused(bpy.ops.navd.connect, "an address is", address="nonsense")
preferences().program = "/nowhere/navd"
refused(bpy.ops.navd.start, "/nowhere/navd: No such file")
preferences().token_file = "/nowhere/token"
bpy.ops.navd.connect(address=os.environ["NAVD_ADDRESS"])
assert session.link.wait(lambda: session.notice is not None, TIMEOUT_S)
assert "/nowhere/token" in session.notice[1], session.notice
preferences().token_file = ""
bpy.ops.navd.connect(address="/nowhere/navd.sock")
assert session.link.wait(lambda: session.notice is not None, TIMEOUT_S)
refused(bpy.ops.navd.sync, "/nowhere/navd.sock", seconds=0.1)
bpy.ops.navd.disconnect()
assert session.notice is None and session.link is None

# A navd of its own, with a scene of three kinds of ground.
bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
bpy.ops.mesh.primitive_plane_add(size=30)
floor = bpy.context.object
floor.name = "Floor"
bpy.ops.mesh.primitive_grid_add(x_subdivisions=2, y_subdivisions=1, size=4, location=(0, 0, 0.1))
patch = bpy.context.object
patch.name = "Patch"
for name, kind in (("Stone", "GROUND"), ("Water", "AREA")):
    material = bpy.data.materials.new(name)
    material.navd.kind, material.navd.area = kind, 7
    patch.data.materials.append(material)
patch.data.polygons[1].material_index = 1
patch.navd.kind, patch.navd.area = "AREA", 3
preferences().program = os.environ["NAVD"]
bpy.ops.navd.start()
assert local.running
settings = bpy.context.scene.navd
assert settings.source and settings.world == "untitled" and settings.agents[0].name == "human"


class Person(Live):
    """Live, without connecting: the button has done that."""

    def __init__(self):
        import navd_blender.connection as connections
        import navd_blender.handlers as handlers
        self.connections, self.handlers, self.session, self.events = connections, handlers, session, []
        session.begun.append(lambda connection: connection.link.listeners.append(self.events.append))
        session.link.listeners.append(self.events.append)


live = Person()
live.settle()
found = live.named()
assert set(found) == {"Floor", "Patch"}, found
assert found["Patch"]["area"] == 3 and found["Floor"].get("area", 63) == 63
assert {item["source"] for item in found.values()} == {settings.source}
mesh = live.call("mesh.get", hash=found["Patch"]["mesh"])
assert mesh["areas"] and mesh["triangles"] == 4, mesh
areas = mesh["data"][12 * (mesh["vertices"] + mesh["triangles"]):]
assert sorted(areas) == [7, 7, 255, 255], list(areas)
points = numpy.frombuffer(mesh["data"], "<f4", mesh["vertices"] * 3).reshape(-1, 3)
assert points.tolist() == [list(vertex.co) for vertex in patch.data.vertices]
assert struct.unpack("<12f", found["Patch"]["transform"])[3::4] == (0, 0, numpy.float32(0.1))

# The area of a material and of an object, as the panel changes them.
bpy.data.materials["Water"].navd.area = 8
patch.navd.kind = "OBSTACLE"
live.settle()
found = live.named()
assert found["Patch"].get("area", 63) == 0
mesh = live.call("mesh.get", hash=found["Patch"]["mesh"])
assert sorted(mesh["data"][12 * (mesh["vertices"] + mesh["triangles"]):]) == [8, 8, 255, 255]
patch.navd.kind = "IGNORE"
live.settle()
assert set(live.named()) == {"Floor"}
patch.navd.kind = "GROUND"

# A script waits with the button's operator, and is told what is in the way.
bpy.ops.navd.sync()
assert set(live.named()) == {"Floor", "Patch"}

# Edit mode: what is being edited, as it is.
bpy.ops.object.select_all(action="DESELECT")
bpy.context.view_layer.objects.active = patch
patch.select_set(True)
bpy.ops.object.mode_set(mode="EDIT")
live.settle()
work = bmesh.from_edit_mesh(patch.data)
work.verts.ensure_lookup_table()
work.verts[0].co.z = 0.75
made = bmesh.ops.create_cube(work, size=1)
bmesh.update_edit_mesh(patch.data)
live.settle()
mesh = live.call("mesh.get", hash=live.named()["Patch"]["mesh"])
points = numpy.frombuffer(mesh["data"], "<f4", mesh["vertices"] * 3).reshape(-1, 3)
assert mesh["triangles"] == 4 + 12 and points[0][2] == 0.75, (mesh["triangles"], points[0])
bmesh.ops.delete(work, geom=made["verts"])
bmesh.update_edit_mesh(patch.data)
bpy.ops.object.mode_set(mode="OBJECT")
live.settle()
assert live.call("mesh.get", hash=live.named()["Patch"]["mesh"])["triangles"] == 4

# Animation: the frame that is shown. Both keys of a transform, and what an animated modifier makes of a mesh.
patch.location.x = 1
patch.keyframe_insert("location", index=0, frame=1)
patch.location.x = 9
patch.keyframe_insert("location", index=0, frame=20)
array = floor.modifiers.new("Array", "ARRAY")
array.count = 1
array.keyframe_insert("count", frame=1)
array.count = 3
array.keyframe_insert("count", frame=20)
seen = []
for frame in (1, 20, 1):
    bpy.context.scene.frame_set(frame)
    live.settle()
    found = live.named()
    seen.append((struct.unpack("<12f", found["Patch"]["transform"])[3], live.call("mesh.get", hash=found["Floor"]["mesh"])["triangles"]))
assert seen == [(1, 2), (9, 6), (1, 2)], seen
floor.modifiers.clear()
floor.animation_data_clear()
patch.animation_data_clear()
live.settle()

# Agents.
bpy.ops.navd.agent_add()
settings.agents[1].name = "ogre"
settings.agents[1].radius = 1.5
# Corners last: the daemon does not keep a change that makes no difference, such as that of an arc where corners are mitred.
surface = {"generator": "surface", "surface_error_m": 0.25, "arc_error_m": 0.125, "mitre_limit": 1.5, "corners": "mitre"}
for name, value in surface.items():
    setattr(settings.agents[1], name[:-2] if name.endswith("_m") else name, value.upper() if isinstance(value, str) else value)


def profiles():
    return {profile["name"]: profile.get("settings") or {} for profile in live.call("world.open", name="untitled", up="z")["profiles"]}


assert set(profiles()) == {"human", "ogre"} and profiles()["ogre"]["agent_radius_m"] == 1.5, profiles()
assert surface.items() <= profiles()["ogre"].items(), profiles()
bpy.ops.navd.agent_remove()
assert set(profiles()) == {"human"}

# Bounds: ground exists inside of them alone.
tiles = Tiles(live.link, "human")
live.settle()
live.wait(lambda: tiles.synced >= live.follow.revision, "tiles")
everywhere = len(tiles.keys)
empty = bpy.data.objects.new("Bounds", None)
empty.empty_display_size = 5
bpy.context.scene.collection.objects.link(empty)
settings.bounds = empty
live.settle()
live.wait(lambda: tiles.synced >= live.follow.revision, "tiles in bounds")
assert 0 < len(tiles.keys) < everywhere, (everywhere, tiles.keys)
volume = [item for item in live.call("world.objects")["objects"] if item["op"] == "put_volume"]
assert len(volume) == 1 and volume[0]["include"] and volume[0]["max_y"] == 5, volume
empty.location.z = 2
live.settle()
volume = [item for item in live.call("world.objects")["objects"] if item["op"] == "put_volume"]
assert volume[0]["max_y"] == 7, volume
settings.bounds = None
live.settle()
live.wait(lambda: tiles.synced >= live.follow.revision, "tiles everywhere")
assert len(tiles.keys) == everywhere

# Objects of others stay as they are.
other = dict(op="put_instance", id=5, mesh=live.named()["Floor"]["mesh"], transform=struct.pack("<12f", 1, 0, 0, 40, 0, 1, 0, 0, 0, 0, 1, 0),
             source="somebody", name="Theirs")
live.call("world.edit", ops=[other])
bpy.ops.navd.send_again()
live.settle()
assert set(live.named()) == {"Floor", "Patch", "Theirs"}

# Names that navd refuses stand there without what it refuses.
for name, shown in (("\u2764\ufe0fheart", "\u2764heart"), ("..", "?"), ("a\\..\\b", "a\\?\\b"), ("\u200b", ""), ("Patch", "Patch")):
    patch.name = name
    live.settle()
    assert set(live.named()) == {"Floor", shown, "Theirs"}, (name, set(live.named()))

# A mesh that the daemon has lost is read and sent again.

def lose():
    for known in live.follow.publisher._known.values():
        known.key, known.state = b"\1" * 16, "there"


live.link.on_thread(lose)
patch.data = patch.data.copy()
patch.data.vertices[0].co.z = 0.5
live.settle()
bpy.ops.navd.send_again()
live.settle()
assert live.call("mesh.get", hash=live.named()["Floor"]["mesh"])["triangles"] == 2

# What cannot be taken is said, and the rest goes on.
patch.location.x = 2e7
live.settle()
assert set(live.named()) == {"Floor", "Theirs"} and live.follow.left_out.startswith("1 objects"), live.follow.left_out
patch.location.x = 0

# Other units: the same scene, a hundredth of the size.
bpy.context.scene.unit_settings.scale_length = 0.01
live.settle()
assert live.link.world["to_metres"][0] == 0.01
bpy.context.scene.unit_settings.scale_length = 1
live.settle()


# A file that was never connected is not sent; the first one, loaded again, is followed again.
folder = tempfile.mkdtemp()
first, second = os.path.join(folder, "first.blend"), os.path.join(folder, "second.blend")
bpy.ops.wm.save_as_mainfile(filepath=first)
before = live.objects()
bpy.ops.wm.read_homefile(use_factory_startup=True)
bpy.ops.wm.save_as_mainfile(filepath=second)
live.handlers.step()
assert session.connection is None and "not in a world" in session.notice[1], session.notice
bpy.ops.wm.open_mainfile(filepath=first)
bpy.ops.navd.connect(address=local.address)
live = Person()
live.settle()
assert live.objects() == before, "the same file is the same source"

# Disconnected, the world keeps what it has; disabled, the add-on ends its navd.
bpy.ops.navd.disconnect()
process = local._process
harness.disable()
assert process.returncode is not None, "navd still runs"
print("ok: errors, areas, agents, bounds, others' objects, units, files")
