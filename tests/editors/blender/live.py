"""What the scripts that follow a scene share: a connection, waits for what it does, and what the world has."""
import bpy
import numpy

TIMEOUT_S = 300  # a limit for what hangs


class Live:
    """This Blender, connected to a world at an address (default: NAVD_ADDRESS). A load may replace the connection, so it is looked
    up each time."""

    def __init__(self, world, address="", source=""):
        import navd_blender.connection
        import navd_blender.handlers
        import navd_blender.state
        self.connections, self.handlers = navd_blender.connection, navd_blender.handlers
        self.session = navd_blender.state.session
        settings = bpy.context.scene.navd
        settings.world, settings.source = world, source
        if not settings.agents:
            settings.agents.add().name = "human"
        self.events = []
        self.session.begun.append(lambda connection: connection.link.listeners.append(self.events.append))
        self.connections.connect(bpy.context.scene, address)

    @property
    def link(self):
        return self.session.link

    @property
    def follow(self):
        return self.session.follow

    def wait(self, condition, what):
        def reached():
            while self.handlers.step():
                pass
            return condition()
        link = None
        while link is not self.link:  # a step may have connected anew
            link = self.link
            assert link is not None, f"{what}: disconnected: {self.session.notice}"
            assert link.wait(lambda: reached() or link is not self.link, TIMEOUT_S), \
                f"{what}: {self.session.notice}, last events {[event.name for event in self.events[-8:]]}"

    def settle(self):
        """Until the world has all that the scene has."""
        bpy.context.view_layer.update()
        self.wait(lambda: self.follow and self.follow.settled, "the world does not follow")

    def call(self, method, **params):
        """Asks again when the connection breaks meanwhile."""
        while True:
            self.wait(lambda: self.link.world, "no connection")
            try:
                return call(self.link, method, params, lambda condition: self.wait(condition, method))
            except ConnectionError:
                pass

    def objects(self):
        return objects_of(self.call)

    def named(self):
        return {item.get("name", ""): item for item in self.objects().values()}


def call(link, method, params, wait):
    answers = []
    link.call(method, params, lambda result, error: answers.append((result, error)))
    wait(lambda: answers)
    result, error = answers[0]
    if error:
        raise error
    return result


def objects_of(call):
    """The world's instances by id, each as the daemon lists it."""
    found, cursor, revision = {}, 0, None
    while True:
        page = call("world.objects", **({"cursor": cursor, "revision": revision} if cursor else {}))
        found.update({item["id"]: item for item in page["objects"] if item["op"] == "put_instance"})
        cursor, revision = page.get("next", 0), page["revision"]
        if not cursor:
            return found


class Tiles:
    """The tiles of a subscription: what a client that only listens believes to be there."""

    def __init__(self, link, profile):
        self.keys, self.synced = {}, -1
        self._stale = set()
        link.listeners.append(self._take)
        self.subscription = link.subscribe(profile)

    def _take(self, event):
        if event.name == "disconnected":
            self.synced = -1  # the revisions of a daemon without a state folder begin anew
        if event.subscription is not self.subscription:
            return
        if event.name == "subscribed" and not event.data.get("resumed"):
            self._stale, self.synced = set(self.keys), -1
        elif event.name == "tile":
            place = (event.data.x, event.data.z)
            self._stale.discard(place)
            if event.data.status == "removed":
                self.keys.pop(place, None)
            elif event.data.status != "failed":
                self.keys[place] = event.data.key
        elif event.name == "synced":
            for place in self._stale:
                self.keys.pop(place, None)
            self._stale, self.synced = set(), event.data.revision


class Fresh:
    """A fresh client that pushes the same scene to a world of its own."""

    count = 0

    def __init__(self, live, address):
        from navd.address import Access, parse_address
        from navd_blender.connection import choice_of
        from navd_blender.link import Link
        from navd_blender.world.follow import Follow
        Fresh.count += 1
        scene = bpy.context.scene
        connection = live.session.connection
        agents = {agent["name"]: agent.get("settings") or {} for agent in live.link.world["profiles"]}
        self.profile = next(iter(agents))
        self.link = Link(parse_address(address), Access(), {"name": f"fresh {Fresh.count}", "create": True, "up": "z",
                                   "unit_m": connection.unit_m}, agents)
        self.follow = Follow(self.link, connection.source, connection.unit_m, choice_of)
        self.tiles = Tiles(self.link, self.profile)

    def wait(self, condition, what="the fresh client"):
        def reached():
            self.follow.step(1)
            return condition()
        assert self.link.wait(reached, TIMEOUT_S), what

    def settle(self):
        self.wait(lambda: self.follow.settled)
        self.wait(lambda: self.tiles.synced >= self.follow.revision)

    def call(self, method, **params):
        return call(self.link, method, params, self.wait)

    def close(self):
        self.call("world.delete", world=self.link.world["world"])
        self.follow.close()
        self.link.close()


def bytes_of(call, profile, places):
    """The tiles' bytes, from the daemon."""
    found = {}
    for tile in call("tiles.get", profile=profile, tiles=[list(place) for place in places], compression="none")["tiles"]:
        if tile["status"] in ("ok", "empty"):
            found[tile["x"], tile["z"]] = tile.get("data")
    return found


def compare(live, tiles, address):
    """The followed world equals that of a fresh push: objects with mesh, transform, area and name; tiles, byte for byte."""
    fresh = Fresh(live, address)
    fresh.settle()
    wanted, got = objects_of(fresh.call), live.objects()
    seen, has = placed_in_scene(), placed_in_world(live.call, got)
    assert sorted(seen[0]) == sorted(has[0]), f"triangles of the instances: the scene {sorted(seen[0])}, the world {sorted(has[0])}"
    assert numpy.allclose(seen[1], has[1], rtol=1e-4, atol=0.01 * len(got)), f"sums of the boxes: the scene {seen[1]}, the world {has[1]}"
    assert wanted.keys() == got.keys(), \
        f"missing {[wanted[key].get('name') for key in wanted.keys() - got.keys()]}, " \
        f"too many {[got[key].get('name') for key in got.keys() - wanted.keys()]}"
    for key, item in wanted.items():
        assert got[key] == item, f"{item.get('name')}: {describe(got[key], item)}"
    live.call("jobs.wait")
    live.wait(lambda: tiles().synced >= live.follow.revision, "the tiles of the world")
    places = sorted(set(fresh.tiles.keys) | set(tiles().keys))
    assert fresh.tiles.keys == tiles().keys, \
        f"tiles differ: {[place for place in places if fresh.tiles.keys.get(place) != tiles().keys.get(place)]}"
    assert bytes_of(fresh.call, fresh.profile, places) == bytes_of(live.call, fresh.profile, places), "the tiles' bytes differ"
    fresh.close()
    return len(wanted), len(places)


def _box(points, matrix):
    placed = points.reshape(-1, 3).astype("f8") @ matrix[:3, :3].T + matrix[:3, 3]
    return numpy.concatenate((placed.min(axis=0), placed.max(axis=0)))


def placed_in_scene():
    """(triangles of each instance, sum of their boxes), read from Blender in the plainest way, without the add-on's code."""
    scene, counts, boxes = bpy.context.scene, [], numpy.zeros(6)
    settings = scene.navd
    names = {ob.name_full for ob in settings.collection.all_objects} if settings.collection else None
    for instance in bpy.context.evaluated_depsgraph_get().object_instances:
        ob = instance.object
        if ob.type != "MESH" or not instance.is_instance and not instance.show_self:
            continue
        owner = instance.parent.original if instance.is_instance else ob.original
        surface = instance.is_instance and owner == ob.original and owner.type != "MESH"
        if (instance.is_instance and not surface and not settings.instances or "IGNORE" in (owner.navd.kind, ob.original.navd.kind)
                or ob.original.type not in settings.kinds or names is not None and owner.name_full not in names
                or settings.render_only and owner.hide_render):
            continue
        mesh = ob.to_mesh()
        mesh.calc_loop_triangles()
        if len(mesh.loop_triangles):
            counts.append(len(mesh.loop_triangles))
            points = numpy.array([vertex.co for vertex in mesh.vertices])
            boxes += _box(points, numpy.array(instance.matrix_world))
        ob.to_mesh_clear()
    return counts, boxes


def _matrix(item):
    return numpy.frombuffer(item["transform"], "<f4").reshape(3, 4).astype("f8") if "transform" in item else numpy.eye(4)


def placed_in_world(call, objects):
    counts, boxes, meshes = [], numpy.zeros(6), {}
    for item in objects.values():
        key = bytes(item["mesh"])
        if key not in meshes:
            meshes[key] = call("mesh.get", hash=key)
        mesh = meshes[key]
        counts.append(mesh["triangles"])
        points = numpy.frombuffer(mesh["data"], "<f4", mesh["vertices"] * 3)
        boxes += _box(points, _matrix(item))
    return counts, boxes


def describe(got, wanted):
    import struct
    parts = []
    for key in sorted(set(got) | set(wanted)):
        one, other = got.get(key), wanted.get(key)
        if one != other:
            if key == "transform":
                one, other = (struct.unpack("<12f", value) for value in (one, other))
            parts.append(f"{key} is {one!r}, should be {other!r}")
    return "; ".join(parts)
