# SPDX-License-Identifier: MIT
"""The way between two objects, as it is now: found again when one of them moves or the tiles change.

One call is under way at most. What changes meanwhile counts for the next one, so a drag costs as many calls as are answered.
"""
import bpy
import numpy
from bpy.app.handlers import persistent
from bpy.props import BoolProperty, PointerProperty
from bpy_extras.view3d_utils import location_3d_to_region_2d
from mathutils import Matrix, Vector

from ..handlers import guarded
from ..overlay import draw, manager
from ..overlay.failed_tiles import draw_text
from ..state import session

FOUND, PARTIAL = (1.0, 0.85, 0.1, 1.0), (1.0, 0.35, 0.2, 1.0)
TEXTS = {
    "found": "", "partial": "The goal cannot be reached: the way ends as near to it as one can get",
    "no_start": "There is no ground near the start", "no_goal": "There is no ground near the goal",
    "limit": "Given up: the search takes more than one query may",
}


class Way:
    """points: f32 (N, 3) in Blender's units. text: what is wrong with it; "" nothing. revision: of the world it is a way of."""

    def __init__(self):
        self.points = numpy.zeros((0, 3), "f4")
        self.status = self.text = ""
        self.length = self.surface = 0.0
        self.revision = 0
        self.asked = None  # (link, profile, from, to) of the call under way; None: none is
        self.shown = None  # of the call that was answered last
        self.stale = False  # something has changed since the call was sent
        self.batch = None


way = Way()


def ends(scene):
    """The two places in Blender's units, or None."""
    settings = scene.navd_path
    if not settings.show or settings.start is None or settings.end is None:
        return None
    return tuple(settings.start.matrix_world.translation), tuple(settings.end.matrix_world.translation)


def refresh(changed=False):
    """Asks for the way if it may be another one by now. changed: the tiles are others."""
    places = ends(bpy.context.scene)
    link, profile = session.link, manager.profile()
    if places is None or link is None or not session.world or not profile:
        if way.shown or way.text or len(way.points):
            _show([], "", 0.0, 0.0)
            way.shown = None
        return
    wanted = (link, profile, *places)
    if way.asked is not None:
        way.stale = way.stale or changed or wanted != way.asked
    elif changed or wanted != way.shown:
        way.asked, way.stale = wanted, False
        link.call("path.find", {"profile": profile, "queries": [{"from": list(places[0]), "to": list(places[1])}]}, _answered)


def _answered(result, error):
    asked, way.asked = way.asked, None
    if asked is None or asked[0] is not session.link:
        return
    way.shown = asked
    if error is not None:
        if error.code == "closed":
            way.shown = None  # asked again when the connection is back
            return
        unknown = error.code == "not_found" and "path.find" in error.message
        _show([], "", 0.0, 0.0, "This navd has no path.find: update it" if unknown else error.message)
    else:
        way.revision = result.get("revision", 0)
        found = result["paths"][0]
        points = found.get("points") or b""
        points = numpy.frombuffer(points, "<f4") if isinstance(points, bytes) else numpy.array(points, "f4")
        _show(points.reshape(-1, 3), found["status"], found.get("length_m", 0.0), found.get("surface_m", 0.0))
    if way.stale:
        refresh(changed=True)


def _show(points, status, length, surface, text=None):
    way.points = numpy.array(points, "f4").reshape(-1, 3)
    way.status, way.length, way.surface = status, length, surface
    way.text = TEXTS.get(status, status) if text is None else text
    way.batch = None
    if not bpy.app.background:
        draw.redraw()


class NavdPath(bpy.types.PropertyGroup):
    def _changed(self, context):
        refresh()

    show: BoolProperty(name="Path", description="Show the way from the start to the goal, and keep it up to date", default=True,
                       update=_changed)
    start: PointerProperty(name="Start", type=bpy.types.Object, update=_changed)
    end: PointerProperty(name="Goal", type=bpy.types.Object, update=_changed)


class NAVD_OT_path_add(bpy.types.Operator):
    """Add two empties, start and goal, and show the way between them"""
    bl_idname = "navd.path_add"
    bl_label = "Add Path"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return context.mode == "OBJECT"

    def execute(self, context):
        settings = context.scene.navd_path
        place = context.scene.cursor.location
        step = max(manager.model.side, 4.0) / 2
        for name, label, offset in (("start", "navd start", -step), ("end", "navd goal", step)):
            if getattr(settings, name) is not None and getattr(settings, name).name in context.scene.objects:
                continue
            empty = bpy.data.objects.new(label, None)
            empty.empty_display_type = "SINGLE_ARROW"
            empty.empty_display_size = 2
            empty.location = place + Vector((offset, 0, 0))
            context.collection.objects.link(empty)
            setattr(settings, name, empty)
        settings.show = True
        return {"FINISHED"}


@persistent
@guarded
def _updated(scene, depsgraph):
    refresh()


@persistent
@guarded
def _replaced(*_):
    """After undo, redo and load, the scene is another one."""
    way.shown = None
    refresh(changed=True)


def _tiles_changed(event):
    # All tiles of one edit come together: one question for all of them.
    if bpy.app.background:  # no timer runs there
        refresh(changed=True)
    elif not bpy.app.timers.is_registered(_after_tiles):
        bpy.app.timers.register(_after_tiles, first_interval=0, persistent=True)


@guarded
def _after_tiles():
    refresh(changed=True)


def _draw(context):
    if not len(way.points) or not context.scene.navd_path.show:
        return
    import gpu
    from gpu_extras.batch import batch_for_shader
    name = "POLYLINE_UNIFORM_COLOR" if bpy.app.version >= (4, 0, 0) else "3D_POLYLINE_UNIFORM_COLOR"
    shader = gpu.shader.from_builtin(name)
    if way.batch is None:
        way.batch = batch_for_shader(shader, "LINE_STRIP", {"pos": way.points.tolist()})
    gpu.state.blend_set("ALPHA")
    with gpu.matrix.push_pop():
        gpu.matrix.multiply_matrix(Matrix.Translation((0, 0, context.scene.navd_overlay.offset * 2)))
        shader.bind()
        shader.uniform_float("viewportSize", (context.region.width, context.region.height))
        shader.uniform_float("lineWidth", 4.0)
        shader.uniform_float("color", FOUND if way.status == "found" else PARTIAL)
        way.batch.draw(shader)
    draw.restore()


def _draw_label(context):
    settings = context.scene.navd_path
    if not settings.show or settings.end is None or not way.status:
        return
    place = location_3d_to_region_2d(context.region, context.region_data, settings.end.matrix_world.translation)
    if place is not None:
        text = f"{way.length:.2f} m" if way.status == "found" else way.text
        draw_text(place.x, place.y + 18, text, FOUND if way.status == "found" else PARTIAL)


HANDLERS = (("depsgraph_update_post", _updated), ("undo_post", _replaced), ("redo_post", _replaced), ("load_post", _replaced))


def register():
    bpy.utils.register_class(NavdPath)
    bpy.utils.register_class(NAVD_OT_path_add)
    bpy.types.Scene.navd_path = PointerProperty(type=NavdPath)
    manager.listeners.append(_tiles_changed)
    for name, handler in HANDLERS:
        getattr(bpy.app.handlers, name).append(handler)
    if not bpy.app.background:
        draw.add(_draw, "POST_VIEW")
        draw.add(_draw_label, "POST_PIXEL")


def unregister():
    for name, handler in HANDLERS:
        getattr(bpy.app.handlers, name).remove(handler)
    if bpy.app.timers.is_registered(_after_tiles):
        bpy.app.timers.unregister(_after_tiles)
    manager.listeners.remove(_tiles_changed)
    del bpy.types.Scene.navd_path
    bpy.utils.unregister_class(NAVD_OT_path_add)
    bpy.utils.unregister_class(NavdPath)
