"""A proxy in front of a navd, which can be cut in the middle of a message."""
import os
import socket
import threading


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
