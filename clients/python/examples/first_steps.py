"""A floor and a crate, the tiles they make, and those that change when the crate moves."""

import navd

floor = [(-20, 0, -20), (-20, 0, 20), (20, 0, 20), (20, 0, -20)], [(0, 1, 2, 3)]
corners = [(x, y, z) for x in (-1, 1) for y in (0, 2) for z in (-1, 1)]
crate = corners, [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]

with navd.connect() as client:  # $NAVD_ADDRESS, or the usual sockets
    world = client.open_world("first steps", create=True, profiles={"human": navd.Settings(agent_radius_m=0.4)})
    edit = navd.Edit().put("floor", navd.pack(*floor)).put("crate", navd.pack(*crate), at=(5, 0, 5))
    revision = world.apply(edit).revision

    with world.subscribe() as subscription:
        for tile in (event.tile() for event in subscription.wait_synced(revision)):
            print(f"tile {tile.x},{tile.z}: {tile.counts['cells']} cells")

        revision = world.move("crate", at=(-5, 0, -5)).revision
        for event in subscription:
            if isinstance(event, navd.TileEvent):
                print(f"tile {event.x},{event.z} changed: {event.status}")
            if isinstance(event, navd.Synced) and event.revision >= revision:
                break
