# SPDX-License-Identifier: MIT
"""Waits until everything is built, then writes it to a file. Main thread; driven by the link's callbacks and poll()."""
import os

from navd import compression
from navd.core import tile_from_map
from navd.errors import NavdError

from ..overlay import manager
from ..overlay.colors import area_color
from ..state import session
from . import files

_TILES_PER_CALL = 256
_ATTEMPTS = 5


class Bake:
    """path: ".glb" is written as glTF, everything else as Detour's file.

    text: what it does, for the status bar; failed: a sentence, once it has failed; result: a sentence, once it is done.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.text = "The scene is being sent"
        self.failed = self.result = ""
        self._link = session.link
        self._profile = manager.profile()
        self._started = False
        self._attempt = 0

    @property
    def done(self) -> bool:
        return bool(self.failed or self.result)

    def cancel(self) -> None:
        self.failed = self.failed or "Cancelled: nothing was written"

    def poll(self) -> None:
        """Now and then: starts when the daemon has all that the scene has."""
        if self.done:
            return
        if session.link is not self._link or self._link is None:
            self.failed = "The connection was closed: connect to navd, and bake again"
        elif not self._profile:
            self.failed = "There is no agent: add one in the panel Agents"
        elif not self._started and session.world and session.follow.settled:
            self._started = True
            self._wait()
        elif self._started and sum(session.progress):
            self.text = "Tiles are being built: {} of {}".format(*session.progress)

    def _call(self, method, params, then):
        def answered(result, error):
            if self.done:
                return
            if error is not None:
                self.failed = f"navd could not {method}: {error.message}"
                return
            try:
                then(result)
            except (ValueError, NavdError, OSError) as problem:
                self.failed = f"{self.path}: {problem}"
        self._link.call(method, params, answered)

    def _wait(self, result=None):
        """Also when a tile has changed meanwhile: a file shows one moment."""
        self._attempt += 1
        if self._attempt > _ATTEMPTS:
            raise ValueError("the world keeps changing: wait until nobody edits it, and bake again")
        self.text = "Tiles are being built"
        self._call("jobs.wait", {"profile": self._profile}, self._built)

    def _built(self, result):
        self._version = manager.model.version
        if self.path.lower().endswith(".glb"):
            self._write(files.glb(ground_parts(), self._profile))
            return
        self._keys = sorted(manager.model.chunks.tiles)
        self._tiles = []
        self._next()

    def _next(self):
        """Fetches the next tiles in Detour's encoding."""
        at = len(self._tiles)
        self.text = f"Tiles are fetched: {at} of {len(self._keys)}"
        if manager.model.version != self._version:
            self._wait()
        elif at == len(self._keys):
            data = [tile.unpacked() for tile in self._tiles if tile.status == "ok"]
            self._write(files.mset(data, manager.model.origin, manager.model.side))
        else:
            wanted = self._keys[at:at + _TILES_PER_CALL]
            self._call("tiles.get", {"profile": self._profile, "encoding": "detour", "compression": compression.choice(),
                                     "tiles": [list(key) for key in wanted]}, self._fetched)

    def _fetched(self, result):
        tiles = [tile_from_map(tile) for tile in result["tiles"]]
        if any(tile.status == "pending" for tile in tiles):
            self._wait()
            return
        self._tiles += tiles
        self._next()

    def _write(self, data):
        """Beside it first, so that a full disk does not cost the file that was there."""
        beside = self.path + ".part"
        try:
            with open(beside, "wb") as file:
                file.write(data)
            os.replace(beside, self.path)
        except OSError:
            if os.path.exists(beside):
                os.unlink(beside)
            raise
        failed = len(manager.model.failed)
        self.result = f"{self.path}: {len(data)} bytes" + (f"; {failed} tiles failed and are as they were before" if failed else "")


def ground_parts():
    """The tiles that are shown, by area."""
    model = manager.model
    return files.parts([model.chunks.tiles[key] for key in sorted(model.chunks.tiles)], model.palette.areas, area_color)
