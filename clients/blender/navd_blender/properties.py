# SPDX-License-Identifier: MIT
"""The add-on's settings: in the preferences, the scene, objects and materials."""
import bpy
from bpy.props import (BoolProperty, CollectionProperty, EnumProperty, FloatProperty, IntProperty, PointerProperty,
                       StringProperty)

from .state import session

KINDS = ("MESH", "CURVE", "SURFACE", "FONT", "META")


def _geometry_changed(self, context):
    if session.follow:
        session.follow.note_settings()


def _agent_changed(self, context):
    if session.connection:
        session.connection.send_agents()
        session.touch()  # the overlay is that of the active agent, by its name


def _active_agent_changed(self, context):
    session.touch()


class NavdPreferences(bpy.types.AddonPreferences):
    bl_idname = __package__

    address: StringProperty(
        name="Address", description="Where navd listens: /path/to/socket, host:port or tls://host:port. "
        "Empty: $NAVD_ADDRESS, or the usual socket of this machine")
    token_file: StringProperty(name="Token File", subtype="FILE_PATH", description="A file that holds the token, for a navd that asks for one")
    ca_file: StringProperty(
        name="Certificates", subtype="FILE_PATH", description="The authorities that vouch for the server (PEM). Empty: those of the system")
    program: StringProperty(
        name="navd", subtype="FILE_PATH", description="The program that Start navd runs. Empty: the one in the path")

    def draw(self, context):
        layout = self.layout
        layout.use_property_split = True
        for name in ("address", "token_file", "ca_file", "program"):
            layout.prop(self, name)


class NavdGround(bpy.types.PropertyGroup):
    """Of an object or a material: what kind of ground it is."""
    kind: EnumProperty(
        name="Ground", update=_geometry_changed, default="GROUND", items=(
            ("GROUND", "Ordinary", "Ordinary ground; of a material: the ground that the object is"),
            ("AREA", "Area", "Ground of the area below"),
            ("OBSTACLE", "Obstacle", "Nobody walks on it, and it is in the way"),
            ("IGNORE", "Ignored", "Not part of the navigation mesh's scene. Objects only")))
    area: IntProperty(name="Area", description="The kind of ground, as the world's table of areas has it", update=_geometry_changed,
                      min=1, max=63, default=1)
    heights: BoolProperty(
        name="Height Grid", update=_geometry_changed, default=False,
        description="The mesh is a regular lattice, as Add > Mesh > Grid makes it: heights are sent instead of triangles, and a sculpt stroke "
        "sends what it has changed alone. Objects only")


class NavdAgent(bpy.types.PropertyGroup):
    """A profile of the world."""
    name: StringProperty(name="Name", description="The profile's name in the world", default="human", update=_agent_changed)
    radius: FloatProperty(name="Radius", description="How far its centre stays from walls, in metres", default=0.6, min=0, soft_max=5,
                          precision=2, update=_agent_changed)
    height: FloatProperty(name="Height", description="Room that it needs, in metres", default=2, min=0.01, soft_max=10, precision=2, update=_agent_changed)
    climb: FloatProperty(name="Climb", description="The highest step, in metres", default=0.9, min=0, soft_max=5, precision=2, update=_agent_changed)
    slope: FloatProperty(name="Slope", description="The steepest ground, in degrees", default=45, min=0, max=90, precision=1, update=_agent_changed)
    cell_size: FloatProperty(name="Cell Size", description="Side of a column of the grid, in metres: smaller is finer and slower",
                             default=0.3, min=0.01, soft_max=2, precision=3, update=_agent_changed)
    cell_height: FloatProperty(name="Cell Height", description="Height of a voxel, in metres", default=0.2, min=0.01, soft_max=2, precision=3,
                               update=_agent_changed)
    tile_cells: IntProperty(name="Tile", description="Columns along a tile's side", default=48, min=4, max=16384, update=_agent_changed)

    outlines: EnumProperty(
        name="Outlines", update=_agent_changed, default="VOXEL", items=(
            ("VOXEL", "Voxel", "The mesh ends at the columns of the grid"),
            ("TRUE", "True", "The mesh ends at the walls themselves, the agent's radius away from them")),
        description="Where the navigation mesh ends")
    generator: EnumProperty(
        name="Generator", update=_agent_changed, default="VOXEL", items=(
            ("VOXEL", "Voxel", "Any geometry: what is floor is found with voxels"),
            ("SURFACE", "Surface", "Meshes that are the floor themselves, such as terrain: their triangles are joined")),
        description="What makes the navigation mesh")
    surface_error: FloatProperty(name="Surface Error", description="How far heights may be from the triangles, in metres. Surface generator only",
                                 default=0.05, min=0, max=1000, soft_max=1, precision=3, update=_agent_changed)
    corners: EnumProperty(
        name="Corners", update=_agent_changed, default="ROUND", items=(
            ("ROUND", "Round", "An arc, the agent's radius away from the corner"),
            ("MITRE", "Mitre", "The sides go on until they meet in a point"),
            ("BEVEL", "Bevel", "One straight edge, from the end of one side to the beginning of the other")),
        description="How the radius is kept around a corner. Surface generator only")
    mitre_limit: FloatProperty(name="Mitre Limit", description="How far a mitre reaches from its corner at most, in radii. The rest is cut off",
                               default=2, min=1, max=10, precision=2, update=_agent_changed)
    arc_error: FloatProperty(name="Arc Error", description="How far a round corner may lie outside its arc, in metres. 0: 2 % of the radius",
                             default=0, min=0, max=1000, soft_max=1, precision=3, update=_agent_changed)

    def settings(self):
        """As docs/protocol/settings.md names them."""
        return {"cell_size_m": typed(self.cell_size), "cell_height_m": typed(self.cell_height), "tile_cells": self.tile_cells,
                "agent_radius_m": typed(self.radius), "agent_height_m": typed(self.height), "agent_climb_m": typed(self.climb),
                "agent_slope_deg": typed(self.slope), "outlines": self.outlines.lower(), "generator": self.generator.lower(),
                "surface_error_m": typed(self.surface_error), "corners": self.corners.lower(), "mitre_limit": typed(self.mitre_limit),
                "arc_error_m": typed(self.arc_error)}


def typed(value):
    """Blender's float with as few digits as a person typed: 0.6, not 0.6000000238418579."""
    return float(f"{value:.6g}")


class NavdScene(bpy.types.PropertyGroup):
    world: StringProperty(name="World", description="The world's name. Empty: the file's name")
    source: StringProperty(
        name="Source", description="Under this name the world keeps the objects of this scene. Connecting chooses one and the file keeps it. "
        "Two scenes in one world need two names")
    collection: PointerProperty(name="Collection", type=bpy.types.Collection, update=_geometry_changed,
                                description="Only what is in this collection is geometry. Empty: everything that is visible")
    kinds: EnumProperty(
        name="Kinds", options={"ENUM_FLAG"}, update=_geometry_changed, default=set(KINDS), items=(
            ("MESH", "Mesh", "Meshes", "OUTLINER_OB_MESH", 1), ("CURVE", "Curve", "Curves with a surface", "OUTLINER_OB_CURVE", 2),
            ("SURFACE", "Surface", "Surfaces", "OUTLINER_OB_SURFACE", 4), ("FONT", "Text", "Text", "OUTLINER_OB_FONT", 8),
            ("META", "Metaball", "Metaballs", "OUTLINER_OB_META", 16)))
    instances: BoolProperty(name="Instances", default=True, update=_geometry_changed,
                            description="What collection instances, particles and geometry nodes place is geometry, too")
    render_only: BoolProperty(name="Rendered Only", default=False, update=_geometry_changed,
                              description="What is disabled in renders is not geometry")
    bounds: PointerProperty(name="Bounds", type=bpy.types.Object, update=_geometry_changed,
                            description="The mesh exists only inside this object's box. The object itself is not geometry. Empty: everywhere")
    agents: CollectionProperty(type=NavdAgent)
    active_agent: IntProperty(name="Agent", default=0, min=0, update=_active_agent_changed)

    def agent(self):
        """The active agent, or None."""
        return self.agents[self.active_agent] if self.active_agent < len(self.agents) else None


CLASSES = (NavdPreferences, NavdGround, NavdAgent, NavdScene)


def preferences():
    return bpy.context.preferences.addons[__package__].preferences


def register():
    for cls in CLASSES:
        bpy.utils.register_class(cls)
    bpy.types.Scene.navd = PointerProperty(type=NavdScene)
    bpy.types.Object.navd = PointerProperty(type=NavdGround)
    bpy.types.Material.navd = PointerProperty(type=NavdGround)


def unregister():
    del bpy.types.Material.navd
    del bpy.types.Object.navd
    del bpy.types.Scene.navd
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
