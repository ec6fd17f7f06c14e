# SPDX-License-Identifier: MIT
"""The sidebar's panels of the overlay and the tools, and the progress in the status bar."""
import bpy

from . import panels
from .overlay import manager
from .state import session
from .tools import operators, path

MOST_FAILED = 50


class _Panel:
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "navd"
    bl_options = {"DEFAULT_CLOSED"}


class NAVD_PT_overlay(_Panel, bpy.types.Panel):
    bl_label = "Overlay"
    bl_options = set()

    def draw_header(self, context):
        self.layout.prop(context.scene.navd_overlay, "show", text="")

    def draw(self, context):
        layout, look = self.layout, context.scene.navd_overlay
        layout.use_property_split = True
        layout.use_property_decorate = False
        layout.active = look.show
        layout.prop(look, "color")
        layout.prop(look, "alpha")
        layout.prop(look, "offset")
        column = layout.column(heading="Show")
        for name in ("edges", "failed", "xray"):
            column.prop(look, name)


class NAVD_PT_failed(_Panel, bpy.types.Panel):
    bl_label = "Failed Tiles"

    @classmethod
    def poll(cls, context):
        return bool(manager.model.failed)

    def draw_header(self, context):
        self.layout.label(text=str(len(manager.model.failed)), icon="ERROR")

    def draw(self, context):
        column = self.layout.column(align=True)
        failed = list(manager.model.failed.values())
        for tile in failed[:MOST_FAILED]:
            box = column.box()
            jump = box.operator("navd.show_tile", text=f"Tile {tile.x}, {tile.z}", icon="VIEWZOOM")
            jump.x, jump.z = tile.x, tile.z
            panels._lines(box, tile.reason, "ERROR", context.region.width)
        if len(failed) > MOST_FAILED:
            column.label(text=f"and {len(failed) - MOST_FAILED} more")


class NAVD_PT_path(_Panel, bpy.types.Panel):
    bl_label = "Path"

    def draw_header(self, context):
        self.layout.prop(context.scene.navd_path, "show", text="")

    def draw(self, context):
        layout, settings, way = self.layout, context.scene.navd_path, path.way
        layout.use_property_split = True
        layout.use_property_decorate = False
        layout.prop(settings, "start")
        layout.prop(settings, "end")
        layout.operator("navd.path_add", icon="EMPTY_SINGLE_ARROW")
        if way.status in ("found", "partial"):
            layout.label(text=f"{way.length:.2f} m, along the ground {way.surface:.2f} m")
        if way.text:
            layout.label(text=way.text, icon="ERROR")


class NAVD_PT_bake(_Panel, bpy.types.Panel):
    bl_label = "Bake and Export"

    def draw(self, context):
        layout = self.layout
        layout.prop(context.scene.navd_bake, "path", text="")
        if operators.bakes:
            layout.label(text=operators.bakes[-1].text + " (Esc cancels)", icon="TIME")
        else:
            layout.operator("navd.bake", icon="FILE_TICK")
        column = layout.column(align=True)
        column.operator("navd.export_detour", icon="EXPORT")
        column.operator("navd.export_gltf", icon="EXPORT")
        column.operator("navd.to_mesh", icon="MESH_DATA")


def status_text():
    """What the status bar says of us; "" nothing."""
    if operators.bakes:
        return "navd: " + operators.bakes[-1].text
    done, total = session.progress
    return f"navd: {done} of {total} tiles" if total else ""


def _draw_status(header, context):
    """Appended to the status bar, so that what others show there stays."""
    text = status_text()
    if text:
        header.layout.label(text=text, icon="TIME")


def _redraw_status():
    """Blender draws the status bar again when a property with an update function is written, and for nothing else of ours."""
    window_manager = bpy.context.window_manager
    if not bpy.app.background and window_manager.navd_status != status_text():
        window_manager.navd_status = status_text()


def _draw_export(menu, context):
    menu.layout.operator("navd.export_detour", text="Navigation Mesh, Detour (.bin)")
    menu.layout.operator("navd.export_gltf", text="Navigation Mesh, glTF (.glb)")


CLASSES = (NAVD_PT_overlay, NAVD_PT_failed, NAVD_PT_path, NAVD_PT_bake)


def register():
    for cls in CLASSES:
        bpy.utils.register_class(cls)
    bpy.types.WindowManager.navd_status = bpy.props.StringProperty(options={"HIDDEN", "SKIP_SAVE"}, update=lambda self, context: None)
    session.changed.append(_redraw_status)
    bpy.types.STATUSBAR_HT_header.append(_draw_status)
    bpy.types.TOPBAR_MT_file_export.append(_draw_export)


def unregister():
    bpy.types.TOPBAR_MT_file_export.remove(_draw_export)
    bpy.types.STATUSBAR_HT_header.remove(_draw_status)
    session.changed.remove(_redraw_status)
    del bpy.types.WindowManager.navd_status
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
