# SPDX-License-Identifier: MIT
"""The overlay of this Blender: follows the session's link, makes batches in what is left of the timer's time, has them drawn.

Main thread only. `model` is what is shown; `listeners` are called when tiles have changed, for the tools.
"""
import time

import bpy
from bpy.app.handlers import persistent

from .. import handlers
from ..handlers import guarded
from ..state import session
from . import axes, draw, failed_tiles
from .colors import AGE
from .geometry import tile_geometry
from .model import Model

REDRAW_S = 0.1  # between two redraws while there is more to make
AGE_S = 0.5  # between two looks at how old the tiles are
REST_S = 0.5  # without a change before levels of detail are made, so that nobody waits for them

model = Model()
listeners = []
_batches = None  # batches.Batches; None without a window
_failed = None  # failed_tiles.batches() of what failed
_link = None
_subscription = None
_profile = ""
_matrix = axes.from_metres(None)
_shown = {"redrawn": 0.0, "aged": 0.0, "changed": 0.0, "failed": None}
_pending = True  # something has changed since it was drawn


def profile():
    """The name of the profile that is shown; "" without one."""
    return _profile


def matrix():
    """From metres with Y up to Blender's units: 4 x 4."""
    return _matrix


def settings():
    return bpy.context.scene.navd_overlay


def apply_settings():
    look = settings()
    model.set_look(look.color, look.alpha)
    _changed()


def attach():
    """Called when the session has changed: follows its link and its active agent."""
    global _link, _subscription, _profile
    link = session.link
    agent = bpy.context.scene.navd.agent()
    wanted = agent.name if agent else ""
    if link is _link and wanted == _profile:
        return
    if link is not _link:
        if _link is not None and _take in _link.listeners:
            _link.listeners.remove(_take)
        _link, _subscription = link, None
        if link is not None:
            link.listeners.append(_take)
    if _subscription is not None:
        _subscription.close()
        _subscription = None
    model.clear()
    _profile = wanted
    apply_settings()
    if link is not None and wanted:
        _subscription = link.subscribe(wanted, prepare=tile_geometry)


def _take(event):
    global _matrix
    if event.name == "opened":
        _matrix = axes.from_metres(event.data)
        model.set_areas(event.data.get("areas") or [])
    elif event.subscription is _subscription or event.name in ("progress", "disconnected"):
        if event.name == "progress" and event.data.profile != _profile:
            return
        model.take(event)
        if event.name in ("tile", "synced", "ended"):
            for listener in list(listeners):
                listener(event)


def _changed():
    global _pending
    _pending = True
    _shown["changed"] = time.monotonic()


def settled():
    """All that has come is drawn, or is about to be, and nothing is left to do."""
    return not _pending and (_batches is None or _batches.thinned)


@guarded
def work(end):
    """In the timer: makes what is dirty, until about `end`. True: there is more."""
    global _batches, _failed, _pending
    now = time.monotonic()
    if model.palette.mode == AGE and now - _shown["aged"] >= AGE_S:
        _shown["aged"] = now
        model.grow_old()
    if not _pending:
        resting = now - _shown["changed"] >= REST_S and (session.follow is None or session.follow.settled)
        if settled() or not resting:
            return False
        _batches.thin(model.palette, end)
        return not settled()
    if _batches is None:
        from .batches import Batches  # gpu: only where there is a window
        _batches = Batches()
    _batches.make(model.chunks, model.palette, end)
    failed = (frozenset(model.failed.values()), model.side)
    if failed != _shown["failed"]:
        _shown["failed"] = failed
        _failed = failed_tiles.batches(model)
    _pending = bool(model.chunks.dirty)
    if not _pending or now - _shown["redrawn"] >= REDRAW_S:
        _shown["redrawn"] = now
        draw.redraw()
    return _pending


def _draw_mesh(context):
    look = context.scene.navd_overlay
    if not look.show:
        return
    if _batches is not None and _batches.drawn:
        draw.mesh(context, _batches, _matrix, look)
    if look.failed and _failed is not None:
        draw.failed(context, _failed, _matrix, look)


def _draw_labels(context):
    look = context.scene.navd_overlay
    if look.show and look.failed and model.failed:
        draw.labels(context, model, _matrix)


@persistent
def _loaded(_path, _unused=None):
    apply_settings()


def register():
    model.changed = _changed
    session.changed.append(attach)
    bpy.app.handlers.load_post.append(_loaded)
    if not bpy.app.background:
        handlers.workers.append(work)
        draw.add(_draw_mesh, "POST_VIEW")
        draw.add(_draw_labels, "POST_PIXEL")


def unregister():
    global _subscription
    session.changed.remove(attach)
    bpy.app.handlers.load_post.remove(_loaded)
    if _link is not None and _take in _link.listeners:
        _link.listeners.remove(_take)
    if _subscription is not None:
        _subscription.close()
        _subscription = None
    if work in handlers.workers:
        handlers.workers.remove(work)
    draw.remove_all()
