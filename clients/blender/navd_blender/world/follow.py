# SPDX-License-Identifier: MIT
"""Follows the scene: notes what Blender says has changed, finds out in small steps what differs, and hands it to the publisher.

Main thread only. The handlers call note_*(), which only remember. step() does the work, from a timer, for at most its budget;
what it has read is handed on when a whole pass is done, as one change. Nothing here writes to the scene.
"""
import itertools
import time
from typing import Any, Callable, Dict, Optional, Set

import bpy

from .publish import Publisher
from .scene import Filter, Placed, Reader

_CHECK_EVERY = 8  # instances between two looks at the clock


class _Pass:
    """One reading of all instances, in steps."""

    def __init__(self, number: int) -> None:
        self.number = number  # of the updates that were noted when it began
        self.at = 0
        self.found: Dict[int, Placed] = {}


class Follow:
    """The scene of the main window, from connect to disconnect."""

    def __init__(self, link: Any, source: str, unit_m: float, choice: Callable[[Any], Filter]) -> None:
        self._link, self._choice = link, choice
        self._reader = Reader(source)
        self._placed: Dict[int, Placed] = {}
        self._noted = 1  # rises with each update
        self._read = 0  # the number of updates that _placed shows
        self._stale: Set[str] = set()  # names of objects whose mesh may be another one
        self._all_stale = False
        self._again = True
        self._pass: Optional[_Pass] = None
        self._serial = 0
        self._acknowledged = 0
        self.publisher: Any = None
        self._closed = False
        self._link.on_thread(self._start, link.port, source, unit_m)
        link.listeners.append(self._hear)

    def _start(self, port: Any, source: str, unit_m: float) -> None:
        self.publisher = Publisher(port, source, unit_m)  # on the link's thread

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            self._link.listeners.remove(self._hear)
            self._link.on_thread(lambda: self.publisher.close())

    @property
    def count(self) -> int:
        """Instances that are followed."""
        return len(self._placed)

    @property
    def settled(self) -> bool:
        """The world has everything that was noted, and has said so."""
        return self._read == self._noted and self._acknowledged == self._serial

    # What the handlers tell.

    def note_update(self, depsgraph: Any) -> None:
        self._noted += 1
        for update in depsgraph.updates:
            if update.is_updated_geometry or update.is_updated_shading:
                data = update.id
                if isinstance(data, bpy.types.Object):
                    self._stale.add(data.name_full)

    def note_all(self, again: bool = False) -> None:
        """Anything may have changed, meshes too. again: compare with the world, too."""
        self._noted += 1
        self._all_stale = True
        self._again = self._again or again

    def note_settings(self) -> None:
        """What counts as geometry, or an area, may have changed."""
        self._noted += 1

    # The work.

    def step(self, budget_s: float) -> bool:
        """True: there is more to do."""
        if self._read == self._noted:
            return False
        deadline = time.perf_counter() + budget_s
        depsgraph = evaluated_depsgraph()
        if depsgraph is None:
            return False
        if self._all_stale:
            self._reader.shapes.forget_all()
            self._all_stale = False
            self._stale.clear()
            self._pass = None
        if self._pass is None or self._pass.number != self._noted:
            self._begin(depsgraph)
        if not self._go_on(depsgraph, deadline):
            return True
        self._finish()
        return False

    def _begin(self, depsgraph: Any) -> None:
        self._pass = _Pass(self._noted)
        if self._stale:
            for instance in depsgraph.object_instances:
                ob = instance.object
                if ob.type == "MESH" and ob.name_full in self._stale:
                    self._reader.shapes.forget(ob)
            self._stale.clear()

    def _go_on(self, depsgraph: Any, deadline: float) -> bool:
        """True: the pass is done."""
        run = self._pass
        assert run is not None
        choice = self._choice(depsgraph.scene)
        for instance in itertools.islice(depsgraph.object_instances, run.at, None):
            found = self._reader.place(instance, choice)
            if found:
                run.found[found[0]] = found[1]
            run.at += 1
            if run.at % _CHECK_EVERY == 0 and time.perf_counter() >= deadline:
                return False
        return True

    def _finish(self) -> None:
        run, before = self._pass, self._placed
        assert run is not None
        puts = {number: placed for number, placed in run.found.items() if before.get(number) != placed}
        removed = [number for number in before if number not in run.found]
        self._placed, self._read, self._pass = run.found, run.number, None
        if puts or removed or self._again:
            self._serial += 1
            again, self._again = self._again, False
            self._link.on_thread(lambda serial: self.publisher.change(serial, puts, removed, again), self._serial)

    def _hear(self, event: Any) -> None:
        if event.name == "published":
            self._acknowledged = event.data["serial"]
        elif event.name == "reread":
            self.note_all()
            for number in event.data:
                self._placed.pop(number, None)


def evaluated_depsgraph() -> Any:
    """That of the main window, or of the context where there is no window. It is brought up to date first."""
    window = bpy.context.window or (bpy.context.window_manager.windows[0] if bpy.context.window_manager.windows else None)
    if window is None:
        return bpy.context.evaluated_depsgraph_get()
    with bpy.context.temp_override(window=window):
        return bpy.context.evaluated_depsgraph_get()
