"""A navd that a test starts, kills and starts again, behind a proxy that can be cut in the middle of a message."""
import ctypes
import os
import signal
import socket
import subprocess
import tempfile
import threading


def _die_with_parent():
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG: a Blender that crashes leaves no daemon behind


class Daemon:
    """state: with a state folder, so that worlds outlive a restart."""

    def __init__(self, state):
        self.folder = tempfile.mkdtemp(prefix="navd-")
        self.socket = os.path.join(self.folder, "navd.sock")
        self._state = os.path.join(self.folder, "state") if state else ""
        self._process = None
        self.start()

    def start(self):
        """Returns when it answers."""
        self._process = subprocess.Popen(
            [os.environ["NAVD"], "--socket", self.socket, "--listen", "127.0.0.1:0", "--state", self._state, "--threads", "2"],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, preexec_fn=_die_with_parent)
        for line in self._process.stderr:
            if "listener.opened" in line and "port=" in line:
                break
        else:
            raise AssertionError("navd did not start")
        threading.Thread(target=self._process.stderr.read, daemon=True).start()

    def stop(self, kill=False):
        (self._process.kill if kill else self._process.terminate)()
        self._process.wait()

    def restart(self, kill):
        self.stop(kill)
        self.start()


class Proxy:
    """A Unix socket in front of another one. cut() breaks all connections at once; what was on the way is lost."""

    def __init__(self, target):
        self.path = os.path.join(os.path.dirname(target), "proxy.sock")
        self._target = target
        self._open = []
        self._lock = threading.Lock()
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(self.path)
        self._listener.listen()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            client, _ = self._listener.accept()
            daemon = socket.socket(socket.AF_UNIX)
            try:
                daemon.connect(self._target)
            except OSError:
                client.close()
                continue
            with self._lock:
                self._open += [client, daemon]
            for one, other in ((client, daemon), (daemon, client)):
                threading.Thread(target=self._copy, args=(one, other), daemon=True).start()

    @staticmethod
    def _copy(one, other):
        try:
            while data := one.recv(65536):
                other.sendall(data)
        except OSError:
            pass
        for sock in (one, other):
            try:
                sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def cut(self):
        with self._lock:
            for sock in self._open:
                try:
                    sock.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass
                sock.close()
            self._open.clear()
