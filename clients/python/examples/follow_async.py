"""asyncio: one task follows a world while another edits it. The names are those of the blocking client."""

import asyncio

import navd

FLOOR = navd.pack([(-20, 0, -20), (-20, 0, 20), (20, 0, 20), (20, 0, -20)], [(0, 1, 2, 3)])
WALL = navd.pack([(0, 0, -4), (0, 3, -4), (0, 3, 4), (0, 0, 4)], [(0, 1, 2, 3), (3, 2, 1, 0)])
STEPS = [(-10, 0, 0), (-5, 0, 0), (0, 0, 0), (5, 0, 0), (10, 0, 0)]


async def follow(world: navd.aio.World, last_revision: int) -> None:
    async with await world.subscribe() as subscription:
        async for event in subscription:
            if isinstance(event, navd.TileEvent):
                print(f"tile {event.x},{event.z}: revision {event.revision}")
            if isinstance(event, navd.Synced) and event.revision >= last_revision:
                return


async def main() -> None:
    async with await navd.aio.connect() as client:
        world = await client.open_world("async", create=True, profiles={"human": navd.Settings()})
        revision = (await world.put("floor", FLOOR)).revision
        follower = asyncio.create_task(follow(world, revision + len(STEPS)))  # each edit is a revision
        for place in STEPS:
            result = await world.put("wall", WALL, at=place)
            await world.wait(result.revision)
        await follower
        print("done")


asyncio.run(main())
