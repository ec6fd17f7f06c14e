# SPDX-License-Identifier: MIT
"""Makes the world's objects of one source equal to what the main thread says they shall be. Runs on the link's thread.

    wanted      what the scene has, by id: kept up to date by change()
    sent        what the world has, as far as it is known: with the edits that are under way. None: not known

After each opening of the world, and after an edit that failed, `sent` is not known, and one world.sync makes the world equal
to `wanted`, whatever it was before. After that each change is one world.edit. Changes that come while edits are under way
are put together, so a daemon that is slow gets fewer and larger edits.

Height grids. What a stroke changes in a block that the world has goes as patch_heights: samples instead of a mesh. The mesh that
comes of it has no key here, so a world.sync sends it as it would any other.

Meshes. A mesh is known by the SHA-256 of its bytes. Its key (XXH3, which Python lacks) is learnt from mesh.have or from the
answer of mesh.put. The bytes are dropped once the daemon has them; should it lose them, the main thread reads them again.
"""
import collections
import itertools
import struct
from typing import Any, Dict, Iterable, List, Optional, Set, Tuple

import numpy
from navd.edits import object_id
from navd.errors import NavdError
from navd.mesh import Mesh

from .pack import box_of, box_of_grid, pack, pack_grid, stroke_between

_EDITS_UNDER_WAY = 4
_MOST_OPS = 4096  # above, a world.sync is shorter
_SYNC_INSTANCES = 100_000  # of one part of a list
_PUT_BYTES_UNDER_WAY = 8 << 20
_LOOSE_BLOCKS = 64  # that are kept, so that not each stroke looks through everything
_REACH_M = 1e7  # how far from the origin a mesh may be placed
_AXIS = struct.Struct("<12f")
_UNKNOWN: Any = object()


class _Known:
    """A mesh by its digest."""
    __slots__ = ("key", "state", "mesh", "box")

    def __init__(self) -> None:
        self.key: Optional[bytes] = None  # navd's; None: not known
        self.state = "new"  # "new", "asked", "put": waits for an answer; "there", "refused"
        self.mesh: Optional[Mesh] = None  # until the daemon has it
        self.box: Any = None  # (minimum, maximum) of its vertices


class Publisher:
    """port: the link's thread side. post(("published", serial)), ("reread", ids), ("publish_error", NavdError, what)."""

    def __init__(self, port: Any, source: str, unit_m: float) -> None:
        self._port, self._source, self._unit_m = port, source, unit_m
        self._wanted: Dict[int, Any] = {}
        self._sent: Optional[Dict[int, Tuple[bytes, bytes, int, str]]] = None
        self._changed: Set[int] = set()
        self._known: Dict[bytes, _Known] = {}
        self._loose: Set[bytes] = set()  # digests of blocks that were replaced since the last look at which are still wanted
        self._grids: Dict[int, Any] = {}  # what the world has of height grids, by instance; as far as `sent` is known
        self._edits = 0  # under way
        self._syncing = False
        self._puts: "collections.deque[Any]" = collections.deque()
        self._put_bytes = 0
        self._serial = 0
        self._told = 0
        self._blocked = False  # by a refusal that only another change can mend
        self._bounds: Optional[Dict[str, Any]] = None  # the include volume that the world shall have
        self._bounds_sent: Any = _UNKNOWN
        self._reread: Set[int] = set()  # instances whose mesh the main thread was asked for
        self.revision = 0
        port.opened.append(self._opened)
        port.lost.append(self._lost)
        if port.world is not None:
            self._opened({})

    def close(self) -> None:
        self._port.opened.remove(self._opened)
        self._port.lost.remove(self._lost)

    def change(self, serial: int, puts: Dict[int, Any], removed: Iterable[int], again: bool = False) -> None:
        """What the scene has now, as a difference to before. again: compare with the world even if nothing differs."""
        self._serial = serial
        gone = [self._wanted[number] for number in itertools.chain(puts, removed) if number in self._wanted]
        self._wanted.update(puts)
        for number in removed:
            self._wanted.pop(number, None)
        self._forget_blocks(gone)
        self._changed.update(puts)
        self._changed.update(removed)
        self._reread.difference_update(self._changed)
        self._blocked = False
        if again:
            self._sent = None
            for known in self._known.values():
                if known.state == "refused":
                    known.state = "new"
        self._step()

    def bound(self, serial: int, volume: Optional[Dict[str, Any]]) -> None:
        """The volume in which alone ground exists, as put_volume takes it without `op`; None: everywhere."""
        self._serial, self._bounds, self._blocked = serial, volume, False
        self._step()

    def _opened(self, result: Dict[str, Any]) -> None:
        self._sent, self._blocked, self._told, self._bounds_sent = None, False, -1, _UNKNOWN
        for known in self._known.values():
            if known.state in ("asked", "put", "there"):
                known.state = "new"  # the daemon may be another one
        self._step()

    def _lost(self) -> None:
        self._sent, self._edits, self._syncing, self._put_bytes = None, 0, False, 0
        self._puts.clear()

    # Meshes.

    def _take(self, shape: Any) -> _Known:
        """What is known of a shape's bytes. Packs and hashes them the first time."""
        if shape.digest not in self._known:
            mesh = pack_grid(shape.grid) if shape.grid else pack(shape.arrays)
            shape.digest = mesh.sha256
            known = self._known.setdefault(mesh.sha256, _Known())
            if shape.grid:
                known.box = box_of_grid(shape.grid)
            elif known.box is None:
                known.box = box_of(shape.arrays)
            if known.state != "there" and known.mesh is None:
                known.mesh = mesh
            shape.arrays = None
        return self._known[shape.digest]

    def _forget_blocks(self, gone: List[Any]) -> None:
        """Each stroke makes other blocks: those that nobody shows any more are forgotten. Meshes are not, as an undo brings them back."""
        self._loose.update(placed.shape.digest for placed in gone if placed.shape.grid and placed.shape.digest)
        if len(self._loose) > _LOOSE_BLOCKS:
            for digest in self._loose.difference(placed.shape.digest for placed in self._wanted.values()):
                self._known.pop(digest, None)
            self._loose.clear()

    def _resolve(self, ids: Iterable[int]) -> bool:
        """True: the meshes of these instances are all there, or refused. Otherwise it has asked for or sent those that are not."""
        asked: Dict[bytes, _Known] = {}
        ready, again = True, []
        for number in ids:
            placed = self._wanted.get(number)
            if placed is None:
                continue
            known = self._take(placed.shape)
            if known.state in ("there", "refused") or self._has_grid(number) or self._stroke_of(number):
                continue
            if placed.shape.grid and known.state == "new" and known.mesh is None:
                known.mesh = pack_grid(placed.shape.grid)  # of a stroke, or the daemon has lost it
            ready = False
            if known.state == "new":
                if known.key is None and known.mesh is None:
                    if number not in self._reread:
                        again.append(number)
                else:
                    asked[placed.shape.digest] = known
        if asked:
            self._ask(asked)
        if again:
            self._reread.update(again)
            self._port.post(("reread", again))
        return ready

    def _stroke_of(self, number: int) -> Optional[Dict[str, Any]]:
        """What makes the block that the world has the one that it shall have; None: it is another object, or no block."""
        placed, before = self._wanted.get(number), self._grids.get(number)
        sent = self._sent.get(number) if self._sent else None
        if before is None or sent is None or placed is None or not placed.shape.grid:
            return None
        if (placed.transform, placed.area, placed.name) != sent[1:]:
            return None
        return stroke_between(before, placed.shape.grid)

    def _has_grid(self, number: int) -> bool:
        """The world has the very block, though it may stand elsewhere: what a stroke made has no key, and needs none to be moved."""
        placed, sent = self._wanted.get(number), self._sent.get(number) if self._sent else None
        if placed is None or sent is None or not placed.shape.grid or self._grids.get(number) is not placed.shape.grid:
            return False
        return (placed.area, placed.name) == sent[2:]

    def _ask(self, asked: Dict[bytes, _Known]) -> None:
        """Which of these the daemon has. A single small one is sent without asking."""
        if len(asked) == 1:
            (known,) = asked.values()
            if known.mesh is not None and len(known.mesh.data) <= 65536:
                self._put(known)
                return
        by_key = [known for known in asked.values() if known.key is not None]
        by_digest = [(digest, known) for digest, known in asked.items() if known.key is None]
        for known in asked.values():
            known.state = "asked"
        step = 10_000

        def answered_keys(part: List[_Known]) -> Any:
            def done(result: Any, error: Optional[NavdError]) -> None:
                if error:
                    self._failed(error, part)
                    return
                missing = set(result.get("missing") or ())
                for known in part:
                    if known.key in missing:
                        known.key = None
                        self._put(known)
                    else:
                        self._there(known, known.key)
                self._step()
            return done

        def answered_digests(part: List[_Known]) -> Any:
            def done(result: Any, error: Optional[NavdError]) -> None:
                if error and error.code != "again":
                    self._failed(error, part)
                    return
                keys = result.get("keys") or [None] * len(part)
                for known, key in zip(part, keys):
                    if key:
                        self._there(known, key)
                    else:
                        self._put(known)
                self._step()
            return done

        for at in range(0, len(by_key), step):
            part = by_key[at:at + step]
            self._port.call("mesh.have", {"hashes": [known.key for known in part]}, answered_keys(part))
        for at in range(0, len(by_digest), step):
            named = by_digest[at:at + step]
            self._port.call("mesh.have", {"sha256": [digest for digest, _ in named]}, answered_digests([known for _, known in named]))

    def _there(self, known: _Known, key: Optional[bytes]) -> None:
        known.key, known.state, known.mesh = key, "there", None

    def _put(self, known: _Known) -> None:
        if known.mesh is None:
            known.state = "new"  # _resolve() asks the main thread for it
            return
        known.state = "put"
        self._puts.append((known, 0))
        self._send_puts()

    def _send_puts(self) -> None:
        part_bytes = self._port.limits.get("mesh_part_bytes", 1 << 20)
        while self._puts and self._put_bytes < _PUT_BYTES_UNDER_WAY:
            known, offset = self._puts[0]
            mesh = known.mesh
            if known.state != "put" or mesh is None:
                self._puts.popleft()
                continue
            data = mesh.data[offset:offset + part_bytes]
            params = {"vertices": mesh.vertices, "triangles": mesh.triangles, "offset": offset, "data": data}
            if mesh.has_areas:
                params["areas"] = True
            if mesh.heights:
                params["heights"] = mesh.heights
            self._put_bytes += len(data)
            if offset + len(data) < len(mesh.data):
                self._puts[0] = (known, offset + len(data))
            else:
                self._puts.popleft()
            self._port.call("mesh.put", params, self._put_answered(known, len(data)))

    def _put_answered(self, known: _Known, size: int) -> Any:
        def done(result: Any, error: Optional[NavdError]) -> None:
            if error and error.code == "closed":
                return  # _lost() comes
            self._put_bytes -= size
            if known.state != "put":
                return
            if error:
                if error.code in ("argument", "crashed", "limit"):
                    known.state, known.mesh = "refused", None
                    self._port.post(("publish_error", error, "mesh"))
                else:
                    self._failed(error, [known])
            elif result.get("complete"):
                self._there(known, result["hash"])
            self._send_puts()
            if not self._puts and not self._put_bytes or known.state == "there":
                self._step()
        return done

    def _failed(self, error: NavdError, part: List[_Known]) -> None:
        for known in part:
            known.state = "new"
        if error.code != "closed":
            self._block(error)

    def _block(self, error: NavdError) -> None:
        """Nothing more is sent until something changes."""
        self._blocked, self._sent = True, None
        self._port.post(("publish_error", error, "world"))

    # Edits.

    def _row(self, number: int) -> Optional[Tuple[bytes, bytes, int, str]]:
        placed = self._wanted.get(number)
        if placed is None:
            return None
        known = self._known[placed.shape.digest]
        if known.state == "refused":
            return None
        if not self._within_reach(placed.transform, known.box):
            return None
        return known.key or placed.shape.digest, placed.transform, placed.area, placed.name

    def _within_reach(self, transform: bytes, box: Any) -> bool:
        numbers = _AXIS.unpack(transform)
        for row in (0, 4, 8):
            extent = abs(numbers[row + 3])
            for axis in range(3):
                extent += abs(numbers[row + axis]) * max(abs(float(box[0][axis])), abs(float(box[1][axis])))
            if extent * self._unit_m >= _REACH_M:
                return False
        return True

    def _step(self) -> None:
        """Sends what can be sent."""
        if self._port.world is None or self._blocked or self._syncing:
            return
        if self._bounds_sent is _UNKNOWN or self._bounds_sent != self._bounds:
            self._send_bounds()
        if self._sent is None:
            if self._edits == 0 and self._resolve(list(self._wanted)):
                self._sync()
            return
        if not self._changed:
            if not self._edits and self._told != self._serial:
                self._told = self._serial
                self._port.post(("published", {"serial": self._serial, "revision": self.revision, "left_out": self._count_left_out()}))
            return
        if self._edits >= _EDITS_UNDER_WAY or not self._resolve(self._changed):
            return
        self._edit()

    def _count_left_out(self) -> int:
        """Instances that the daemon cannot take: too far away, or with a mesh that it has refused."""
        assert self._sent is not None
        return len(self._wanted) - len(self._sent)

    def _send_bounds(self) -> None:
        number = object_id("bounds", self._source)
        op = dict(self._bounds, op="put_volume", id=number, source=self._source, include=True) if self._bounds else {
            "op": "remove_volume", "id": number}
        known, self._bounds_sent = self._bounds_sent is not _UNKNOWN, self._bounds
        self._edits += 1

        def done(result: Any, error: Optional[NavdError]) -> None:
            if error and error.code == "not_found" and not known:  # there was none
                self._edits -= 1
                self._step()
            else:
                self._edited(result, error)
        self._port.call("world.edit", {"world": self._port.world, "ops": [op]}, done)

    def _edit(self) -> None:
        assert self._sent is not None
        ops: List[Dict[str, Any]] = []
        patched = False
        for number in sorted(self._changed):
            row, before, stroke = self._row(number), self._sent.get(number), self._stroke_of(number)
            if row and before and self._has_grid(number):
                row = (before[0],) + row[1:]
            if row == before:
                continue
            if row is None:
                ops.append({"op": "remove_instance", "id": number})
                del self._sent[number]
                self._grids.pop(number, None)
                continue
            self._note_grid(number)
            if stroke:
                ops.append(dict(stroke, op="patch_heights", id=number))
                self._sent[number] = row
                self._known[self._wanted[number].shape.digest].mesh = None
                patched = True
                continue
            if before and (row[0], row[2], row[3]) == (before[0], before[2], before[3]):
                ops.append({"op": "move_instance", "id": number, "transform": row[1]})
            else:
                ops.append({"op": "put_instance", "id": number, "mesh": row[0], "transform": row[1], "area": row[2],
                            "source": self._source, "name": row[3]})
            self._sent[number] = row
        self._changed.clear()
        if len(ops) > _MOST_OPS:
            self._sent = None
            self._step()
        elif ops:
            self._edits += 1
            self._port.call("world.edit", {"world": self._port.world, "ops": ops}, self._stroke_made if patched else self._edited)
        else:
            self._step()

    def _note_grid(self, number: int) -> None:
        grid = self._wanted[number].shape.grid
        if grid:
            self._grids[number] = grid
        else:
            self._grids.pop(number, None)

    def _stroke_made(self, result: Any, error: Optional[NavdError]) -> None:
        """A block that cannot be patched, as somebody has put another there or it is still being read, is put whole."""
        if error and error.code in ("again", "argument", "not_found"):
            self._edits -= 1
            self._sent = None
            self._step()
        else:
            self._edited(result, error)

    def _edited(self, result: Any, error: Optional[NavdError]) -> None:
        if error and error.code == "closed":
            return
        self._edits -= 1
        if error:
            self._refused_change(error)
        else:
            self.revision = result.get("revision", 0)
        self._step()

    def _refused_change(self, error: NavdError) -> None:
        self._sent = None
        if error.code == "not_found" and "mesh" in error.message:
            for known in self._known.values():  # dropped for lack of memory: which one, mesh.have says
                if known.state == "there":
                    known.state = "new"
        else:
            self._block(error)

    def _sync(self) -> None:
        self._changed.clear()
        rows = {}
        for number in self._wanted:
            row = self._row(number)
            if row is not None:
                rows[number] = row
        grids = {number: placed.shape.grid for number, placed in self._wanted.items() if placed.shape.grid}
        self._syncing = True
        numbers = sorted(rows)
        parts = range(0, max(len(numbers), 1), _SYNC_INSTANCES)
        for offset in parts:
            part = [rows[number] for number in numbers[offset:offset + _SYNC_INSTANCES]]
            names = [row[3].encode() for row in part]
            params = {
                "world": self._port.world, "source": self._source, "offset": offset,
                "ids": numpy.array(numbers[offset:offset + _SYNC_INSTANCES], "<u8").tobytes(),
                "meshes": b"".join(row[0] for row in part),
                "transforms": b"".join(row[1] for row in part),
                "areas": bytes(row[2] for row in part),
                "names": b"".join(bytes([len(name)]) + name for name in names),
            }
            last = offset == parts[-1]
            if not last:
                params["more"] = True
            self._port.call("world.sync", params, self._synced(rows, grids) if last else self._part_synced)

    def _part_synced(self, result: Any, error: Optional[NavdError]) -> None:
        pass  # the last part of the list is answered with an error, too

    def _synced(self, rows: Any, grids: Dict[int, Any]) -> Any:
        def done(result: Any, error: Optional[NavdError]) -> None:
            if error and error.code == "closed":
                return
            self._syncing = False
            if error:
                self._refused_change(error)
            elif result.get("applied"):
                self._sent, self.revision = rows, result.get("revision", 0)
                self._grids = {number: grid for number, grid in grids.items() if number in rows}
            else:
                missing = set(result.get("missing") or ())
                for known in self._known.values():
                    if known.key in missing:
                        known.key, known.state = None, "new"
            self._step()
        return done
