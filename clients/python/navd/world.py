"""A world and its subscriptions, as the blocking client has them."""

import time
from types import TracebackType
from typing import Any, Callable, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple, Type, Union

from . import operations, places
from .arrays import Array
from .core import Map, TileEvent, TilePlace
from .edits import Edit, EditResult, Id, Instance, SyncResult
from .errors import NavdError
from .follow import Followed, TileMap
from .mesh import pack
from .operations import FailedTile, WorldObject, WorldState
from .paths import Path, PathChanged
from .places import Place, Point, Within
from .session import Watch
from .settings import Settings
from .transport import NEVER, Timeout, Transport, deadline_of


class World:
    """A world, as one client sees it. Made by Client.open_world()."""

    def __init__(self, client: Transport, state: WorldState) -> None:
        self._client = client
        self.state = state
        self.id = state.id
        self.name = state.name

    def __repr__(self) -> str:
        return f"<navd.World {self.name}>"

    @property
    def profiles(self) -> Dict[str, Settings]:
        """Its agents, as they were when it was opened or this object last changed them."""
        return self.state.profiles

    def profile(self, name: Optional[str]) -> str:
        """The given profile, or the only one. Raises NavdError "argument"."""
        return _one_profile(self.state, name)

    # --- geometry ---

    def put_mesh(self, vertices: Any, faces: Any = None, areas: Any = None) -> bytes:
        """As Client.put_mesh()."""
        steps = operations.put_meshes(self._client._session, [pack(vertices, faces, areas)])
        keys = self._client._run(steps, upload=True)
        return keys[0]

    def apply(self, edit: Edit, *, base_revision: Optional[int] = None) -> EditResult:
        """Applies all operations of an edit, or none. base_revision: refused with "state" unless the world has it."""
        return self._client._run(
            operations.apply(self._client._session, self.id, edit, base_revision), upload=any(edit.meshes)
        )

    def put(
        self,
        id: Id,
        mesh: Any,
        matrix: Any = None,
        *,
        at: Optional[Sequence[float]] = None,
        rotation: Optional[Sequence[float]] = None,
        scale: Union[float, Sequence[float]] = 1.0,
        area: int = 63,
        name: Optional[str] = None,
    ) -> EditResult:
        """One Edit.put()."""
        return self.apply(Edit().put(id, mesh, matrix, at=at, rotation=rotation, scale=scale, area=area, name=name))

    def move(
        self,
        id: Id,
        matrix: Any = None,
        *,
        at: Optional[Sequence[float]] = None,
        rotation: Optional[Sequence[float]] = None,
        scale: Union[float, Sequence[float]] = 1.0,
    ) -> EditResult:
        """One Edit.move()."""
        return self.apply(Edit().move(id, matrix, at=at, rotation=rotation, scale=scale))

    def remove(self, id: Id) -> EditResult:
        """One Edit.remove()."""
        return self.apply(Edit().remove(id))

    def sync(
        self,
        source: str,
        instances: Iterable[Instance],
        *,
        dry_run: bool = False,
        adopt: bool = False,
        base_revision: Optional[int] = None,
    ) -> SyncResult:
        """Makes the world equal to the whole list of a source's instances (docs/protocol/sources.md)."""
        return self._client._run(
            operations.sync(self._client._session, self.id, source, instances, dry_run, adopt, base_revision), upload=True
        )

    def objects(self) -> List[WorldObject]:
        """All instances, volumes and links, of one revision, in no particular order."""
        return self._client._run(operations.objects(self.id))

    # --- settings ---

    def set_profile(self, name: str, settings: Settings) -> EditResult:
        """Adds a profile, or gives one other settings: only its tiles are built again."""
        result = self._client._run(operations.set_profile(self.id, name, settings))
        self.state.profiles[name] = settings
        return result

    def remove_profile(self, name: str) -> EditResult:
        """Removes a profile; its subscriptions end."""
        result = self._client._run(operations.set_profile(self.id, name, None))
        self.state.profiles.pop(name, None)
        return result

    def set_origin(self, origin_m: Sequence[float]) -> EditResult:
        """Moves the corner of tile (0, 0) for all profiles."""
        result = self._client._run(operations.set_origin(self.id, origin_m))
        x, y, z = (float(number) for number in origin_m)
        self.state.origin_m = (x, y, z)
        return result

    def areas(self) -> List[Map]:
        """The table of areas: maps with id, name, cost, flags, color, walkable (docs/protocol/worlds.md#worldareas)."""
        return self._client._run(operations.areas(self.id, None, False))

    def set_areas(self, areas: Sequence[Map], *, replace: bool = False) -> List[Map]:
        """Sets entries of the table, or all of it, and returns the whole."""
        return self._client._run(operations.areas(self.id, areas, replace))

    def reach(self) -> Map:
        """What can be reached (docs/protocol/worlds.md#worldreach)."""
        return self._client._run(operations.ask("world.reach", {"world": self.id}))

    # --- tiles ---

    def subscribe(
        self,
        profile: Optional[str] = None,
        *,
        encoding: str = "navd",
        bounds: Optional[Sequence[float]] = None,
        focus: Optional[Sequence[float]] = None,
        build: str = "all",
        margin_m: Optional[float] = None,
        sheets: Union[None, str, Sequence[str]] = None,
        on_event: Optional[Callable[[Followed], Any]] = None,
    ) -> "Subscription":
        """All tiles of a profile, then each as it changes.

        encoding: "navd" or "detour". bounds: min x, min z, max x, max z. focus: x, z, what is nearest comes first.
        sheets: of the profile's, those whose tiles shall come; None: all. on_event: called with each event. Without it, read them from the subscription.
        """
        params = operations.subscription_params(encoding, bounds, focus, build, margin_m, sheets)
        subscription = Subscription(self._client, on_event)
        told = subscription._note if on_event else None
        steps = self._client._session.subscribe(self.id, self.profile(profile), params, told, subscription._begin)
        self._client._run(steps)
        return subscription

    def wait(
        self,
        revision: Optional[int] = None,
        *,
        bounds: Optional[Sequence[float]] = None,
        profile: Optional[str] = None,
        timeout: Timeout = "default",
    ) -> int:
        """Returns when all tiles that edits up to a revision (None: the present one) touched are built. The world's revision.

        The tiles that this client subscribes to have arrived by then. bounds, profile: only these tiles.
        timeout: seconds; None: no limit; by default the client's.
        """
        return self._client._run(operations.wait(self.id, revision, bounds, profile), timeout=timeout)

    def tiles(
        self, tiles: Iterable[TilePlace], profile: Optional[str] = None, *, encoding: str = "navd"
    ) -> List[TileEvent]:
        """The newest finished state of some tiles, (x, z) or (x, z, sheet), in that order."""
        return self._client._run(
            operations.get_tiles(self._client._session, self.id, self.profile(profile), tiles, encoding)
        )

    def failed(self, limit: int = 1000) -> List[FailedTile]:
        """Tiles whose newest run failed, the earliest failure first."""
        return self._client._run(operations.failed_tiles(self.id, limit))

    def why(self, x: int, z: int, profile: Optional[str] = None, *, sheet: str = "up") -> Map:
        """What a tile waits for, or who caused it to be built (docs/protocol/tiles.md#tileswhy)."""
        params = {"world": self.id, "profile": self.profile(profile), "x": x, "z": z, "sheet": sheet}
        return self._client._run(operations.ask("tiles.why", params))

    # --- paths ---

    def path(
        self,
        start: Sequence[float],
        end: Sequence[float],
        profile: Optional[str] = None,
        **options: Any,
    ) -> Path:
        """The shortest path between two places (x, y, z), with the options of paths()."""
        paths = self.paths([(start, end)], profile, **options)
        return paths[0]

    def paths(
        self,
        queries: Iterable[Tuple[Sequence[float], Sequence[float]]],
        profile: Optional[str] = None,
        *,
        near_m: Optional[float] = None,
        radius_m: Optional[float] = None,
        exclude: Iterable[int] = (),
        costs: Mapping[int, float] = {},
        world_costs: bool = False,
        links: bool = False,
        gap: Optional[float] = None,
    ) -> List[Path]:
        """Shortest paths: one for each pair of start and end, in order (docs/protocol/paths.md).

        near_m: how far from the ground a path may begin and end, metres; None: 2.
        radius_m: of an agent that is wider than the tiles were built for.
        exclude: areas that are walls to the paths.
        costs: of a metre, by area. Other areas cost 1, or with world_costs what the world's table of areas says.
        links: off-mesh links are taken where that is shorter.
        gap: where costs differ: how far a path may be above its lower_bound, as a share of its cost; None: 0.01.
        """
        options = operations.path_options(near_m, radius_m, exclude, costs, world_costs, links, gap)
        return self._client._run(operations.find_paths(self.id, self.profile(profile), queries, options))

    def watch_paths(
        self,
        queries: Iterable[Tuple[Sequence[float], Sequence[float]]],
        profile: Optional[str] = None,
        *,
        near_m: Optional[float] = None,
        radius_m: Optional[float] = None,
        exclude: Iterable[int] = (),
        costs: Mapping[int, float] = {},
        world_costs: bool = False,
        links: bool = False,
        gap: Optional[float] = None,
        on_event: Optional[Callable[[Followed], Any]] = None,
    ) -> "PathWatch":
        """Shortest paths, and each again as it changes (docs/protocol/paths.md#pathwatch), at most 1024. Options as paths() has them.

        on_event: called with each event. Without it, read them from what this returns.
        """
        watch = PathWatch(self._client, on_event)
        told = watch._note if on_event else None
        options = operations.path_options(near_m, radius_m, exclude, costs, world_costs, links, gap)
        params = operations.watch_params(queries, options)
        steps = self._client._session.subscribe(
            self.id, self.profile(profile), params, told, watch._begin, "path.watch"
        )
        self._client._run(steps)
        return watch

    # --- places (docs/protocol/places.md); near_m and exclude as paths() has them ---

    def _scope(self, profile: Optional[str], near_m: Optional[float], exclude: Iterable[int]) -> Map:
        return places.scope(self.id, self.profile(profile), near_m, exclude)

    def nearest(
        self, at: Iterable[Point], profile: Optional[str] = None, *, near_m: Optional[float] = None, exclude: Iterable[int] = ()
    ) -> List[Place]:
        """The ground nearest to each of some places."""
        return self._client._run(places.nearest(self._scope(profile, near_m, exclude), at))

    def raycast(
        self, lines: Iterable[Tuple[Point, Point]], profile: Optional[str] = None, *, near_m: Optional[float] = None, exclude: Iterable[int] = ()
    ) -> List[Place]:
        """Straight from each start towards x and z of its end, as far as one can walk."""
        return self._client._run(places.raycast(self._scope(profile, near_m, exclude), lines))

    def walls(
        self,
        at: Iterable[Point],
        profile: Optional[str] = None,
        *,
        limit_m: Optional[float] = None,
        near_m: Optional[float] = None,
        exclude: Iterable[int] = (),
    ) -> List[Place]:
        """The wall nearest to each of some places. limit_m: how far it is looked for; None: 100."""
        return self._client._run(places.walls(self._scope(profile, near_m, exclude), at, limit_m))

    def reaches(
        self, start: Point, goals: Iterable[Point], profile: Optional[str] = None, *, near_m: Optional[float] = None, exclude: Iterable[int] = ()
    ) -> List[str]:
        """Which goals can be reached: "found", "none", "no_start", "no_goal" or (with exclude) "limit" for each."""
        return self._client._run(places.reach(self._scope(profile, near_m, exclude), start, goals))

    def random(
        self,
        count: int,
        profile: Optional[str] = None,
        *,
        seed: int = 0,
        areas: Optional[Iterable[int]] = None,
        at: Optional[Point] = None,
        radius_m: float = 0,
        reachable: bool = False,
        near_m: Optional[float] = None,
        exclude: Iterable[int] = (),
    ) -> Array:
        """Places at random, uniform by area: rows x, y, z. Within radius_m of `at`, or what one can get to from there."""
        scope = self._scope(profile, near_m, exclude)
        return self._client._run(places.random(scope, count, seed, areas, at, radius_m, reachable))

    def within(
        self,
        at: Point,
        distance_m: float,
        profile: Optional[str] = None,
        *,
        outlines: bool = False,
        near_m: Optional[float] = None,
        exclude: Iterable[int] = (),
    ) -> Within:
        """All ground to which the shortest path from a place is no longer than that."""
        return self._client._run(places.within(self._scope(profile, near_m, exclude), at, distance_m, outlines))

    # --- life ---

    def close(self) -> None:
        """Ends this client's subscriptions to the world. The world stays."""
        self._client._run(operations.close_world(self._client._session, self.id))

    def delete(self) -> None:
        """Deletes the world and everything stored for it, for everybody."""
        self._client._run(operations.delete_world(self._client._session, self.id))


def _one_profile(state: WorldState, name: Optional[str]) -> str:
    if name is not None:
        return name
    if len(state.profiles) == 1:
        return next(iter(state.profiles))
    raise NavdError("argument", f"profile: world {state.name} has {sorted(state.profiles) or 'none'}; name one")


class Subscription:
    """What World.subscribe() gives: an iterator over events, a context manager. One reader at a time."""

    def __init__(self, client: Transport, on_event: Optional[Callable[[Followed], Any]]) -> None:
        self._client = client
        self._on_event = on_event
        self._watch = Watch(0, 0, "", {})
        self.tiles = TileMap()  # as the events that were read so far tell; with on_event, all that it was given

    def _begin(self, watch: Watch) -> None:
        self._watch = watch

    def _note_read(self, event: object) -> None:
        self.tiles.apply(event)

    def _note(self) -> None:
        self._client._told.append(self)

    def __enter__(self) -> "Subscription":
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()

    def __iter__(self) -> Iterator[Followed]:
        """Events as they come, until the subscription ends."""
        while True:
            event = self.get()
            if event is None:
                return
            yield event

    @property
    def ended(self) -> Optional[str]:
        """Why it has ended; None as long as it goes on."""
        return self._watch.ended

    def get(self, timeout: Timeout = None) -> Optional[Followed]:
        """The next event; None when the subscription has ended. timeout: seconds. Raises TimedOut, or why the client is closed."""
        watch = self._watch
        if self._on_event:
            raise NavdError("state", "the events of this subscription go to its on_event")
        self._client._wait_until(lambda: len(watch.queue) > 0 or watch.ended is not None, timeout)
        event = self._client._take(watch)
        self._note_read(event)
        return event

    def waiting(self) -> List[Followed]:
        """The events that have arrived and were not read yet; does not wait."""
        events: List[Followed] = []
        while not self._on_event:
            event = self._client._take(self._watch)
            if event is None:
                break
            self._note_read(event)
            events.append(event)
        return events

    @property
    def begun(self) -> int:
        """The world's revision when the subscription began. The first Synced may name an older one, if tiles were still being built."""
        return self._watch.begun or 0

    def wait_synced(self, revision: Optional[int] = None, timeout: Timeout = "default") -> TileMap:
        """Reads events until all tiles are here as they are at `revision`, by default `begun`, or newer; then `tiles`. Raises TimedOut;
        NavdError "cancelled" if the subscription ends."""
        deadline = deadline_of(self._client.timeout if isinstance(timeout, str) else timeout)
        while not self._is_at(revision):
            if self.ended is not None and not len(self._watch.queue):
                raise NavdError("cancelled", f"the subscription has ended: {self.ended}")
            left = None if deadline == NEVER else max(0.0, deadline - time.monotonic())
            if self._on_event:
                self._client._wait_until(lambda: self._is_at(revision) or self.ended is not None, left)
            else:
                self.get(left)
        return self.tiles

    def _is_at(self, revision: Optional[int]) -> bool:
        return self.tiles.revision is not None and self.tiles.revision >= (self.begun if revision is None else revision)

    def call_back(self) -> Any:
        """Hands one event to on_event, and returns what that returns."""
        event = self._client._take(self._watch)
        if event is None or not self._on_event:
            return None
        self._note_read(event)
        return self._on_event(event)

    def focus(
        self,
        focus: Optional[Sequence[float]] = None,
        *,
        bounds: Optional[Sequence[float]] = None,
        margin_m: Optional[float] = None,
    ) -> None:
        """Moves the focus (x, z), the bounds (min x, min z, max x, max z), or both."""
        self._client._run(operations.focus(self._watch, focus, bounds, margin_m))

    def close(self) -> None:
        """Ends it. Twice is harmless."""
        if not self._client.closed:
            self._client._run(self._client._session.unsubscribe(self._watch))


class PathWatch(Subscription):
    """What World.watch_paths() gives: as a Subscription, but its events tell of paths: PathChanged for each that has changed, Synced
    when all are true. After Restored all paths come again."""

    def __init__(self, client: Transport, on_event: Optional[Callable[[Followed], Any]]) -> None:
        super().__init__(client, on_event)
        self.newest: Dict[int, Path] = {}  # by place among the queries, as the events that were read so far tell

    def _note_read(self, event: object) -> None:
        super()._note_read(event)
        if isinstance(event, PathChanged):
            self.newest[event.query] = event.path
