# SPDX-License-Identifier: MIT
"""The sidebar: connection, geometry, agents."""
import textwrap

import bpy

from .state import session


class _Panel:
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "navd"


def _lines(layout, text, icon, width):
    """A long sentence over several lines."""
    column = layout.column(align=True)
    for at, line in enumerate(textwrap.wrap(text, max(20, int(width / 8)))):
        column.label(text=line, icon=icon if at == 0 else "BLANK1")


class NAVD_PT_connection(_Panel, bpy.types.Panel):
    bl_label = "navd"

    def draw(self, context):
        layout, settings, width = self.layout, context.scene.navd, context.region.width
        connection = session.connection
        if session.notice:
            icon, text, advice = session.notice
            box = layout.box()
            _lines(box, text, icon, width)
            if advice:
                _lines(box, advice, "INFO", width)
        if connection is None:
            column = layout.column(align=True)
            column.operator("navd.connect", icon="LINKED")
            column.operator("navd.start", icon="PLAY")
        else:
            follow, row = connection.follow, layout.row(align=True)
            if connection.link.world is None:
                layout.label(text="Connecting", icon="TIME")
            elif follow.settled:
                layout.label(text=f"{follow.count} objects, revision {follow.revision}", icon="CHECKMARK")
            else:
                layout.label(text=f"{follow.count} objects, sending", icon="TIME")
            if follow.left_out:
                _lines(layout, follow.left_out, "ERROR", width)
            row.operator("navd.disconnect", icon="UNLINKED")
            row.operator("navd.send_again", text="", icon="FILE_REFRESH")
        column = layout.column()
        column.use_property_split = True
        column.use_property_decorate = False
        column.enabled = connection is None
        column.prop(settings, "world")
        column.prop(settings, "source")


class NAVD_PT_geometry(_Panel, bpy.types.Panel):
    bl_label = "Geometry"

    def draw(self, context):
        layout, settings, ob = self.layout, context.scene.navd, context.object
        layout.use_property_split = True
        layout.use_property_decorate = False
        layout.prop(settings, "collection")
        layout.prop(settings, "bounds")
        layout.prop(settings, "instances")
        layout.prop(settings, "render_only")
        row = layout.row()
        row.use_property_split = False
        row.prop(settings, "kinds")
        if ob is None:
            return
        box = layout.box()
        _draw_ground(box, ob, ob.name, "OBJECT_DATA")
        if ob.type == "MESH" and ob.navd.kind in ("GROUND", "AREA"):
            box.prop(ob.navd, "heights")
            why = session.follow.grid_refused(ob) if session.follow and ob.navd.heights else ""
            if why:
                _lines(box, f"Sent as triangles: {why}", "ERROR", context.region.width)
        for slot in ob.material_slots:
            if slot.material:
                _draw_ground(layout.box(), slot.material, slot.material.name, "MATERIAL")


def _draw_ground(layout, owner, name, icon):
    layout.label(text=name, icon=icon)
    layout.prop(owner.navd, "kind")
    if owner.navd.kind == "AREA":
        layout.prop(owner.navd, "area")


class NAVD_PT_agents(_Panel, bpy.types.Panel):
    bl_label = "Agents"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        layout, settings = self.layout, context.scene.navd
        row = layout.row()
        row.template_list("UI_UL_list", "navd_agents", settings, "agents", settings, "active_agent", rows=2)
        column = row.column(align=True)
        column.operator("navd.agent_add", text="", icon="ADD")
        column.operator("navd.agent_remove", text="", icon="REMOVE")
        agent = settings.agent()
        if agent is None:
            return
        layout.use_property_split = True
        layout.use_property_decorate = False
        for name in ("name", "radius", "height", "climb", "slope", "cell_size", "cell_height", "tile_cells", "generator"):
            layout.prop(agent, name)
        if agent.generator != "SURFACE":
            layout.prop(agent, "outlines")
            return
        layout.prop(agent, "surface_error")
        layout.prop(agent, "corners")
        if agent.corners != "BEVEL":
            layout.prop(agent, "mitre_limit" if agent.corners == "MITRE" else "arc_error")


CLASSES = (NAVD_PT_connection, NAVD_PT_geometry, NAVD_PT_agents)


def _redraw():
    """The notice and the state are in sidebars: they are drawn anew when something changes."""
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                for region in area.regions:
                    if region.type == "UI":
                        region.tag_redraw()


def register():
    for cls in CLASSES:
        bpy.utils.register_class(cls)
    session.changed.append(_redraw)


def unregister():
    session.changed.remove(_redraw)
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
