# SPDX-License-Identifier: MIT
"""Draw handlers of the 3D view, and what the overlay's do."""
import time
import traceback

import bpy
import gpu

from . import axes, failed_tiles
from .batches import SMOOTH_COLOR

_handles = []
_shader = None
timings = None  # of a bench: (seconds, the main thread's own seconds) of each call of mesh()


def add(function, kind):
    """Calls function(context) for each 3D view that shows overlays. kind: "POST_VIEW" (in the scene) or "POST_PIXEL" (on the
    screen). One that raises is shown in the console once, and is not called again."""
    def guarded():
        context = bpy.context
        if failed or not context.space_data or not context.space_data.overlay.show_overlays:
            return
        try:
            function(context)
        except Exception:
            failed.append(True)
            traceback.print_exc()

    failed = []
    handle = bpy.types.SpaceView3D.draw_handler_add(guarded, (), "WINDOW", kind)
    _handles.append(handle)
    return handle


def remove(handle):
    _handles.remove(handle)
    bpy.types.SpaceView3D.draw_handler_remove(handle, "WINDOW")


def remove_all():
    for handle in list(_handles):
        remove(handle)


def shader():
    global _shader
    if _shader is None:
        _shader = gpu.shader.from_builtin(SMOOTH_COLOR)
    return _shader


def redraw():
    """All 3D views, at the next occasion."""
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                area.tag_redraw()


def mesh(context, model, batches, matrix, settings):
    """The navigation mesh, in a POST_VIEW handler. matrix: from metres to Blender's units."""
    started, own = time.perf_counter(), time.thread_time()
    lifted = axes.lifted(matrix, settings.offset)
    used = shader()
    gpu.state.blend_set("ALPHA")
    gpu.state.depth_test_set("NONE" if settings.xray else "LESS_EQUAL")
    gpu.state.depth_mask_set(False)
    with gpu.matrix.push_pop():
        gpu.matrix.multiply_matrix(lifted)
        used.bind()
        shown = batches.in_view(model.chunks, context.region_data.perspective_matrix @ lifted)
        for drawn in shown:
            drawn.ground.draw(used)
        if settings.edges:
            for drawn in shown:
                if drawn.lines is not None:
                    drawn.lines.draw(used)
    restore()
    if timings is not None:
        timings.append((time.perf_counter() - started, time.thread_time() - own))


def failed(context, pair, matrix, settings):
    """The squares of failed tiles: failed_tiles.batches()."""
    lifted = axes.lifted(matrix, settings.offset * 1.5)
    used = shader()
    gpu.state.blend_set("ALPHA")
    with gpu.matrix.push_pop():
        gpu.matrix.multiply_matrix(lifted)
        used.bind()
        pair[0].draw(used)
        gpu.state.line_width_set(2)
        pair[1].draw(used)
    restore()


def labels(context, model, matrix):
    failed_tiles.draw_labels(model, matrix, context.region, context.region_data)


def restore():
    """What Blender and others expect."""
    gpu.state.line_width_set(1)
    gpu.state.depth_mask_set(True)
    gpu.state.depth_test_set("NONE")
    gpu.state.blend_set("NONE")
