"""What a client can do, the same over the blocking and the asyncio client."""

import dataclasses
import math
import os
import struct
import subprocess

import pytest

import navd
from navd import optional, tiles
from scenes import CRATE, FLOOR, HUMAN, box, floor

NAVCTL = os.environ.get("NAVCTL", "navctl")


def fill(world):
    """A floor with a crate on it, built."""
    world.apply(navd.Edit().put("floor", FLOOR).put("crate", CRATE, at=(5, 0, 5)))
    return world.wait()


def test_hello(client, daemon):
    assert client.server.startswith("navd ") and client.role == "admin" and client.namespace == "default"
    assert client.limits["message_bytes"] == 64 << 20
    assert client.connected and not client.closed
    client.ping()
    assert client.stats()["ready"] == 1
    assert client.address == daemon.path


@pytest.mark.parametrize("form", ["{path}", "unix://{path}", "unix:{path}", "127.0.0.1:{port}", "tcp://127.0.0.1:{port}", "tcp://localhost:{port}"])
def test_addresses(nav, daemon, form):
    with nav.connect(form.format(path=daemon.path, port=daemon.port)) as client:
        client.ping()


def test_the_address_of_the_environment(nav, daemon, monkeypatch):
    monkeypatch.setenv("NAVD_ADDRESS", daemon.path)
    with nav.connect() as client:
        client.ping()


@pytest.mark.parametrize("address, code, words", [
    ("/nowhere/navd.sock", "io", "no navd at /nowhere/navd.sock: No such file"),
    ("127.0.0.1:1", "io", "no navd at 127.0.0.1:1"),
    ("navd", "argument", "an address is"),
    ("tls://host", "argument", "an address is"),
    ("host:99999", "argument", "an address is"),
])
def test_wrong_addresses(nav, address, code, words):
    with pytest.raises(navd.NavdError, match=words) as caught:
        nav.connect(address)
    assert caught.value.code == code


def test_errors_carry_the_daemons_words(client, world):
    with pytest.raises(navd.NavdError) as caught:
        client.open_world("there is none")
    assert caught.value.code == "not_found" and "there is none" in str(caught.value)
    edit = navd.Edit().put("floor", FLOOR).put("other", FLOOR, area=77)
    with pytest.raises(navd.NavdError) as caught:
        world.apply(edit)
    assert (caught.value.code, caught.value.op, caught.value.key) == ("argument", 1, "ops[1].area")
    assert world.objects() == []  # all or none
    with pytest.raises(navd.NavdError, match="no method"):
        client.call("no.method")


def test_settings_are_typed(client, world):
    settings = navd.Settings(agent_radius_m=0.35, partition="watershed", walkable_areas=(1, 63))
    world.set_profile("small", settings)
    again = client.open_world(world.name)
    assert again.profiles == {**HUMAN, "small": settings} == world.profiles
    with pytest.raises(navd.NavdError, match="one") as caught:  # which profile?
        world.subscribe()
    assert caught.value.code == "argument"
    world.remove_profile("small")
    assert client.open_world(world.name).profiles == HUMAN == world.profiles
    with pytest.raises(navd.NavdError, match="tile_cells"):
        world.set_profile("human", navd.Settings(tile_cells=1))


def test_the_defaults_of_settings_are_the_daemons(client, world):
    every = {entry.name: getattr(navd.Settings(), entry.name) for entry in dataclasses.fields(navd.Settings)}
    answer = client.call("world.open", {"name": world.name, "profiles": [{"name": "plain", "settings": every}]})
    plain = next(profile for profile in answer["profiles"] if profile["name"] == "plain")
    assert plain.get("settings", {}) == {}  # navd leaves out what has its default


def test_outlines_have_a_name(client, world):
    assert navd.Settings.from_map({"outlines": "true"}) == navd.Settings(outlines="true")
    for outlines in ("voxel", "true"):
        assert navd.Settings(outlines=outlines).to_map() in ({}, {"outlines": outlines})
    world.set_profile("columns", navd.Settings(outlines="voxel"))
    assert client.open_world(world.name).profiles["columns"].outlines == "voxel"
    with pytest.raises(navd.NavdError, match='settings.outlines: "exact", expected "voxel" or "true"') as caught:
        world.set_profile("columns", navd.Settings(outlines="exact"))
    assert caught.value.code == "argument"


def test_meshes_are_sent_once(client, daemon):
    vertices, faces = box(3, 4, 5)
    mesh = navd.pack(vertices, faces)
    key = client.put_mesh(vertices, faces)
    key_again, other = client.put_meshes([mesh, navd.pack(*box(3, 4, 6))])
    assert key == key_again and len(key) == 16 and other != key
    assert client.get_mesh(key) == mesh
    sessions = client.call("sessions.list")["sessions"]
    before = max(entry["bytes_in"] for entry in sessions)
    client.put_meshes([mesh] * 50)
    assert max(entry["bytes_in"] for entry in client.call("sessions.list")["sessions"]) < before + len(mesh.data)


def test_a_mesh_in_parts(client):
    """More than one part of a mesh, with areas; and a mesh without anything in it."""
    side = 180
    vertices = [(x, 0, z) for x in range(side) for z in range(side)]
    faces = [(x * side + z, x * side + z + 1, (x + 1) * side + z + 1, (x + 1) * side + z) for x in range(side - 1) for z in range(side - 1)]
    mesh = navd.pack(vertices, faces, [at % 64 for at in range(len(faces))])
    assert len(mesh.data) > client.limits["mesh_part_bytes"] and mesh.has_areas and mesh.triangles == 2 * len(faces)
    assert client.get_mesh(client.put_mesh(mesh)) == mesh


def test_everything_with_vertices_and_faces_is_a_mesh(client):
    class Thing:
        vertices, faces = box(1, 2, 3)

    class Painted(Thing):
        areas = [1, 2, 3, 4, 5, 255]

    assert client.put_mesh(Thing()) == client.put_mesh(*box(1, 2, 3))
    assert navd.pack(Painted()).has_areas and client.put_mesh(Painted()) != client.put_mesh(Thing())
    if optional.numpy is not None:
        class Arrays:
            vertices = optional.numpy.array(Thing.vertices)
            faces = optional.numpy.array(Thing.faces)

        assert navd.pack(Arrays()) == navd.pack(Thing())
    with pytest.raises(navd.NavdError, match="int is no mesh"):
        client.put_mesh(5)


@pytest.mark.parametrize("vertices, faces, areas, words", [
    ([(0, 0)], [], None, r"vertices\[0\]"),
    ([(0, 0, 0)] * 3, [(0, 1, 3)], None, r"faces\[0\]"),
    ([(0, 0, 0)] * 3, [(0, 1, -1)], None, r"faces\[0\]"),
    ([(0, 0, 0)] * 3, [(0, 1)], None, r"faces\[0\]"),
    ([(0, 0, 0)] * 3, [(0, 1, "x")], None, r"faces\[0\]"),
    ([(0, 0, 0)] * 3, [(0, 1, 2)], [64], r"areas\[0\]"),
    ([(0, 0, 0)] * 3, [(0, 1, 2)], [1, 2], "areas: 2"),
])
def test_wrong_meshes(vertices, faces, areas, words):
    with pytest.raises(navd.NavdError, match=words) as caught:
        navd.pack(vertices, faces, areas)
    assert caught.value.code == "argument"


def test_edits_of_every_kind(world):
    edit = navd.Edit(source="test").put("floor", FLOOR).put(7, CRATE, at=(5, 0, 5), area=3, name="crate")
    edit.put_volume("pool", [(-8, -8), (-4, -8), (-4, -4), (-8, -4)], -1, 2, 7).put_link(9, (0, 0, 0), (3, 0, 3), 0.5, both_ways=True)
    edit.dirty((0, 0), (1, 1)).set_areas([{"id": 7, "name": "water", "cost": 10.0}]).set_reach("keep").set_build("all")
    result = world.apply(edit)
    assert result.revision == 1 and result.dirty_tiles > 0 and result.durable is False
    found = {(entry.kind, entry.id): entry for entry in world.objects()}
    floor_id, pool_id = navd.object_id("floor", "test"), navd.object_id("pool", "test")
    assert set(found) == {("instance", floor_id), ("instance", 7), ("volume", pool_id), ("link", 9)}
    crate, pool = found["instance", 7], found["volume", pool_id]
    assert (crate.name, crate.source, crate.area) == ("crate", "test", 3)
    assert crate.transform == (1, 0, 0, 5, 0, 1, 0, 0, 0, 0, 1, 5)
    assert (pool.name, pool.area) == ("pool", 7)
    assert world.areas() == [{"id": 7, "name": "water", "cost": 10.0}]
    world.move(7, [[1, 0, 0, 1], [0, 1, 0, 2], [0, 0, 1, 3], [0, 0, 0, 1]])
    world.apply(navd.Edit("test").remove("floor").remove_volume("pool").remove_link(9))
    only, = world.objects()
    assert (only.id, only.transform) == (7, (1, 0, 0, 1, 0, 1, 0, 2, 0, 0, 1, 3)) and only.name == "crate"
    with pytest.raises(navd.NavdError) as caught:
        world.apply(navd.Edit().remove(7), base_revision=1)
    assert caught.value.code == "state"
    world.remove(7)
    assert world.objects() == []


def test_transforms():
    identity = navd.edits.transform_of()
    assert navd.edits.transform_of([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0]) == identity == navd.edits.transform_of(identity)
    turned = navd.edits.transform_of(at=(1, 2, 3), rotation=(0, 2 ** -0.5, 0, 2 ** -0.5), scale=2)  # by 90 degrees about y
    assert [round(number, 6) for number in struct.unpack("<12f", turned)] == [0, 0, 2, 1, 0, 2, 0, 2, -2, 0, 0, 3]
    for wrong in ([1, 2], [[1] * 4] * 4, "abc", [1e39] + [0] * 11):
        with pytest.raises(navd.NavdError, match="transform"):
            navd.edits.transform_of(wrong)
    with pytest.raises(navd.NavdError, match="give a matrix, or"):
        navd.edits.transform_of(identity, at=(1, 2, 3))
    with pytest.raises(navd.NavdError, match="rotation"):
        navd.edits.transform_of(rotation=(0, 0, 0, 0))


def test_a_source_is_kept_in_step(world):
    def entries(*names, shift=0.0):
        return [navd.Instance(name, CRATE, [1, 0, 0, at + shift, 0, 1, 0, 0, 0, 0, 1, 0]) for at, name in enumerate(names)]

    world.put("floor", FLOOR)
    dry = world.sync("scene", entries("a", "b"), dry_run=True)
    assert (dry.applied, dry.added) == (False, 2) and len(world.objects()) == 1
    first = world.sync("scene", entries("a", "b", "c"))
    assert (first.applied, first.added, first.revision) == (True, 3, 2)
    same = world.sync("scene", entries("a", "b", "c"))
    assert (same.unchanged, same.revision) == (3, 2)
    moved = world.sync("scene", entries("a", "b", shift=1.0))
    assert (moved.moved, moved.removed) == (2, 1)
    other = world.sync("other", entries("a"))  # of the same name
    assert other.added == 1
    assert sorted((entry.source, entry.name) for entry in world.objects()) == [
        ("", "floor"), ("other", "a"), ("scene", "a"), ("scene", "b")]
    world.apply(navd.Edit("scene").move("a", at=(0, 0, 9)))
    assert world.sync("scene", entries("a", "b", shift=1.0)).moved == 1
    assert world.sync("scene", []).removed == 2
    with pytest.raises(navd.NavdError, match="both have the id") as caught:
        world.sync("scene", entries("a", "a"))
    assert caught.value.code == "argument"


def test_a_long_list_goes_in_parts(world, monkeypatch):
    monkeypatch.setattr(navd.operations, "LIST_BYTES", 5000)
    key = world.put_mesh(CRATE)
    listed = [navd.Instance(at, key, [1, 0, 0, at % 20, 0, 1, 0, 0, 0, 0, 1, at // 20], name=f"crate {at}") for at in range(500)]
    assert world.sync("scene", listed).added == 500
    assert sorted(entry.name for entry in world.objects()) == sorted(entry.name for entry in listed)
    assert world.sync("scene", listed).unchanged == 500
    with pytest.raises(navd.NavdError, match="lacks 1"):
        world.sync("scene", [navd.Instance(1, bytes(range(16)))])


def test_tiles_follow_a_move(world):
    revision = fill(world)
    with world.subscribe() as subscription:
        found = subscription.wait_synced(revision)
        places = {(tile.x, tile.z): tile.tile() for tile in found}
        assert len(places) == len(found) > 10 and all(isinstance(tile, tiles.Tile) for tile in places.values())
        moved = world.move("crate", at=(-6, 0, -6))
        changed = set()
        for event in subscription:
            if isinstance(event, navd.TileEvent):
                assert event.revision >= moved.revision
                changed.add((event.x, event.z))
            if isinstance(event, navd.Synced) and event.revision >= moved.revision:
                break
        assert 2 <= len(changed) < len(places)
        before = {place: tile.key for place, tile in places.items()}
        after = {(tile.x, tile.z): tile.key for tile in subscription.tiles}
        assert {place for place in after if after[place] != before.get(place)} == changed
        assert after == {(tile.x, tile.z): tile.key for tile in world.tiles(sorted(after))[:]}
    assert subscription.ended == "closed" and subscription.get(0) is None


def test_callbacks_may_call_the_client(nav, client, world):
    events = []

    def blocking(event):
        client.ping()
        events.append(event)

    async def awaited(event):
        await object.__getattribute__(client, "_target").ping()
        events.append(event)

    subscription = world.subscribe(on_event=blocking if nav.name == "blocking" else awaited)
    revision = fill(world)
    assert len(subscription.wait_synced(revision)) == len({(e.x, e.z) for e in events if isinstance(e, navd.TileEvent) and e.status == "ok"})
    with pytest.raises(navd.NavdError, match="on_event"):
        subscription.get(0)
    at = len(events)
    moved = world.move("crate", at=(0, 0, 0))
    nav.idle(client, lambda: any(isinstance(e, navd.Synced) and e.revision >= moved.revision for e in events[at:]))
    revisions = [event.revision for event in events if isinstance(event, navd.Synced)]
    assert revisions == sorted(revisions)
    subscription.close()


def test_bounds_and_focus(world):
    revision = fill(world)
    with world.subscribe(bounds=(-20, -20, -15, -15), focus=(-18, -18)) as subscription:
        near = {(tile.x, tile.z) for tile in subscription.wait_synced(revision)}
        assert near and all(x < 0 and z < 0 for x, z in near)
        subscription.focus(bounds=(15, 15, 20, 20))
        far = set()
        for event in subscription:
            if isinstance(event, navd.TileEvent):
                far.add((event.x, event.z))
            if isinstance(event, navd.Synced) and far:
                break
        assert far and all(x > 0 and z > 0 for x, z in far)
        subscription.focus((16, 16))


def test_waiting_for_a_part(world):
    fill(world)
    moved = world.move("crate", at=(9, 0, 9))
    assert world.wait(moved.revision, bounds=(0, 0, 10, 10), profile="human", timeout=None) >= moved.revision
    with pytest.raises(navd.NavdError) as caught:
        world.wait(moved.revision + 100)
    assert caught.value.code == "argument"


def test_progress_areas_and_settings_are_told(client, world):
    fill(world)
    with world.subscribe() as subscription:
        subscription.wait_synced()
        world.set_areas([{"id": 2, "name": "road", "cost": 0.5}])
        world.set_profile("human", navd.Settings(tile_cells=48))
        kinds = {}
        for event in subscription:
            kinds[type(event)] = event
            if navd.SettingsChanged in kinds and isinstance(event, navd.Synced) and event.revision >= kinds[navd.SettingsChanged].revision:
                break
        assert kinds[navd.AreasChanged].areas == [{"id": 2, "name": "road", "cost": 0.5}]
        assert navd.Settings.from_map(kinds[navd.SettingsChanged].settings).tile_cells == 48
        assert kinds[navd.SettingsChanged].grid > 0
        sizes = {tile.tile().tile_cells for tile in subscription.tiles}
        assert sizes == {48}
        assert {(tile.x, tile.z) for tile in subscription.tiles} == {
            (tile.x, tile.z) for tile in world.tiles([(tile.x, tile.z) for tile in subscription.tiles]) if tile.status == "ok"}
    assert world.set_areas([], replace=True) == []


def test_a_deleted_world_ends_its_subscriptions(nav, daemon, client):
    world = client.open_world("deleted", create=True, profiles=HUMAN)
    fill(world)
    subscription, called = world.subscribe(), []
    subscription.wait_synced()
    with nav.connect(daemon.path) as other:
        other.open_world("deleted").delete()
    assert [event.reason for event in subscription if isinstance(event, navd.Ended)] == ["deleted"]
    assert subscription.ended == "deleted"
    with pytest.raises(navd.NavdError, match="deleted"):
        subscription.wait_synced(100)
    assert "deleted" not in [entry.name for entry in client.worlds()]


def room():
    """The inside of a room of 8 by 6 by 10 m, a pillar in it."""
    vertices, faces = box(8.0, 6.0, 10.0)
    return vertices, [face[::-1] for face in faces]


def test_tiles_of_walls_and_ceilings(client, world):
    climber = navd.Settings(tile_cells=16, agent_radius_m=0.3, agent_height_m=1.0, sheets="all")
    world.set_profile("spider", climber)
    with world.subscribe("spider") as all_sheets, world.subscribe("spider", sheets=["x+", "down"]) as some:
        revision = world.apply(navd.Edit().put("room", navd.pack(*room()))).revision
        shown = list(all_sheets.wait_synced(revision))
        some.wait_synced(revision)
        assert {tile.sheet for tile in shown} == {"up", "down", "x+", "x-", "z+", "z-"}
        assert {tile.sheet for tile in some.tiles} == {"x+", "down"}
        for event in shown:
            tile = event.tile().check()
            assert tile.sheet == event.sheet and (tile.x, tile.z) == (event.x, event.z)
            axis, side = {"up": (1, 0), "down": (1, 6), "x+": (0, 0), "x-": (0, 8), "z+": (2, 0), "z-": (2, 10)}[tile.sheet]
            for point in tile.positions():  # in the world: on the room's side that looks along the sheet's axis
                assert abs(point[axis] - side) < 0.01
                assert all(-0.01 <= value <= most + 0.01 for value, most in zip(point, (8, 6, 10)))
        places = [event.place for event in shown]
        assert [found.key for found in world.tiles(places, "spider")] == [event.key for event in shown]
        assert world.why(*places[0][:2], "spider", sheet=shown[0].sheet)["status"] == "ok"
        one = next(event for event in shown if event.sheet == "z-")
        at = (one.x, one.z)
        (built,) = client.build_tiles(*room(), first=at, last=at, settings=climber, sheet="z-")
        assert built.sheet == "z-" and built.key == one.key and built.unpacked() == one.unpacked()
        path = world.path((4, 0, 5), (4, 6, 5), "spider")  # up a wall 4 m away, and as far along the ceiling
        assert path.status == "found" and 13 < path.length_m < 14.01
        assert path.sheets[0] == "up" and path.sheets[-1] == "down" and len(path.sheets) == len(path.points) == len(path.normals)
        assert set(path.sheets) in ({"up", "x+", "down"}, {"up", "x-", "down"})
        assert tuple(path.normals[0]) == (0, 1, 0) and tuple(path.normals[-1]) == (0, -1, 0)
        with pytest.raises(navd.NavdError, match="sheets other than up") as caught:
            world.nearest([(1, 0, 1)], "spider")
        assert caught.value.code == "state"


def test_failed_why_and_jobs(client, world):
    fill(world)
    assert world.failed() == []
    why = world.why(0, 0)
    assert why["state"] == "clean" and why["cause"] == "instance"
    assert client.jobs()["edits"] == []
    assert world.reach()["revision"] == 1
    assert [entry for entry in client.worlds() if entry.name == world.name][0].instances == 2
    assert world.set_origin((0.1, 0, 0)).revision == 2 and world.state.origin_m == (0.1, 0, 0)


@pytest.mark.parametrize("encoding", ["navd", "detour"])
def test_tiles_without_a_world(client, encoding):
    vertices, faces = floor(20)
    extra = navd.Edit().put_link(3, (0, 0, 0), (3, 0, 3), 0.5).put_volume("pool", [(-4, -4), (-2, -4), (-2, -2)], -1, 1, 7)
    found = client.build_tiles(vertices, faces, first=(-1, -1), last=(0, 0), settings=HUMAN["human"], encoding=encoding, extra=extra)
    assert [(tile.x, tile.z) for tile in found] == [(-1, -1), (0, -1), (-1, 0), (0, 0)]
    read = [tile.read() for tile in found]
    links = [link for tile in read for link in tile.links]
    assert [(link.start, link.end, link.id) for link in links] == [((0, 0, 0), (3, 0, 3), 3)]
    areas = {int(a) for tile in read for a in (tile.area if encoding == "navd" else [p.area for p in tile.polygons])}
    assert areas == {7, 63}
    turned = client.build_tiles([(x, -z, y) for x, y, z in vertices], faces, first=(0, 0), last=(0, 0), settings=HUMAN["human"], up="z")
    plain = client.build_tiles(vertices, faces, first=(0, 0), last=(0, 0), settings=HUMAN["human"])
    assert turned[0].key == plain[0].key


def test_a_world_in_other_axes(client, world):
    """Centimetres with Z up: what this client says and gets is in its own numbers, the tiles are the same."""
    fill(world)
    keys = {(tile.x, tile.z): tile.key for tile in world.subscribe().wait_synced()}
    turned = client.open_world(world.name, up="z", unit_m=0.01)
    assert turned.state.to_metres == pytest.approx((0.01, 0, 0, 0, 0, 0, 0.01, 0, 0, -0.01, 0, 0))
    crate = [entry for entry in turned.objects() if entry.name == "crate"][0]
    assert crate.transform[3::4] == pytest.approx((500, -500, 0))
    moved = turned.move("crate", crate.transform)
    assert {(tile.x, tile.z): tile.key for tile in turned.subscribe().wait_synced(moved.revision)} == keys


def test_paths(client, world):
    fill(world)
    path = world.path((-15, 0, -15), (15, 0, 15))
    assert path.status == "found" and 30 * 2 ** 0.5 < path.length_m < 44 and path.surface_m >= path.length_m - 1e-3
    points = [tuple(map(float, point)) for point in path.points]  # around the crate
    assert len(points) > 2 and points[0] == pytest.approx((-15, 0, -15), abs=0.5) and points[-1] == pytest.approx((15, 0, 15), abs=0.5)
    assert sum(((a[0] - b[0]) ** 2 + (a[2] - b[2]) ** 2) ** 0.5 for a, b in zip(points, points[1:])) == pytest.approx(path.length_m, rel=1e-5)
    found = world.paths([((-15, 0, -15), (15, 0, 15)), ((100, 0, 100), (0, 0, 0)), ((0, 0, 0), (0, 0, 100))] * 400)
    assert [entry.status for entry in found] == ["found", "no_start", "no_goal"] * 400  # more than one call may have
    assert len(found[1].points) == 0
    world.wait(world.remove("crate").revision)
    straight = world.path((-15, 0, -15), (15, 0, 15))
    assert len(straight.points) == 2 and straight.length_m < path.length_m
    assert world.path((-15, 5, -15), (15, 0, 15)).status == "no_start"
    assert world.path((-15, 5, -15), (15, 0, 15), near_m=10).status == "found"
    assert straight.optimal and straight.cost == straight.lower_bound == straight.length_m and straight.limit is None


def test_paths_over_areas_and_links(client, world):
    fill(world)
    world.wait(world.remove("crate").revision)
    corners = (-3, -25), (3, -25), (3, 8), (-3, 8)  # across the floor, but for an end of it
    edit = navd.Edit().put_volume(1, corners, min_y=-1, max_y=2, area=6)
    world.apply(edit.put_link(9, start=(-4, 0, 0), end=(4, 0, 0), radius_m=0.5, area=7))
    world.wait()
    ends = (-10, 0, 0), (10, 0, 0)
    plain = world.path(*ends)
    assert plain.length_m == pytest.approx(20, abs=1e-2) and plain.optimal
    dear = world.path(*ends, costs={6: 5})
    assert plain.length_m + 1 < dear.length_m and dear.lower_bound <= dear.cost < 14 + 6 * 5
    assert dear.lower_bound >= 0.99 * dear.cost - 1e-9
    world.set_areas([{"id": 6, "cost": 5}])
    assert world.path(*ends, world_costs=True).cost == pytest.approx(dear.cost)
    assert world.path(*ends, world_costs=True, costs={6: 1}).cost == pytest.approx(20, abs=1e-2)
    jump = world.path(*ends, costs={6: 5}, links=True)
    assert jump.links == (navd.PathLink(point=1, link=9, area=7, back=False),) and jump.cost == pytest.approx(20, abs=0.1)
    assert world.path(*ends, exclude=[6, 7], links=True).links == ()
    with pytest.raises(navd.NavdError, match="costs"):
        world.path(*ends, costs={6: 0})


def test_watched_paths(client, world):
    revision = fill(world)
    with world.watch_paths([((-15, 0, -15), (15, 0, 15)), ((-15, 0, -15), (-14, 0, -15))]) as watch:
        watch.wait_synced(revision)
        first = dict(watch.newest)
        assert sorted(first) == [0, 1] and first[0].length_m == world.path((-15, 0, -15), (15, 0, 15)).length_m
        watch.wait_synced(world.remove("crate").revision)
        assert watch.newest[0].length_m < first[0].length_m and len(watch.newest[0].points) == 2
        assert watch.newest[1] is first[1]  # not told again
    assert watch.ended == "closed" and watch.get() is None
    heard = []
    called = world.watch_paths([((-15, 0, -15), (15, 0, 15))], near_m=1, on_event=heard.append)
    called.wait_synced()
    assert [event.query for event in heard if isinstance(event, navd.PathChanged)] == [0]
    with pytest.raises(navd.NavdError, match="no profile") as caught:
        world.watch_paths([], "giant")
    assert caught.value.code == "not_found"
    called.close()
    with world.watch_paths([((-15, 0, -15), (15, 0, 15))], exclude=[63], links=True) as watch:
        watch.wait_synced()
        assert watch.newest[0].status == "no_start"


def test_places(client, world):
    fill(world)
    near, off = world.nearest([(-15, 0.2, -15), (100, 0, 100)])
    assert near.status == "found" and near.at == pytest.approx((-15, 0, -15), abs=0.5) and near.cell is not None
    assert (off.status, off.at, off.wall) == ("none", None, None)
    through, out = world.raycast([((-15, 0, -15), (15, 0, 15)), ((-15, 0, -15), (-1000, 0, -15))])
    assert through.status == "wall" and through.distance_m < 30 * 2 ** 0.5  # the crate
    assert out.status == "wall" and out.wall.normal == pytest.approx((1, 0, 0), abs=1e-6)
    (wall,) = world.walls([(-15, 0, -15)])
    assert wall.status == "found" and 0 < wall.distance_m <= out.distance_m + 1e-3
    assert world.walls([(-15, 0, -15)], limit_m=wall.distance_m / 2)[0].status == "none"
    assert world.reaches((-15, 0, -15), [(15, 0, 15), (100, 0, 100)]) == ["found", "no_goal"]
    drawn = world.random(20, seed=3, at=(-15, 0, -15), radius_m=4, reachable=True)
    assert len(drawn) == 20 and all(math.dist((point[0], point[2]), (-15, -15)) < 4 + 1e-4 for point in drawn)
    assert [tuple(point) for point in world.random(20, seed=3, at=(-15, 0, -15), radius_m=4, reachable=True)] == [tuple(point) for point in drawn]
    around = world.within((-15, 0, -15), 4, outlines=True)
    assert around.status == "found" and around.cells[0][3] == 0
    corners = [point for outline in around.outlines for point in outline]
    assert corners and all(math.dist((point[0], point[2]), (-15, -15)) < 4 + 1e-3 for point in corners)
    assert world.within((100, 0, 100), 4).status == "no_start"
    none = {"near_m": 1, "exclude": [63]}  # all ground
    assert world.nearest([(-15, 0.2, -15)], **none)[0].status == "none"
    assert world.raycast([((-15, 0, -15), (15, 0, 15))], **none)[0].status == "no_start"
    assert world.walls([(-15, 0, -15)], **none)[0].status == "no_start"
    assert world.reaches((-15, 0, -15), [(15, 0, 15)] * 2, **none) == ["no_start"] * 2
    assert len(world.random(20, **none)) == 0
    assert world.within((-15, 0, -15), 4, **none).status == "no_start"


def test_tiles_equal_what_navctl_writes(client, world, daemon, tmp_path):
    """Byte for byte, in both encodings."""
    revision = fill(world)
    subprocess.run([NAVCTL, "watch", "-c", daemon.path, "--world", world.name, "--once", "-o", tmp_path / "level.bin"], check=True, capture_output=True)
    written = navd.detour.read_tile_set((tmp_path / "level.bin").read_bytes())
    with world.subscribe(encoding="detour") as subscription:
        found = subscription.wait_synced(revision)
        assert {(t.x, t.z): bytes(t.data) for t in written.tiles} == {(t.x, t.z): t.unpacked() for t in found}
        data = navd.detour.write_tile_set([t.unpacked() for t in found], world.state.origin_m, world.profiles["human"].tile_size_m)
    assert data == (tmp_path / "level.bin").read_bytes()


def test_time_limits(client, world):
    with pytest.raises(navd.TimedOut, match="no answer in time") as caught:
        world.subscribe(bounds=(500, 500, 501, 501)).wait_synced(1 << 40, timeout=0.05)
    assert isinstance(caught.value, TimeoutError) and caught.value.code == "timeout"
    client.ping()


def test_a_closed_client_says_so(nav, daemon):
    client = nav.connect(daemon.path)
    world = client.open_world("closing", create=True, profiles=HUMAN)
    subscription = world.subscribe()
    client.close()
    client.close()
    assert client.closed and not client.connected
    subscription.waiting()  # what had arrived can still be read
    for call in (client.ping, world.objects, lambda: subscription.get(1)):
        with pytest.raises(navd.ConnectionLost, match="the client is closed"):
            call()
    subscription.close()


def test_without_zstd_tiles_come_uncompressed(client, world, monkeypatch):
    revision = fill(world)
    plain = {(tile.x, tile.z): tile.unpacked() for tile in world.subscribe().wait_synced(revision)}
    monkeypatch.setattr(optional, "zstandard", None)
    found = world.subscribe().wait_synced(revision)
    assert {(tile.x, tile.z): tile.unpacked() for tile in found} == plain
    assert all(tile.data == tile.unpacked() for tile in found)
    assert [tile.tile().x for tile in world.tiles([(0, 0), (1, 0)])] == [0, 1]


def test_without_numpy(client, world, monkeypatch):
    monkeypatch.setattr(optional, "numpy", None)
    revision = fill(world)
    found = world.subscribe().wait_synced(revision)
    assert sum(len(tile.tile().triangles) for tile in found) > 20


def test_terrain_and_strokes(client, world):
    side, flat = 130, [[1000] * 130 for _ in range(130)]
    terrain = navd.Terrain(flat, spacing_m=0.5, scale_m=0.01, areas=bytes([255]) * (side - 1) ** 2)
    assert (terrain.bits, terrain.block_count) == (16, 9)
    world.apply(navd.Edit().put_terrain("land", terrain, at=(1, 0, 2)))
    world.wait()
    hill = [[1000 + 3 * (x + y) for x in range(20)] for y in range(10)]
    edit = navd.Edit().patch_terrain("land", terrain, 50, 60, hill, areas=bytes([254]) + bytes([255]) * (19 * 9 - 1))
    assert [(op["column"], op["row"], op["columns"], op["rows"]) for op in edit.ops] == [
        (50, 60, 15, 5), (0, 60, 6, 5), (50, 0, 15, 6), (0, 0, 6, 6),
    ]  # fmt: skip
    result = world.apply(edit)
    assert result.dirty_tiles > 0
    for y, row in enumerate(hill):
        flat[60 + y][50:70] = row
    areas = bytearray(terrain.areas)
    areas[60 * (side - 1) + 50] = 254
    expected = list(navd.Terrain(flat, spacing_m=0.5, scale_m=0.01, areas=bytes(areas)).blocks())
    placed = {one.id: one for one in world.objects()}
    first = navd.object_id("land")
    assert len(placed) == 9 and {one.name for one in placed.values()} == {"land"}
    for block, mesh in enumerate(expected):
        assert client.get_mesh(placed[first + block].mesh) == mesh
    with pytest.raises(navd.NavdError, match="20 by 10 samples from column 120, row 60 are not within 130 by 130"):
        list(terrain.patch(120, 60, hill))
    with pytest.raises(navd.NavdError, match="samples: 3 bytes are no rows of 2 samples of 16 bits"):
        list(terrain.patch(0, 0, b"123", columns=2))
    with pytest.raises(navd.NavdError, match="diagonal: 'left'"):
        navd.Terrain(flat, spacing_m=1, diagonal="left")
    floats = navd.Terrain([[0.5, 1.5], [0.25, -1]], spacing_m=2)
    assert floats.bits == 32 and next(floats.blocks()).heights == 32
    world.apply(navd.Edit().remove_terrain("land", terrain))
    assert world.objects() == []
