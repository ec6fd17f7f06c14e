"""What a client can ask of a daemon, once for the blocking and the asyncio client: each function is a generator of calls."""

import struct
from dataclasses import dataclass, field
from typing import Any, Dict, Iterable, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from . import compression
from .arrays import Array, view
from .core import Map, TileEvent, TilePlace, tile_from_map
from .edits import Edit, EditResult, Instance, SyncResult, sync_parts
from .errors import NavdError
from .mesh import Mesh, make_mesh, pack
from .paths import Path, path_from_map
from .session import Call, Session, Steps
from .settings import Settings, profile_maps

PART_BYTES = 1 << 20  # of a mesh, where the daemon does not say
HEIGHTS_HEAD = 48  # bytes before the samples of a height grid
HASHES = 4096  # of one mesh.have
WINDOW_BYTES = 16 << 20  # parts that are under way at once
LIST_BYTES = 16 << 20  # a part of a source's list


class FailedTile(NamedTuple):
    """A tile whose newest run failed (docs/protocol/tiles.md#tilesfailed)."""

    profile: str
    x: int
    z: int
    code: str
    reason: str
    stage: str
    since_ms: int
    tries: int
    retry_ms: Optional[int]  # None: when an edit touches it
    sheet: str = "up"


class WorldObject(NamedTuple):
    """An object of a world. kind: "instance", "volume" or "link". operation: what would create it, as in world.edit."""

    kind: str
    id: int
    name: str
    source: str
    area: int
    mesh: Optional[bytes]  # instances: the mesh's key
    transform: Optional[Tuple[float, ...]]  # instances: three rows of four
    operation: Map


class WorldEntry(NamedTuple):
    """A world in a list of them."""

    name: str
    revision: int
    instances: int


@dataclass
class WorldState:
    """A world as world.open describes it."""

    id: int
    name: str
    revision: int
    created: bool
    origin_m: Tuple[float, float, float]
    profiles: Dict[str, Settings]
    areas: List[Map]
    build: str
    margin_m: float
    reach: Optional[Map]
    to_metres: Optional[Tuple[float, ...]]  # the conversion of axes and units, if there is one
    grids: Dict[str, int] = field(default_factory=dict)


def open_world(
    session: Session,
    name: str,
    create: bool,
    profiles: Optional[Mapping[str, Settings]],
    origin_m: Optional[Sequence[float]],
    areas: Optional[Sequence[Map]],
    reach: Optional[Map],
    build: Optional[str],
    margin_m: Optional[float],
    up: str,
    unit_m: float,
) -> Steps[WorldState]:
    params: Map = {"name": name, "create": create}
    if profiles is None and create:
        profiles = {}
    optional = {
        "profiles": profile_maps(profiles) if profiles else None,
        "origin_m": [float(number) for number in origin_m] if origin_m is not None else None,
        "areas": [dict(area) for area in areas] if areas is not None else None,
        "reach": reach,
        "build": build,
        "margin_m": margin_m,
        "up": up if up != "y" else None,
        "unit_m": float(unit_m) if unit_m != 1.0 else None,
    }
    params.update((key, value) for key, value in optional.items() if value is not None)
    answer = yield from session.open_world(params)
    x, y, z = answer["origin_m"]
    found = answer.get("profiles") or []
    to_metres = answer.get("to_metres")
    return WorldState(
        answer["world"], name, answer["revision"], bool(answer["created"]), (x, y, z),
        {profile["name"]: Settings.from_map(profile.get("settings") or {}) for profile in found},
        answer.get("areas") or [], answer.get("build") or "all", float(answer.get("margin_m") or 0), answer.get("reach"),
        tuple(_numbers(to_metres, "d")) if to_metres else None,
        {profile["name"]: profile.get("grid") or 0 for profile in found},
    )  # fmt: skip


def _numbers(given: Any, code: str) -> List[float]:
    """Several floats: a bin of them, or an array of numbers."""
    if isinstance(given, bytes):
        return list(struct.unpack(f"<{len(given) // struct.calcsize(code)}{code}", given))
    return [float(number) for number in given]


def list_worlds() -> Steps[List[WorldEntry]]:
    answer = yield Call("world.list", {}, again=True)
    return [WorldEntry(entry["name"], entry["revision"], entry.get("instances") or 0) for entry in answer["worlds"]]


def delete_world(session: Session, world: int) -> Steps[None]:
    yield Call("world.delete", {"world": world})
    session.forget_world(world)


def close_world(session: Session, world: int) -> Steps[None]:
    yield Call("world.close", {"world": world})
    session.forget_world(world)


# --- meshes ---


def put_meshes(session: Session, meshes: Iterable[Any]) -> Steps[List[bytes]]:
    """The keys of the meshes, in order. Only what the daemon lacks is sent."""
    packed = [pack(mesh) for mesh in meshes]
    keys: Dict[bytes, Optional[bytes]] = dict.fromkeys(mesh.sha256 for mesh in packed)
    hashes = list(keys)
    for first in range(0, len(hashes), HASHES):
        asked = hashes[first : first + HASHES]
        try:
            answer = yield Call("mesh.have", {"sha256": asked}, again=True)
            keys.update(zip(asked, answer.get("keys") or []))
        except NavdError as error:
            if error.code != "again":  # then it is still reading its meshes: sending one again is harmless
                raise
    for mesh in packed:
        if keys[mesh.sha256] is None:
            keys[mesh.sha256] = yield from _put_mesh(session, mesh)
    return [keys[mesh.sha256] or b"" for mesh in packed]


def _put_mesh(session: Session, mesh: Mesh) -> Steps[bytes]:
    part_bytes = session.connection.limits.get("mesh_part_bytes", PART_BYTES)
    whole = memoryview(mesh.data)
    answer: Map = {}
    at = 0
    while at < len(whole) or not answer:
        calls: List[Call] = []
        sent = 0
        while (at < len(whole) or not calls) and sent < WINDOW_BYTES:
            part = whole[at : at + part_bytes]
            params: Map = {"vertices": mesh.vertices, "triangles": mesh.triangles, "offset": at, "data": bytes(part)}
            if mesh.has_areas:
                params["areas"] = True
            if mesh.heights:
                params["heights"] = mesh.heights
            calls.append(Call("mesh.put", params))
            at += len(part)
            sent += len(part)
            if not len(whole):
                break
        answer = (yield calls)[-1]
        if not len(whole):
            break
    key = answer.get("hash")
    if not answer.get("complete") or not isinstance(key, bytes):
        raise NavdError("internal", "mesh.put: the daemon has not told the mesh's hash; is it older than this package?")
    return key


def get_mesh(key: bytes) -> Steps[Mesh]:
    """Reads a mesh as it was sent."""
    parts: List[bytes] = []
    at = 0
    while True:
        answer = yield Call("mesh.get", {"hash": key, "offset": at}, again=True)
        part: bytes = answer["data"]
        parts.append(part)
        at += len(part)
        vertices, triangles, has_areas = answer["vertices"], answer["triangles"], bool(answer.get("areas"))
        heights: int = answer.get("heights") or 0
        whole = 12 * (vertices + triangles) + has_areas * triangles
        if heights:
            whole = HEIGHTS_HEAD + vertices * heights // 8 + has_areas * triangles // 2
        if at >= whole or not part:
            return make_mesh(vertices, triangles, has_areas, b"".join(parts), heights)


# --- edits ---


def apply(session: Session, world: int, edit: Edit, base_revision: Optional[int]) -> Steps[EditResult]:
    most = session.connection.limits.get("edit_ops")
    if most is not None and len(edit.ops) > most:
        raise NavdError("limit", f"an edit of {len(edit.ops)} operations, the daemon takes edit_ops = {most}")
    retried = False
    while True:
        meshes = [mesh for mesh in edit.meshes if mesh is not None]
        keys = iter((yield from put_meshes(session, meshes)) if meshes else [])
        ops = [op if mesh is None else {**op, "mesh": next(keys)} for op, mesh in zip(edit.ops, edit.meshes)]
        params: Map = {"world": world, "ops": ops}
        if base_revision is not None:
            params["base_revision"] = base_revision
        try:
            answer = yield Call("world.edit", params)
        except NavdError as error:
            # A mesh that nobody uses may have been dropped since it was sent.
            if retried or error.code != "not_found" or not error.key.endswith("mesh") or not meshes:
                raise
            retried = True
            continue
        return _edit_result(answer)


def _edit_result(answer: Map) -> EditResult:
    return EditResult(answer["revision"], answer.get("dirty_tiles") or 0, bool(answer.get("durable")))


def sync(
    session: Session,
    world: int,
    source: str,
    instances: Iterable[Instance],
    dry_run: bool,
    adopt: bool,
    base_revision: Optional[int],
) -> Steps[SyncResult]:
    listed = list(instances)
    packed = [None if isinstance(entry.mesh, (bytes, bytearray)) else pack(entry.mesh) for entry in listed]
    sent = False
    while True:
        wanted = [mesh for mesh in packed if mesh is not None]
        found = iter((yield from put_meshes(session, wanted)) if wanted else [])
        keys = [bytes(entry.mesh) if mesh is None else next(found) for entry, mesh in zip(listed, packed)]
        common: Map = {"world": world, "source": source, "dry_run": dry_run, "adopt": adopt}
        if base_revision is not None:
            common["base_revision"] = base_revision
        parts = sync_parts(listed, keys, source, min(LIST_BYTES, session.connection.limits.get("message_bytes", LIST_BYTES) // 2))
        answers = yield [Call("world.sync", {**common, **part}) for part in parts]
        answer: Map = answers[-1]
        missing = answer.get("missing") or []
        if missing and (sent or not set(missing) <= set(key for key, mesh in zip(keys, packed) if mesh is not None)):
            raise NavdError("not_found", f"meshes: the daemon lacks {len(missing)} of them, the first is {missing[0].hex()}")
        if missing:  # dropped since they were sent, as no object used them
            sent = True
            continue
        counts = [answer.get(name) or 0 for name in ("added", "changed", "moved", "renamed", "removed", "unchanged")]
        return SyncResult(*_edit_result(answer), bool(answer.get("applied")), *counts)


def objects(world: int) -> Steps[List[WorldObject]]:
    """All objects, of one revision."""
    for attempt in range(5):
        found: List[WorldObject] = []
        params: Map = {"world": world, "limit": 4096 if attempt == 0 else 16384}
        try:
            while True:
                answer = yield Call("world.objects", params, again=True)
                found += [_object(operation) for operation in answer["objects"]]
                if not answer.get("next"):
                    return found
                params = {**params, "cursor": answer["next"], "revision": answer["revision"]}
        except NavdError as error:
            if error.code != "state":  # the world has changed in between
                raise
    raise NavdError("again", "the world changes faster than its objects can be read")


def _object(operation: Map) -> WorldObject:
    kind = operation["op"][len("put_") :]
    transform = operation.get("transform")
    if kind == "instance":
        identity = (1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0)
        transform = tuple(_numbers(transform, "f")) if transform else identity
    area = operation.get("area")
    name, source = operation.get("name") or "", operation.get("source") or ""
    return WorldObject(kind, operation["id"], name, source, 63 if area is None else area, operation.get("mesh"), transform, operation)


# --- tiles ---


def _tiles(answer: Map) -> List[TileEvent]:
    return [tile_from_map(tile) for tile in answer["tiles"]]


def get_tiles(
    session: Session, world: int, profile: str, tiles: Iterable[TilePlace], encoding: str
) -> Steps[List[TileEvent]]:
    wanted = [[int(place[0]), int(place[1]), *place[2:]] for place in tiles]
    most = session.connection.limits.get("request_tiles") or max(len(wanted), 1)
    found: List[TileEvent] = []
    for first in range(0, len(wanted), most):
        params = {"world": world, "profile": profile, "encoding": encoding, "compression": compression.choice()}
        answer = yield Call("tiles.get", {**params, "tiles": wanted[first : first + most]}, again=True)
        found += _tiles(answer)
    return found


def build_tiles(
    mesh: Any,
    faces: Any,
    areas: Any,
    first: Tuple[int, int],
    last: Tuple[int, int],
    settings: Settings,
    encoding: str,
    origin_m: Optional[Sequence[float]],
    up: str,
    unit_m: float,
    extra: Optional[Edit],
    sheet: str,
) -> Steps[List[TileEvent]]:
    packed = pack(mesh, faces, areas)
    triangles_at = 12 * packed.vertices
    areas_at = triangles_at + 12 * packed.triangles
    params: Map = {
        "settings": settings.to_map(),
        "encoding": encoding,
        "compression": compression.choice(),
        "first": [int(number) for number in first],
        "last": [int(number) for number in last],
        "vertices": packed.data[:triangles_at],
        "indices": packed.data[triangles_at:areas_at],
        "volumes": _extra(extra, "put_volume", ("op", "id")),
        "links": _extra(extra, "put_link", ("op",)),
    }
    if sheet != "up":
        params["sheet"] = sheet
    if origin_m is not None:
        params["settings"]["origin_m"] = [float(number) for number in origin_m]
    if packed.has_areas:
        params["areas"] = packed.data[areas_at:]
    if (up, unit_m) != ("y", 1.0):
        params.update(up=up, unit_m=float(unit_m))
    answer = yield Call("tiles.build", params, again=True)
    return _tiles(answer)


def _extra(edit: Optional[Edit], wanted: str, without: Tuple[str, ...]) -> List[Map]:
    return [{key: value for key, value in op.items() if key not in without} for op in (edit.ops if edit else []) if op["op"] == wanted]


def failed_tiles(world: int, limit: int) -> Steps[List[FailedTile]]:
    answer = yield Call("tiles.failed", {"world": world, "limit": limit}, again=True)
    return [
        FailedTile(
            tile["profile"], tile["x"], tile["z"], tile["code"], tile["reason"], tile.get("stage") or "", tile["since_ms"],
            tile["tries"], tile.get("retry_ms"), tile.get("sheet") or "up",
        )
        for tile in answer["tiles"]
    ]  # fmt: skip


def wait(
    world: int, revision: Optional[int], bounds: Optional[Sequence[float]], profile: Optional[str]
) -> Steps[int]:
    params: Map = {"world": world}
    if revision is not None:
        params["revision"] = revision
    if bounds is not None:
        params["bounds"] = [float(number) for number in bounds]
    if profile is not None:
        params["profile"] = profile
    answer = yield Call("jobs.wait", params, again=True)
    return int(answer["revision"])


def subscription_params(
    encoding: str,
    bounds: Optional[Sequence[float]],
    focus: Optional[Sequence[float]],
    build: str,
    margin_m: Optional[float],
    sheets: Union[None, str, Sequence[str]] = None,
) -> Map:
    params: Map = {"encoding": encoding}
    if sheets is not None:
        params["sheets"] = sheets if isinstance(sheets, str) else list(sheets)
    if bounds is not None:
        params["bounds"] = [float(number) for number in bounds]
    if focus is not None:
        params["focus"] = [float(number) for number in focus]
    if build != "all":
        params["build"] = build
    if margin_m is not None:
        params["margin_m"] = float(margin_m)
    return params


def focus(watch: Any, focus: Optional[Sequence[float]], bounds: Optional[Sequence[float]], margin_m: Optional[float]) -> Steps[None]:
    """Moves a subscription; after a reconnect it comes back where it was moved to."""
    changed = subscription_params(watch.params["encoding"], bounds, focus, "all", margin_m)
    if focus is None and bounds is not None:
        changed["focus"] = [(float(bounds[0]) + float(bounds[2])) / 2, (float(bounds[1]) + float(bounds[3])) / 2]
    del changed["encoding"]
    if bounds is not None:
        watch.forget()  # what it has of the new bounds nobody knows
    watch.params.update(changed)
    if watch.wire_id:
        yield Call("tiles.focus", {"subscription": watch.wire_id, **changed})


# --- profiles, areas, paths ---


def set_profile(world: int, name: str, settings: Optional[Settings]) -> Steps[EditResult]:
    """Adds or changes a profile; None removes it."""
    params: Map = {"world": world, "name": name}
    if settings is None:
        params["remove"] = True
    else:
        params["settings"] = settings.to_map()
    return _edit_result((yield Call("world.profile", params)))


def set_origin(world: int, origin_m: Sequence[float]) -> Steps[EditResult]:
    return _edit_result((yield Call("world.origin", {"world": world, "origin_m": [float(n) for n in origin_m]})))


def areas(world: int, changed: Optional[Sequence[Map]], replace: bool) -> Steps[List[Map]]:
    params: Map = {"world": world}
    if changed is not None:
        params["areas"] = [dict(area) for area in changed]
        params["replace"] = replace
    answer = yield Call("world.areas", params, again=changed is None)
    table: List[Map] = answer.get("areas") or []
    return table


def ask(method: str, params: Map) -> Steps[Map]:
    """A call that only reads, and whose result is for the caller."""
    answer: Map = yield Call(method, params, again=True)
    return answer


def raw(method: str, params: Map) -> Steps[Map]:
    """Any call."""
    answer: Map = yield Call(method, params)
    return answer


Queries = Iterable[Tuple[Sequence[float], Sequence[float]]]


def _queries(queries: Queries) -> List[Map]:
    return [{"from": [float(n) for n in start], "to": [float(n) for n in end]} for start, end in queries]


def watch_params(queries: Queries, options: Map) -> Map:
    """Of path.watch."""
    return {"queries": _queries(queries), **options}


def path_options(
    near_m: Optional[float],
    radius_m: Optional[float],
    exclude: Iterable[int],
    costs: Mapping[int, float],
    world_costs: bool,
    links: bool,
    gap: Optional[float],
) -> Map:
    given = {"near_m": near_m, "radius_m": radius_m, "gap": gap}
    options: Map = {key: float(value) for key, value in given.items() if value is not None}
    options["exclude"] = [int(area) for area in exclude]
    options["costs"] = [{"area": int(area), "cost": float(cost)} for area, cost in costs.items()]
    options["world_costs"], options["links"] = bool(world_costs), bool(links)
    return options


def find_paths(world: int, profile: str, queries: Queries, options: Map) -> Steps[List[Path]]:
    wanted = _queries(queries)
    paths: List[Path] = []
    for first in range(0, len(wanted), 1024):
        params: Map = {"world": world, "profile": profile, "queries": wanted[first : first + 1024], **options}
        answer = yield Call("path.find", params, again=True)
        paths += [path_from_map(path) for path in answer["paths"]]
    return paths
