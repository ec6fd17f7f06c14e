# SPDX-License-Identifier: MIT
"""What a person does with the connection and the agents."""
import bpy
from navd.errors import NavdError

from . import connection as connections
from .local import local
from .properties import preferences
from .state import session


def _add_agent(settings):
    agent = settings.agents.add()
    names = {other.name for other in settings.agents if other != agent}
    agent.name = next(name for name in ["human", *(f"agent {number}" for number in range(2, 99))] if name not in names)
    settings.active_agent = len(settings.agents) - 1


def _connect(operator, context, address=""):
    try:
        if not context.scene.navd.agents:
            _add_agent(context.scene.navd)
        connections.connect(context.scene, address)
    except NavdError as error:
        operator.report({"ERROR"}, error.message)
        return {"CANCELLED"}
    return {"FINISHED"}


class NAVD_OT_connect(bpy.types.Operator):
    """Sends the scene to navd and follows it from now on"""
    bl_idname = "navd.connect"
    bl_label = "Connect"
    bl_options = {"REGISTER", "UNDO"}

    address: bpy.props.StringProperty(name="Address", description="Empty: the one in the preferences, or the usual one", options={"SKIP_SAVE"})

    def execute(self, context):
        return _connect(self, context, self.address)


class NAVD_OT_start(bpy.types.Operator):
    """Starts a navd of this Blender's own and connects to it. It ends with Blender"""
    bl_idname = "navd.start"
    bl_label = "Start navd"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context):
        try:
            local.start(preferences().program)
        except OSError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        return _connect(self, context, local.address)


class NAVD_OT_disconnect(bpy.types.Operator):
    """Follows the scene no longer. The world keeps what it has"""
    bl_idname = "navd.disconnect"
    bl_label = "Disconnect"

    @classmethod
    def poll(cls, context):
        return session.connection is not None

    def execute(self, context):
        connections.disconnect()
        return {"FINISHED"}


class NAVD_OT_send_again(bpy.types.Operator):
    """Reads the whole scene again, and makes the world equal to it"""
    bl_idname = "navd.send_again"
    bl_label = "Send Again"

    @classmethod
    def poll(cls, context):
        return session.follow is not None

    def execute(self, context):
        session.clear()
        session.follow.note_all(again=True)
        return {"FINISHED"}


class NAVD_OT_sync(bpy.types.Operator):
    """Waits until the world has the scene as it is now: for scripts"""
    bl_idname = "navd.sync"
    bl_label = "Wait for navd"

    seconds: bpy.props.FloatProperty(name="Seconds", description="Wait at most so long", default=60, min=0)

    @classmethod
    def poll(cls, context):
        return session.connection is not None

    def execute(self, context):
        context.view_layer.update()
        if not session.connection.wait_settled(self.seconds):
            why = session.notice[1] if session.notice else f"it took longer than {self.seconds:g} s"
            self.report({"ERROR"}, f"The world does not have the scene: {why}")
            return {"CANCELLED"}
        return {"FINISHED"}


class NAVD_OT_agent_add(bpy.types.Operator):
    """Adds an agent, for which a navigation mesh of its own is built"""
    bl_idname = "navd.agent_add"
    bl_label = "Add Agent"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context):
        _add_agent(context.scene.navd)
        if session.connection:
            session.connection.send_agents()
        return {"FINISHED"}


class NAVD_OT_agent_remove(bpy.types.Operator):
    """Removes the agent, here and in the world"""
    bl_idname = "navd.agent_remove"
    bl_label = "Remove Agent"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return context.scene.navd.agent() is not None

    def execute(self, context):
        settings = context.scene.navd
        name = settings.agent().name
        settings.agents.remove(settings.active_agent)
        settings.active_agent = max(0, min(settings.active_agent, len(settings.agents) - 1))
        if session.link and name not in settings.agents:
            session.connection.remove_agent(name)
        session.touch()
        return {"FINISHED"}


CLASSES = (NAVD_OT_connect, NAVD_OT_start, NAVD_OT_disconnect, NAVD_OT_send_again, NAVD_OT_sync, NAVD_OT_agent_add, NAVD_OT_agent_remove)


def register():
    for cls in CLASSES:
        bpy.utils.register_class(cls)


def unregister():
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
