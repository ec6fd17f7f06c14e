"""Follows a world and keeps a file of Detour tiles up to date, as RecastDemo and `navctl info` read it.

detour_file.py WORLD FILE [PROFILE]     Ctrl-C ends it
detour_file.py WORLD FILE --once        writes it once
"""

import os
import sys

import navd


def write(world: navd.World, profile: str, tiles: navd.TileMap, path: str) -> None:
    """The file appears complete or not at all."""
    data = navd.detour.write_tile_set(
        [event.unpacked() for event in tiles], world.state.origin_m, world.profiles[profile].tile_size_m
    )
    with open(path + ".part", "wb") as file:
        file.write(data)
    os.replace(path + ".part", path)
    print(f"{path}: {len(tiles)} tiles, revision {tiles.revision}", flush=True)


def main() -> None:
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    name, path = sys.argv[1:3]
    options = sys.argv[3:]
    with navd.connect() as client:
        world = client.open_world(name)
        profile = world.profile(next((option for option in options if option != "--once"), None))
        with world.subscribe(profile, encoding="detour") as subscription:
            for event in subscription:
                if isinstance(event, navd.SettingsChanged):  # perhaps other tile sizes, another origin
                    world = client.open_world(name)
                if isinstance(event, navd.Synced) and event.revision >= subscription.begun:
                    write(world, profile, subscription.tiles, path)
                    if "--once" in options:
                        return


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        pass
