"""What the scripts that follow a scene share: a connection, and waits for what it does."""
import os
import sys

import bpy

sys.path.insert(0, os.path.dirname(__file__))
import harness  # noqa: E402

TIMEOUT_S = 60


class Live:
    """This Blender, connected to NAVD_ADDRESS."""

    def __init__(self, world, agent="human"):
        import navd_blender.connection
        import navd_blender.handlers
        import navd_blender.state
        self.connections, self.handlers = navd_blender.connection, navd_blender.handlers
        self.session = navd_blender.state.session
        settings = bpy.context.scene.navd
        settings.world = world
        if not settings.agents:
            settings.agents.add().name = agent
        self.events = []
        self.connection = self.connections.connect(bpy.context.scene, os.environ["NAVD_ADDRESS"])
        self.link, self.follow = self.connection.link, self.connection.follow
        self.link.listeners.append(self.events.append)

    def wait(self, condition, what):
        def reached():
            self.handlers.step()
            return condition()
        assert self.link.wait(reached, TIMEOUT_S), f"{what}: {self.session.notice}, last events {[e.name for e in self.events[-8:]]}"

    def settle(self):
        """Until the world has all that the scene has."""
        bpy.context.view_layer.update()
        self.wait(lambda: self.follow.settled, "the world does not follow")

    def call(self, method, **params):
        answers = []
        self.link.call(method, params, lambda result, error: answers.append((result, error)))
        self.wait(lambda: answers, method)
        result, error = answers[0]
        if error:
            raise error
        return result

    def objects(self):
        """The world's instances by id, each as the daemon lists it."""
        found, cursor, revision = {}, 0, None
        while True:
            params = {"cursor": cursor, "revision": revision} if cursor else {}
            page = self.call("world.objects", **params)
            found.update({item["id"]: item for item in page["objects"] if item["op"] == "put_instance"})
            cursor, revision = page.get("next", 0), page["revision"]
            if not cursor:
                return found

    def named(self):
        return {item.get("name", ""): item for item in self.objects().values()}
