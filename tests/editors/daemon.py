"""A navd of a test's own, which can be killed and started again at the same addresses. For tests in Python, Blender's too."""

import ctypes
import os
import queue
import signal
import socket
import subprocess
import threading

NAVD = os.environ.get("NAVD", "navd")
START_S = 300  # a machine under load needs time; nothing else waits for this
# Limits that a slow machine does not run into; a test that wants others gives its own.
PATIENT = "--hello-s 300 --message-s 300 --stall-s 0 --tile-ms 3600000 --stuck-ms 3600000 --max-path-ms 3600000".split()
_prctl = ctypes.CDLL(None).prctl  # looked up here: other threads may hold the loader's lock when the daemon is forked


def _die_with_parent():
    _prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG: a test that crashes leaves no daemon behind


class Navd:
    """state: with a state folder, so that worlds outlive a restart."""

    def __init__(self, folder, *options, state=False):
        self.path = os.path.join(folder, "navd.sock")
        self.state = os.path.join(folder, "state") if state else ""
        self.options = options
        # Taken for as long as this object lives, so that nobody else gets it while the daemon is away. A socket that is bound and does
        # not listen keeps others out, but not one that is bound with SO_REUSEADDR to this very port, as navd's is.
        self._held = socket.socket()
        self._held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._held.bind(("127.0.0.1", 0))
        self.port = self._held.getsockname()[1]
        self.start()

    def start(self):
        """Returns when it answers."""
        command = [NAVD, "--socket", self.path, "--state", self.state, "--listen", f"127.0.0.1:{self.port}", *PATIENT, *self.options]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, preexec_fn=_die_with_parent)
        self.lines = queue.Queue()
        self.log = []
        threading.Thread(target=self._read, args=(self.process.stderr, self.lines, self.log), daemon=True).start()
        self.await_line("listener.opened", f"port={self.port}")

    def _read(self, stream, lines, log):
        for line in stream:
            log.append(line)
            lines.put(line)
        lines.put(None)

    def await_line(self, *parts):
        """The next line of the log with all the parts."""
        while True:
            line = self.lines.get(timeout=START_S)
            assert line is not None, "navd has ended:\n" + "".join(self.log)
            if all(part in line for part in parts):
                return line

    def kill(self):
        """As a power cut would."""
        self.process.kill()
        self.process.wait()

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(timeout=START_S)
        return self.process.returncode

    def restart(self, kill):
        (self.kill if kill else self.stop)()
        self.start()
