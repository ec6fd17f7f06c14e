"""A navd of the tests' own, which can be killed and started again at the same addresses."""

import os
import queue
import re
import signal
import socket
import subprocess
import threading

import msgpack

NAVD = os.environ.get("NAVD", "navd")
START_S = 60  # a machine under load needs time; nothing else waits for this


class Navd:
    def __init__(self, folder, *options, state=False):
        self.path = os.path.join(folder, "navd.sock")
        self.state = os.path.join(folder, "state") if state else ""
        self.options = options
        self.port = 0
        self.start()

    def start(self):
        command = [NAVD, "--socket", self.path, "--state", self.state, "--listen", f"127.0.0.1:{self.port}", *self.options]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        self.lines = queue.Queue()
        self.log = []
        threading.Thread(target=self._read, args=(self.process.stderr, self.lines, self.log), daemon=True).start()
        self.port = int(re.search(r"port=(\d+)", self.await_line("listener.opened", "port="))[1])

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


class Listener:
    """Takes one connection and keeps what it is sent; answers each request with an error of the given code."""

    def __init__(self, code):
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.code = code
        self.requests = []
        self.thread = threading.Thread(target=self._serve, daemon=True)
        self.thread.start()

    def _serve(self):
        connection, _ = self.socket.accept()
        unpacker = msgpack.Unpacker()
        with connection:
            while True:
                data = connection.recv(65536)
                if not data:
                    return
                unpacker.feed(data)
                for request in unpacker:
                    self.requests.append(request)
                    error = {"code": self.code, "message": "no"}
                    connection.sendall(msgpack.packb([1, request[1], error, None]))

    def close(self):
        self.thread.join(60)
        self.socket.close()
