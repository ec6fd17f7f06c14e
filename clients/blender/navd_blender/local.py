# SPDX-License-Identifier: MIT
"""A navd of this Blender's own: on a private socket, without a state folder, ended with Blender.

It forgets everything when it ends. Nothing is lost by that: the scene is in the file, and connecting sends it again.
"""
import atexit
import os
import shutil
import subprocess
import tempfile

import bpy

from .state import session


class LocalNavd:
    def __init__(self):
        self._process = None
        self._folder = ""

    @property
    def running(self):
        return self._process is not None and self._process.poll() is None

    @property
    def address(self):
        return os.path.join(self._folder, "navd.sock")

    def start(self, program):
        """program: its path; "": the one in the path. Raises OSError with a sentence."""
        if self.running:
            return
        self.stop()
        found = bpy.path.abspath(program) if program else shutil.which("navd")
        if not found:
            raise OSError("there is no navd in the path: choose the program in the add-on's preferences")
        self._folder = tempfile.mkdtemp(prefix="navd-blender-")
        with open(os.path.join(self._folder, "log"), "wb") as log:
            try:
                self._process = subprocess.Popen([found, "--socket", self.address, "--state", ""], stdin=subprocess.DEVNULL,
                                                 stdout=subprocess.DEVNULL, stderr=log)
            except OSError as error:
                self.stop()
                raise OSError(f"{found}: {error.strerror}") from error
        bpy.app.timers.register(_watch, first_interval=0.5, persistent=True)

    def last_words(self):
        with open(os.path.join(self._folder, "log"), encoding="utf-8", errors="replace") as log:
            lines = log.read().strip().splitlines()
        return lines[-1] if lines else "it said nothing"

    def check(self):
        """Tells when it has ended by itself. True: it runs."""
        if self._process is None or self.running:
            return self.running
        session.tell(f"navd has ended with code {self._process.returncode}: {self.last_words()}", "Start it again")
        self.stop()
        return False

    def stop(self):
        if self._process is not None:
            self._process.terminate()
            try:
                self._process.wait(5)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._process = None
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = ""


local = LocalNavd()


def _watch():
    return 0.5 if local.check() else None


def register():
    atexit.register(local.stop)


def unregister():
    if bpy.app.timers.is_registered(_watch):
        bpy.app.timers.unregister(_watch)
    atexit.unregister(local.stop)
    local.stop()
