"""The client for asyncio: the same names as the blocking one, and what waits is awaited.

    client = await navd.aio.connect("/tmp/navd.sock")
    async with client:
        world = await client.open_world("level")
        async with await world.subscribe() as subscription:
            async for event in subscription:
                ...
"""

from .client import Client, connect
from .world import Subscription, World

__all__ = ["Client", "Subscription", "World", "connect"]
