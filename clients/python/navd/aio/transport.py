"""The connections of the asyncio client, one after the other. All of it runs on one event loop."""

import asyncio
import inspect
import logging
import random
import time
from collections import deque
from typing import Any, Callable, Deque, Dict, List, Optional, Protocol, Set, Tuple, TypeVar, Union

from ..address import Access, Address, explain
from ..core import Connection, Map, Response
from ..errors import ConnectionLost, NavdError, TimedOut
from ..follow import Followed
from ..session import FINAL, FIRST_PAUSE_S, LONGEST_PAUSE_S, Call, Session, Steps, Watch

T = TypeVar("T")
Timeout = Union[None, float, str]  # seconds; None: no limit; "default": the client's
RECEIVE_BYTES = 1 << 18
ATTEMPT_S = 5.0  # the longest that one attempt to come back may take
NEVER = float("inf")
log = logging.getLogger("navd")


def deadline_of(timeout: Optional[float]) -> float:
    """On the clock time.monotonic()."""
    return NEVER if timeout is None else time.monotonic() + timeout


class Listener(Protocol):
    """A subscription with a callback."""

    def call_back(self) -> Any: ...


class Told:
    """Subscriptions with callbacks, an entry for each event; adding one makes the transport run them."""

    def __init__(self, wake: Callable[[], None]) -> None:
        self.waiting: Deque[Listener] = deque()
        self._wake = wake

    def append(self, listener: Listener) -> None:
        self.waiting.append(listener)
        self._wake()


class Transport:
    """What Client does with sockets. _session is for the generators of navd.operations."""

    def __init__(
        self, address: Address, access: Access, name: str, priority: str, timeout: Optional[float], reconnect: bool
    ) -> None:
        self.address = address.text
        self.timeout = timeout
        self._address = address
        self._reconnect = reconnect
        self._session = Session(access, name, reconnect, priority)
        self._one_upload = asyncio.Lock()  # the daemon takes one upload and one list of a session at a time
        self._told = Told(self._start_telling)
        self._tasks: Set["asyncio.Task[None]"] = set()
        self._teller: Optional["asyncio.Task[None]"] = None
        self._writer: Optional[asyncio.StreamWriter] = None
        self._answers: Dict[int, "asyncio.Future[Response]"] = {}
        self._waiters: Set["asyncio.Future[None]"] = set()  # of those who wait for something to change
        self._lost: Optional[NavdError] = None  # why the connection is gone; it is being made again
        self._coming_back = False  # an attempt is under way
        self._closed: Optional[NavdError] = None

    async def close(self) -> None:
        """Ends the connection; calls under way in other tasks fail. Twice is harmless."""
        if self._closed is None or self._tasks:
            self._closed = self._closed or ConnectionLost("closed", "the client is closed")
            self._drop(self._closed)
            tasks = [task for task in self._tasks if task is not asyncio.current_task()]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    @property
    def closed(self) -> bool:
        """It was closed, or cannot come back."""
        return self._closed is not None

    @property
    def connected(self) -> bool:
        """False while a broken connection is being made again."""
        return self._closed is None and self._lost is None

    # --- driving ---

    async def _wait_until(self, done: Callable[[], bool], timeout: Timeout) -> None:
        """Returns when done(). Raises TimedOut, or why the client is closed."""
        await self._wait(done, deadline_of(self.timeout if isinstance(timeout, str) else timeout))

    async def _wait(self, done: Callable[[], bool], deadline: float) -> None:
        while not done():
            if self._closed:
                raise self._closed
            changed: "asyncio.Future[None]" = asyncio.get_running_loop().create_future()
            self._waiters.add(changed)
            try:
                await self._until(changed, deadline)
            finally:
                self._waiters.discard(changed)

    def _change(self) -> None:
        for waiter in self._waiters:
            if not waiter.done():
                waiter.set_result(None)

    async def _until(self, future: "asyncio.Future[T]", deadline: float) -> T:
        if deadline == NEVER:
            return await future
        try:
            return await asyncio.wait_for(future, max(0.0, deadline - time.monotonic()))
        except asyncio.TimeoutError:
            words = f"; the connection is lost: {self._lost}" if self._lost else ""
            raise TimedOut(f"{self.address}: no answer in time{words}") from None

    def _take(self, watch: Watch) -> Optional[Followed]:
        """The oldest event of a subscription that waits to be read."""
        return watch.queue.take()

    async def _run(self, steps: Steps[T], upload: bool = False, timeout: Timeout = "default") -> T:
        """Drives a generator of calls to its result."""
        deadline = deadline_of(self.timeout if isinstance(timeout, str) else timeout)
        if not upload:
            return await self._drive(steps, deadline, self._ask)
        async with self._one_upload:
            return await self._drive(steps, deadline, self._ask)

    async def _drive(self, steps: Steps[T], deadline: float, ask: Any) -> T:
        try:
            asked = next(steps)
            while True:
                try:
                    results: List[Map] = await ask([asked] if isinstance(asked, Call) else asked, deadline)
                except NavdError as error:
                    asked = steps.throw(error)
                else:
                    asked = steps.send(results[0] if isinstance(asked, Call) else results)
        except StopIteration as end:
            value: T = end.value
            return value

    async def _ask(self, calls: List[Call], deadline: float) -> List[Map]:
        """The results of calls that are sent together; raises the first error. After a broken connection, calls that only read
        are sent again."""
        while True:
            await self._wait(lambda: self._lost is None, deadline)
            try:
                return await self._ask_once(calls, deadline)
            except ConnectionLost:
                if self._closed or not self._reconnect or not all(call.again for call in calls):
                    raise

    async def _ask_once(self, calls: List[Call], deadline: float) -> List[Map]:
        answers: List["asyncio.Future[Response]"] = []
        numbers: List[int] = []
        try:
            for call in calls:
                numbers.append(self._session.start(call))
                answers.append(asyncio.get_running_loop().create_future())
                self._answers[numbers[-1]] = answers[-1]
            await self._flush()
            responses = [await self._until(answer, deadline) for answer in answers]
            return [response.unwrap() for response in responses]
        except BaseException:
            # Waiting too long cancels an answer; one that is there needs nothing.
            self._cancel([number for number, answer in zip(numbers, answers) if not answer.done() or answer.cancelled()])
            raise
        finally:
            for number in numbers:
                self._answers.pop(number, None)

    def _cancel(self, numbers: List[int]) -> None:
        """Nobody waits for these calls any more."""
        if self._lost is None and self._closed is None and self._writer:
            self._session.cancel(numbers)
            self._writer.write(self._session.connection.send_buffer())

    def _start_telling(self) -> None:
        if self._teller is None:
            self._teller = self._start(self._tell())

    async def _tell(self) -> None:
        """Runs callbacks."""
        try:
            while self._told.waiting:
                try:
                    result = self._told.waiting.popleft().call_back()
                    if inspect.isawaitable(result):
                        await result
                except Exception:
                    log.exception("a callback of a subscription failed")
                self._change()
        finally:
            self._teller = None

    def _start(self, steps: Any) -> "asyncio.Task[None]":
        task: "asyncio.Task[None]" = asyncio.get_running_loop().create_task(steps)
        self._tasks.add(task)  # the loop itself keeps no task alive
        task.add_done_callback(self._tasks.discard)
        return task

    # --- the connection ---

    async def _flush(self) -> None:
        """Sends what is to be sent."""
        writer = self._writer
        data = self._session.connection.send_buffer()
        if writer is None or not data:
            return
        try:
            writer.write(data)
            await writer.drain()
        except (OSError, RuntimeError) as error:
            self._give_up(_lost(error, self._address))

    async def _read(self, reader: asyncio.StreamReader, connection: Connection) -> None:
        """Takes what arrives, until the connection ends."""
        while connection is self._session.connection and not connection.closed:
            silent = self._session.silent_s
            try:
                if silent:
                    data = await asyncio.wait_for(reader.read(RECEIVE_BYTES), silent)
                else:
                    data = await reader.read(RECEIVE_BYTES)
            except asyncio.TimeoutError:
                self._give_up(ConnectionLost("timeout", f"{self.address}: nothing was heard for {silent:g} s"))
                return
            except OSError as error:
                if connection is self._session.connection:
                    self._give_up(_lost(error, self._address))
                return
            if connection is not self._session.connection:
                return
            self._hand_out(self._session.receive(data))
            if connection.closed:
                self._give_up(connection.closed)
            self._change()

    def _hand_out(self, responses: List[Response]) -> None:
        for response in responses:
            answer = self._answers.get(response.id)
            if answer and not answer.done():
                answer.set_result(response)

    # --- connecting ---

    async def _open(self) -> None:
        """The first connection."""
        self._coming_back = True
        try:
            await self._attempt(deadline_of(self.timeout))
        finally:
            self._coming_back = False

    async def _attempt(self, deadline: float) -> None:
        """Connects, logs in, and goes on with what there was. Raises NavdError."""
        self._session.connection = connection = Connection()
        left = None if deadline == NEVER else max(0.001, deadline - time.monotonic())
        try:
            reader, writer = await asyncio.wait_for(_open_streams(self._address, self._session.access), left)
        except asyncio.TimeoutError as error:
            raise NavdError("timeout", f"no navd at {self.address}: no answer in time") from error
        except (OSError, NavdError) as error:
            raise explain(error, self._address) from error
        self._writer = writer
        self._start(self._read(reader, connection))
        peer = writer.get_extra_info("peername")
        host = str(peer[0]) if isinstance(peer, tuple) and peer else ""
        await self._drive(self._session.login(self._address.kind, host), deadline, self._ask_once)
        await self._drive(self._session.resume(), deadline, self._ask_once)
        if connection.closed:  # right after the last answer
            raise connection.closed

    async def _come_back(self) -> None:
        pause = FIRST_PAUSE_S
        wait_s, self._session.retry_s = self._session.retry_s, 0.0
        while not self._closed:
            await asyncio.sleep(wait_s)
            self._coming_back = True
            try:
                await self._attempt(deadline_of(ATTEMPT_S))
            except NavdError as error:
                self._drop(error)
                self._lost = error
                if error.code in FINAL:
                    self._closed = self._closed or error
                wait_s = pause * random.uniform(0.5, 1.5)  # not all clients at once
                pause = min(2 * pause, LONGEST_PAUSE_S)
            else:
                self._lost = None
                return
            finally:
                self._coming_back = False
                self._change()

    def _drop(self, error: NavdError, tell: bool = False) -> None:
        writer, self._writer = self._writer, None
        if writer:
            writer.close()
        self._hand_out(self._session.lose(error, tell))
        self._change()

    def _give_up(self, error: NavdError) -> None:
        """The connection is of no use any more."""
        if self._coming_back:
            self._drop(error)  # the attempt finds out
            return
        if self._lost or self._closed:
            return
        self._lost = error
        self._drop(error, tell=True)
        if self._reconnect:
            self._start(self._come_back())
        else:
            self._closed = error


def _lost(error: BaseException, address: Address) -> ConnectionLost:
    return ConnectionLost("closed", f"{address.text}: {explain(error, address).message}")


async def _open_streams(address: Address, access: Access) -> Tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    if address.kind == "unix":
        return await asyncio.open_unix_connection(address.path, limit=RECEIVE_BYTES)
    context = access.tls_context() if address.kind == "tls" else None
    return await asyncio.open_connection(address.host, address.port, ssl=context, limit=RECEIVE_BYTES)
