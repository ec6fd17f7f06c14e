# SPDX-License-Identifier: MIT
"""Failed tiles in the 3D view: a red square where each is, and its reason. Needs a window."""
import blf
import numpy
from bpy_extras.view3d_utils import location_3d_to_region_2d
from mathutils import Vector

from .batches import make_batch, vertices

FILL, LINE = (226, 60, 50, 70), (226, 60, 50, 255)
MOST_LABELS, LABEL_CHARACTERS = 32, 64  # the list has all of them, in full


def corners(model, failed):
    """The four corners of a failed tile in metres, Y up, as high as the ground that is known there."""
    side, (x, y, z) = model.side, model.origin
    geometry = model.chunks.tiles.get((failed.x, failed.z))
    if geometry is not None and len(geometry.positions):
        y = geometry.high
    elif len(model.chunks):
        y = model.palette.low
    x, z = x + failed.x * side, z + failed.z * side
    return [(x, y, z), (x + side, y, z), (x + side, y, z + side), (x, y, z + side)]


def centre(model, failed):
    points = corners(model, failed)
    return tuple((points[0][axis] + points[2][axis]) / 2 for axis in range(3))


def batches(model):
    """(ground, lines) of all failed tiles, or None."""
    if not model.failed or not model.side:
        return None
    points = numpy.array([corners(model, failed) for failed in model.failed.values()], "f4")
    first = numpy.arange(len(points), dtype="i4")[:, None] * 4
    ground = (first + numpy.array([0, 1, 2, 0, 2, 3], "i4")).reshape(-1, 3)
    # The square, and a cross in it.
    lines = points[:, [0, 1, 1, 2, 2, 3, 3, 0, 0, 2, 1, 3]].reshape(-1, 3)
    points = points.reshape(-1, 3)
    return (make_batch("TRIS", vertices(points, numpy.full((len(points), 4), FILL, "u1")), ground),
            make_batch("LINES", vertices(lines, numpy.full((len(lines), 4), LINE, "u1"))))


def draw_labels(model, matrix, region, view):
    """In a POST_PIXEL handler."""
    if not model.side:
        return
    for failed in list(model.failed.values())[:MOST_LABELS]:
        place = location_3d_to_region_2d(region, view, matrix @ Vector(centre(model, failed)))
        if place is None:
            continue
        text = f"tile {failed.x}, {failed.z} failed: {failed.reason}"
        if len(text) > LABEL_CHARACTERS:
            text = text[:LABEL_CHARACTERS - 1] + "…"
        draw_text(place.x, place.y, text, (1, 0.75, 0.72, 1))


def draw_text(x, y, text, color):
    font = 0
    size(font, 12)
    width, height = blf.dimensions(font, text)
    blf.enable(font, blf.SHADOW)
    blf.shadow(font, 3, 0, 0, 0, 0.9)
    blf.color(font, *color)
    blf.position(font, x - width / 2, y - height / 2, 0)
    blf.draw(font, text)
    blf.disable(font, blf.SHADOW)


def size(font, points):
    """blf.size() lost its third argument in Blender 4.0."""
    import bpy
    scale = bpy.context.preferences.system.ui_scale
    if bpy.app.version >= (4, 0, 0):
        blf.size(font, points * scale)
    else:
        blf.size(font, round(points * scale), 72)
