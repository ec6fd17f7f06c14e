# SPDX-License-Identifier: MIT
"""The navigation mesh as an object of Blender, with a material for each area."""
import bpy
import numpy

from ..overlay import manager
from .bake import ground_parts


def make(context, name):
    """A new object, selected and active. Raises ValueError."""
    parts = ground_parts()
    if not parts:
        raise ValueError("No tile has walkable ground: there is nothing to make an object of")
    mesh = bpy.data.meshes.new(name)
    positions = numpy.concatenate([part.positions for part in parts])
    first = numpy.cumsum([0] + [len(part.positions) for part in parts])
    triangles = numpy.concatenate([part.triangles + start for part, start in zip(parts, first)])
    matrix = numpy.array(manager.matrix(), "f8")
    points = (positions @ matrix[:3, :3].T + matrix[:3, 3]).astype("f4")
    mesh.vertices.add(len(points))
    mesh.vertices.foreach_set("co", points.ravel())
    mesh.loops.add(triangles.size)
    mesh.loops.foreach_set("vertex_index", triangles.astype("i4").ravel())
    mesh.polygons.add(len(triangles))
    mesh.polygons.foreach_set("loop_start", numpy.arange(0, triangles.size, 3, dtype="i4"))
    if bpy.app.version < (4, 1, 0):  # later it follows from the starts
        mesh.polygons.foreach_set("loop_total", numpy.full(len(triangles), 3, "i4"))
    for part in parts:
        mesh.materials.append(_material(part))
    slots = numpy.repeat(numpy.arange(len(parts), dtype="i4"), [len(part.triangles) for part in parts])
    mesh.polygons.foreach_set("material_index", slots)
    mesh.update(calc_edges=True)
    mesh.validate()
    made = bpy.data.objects.new(name, mesh)
    made.navd.kind = "IGNORE"  # it shows the mesh, it is not what the mesh is made from
    context.collection.objects.link(made)
    for selected in context.selected_objects:
        selected.select_set(False)
    made.select_set(True)
    context.view_layer.objects.active = made
    return made


def _material(part):
    name = f"navd {part.name}"
    material = bpy.data.materials.get(name) or bpy.data.materials.new(name)
    material.diffuse_color = (*((channel / 255) ** 2.2 for channel in part.color), 1)
    return material
