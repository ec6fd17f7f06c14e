# SPDX-License-Identifier: MIT
"""Bake, export, the mesh as an object, and the jump to a failed tile."""
import os

import bpy
from bpy.props import IntProperty, PointerProperty, StringProperty
from bpy_extras.io_utils import ExportHelper
from mathutils import Vector

from .. import handlers
from ..overlay import failed_tiles, manager
from ..state import session
from . import mesh_object
from .bake import Bake

_NOT_CONNECTED = "Not connected to a navd: connect in the sidebar first"
bakes = []  # under way; at most one


def bake_path(scene):
    """Where Bake saves, as an absolute path. Raises ValueError."""
    path = scene.navd_bake.path
    if path.startswith("//") and not bpy.data.filepath:
        raise ValueError("Save the file first, or choose an absolute path: // means beside the file")
    return bpy.path.abspath(path)


class NavdBake(bpy.types.PropertyGroup):
    path: StringProperty(name="File", subtype="FILE_PATH", default="//navmesh.bin",
                         description="Where Bake saves: .glb is glTF, everything else Detour's multi-tile file")


class NAVD_OT_bake_wait(bpy.types.Operator):
    """Waits for a bake that was begun"""
    bl_idname = "navd.bake_wait"
    bl_label = "Bake Navigation Mesh"
    bl_options = {"INTERNAL"}

    def invoke(self, context, event):
        self._timer = context.window_manager.event_timer_add(0.05, window=context.window)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        bake = bakes[-1] if bakes else None
        if bake is None:
            return self._end(context, None)
        if event.type == "ESC" and event.value == "PRESS":
            bake.cancel()
        elif event.type != "TIMER":
            return {"PASS_THROUGH"}
        bake.poll()
        return self._end(context, bake) if bake.done else {"PASS_THROUGH"}

    def _end(self, context, bake):
        context.window_manager.event_timer_remove(self._timer)
        bakes.clear()
        return _report(self, bake) if bake else {"CANCELLED"}


def _report(operator, bake):
    if bake.failed:
        operator.report({"WARNING" if bake.failed.startswith("Cancelled") else "ERROR"}, bake.failed)
        return {"CANCELLED"}
    operator.report({"INFO"}, bake.result)
    return {"FINISHED"}


def _begin(operator, path):
    """Bakes to a path: with a window beside the person's work, without one until it is done."""
    if session.link is None:
        operator.report({"ERROR"}, _NOT_CONNECTED)
        return {"CANCELLED"}
    if bakes:
        operator.report({"ERROR"}, "A bake is under way already: wait for it, or cancel it with Esc")
        return {"CANCELLED"}
    if not os.path.isdir(os.path.dirname(os.path.abspath(path))):
        operator.report({"ERROR"}, f"{path}: there is no such folder")
        return {"CANCELLED"}
    bake = Bake(os.path.abspath(path))
    if not bpy.app.background:
        bakes.append(bake)
        bpy.ops.navd.bake_wait("INVOKE_DEFAULT")
        return {"FINISHED"}

    def step():
        handlers.step()
        bake.poll()
        return bake.done
    if not session.link.wait(step, 3600):
        bake.failed = bake.failed or "The world was not built within an hour"
    return _report(operator, bake)


class NAVD_OT_bake(bpy.types.Operator):
    """Wait until every tile is built, then save the navigation mesh"""
    bl_idname = "navd.bake"
    bl_label = "Bake All"

    @classmethod
    def poll(cls, context):
        return session.link is not None

    def execute(self, context):
        try:
            path = bake_path(context.scene)
        except ValueError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        return _begin(self, path)


class _Export(ExportHelper):
    @classmethod
    def poll(cls, context):
        return session.link is not None

    def execute(self, context):
        return _begin(self, self.filepath)


class NAVD_OT_export_detour(_Export, bpy.types.Operator):
    """Wait until every tile is built, then save Detour's multi-tile file, as RecastDemo loads it"""
    bl_idname = "navd.export_detour"
    bl_label = "Export Detour"
    filename_ext = ".bin"
    filter_glob: StringProperty(default="*.bin", options={"HIDDEN"})


class NAVD_OT_export_gltf(_Export, bpy.types.Operator):
    """Wait until every tile is built, then save the navigation mesh as glTF, with a material for each area"""
    bl_idname = "navd.export_gltf"
    bl_label = "Export glTF"
    filename_ext = ".glb"
    filter_glob: StringProperty(default="*.glb", options={"HIDDEN"})


class NAVD_OT_to_mesh(bpy.types.Operator):
    """Make a mesh object of the navigation mesh as it is shown, with a material for each area"""
    bl_idname = "navd.to_mesh"
    bl_label = "Make Mesh Object"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return context.mode == "OBJECT" and len(manager.model.chunks) > 0

    def execute(self, context):
        try:
            made = mesh_object.make(context, f"Navmesh {manager.profile()}")
        except ValueError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self.report({"INFO"}, f"{made.name}: {len(made.data.polygons)} triangles")
        return {"FINISHED"}


class NAVD_OT_show_tile(bpy.types.Operator):
    """Move the 3D view to this tile"""
    bl_idname = "navd.show_tile"
    bl_label = "Show Tile"
    bl_options = {"INTERNAL"}
    x: IntProperty()
    z: IntProperty()

    def execute(self, context):
        model = manager.model
        failed = model.failed.get((self.x, self.z))
        if failed is None or not model.side:
            self.report({"WARNING"}, f"Tile {self.x}, {self.z} did not fail, or is built by now")
            return {"CANCELLED"}
        space = context.space_data if context.space_data and context.space_data.type == "VIEW_3D" else next(
            (area.spaces.active for area in (context.screen.areas if context.screen else ()) if area.type == "VIEW_3D"), None)
        if space is None:
            self.report({"WARNING"}, "There is no 3D view to show it in")
            return {"CANCELLED"}
        space.region_3d.view_location = manager.matrix() @ Vector(failed_tiles.centre(model, failed))
        space.region_3d.view_distance = 3 * model.side * manager.matrix().median_scale
        return {"FINISHED"}


CLASSES = (NavdBake, NAVD_OT_bake_wait, NAVD_OT_bake, NAVD_OT_export_detour, NAVD_OT_export_gltf, NAVD_OT_to_mesh, NAVD_OT_show_tile)


def register():
    for cls in CLASSES:
        bpy.utils.register_class(cls)
    bpy.types.Scene.navd_bake = PointerProperty(type=NavdBake)


def unregister():
    bakes.clear()
    del bpy.types.Scene.navd_bake
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
