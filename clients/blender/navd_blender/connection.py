# SPDX-License-Identifier: MIT
"""One connection as a person sees it: the link, the agents, the scene that is followed, and what to say when it goes wrong."""
import gc
import os
import traceback
import uuid

import bpy
from navd.address import Access, default_address, is_local, parse_address
from navd.errors import NavdError

from .link import Link
from .properties import preferences, typed
from .state import session
from .world.follow import Follow
from .world.names import display_name
from .world.scene import Filter

MANY_TILES = 500

ADVICE = {
    "unauthenticated": "Choose the file with your token in the add-on's preferences",
    "forbidden": "Ask for a token with the role editor, or connect to another world",
    "limit": "Remove something, or ask the daemon's administrator for more room",
    "version": "Update the add-on or navd, so that both speak the same protocol",
    "not_found": "Disconnect, and connect again",
    "io": "When the daemon's disk takes changes again, press Send Again",
    "exists": "Give this scene another source name in the panel",
}


def scene_of_window():
    window = bpy.context.window or (bpy.context.window_manager.windows[0] if bpy.context.window_manager.windows else None)
    return window.scene if window else bpy.context.scene


def world_name(scene):
    name = scene.navd.world or os.path.splitext(os.path.basename(bpy.data.filepath))[0]
    return name or "untitled"


def new_source(scene):
    """A name for the scene's objects in the world, which the file will keep."""
    return display_name(os.path.basename(bpy.data.filepath) or "blender")[:60] + " " + uuid.uuid4().hex[:8]


def choice_of(scene):
    settings = scene.navd
    names = frozenset(ob.name_full for ob in settings.collection.all_objects) if settings.collection else None
    return Filter(names, frozenset(settings.kinds), settings.instances, settings.render_only,
                  settings.bounds.name_full if settings.bounds else None)


class Connection:
    """address: "" for the one in the preferences, or the usual one. Raises NavdError."""

    def __init__(self, scene, address=""):
        settings = preferences()
        self.address = address or settings.address or default_address()
        where = parse_address(self.address)
        if where.kind != "unix" and where.host != "localhost" and not is_local(where.host) and not getattr(bpy.app, "online_access", True):
            raise NavdError("forbidden", f"{self.address} is another machine, and Blender is not allowed to go online: "
                            "allow it in Preferences > System")
        access = Access(token_file=bpy.path.abspath(settings.token_file) or None, ca_file=bpy.path.abspath(settings.ca_file) or None)
        self.source = scene.navd.source or new_source(scene)
        self.world_name = world_name(scene)
        self.unit_m = typed(scene.unit_settings.scale_length)
        self._scene = scene.name_full
        self._loaded = False
        self._new_tiles = 0
        self.frames_passed = False  # an animation has shown frames that were not looked at
        self._agents = {agent.name: agent.settings() for agent in scene.navd.agents}
        self.link = Link(where, access, {"name": self.world_name, "create": True, "up": "z", "unit_m": self.unit_m}, self._agents,
                         client="navd_blender 0.1.0", on_error=_defect)
        self.link.listeners.append(self._hear)
        self.follow = Follow(self.link, self.source, self.unit_m, choice_of)
        self._keep(scene)
        gc.freeze()  # looking at all that Python has, which tiles would cause again and again, stops Blender for 40 ms

    def close(self):
        self.follow.close()
        self.link.close()
        gc.unfreeze()

    def _keep(self, scene):
        """Has the file keep what makes it the same scene for the world: never from a handler."""
        if scene.navd.source != self.source:
            scene.navd.source = self.source
        if scene.navd.world != self.world_name:
            scene.navd.world = self.world_name

    def wait_settled(self, timeout_s):
        """For scripts, which no timer serves: works until the world has the scene. False: it has not, in this time."""
        def settled():
            while self.follow.step(1.0):
                pass
            return self.follow.settled
        return self.link.wait(settled, timeout_s)

    def note_load(self):
        """Another file is open: check_scene() finds out whether it is the same scene."""
        self._loaded = True
        self.follow.note_all(again=True)

    def check_scene(self):
        """From the timer. The main window may show another scene than the one that is followed: another one of the file, or
        that of another file. One that has been connected before is followed in its place, in its own world."""
        scene = scene_of_window()
        loaded, self._loaded = self._loaded, False
        settings = scene.navd
        same = settings.source == self.source and (not loaded or world_name(scene) == self.world_name)
        if same and typed(scene.unit_settings.scale_length) == self.unit_m:
            return
        if settings.source == self.source or settings.source:
            connect(scene, self.address)
        elif not loaded and scene.name_full == self._scene:
            self._keep(scene)  # an undo has gone back to before the connection
        else:
            disconnect()
            session.tell("This scene is not in a world yet", "Connect it", "INFO")

    def send_agents(self):
        """Has the world take what has changed in the panel. The world's other profiles stay."""
        now = {agent.name: agent.settings() for agent in scene_of_window().navd.agents}
        for name in self._agents.keys() - now.keys():  # of another name now
            self.link.set_profile(name, None)
        for name, settings in now.items():
            if self._agents.get(name) != settings:
                self.link.set_profile(name, settings)
        self._agents = now
        session.touch()

    def remove_agent(self, name):
        self._agents.pop(name, None)
        self.link.set_profile(name, None)

    def _hear(self, event):
        if event.name == "tile":
            self._new_tiles += 1
            if self._new_tiles == MANY_TILES:  # they stay
                self._new_tiles = 0
                gc.freeze()
        elif event.name == "opened":
            session.clear()
        elif event.name == "disconnected":
            session.progress = (0, 0)
            session.tell(event.data["reason"], "Trying again" if event.data["retry_s"] else "", "UNLINKED")
        elif event.name == "refused":
            session.tell(event.data.message, ADVICE.get(event.data.code, ""))
        elif event.name == "published":
            session.touch()
        elif event.name == "publish_error":
            session.tell(event.data.message, ADVICE.get(event.data.code, ""))
        elif event.name == "progress":
            agent = scene_of_window().navd.agent()
            if agent and event.data.profile == agent.name:
                done = event.data.done >= event.data.total
                session.progress = (0, 0) if done else (event.data.done, event.data.total)
                session.touch()


_told = set()


def _defect(error):
    """An exception of ours: one line in the panel, its traceback in the console, each once."""
    text = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    if text not in _told:
        _told.add(text)
        print("navd: a defect in the add-on:\n" + text)
    session.tell(f"A defect in the add-on: {error!r}", "Disconnect and connect again; the console has the details")


def connect(scene, address=""):
    """Begins a connection in place of the present one. Raises NavdError."""
    disconnect()
    connection = Connection(scene, address)
    session.connection = connection
    for listener in list(session.begun):
        listener(connection)
    connection.follow.note_all(again=True)
    session.clear()
    return connection


def disconnect():
    connection, session.connection = session.connection, None
    if connection:
        connection.close()
    session.progress = (0, 0)
    session.clear()
