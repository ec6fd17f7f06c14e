"""A server that refuses whatever it is asked."""

import socket
import threading

import msgpack


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
