"""asyncio: one task follows a world while another edits it. The names are those of the blocking client."""

import asyncio

import navd

FLOOR = navd.pack([(-20, 0, -20), (-20, 0, 20), (20, 0, 20), (20, 0, -20)], [(0, 1, 2, 3)])
WALL = navd.pack([(0, 0, -4), (0, 3, -4), (0, 3, 4), (0, 0, 4)], [(0, 1, 2, 3), (3, 2, 1, 0)])


async def follow(world: navd.aio.World, last: "asyncio.Future[int]") -> None:
    async with await world.subscribe() as subscription:
        async for event in subscription:
            if isinstance(event, navd.TileEvent):
                print(f"tile {event.x},{event.z}: revision {event.revision}")
            if isinstance(event, navd.Synced) and last.done() and event.revision >= last.result():
                return


async def main() -> None:
    async with await navd.aio.connect() as client:
        world = await client.open_world("async", create=True, profiles={"human": navd.Settings()})
        last: "asyncio.Future[int]" = asyncio.get_running_loop().create_future()
        follower = asyncio.create_task(follow(world, last))
        await world.put("floor", FLOOR)
        for step in range(5):
            result = await world.put("wall", WALL, at=(step * 2, 0, 0))
            await world.wait(result.revision)
        last.set_result((await world.put("wall", WALL, at=(-10, 0, 0))).revision)
        await follower
        print("done")


asyncio.run(main())
