# SPDX-License-Identifier: MIT
"""Draw handlers of the 3D view, and what the overlay's do."""
import time
import traceback

import bpy
import gpu
from mathutils import Matrix

from . import axes, failed_tiles
from .batches import SMOOTH_COLOR

_handles = []
_shader = None
timings = None  # of a bench, for each call of mesh(): (seconds, the main thread's own seconds, triangles)


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


def mesh(context, batches, matrix, settings):
    """The navigation mesh, in a POST_VIEW handler. matrix: from metres to Blender's units."""
    started, own = time.perf_counter(), time.thread_time()
    view, lifted = context.region_data, axes.lifted(matrix, settings.offset)
    shown = batches.in_view(view.perspective_matrix @ lifted, (context.region.width, context.region.height))
    exact = [chunk for chunk in shown if not chunk.level.error]
    others = [chunk for chunk in shown if chunk.level.error]
    closer = _closer(view, lifted, others)
    used = shader()
    gpu.state.blend_set("ALPHA")
    gpu.state.depth_test_set("NONE" if settings.xray else "LESS_EQUAL")
    gpu.state.depth_mask_set(False)
    used.bind()
    for name in ("ground", "lines") if settings.edges else ("ground",):
        for chunks, moved in ((exact, lifted), (others, lifted @ closer)):
            with gpu.matrix.push_pop():
                gpu.matrix.multiply_matrix(moved)
                for chunk in chunks:
                    batch = chunk.level.batch if name == "ground" else chunk.lines
                    if batch is not None:
                        batch.draw(used)
    restore()
    if timings is not None:
        timings.append((time.perf_counter() - started, time.thread_time() - own, sum(chunk.level.triangles for chunk in shown)))


def _closer(view, matrix, shown):
    """What moves these chunks towards the eye and changes nothing on the screen, so far that ground which rises above its fewer
    triangles does not hide them. In metres, as the chunks are."""
    back, to_world = matrix.inverted(), view.view_matrix.inverted()
    if view.window_matrix[3][3] == 0:  # perspective
        share = max((2 * chunk.level.error / chunk.distance for chunk in shown), default=0)
        eye = Matrix.Translation(back @ to_world.translation)
        return eye @ Matrix.Scale(1 - min(share * matrix.median_scale, 0.5), 4) @ eye.inverted()
    metres = max((2 * chunk.level.error for chunk in shown), default=0)
    return Matrix.Translation((back.to_3x3() @ to_world.col[2].to_3d()).normalized() * metres)


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
