# SPDX-License-Identifier: MIT
"""What Blender tells: updates of the scene, undo, redo, load, save. And the timer that does what they ask for.

The handlers only remember. They never write, never wait, and an exception in one is told once and goes no further.
"""
import contextlib
import functools
import time

import bpy
from bpy.app.handlers import persistent

from . import connection as connections
from .state import session

BUDGET_S = 0.0025  # of a call of the timer
_LINK_S, _SCENE_S = 0.001, 0.001  # of it, at most: for what the link brings, for the scene. The rest is the workers'
_IDLE_S, _BUSY_S, _UNCONNECTED_S = 0.005, 0.0, 0.25

workers = []  # each is called by the timer after step(), with the time.perf_counter() at which to end. True: it has more to do

calls = []  # (name, seconds) of each call of the add-on on the main thread, while a bench has set `measure`
used_calls = []  # of the same calls: the processor's time, which other programs on the machine do not add to
measure = False


def guarded(function):
    """The function with its exceptions told once, and its time measured when asked."""
    @functools.wraps(function)
    def run(*arguments):
        start, used = time.perf_counter(), time.thread_time() if measure else 0.0
        try:
            return function(*arguments)
        except Exception as error:
            connections._defect(error)
            return None
        finally:
            if measure:
                calls.append((function.__name__, time.perf_counter() - start))
                used_calls.append(time.thread_time() - used)
    return run


@persistent
@guarded
def on_update(scene, depsgraph):
    if session.follow:
        session.follow.note_update(depsgraph)


@persistent
@guarded
def on_undo(*_):
    if session.follow:
        session.follow.note_all()


def _playing():
    return any(window.screen.is_animation_playing for window in bpy.context.window_manager.windows)


@persistent
@guarded
def on_frame(scene, depsgraph):
    if session.follow and _playing():
        session.connection.frames_passed = True  # step() sees the last one
    elif session.follow:
        session.follow.note_frame(depsgraph)


@persistent
@guarded
def on_load(*_):
    if session.connection:
        session.connection.note_load()


@guarded
def step():
    """What the link brings, and what the scene has for it. True: there is more to do."""
    connection = session.connection
    if connection is None:
        return False
    connection.check_scene()
    connection = session.connection
    if connection is None:
        return False
    if connection.frames_passed and not _playing():
        connection.frames_passed = False
        connection.follow.note_all()
    more = connection.link.pump(_LINK_S)
    if session.connection is connection:
        more = connection.follow.step(_SCENE_S) or more
    return more


def tick():
    """The timer. One for everything: what a message brings is seen in the same call, not 5 ms later."""
    connection, end = session.connection, time.perf_counter() + BUDGET_S
    with connection.link.turn if connection else contextlib.nullcontext():
        more = step()
        for worker in workers:
            more = worker(end) or more
    if session.connection is None:
        return _UNCONNECTED_S
    return _BUSY_S if more or not session.connection.follow.settled and session.connection.link.world else _IDLE_S


HANDLERS = (("depsgraph_update_post", on_update), ("undo_post", on_undo), ("redo_post", on_undo), ("load_post", on_load),
            ("frame_change_post", on_frame))


def register():
    for name, handler in HANDLERS:
        getattr(bpy.app.handlers, name).append(handler)
    bpy.app.timers.register(tick, persistent=True)


def unregister():
    if bpy.app.timers.is_registered(tick):
        bpy.app.timers.unregister(tick)
    for name, handler in HANDLERS:
        if handler in getattr(bpy.app.handlers, name):
            getattr(bpy.app.handlers, name).remove(handler)
    connections.disconnect()
