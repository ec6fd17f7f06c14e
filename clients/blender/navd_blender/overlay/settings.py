# SPDX-License-Identifier: MIT
"""How the overlay looks: kept with the scene."""
import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, PointerProperty

from . import manager


def _look(self, context):
    manager.apply_settings()


class NavdOverlay(bpy.types.PropertyGroup):
    show: BoolProperty(name="Navigation Mesh", description="Draw the navigation mesh over the 3D view", default=True, update=_look)
    color: EnumProperty(
        name="Color", update=_look, default="AREA", items=(
            ("AREA", "Area", "By the kind of ground, in the colors of the world's table of areas"),
            ("HEIGHT", "Height", "From the lowest to the highest ground"),
            ("AGE", "Age", "Yellow: just arrived; blue: older than ten minutes"),
            ("STATUS", "Status", "Green: built; blue: from the cache; red: failed, the tile before is shown")))
    alpha: FloatProperty(name="Opacity", default=0.55, min=0.05, max=1, subtype="FACTOR", update=_look)
    offset: FloatProperty(name="Offset", description="Drawn so far above the ground", default=0.2, soft_min=0, soft_max=1,
                          subtype="DISTANCE", precision=2, update=_look)
    xray: BoolProperty(name="X-Ray", description="Draw through what is in front", default=False, update=_look)
    edges: BoolProperty(name="Edges", description="Draw the edges of cells, walls and tiles", default=True, update=_look)
    failed: BoolProperty(name="Failed Tiles", description="Show tiles that could not be built, with the reason", default=True,
                         update=_look)


def register():
    bpy.utils.register_class(NavdOverlay)
    bpy.types.Scene.navd_overlay = PointerProperty(type=NavdOverlay)


def unregister():
    del bpy.types.Scene.navd_overlay
    bpy.utils.unregister_class(NavdOverlay)
