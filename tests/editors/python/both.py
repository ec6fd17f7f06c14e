"""Both clients behind the blocking names: a test is written once and runs over each."""

import asyncio
import inspect
import socket
import types

import navd
import navd.aio


PATIENCE_S = 300  # of a call: a limit for what hangs


class Blocking:
    name = "blocking"

    def connect(self, *arguments, **options):
        return navd.connect(*arguments, **{"timeout": PATIENCE_S, **options})

    def idle(self, client, until):
        """Lets the client take in events until a condition holds."""
        while not until():
            client.process(60)

    def cut(self, client):
        """Breaks the connection, as a network does."""
        client._socket.shutdown(socket.SHUT_RDWR)

    def close(self):
        pass


class Asyncio:
    name = "asyncio"

    def __init__(self):
        self.loop = asyncio.new_event_loop()
        self.errors = []  # that nobody caught: there must be none
        self.loop.set_exception_handler(lambda loop, context: self.errors.append(context))

    def connect(self, *arguments, **options):
        return self.wait(navd.aio.connect(*arguments, **{"timeout": PATIENCE_S, **options}))

    def idle(self, client, until):
        target = object.__getattribute__(client, "_target")
        self.wait(target._wait(until, navd.aio.transport.deadline_of(60)))

    def cut(self, client):
        client._writer.transport.abort()

    def wait(self, value):
        if inspect.isawaitable(value):
            value = self.loop.run_until_complete(value)
        if type(value).__module__.startswith("navd.aio"):
            return Waited(self, value)
        return value

    def close(self):
        self.loop.run_until_complete(self.loop.shutdown_asyncgens())
        left = [task for task in asyncio.all_tasks(self.loop)]
        self.loop.close()
        assert not left and not self.errors, f"left behind: {left} {self.errors}"


class Waited:
    """An object of the asyncio client whose methods wait."""

    def __init__(self, both, target):
        object.__setattr__(self, "_both", both)
        object.__setattr__(self, "_target", target)

    def __getattr__(self, name):
        value = getattr(self._target, name)
        if not isinstance(value, (types.MethodType, types.FunctionType)):
            return value
        return lambda *arguments, **options: self._both.wait(value(*arguments, **options))

    def __setattr__(self, name, value):
        setattr(self._target, name, value)

    def __iter__(self):
        iterator = self._target.__aiter__()
        try:
            while True:
                try:
                    yield self._both.wait(iterator.__anext__())
                except StopAsyncIteration:
                    return
        finally:
            self._both.wait(iterator.aclose())

    def __enter__(self):
        self._both.wait(self._target.__aenter__())
        return self

    def __exit__(self, *error):
        self._both.wait(self._target.__aexit__(*error))

    def __repr__(self):
        return repr(self._target)
