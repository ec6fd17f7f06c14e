# SPDX-License-Identifier: MIT
"""Follows the scene: notes what Blender says has changed, finds out in small steps what differs, and hands it to the publisher.

Main thread only. The handlers call note_*(), which only remember. step() does the work, from a timer, for at most its budget.
Nothing here writes to the scene, and no reference into the scene outlives a step.

- A *pass* reads all instances, in as many steps as it takes, and hands on what differs as one change. It is needed when the
  set of what is visible may have changed: Blender tells of hiding, excluding and deleting only that the scene has changed.
- Otherwise only the objects that were named are looked at, if they neither instance others nor are instanced.
"""
import itertools
import time
from typing import Any, Callable, Dict, List, Optional, Set

import bpy

from .publish import Publisher
from .scene import Filter, Placed, Reader, box_of
from .shapes import Unfinished


class _Pass:
    def __init__(self) -> None:
        self.at = 0
        self.found: Dict[int, Placed] = {}


class Follow:
    """The scene of the main window, from connect to disconnect."""

    def __init__(self, link: Any, source: str, unit_m: float, choice: Callable[[Any], Filter]) -> None:
        self._link, self._choice = link, choice
        self._reader = Reader(source, unit_m)
        self._placed: Dict[int, Placed] = {}  # what the publisher was told
        self._whole = True  # a pass is needed
        self._named: Set[str] = set()  # objects that have moved or changed
        self._again = True  # the publisher shall compare with the world
        self._pass: Optional[_Pass] = None
        self._wanted_again: Set[int] = set()  # instances whose mesh the daemon has lost
        self._serial = 0  # of the last change that was handed on
        self._acknowledged = 0
        self._bounds: Optional[Dict[str, Any]] = None
        self._closed = False
        self.publisher: Any = None
        link.on_thread(self._start, link.port, source, unit_m)
        link.listeners.append(self._hear)

    def _start(self, port: Any, source: str, unit_m: float) -> None:  # on the link's thread
        self.publisher = Publisher(port, source, unit_m)

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            self._link.listeners.remove(self._hear)
            self._link.on_thread(lambda: self.publisher.close())

    revision = 0  # of the world, when everything was there last
    left_out = ""  # a sentence about what the daemon cannot take

    def grid_refused(self, ob: Any) -> str:
        """Why an object that shall be a height grid is none; "" where it is, or is not known yet."""
        return self._reader.heights.refused.get(ob.name_full, "")

    @property
    def count(self) -> int:
        """Instances that are followed."""
        return len(self._placed)

    @property
    def settled(self) -> bool:
        """The world has everything that was noted, and has said so."""
        return not (self._whole or self._named or self._again) and self._acknowledged == self._serial

    # What the handlers tell.

    def note_update(self, depsgraph: Any) -> None:
        for update in depsgraph.updates:
            data = update.id
            if isinstance(data, bpy.types.Object):
                name = data.name_full
                if update.is_updated_geometry:
                    self._reader.shapes.changed(data.original.as_pointer())
                elif not update.is_updated_transform:
                    self._note_pass()  # a rename has no flag
                if data.type == "META":
                    for metaball in self._reader.metaballs:  # one surface for all of them
                        self._reader.shapes.changed(metaball)
                    self._note_pass()
                self._named.add(name)
            elif isinstance(data, (bpy.types.Scene, bpy.types.Collection)):
                self._note_pass()

    def note_all(self, again: bool = False) -> None:
        """Anything may have changed, and references mean nothing any more. again: compare with the world, too."""
        self._reader.shapes.all_changed()
        self._note_pass()
        self._again = self._again or again

    def note_frame(self, depsgraph: Any) -> None:
        """Another frame is shown: everything may stand elsewhere."""
        self.note_update(depsgraph)
        self._note_pass()

    def note_settings(self) -> None:
        """What counts as geometry, or an area, may have changed."""
        self._note_pass()

    def _note_pass(self) -> None:
        self._whole, self._pass = True, None

    # The work.

    def step(self, budget_s: float) -> bool:
        """True: there is more to do."""
        if not (self._whole or self._named or self._again):
            return False
        deadline = time.perf_counter() + budget_s
        depsgraph = evaluated_depsgraph()  # may call the handlers
        if self._whole or self._again or self._named & self._reader.instancing:
            return self._step_pass(depsgraph, deadline)
        return self._step_named(depsgraph, deadline)

    def _step_pass(self, depsgraph: Any, deadline: float) -> bool:
        if self._pass is None:
            self._pass = _Pass()
            self._named.clear()
            self._reader.instancing.clear()
            self._reader.metaballs.clear()
            self._reader.shapes.begin_pass()
            self._reader.heights.begin_pass()
        run, place = self._pass, self._reader.place
        choice = self._choice(depsgraph.scene)
        for instance in itertools.islice(depsgraph.object_instances, run.at, None):
            try:
                found = place(instance, choice)
            except Unfinished:
                self._whole = True
                return True
            run.found.update(found)
            run.at += 1
            if time.perf_counter() >= deadline:
                self._whole = True
                return True
        self._reader.shapes.end_pass()
        self._reader.heights.end_pass()
        before = self._placed
        again, self._wanted_again = self._wanted_again, set()
        puts = {number: placed for number, placed in run.found.items() if number in again or before.get(number) != placed}
        removed = [number for number in before if number not in run.found]
        self._placed, self._pass, self._whole = run.found, None, False
        self._bound(choice)
        self._hand_on(puts, removed)
        return bool(self._named)

    def _step_named(self, depsgraph: Any, deadline: float) -> bool:
        choice = self._choice(depsgraph.scene)
        puts: Dict[int, Placed] = {}
        removed = []
        while self._named:
            if (removed or puts) and time.perf_counter() >= deadline:
                break  # but never before something was done
            name = self._named.pop()
            if name == choice.bounds:
                self._note_pass()
                continue
            number = self._reader.id_of(name)
            ob = bpy.data.objects.get(name)
            if ob is None or ob.name_full != name or number not in self._placed:  # of a library, or not shown before
                if ob is None or ob.type in choice.kinds:
                    self._note_pass()
                continue
            evaluated = ob.evaluated_get(depsgraph)
            try:
                found = dict(self._reader.place_object(evaluated, evaluated.matrix_world, choice) if evaluated.type == "MESH" else [])
            except Unfinished:
                self._named.add(name)
                break
            for block in itertools.chain(found, self._blocks_behind(number, found)):
                if block not in found:
                    del self._placed[block]
                    removed.append(block)
                elif self._placed.get(block) != found[block]:
                    self._placed[block] = puts[block] = found[block]
        self._hand_on(puts, removed)
        return bool(self._named or self._whole)

    def _blocks_behind(self, number: int, found: Dict[int, Placed]) -> List[int]:
        """What the object had before, and does not have now: its ids follow each other."""
        name, gone = self._placed[number].name, []
        while number in self._placed and self._placed[number].name == name:
            if number not in found:
                gone.append(number)
            number += 1
        return gone

    def _bound(self, choice: Filter) -> None:
        bounds = box_of(choice.bounds)
        if bounds != self._bounds:
            self._bounds = bounds
            self._serial += 1
            self._link.on_thread(lambda serial: self.publisher.bound(serial, bounds), self._serial)

    def _hand_on(self, puts: Dict[int, Placed], removed: Any) -> None:
        if puts or removed or self._again:
            self._serial += 1
            again, self._again = self._again, False
            self._link.on_thread(lambda serial: self.publisher.change(serial, puts, removed, again), self._serial)

    def _hear(self, event: Any) -> None:
        if event.name == "published":
            self._acknowledged, self.revision = event.data["serial"], event.data["revision"]
            count = event.data["left_out"]
            self.left_out = f"{count} objects are not in the world: too far away, or navd refused their mesh" if count else ""
        elif event.name == "disconnected":
            self._acknowledged = -1  # the world is compared when it is open again
        elif event.name == "reread":
            self._reader.shapes.all_changed()
            self._wanted_again.update(event.data)
            self._note_pass()


def evaluated_depsgraph() -> Any:
    """That of the main window, or of the context where there is no window. It is brought up to date first.

    Without a context override (temp_override): Blender looks its values up by Python's interface while it evaluates, and does not
    take the interpreter's lock for that if another thread has it, as the link's may. That crashes Blender 3.4."""
    window = bpy.context.window or (bpy.context.window_manager.windows[0] if bpy.context.window_manager.windows else None)
    view_layer = window.view_layer if window else bpy.context.view_layer
    view_layer.update()
    return view_layer.depsgraph
