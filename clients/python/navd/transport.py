"""The sockets of the blocking client: one connection after the other, and how the threads of a program share it.

One lock guards everything; nothing waits while holding it. Of the threads that wait for something, one is the leader: it waits for the
socket, takes in what arrives for all, and wakes the others. When it has what it waits for, another one leads.
"""

import logging
import random
import selectors
import socket
import ssl
import threading
import time
from collections import deque
from typing import Any, Callable, Deque, Dict, List, Optional, Protocol, Tuple, TypeVar, Union

from .address import Access, Address, explain
from .core import Connection, Map, Response
from .errors import ConnectionLost, NavdError, TimedOut
from .follow import Followed
from .session import FINAL, FIRST_PAUSE_S, LONGEST_PAUSE_S, Call, Session, Steps, Watch

T = TypeVar("T")
Timeout = Union[None, float, str]  # seconds; None: no limit; "default": the client's
RECEIVE_BYTES = 1 << 18
LEAST_ATTEMPT_S, ATTEMPT_S = 1.0, 5.0  # for one attempt to come back
NEVER = float("inf")
log = logging.getLogger("navd")


class Listener(Protocol):
    """A subscription with a callback."""

    def call_back(self) -> Any: ...


class _Answer:
    """What a call waits for."""

    response: Optional[Response] = None


class Transport:
    """What Client does with sockets and threads. _session is for the generators of navd.operations."""

    def __init__(
        self, address: Address, access: Access, name: str, priority: str, timeout: Optional[float], reconnect: bool
    ) -> None:
        self.address = address.text
        self.timeout = timeout
        self._address = address
        self._reconnect = reconnect
        self._session = Session(access, name, reconnect, priority)
        self._lock = threading.Lock()
        self._changed = threading.Condition(self._lock)
        self._one_upload = threading.RLock()  # the daemon takes one upload and one list of a session at a time
        self._leader: Optional[int] = None  # the thread that waits for the socket
        self._told: Deque[Listener] = deque()  # an entry for each event of a subscription with a callback
        self._telling = False
        self._socket: Optional[socket.socket] = None
        self._out = bytearray()  # what the socket has not taken yet
        self._answers: Dict[int, _Answer] = {}
        self._lost: Optional[NavdError] = None  # why the connection is gone; it is being made again
        self._coming_back = False  # an attempt is under way
        self._closed: Optional[NavdError] = None
        self._more = False  # bytes may be there that the socket does not tell of
        self._heard = 0.0
        self._next_try = 0.0
        self._pause = FIRST_PAUSE_S

    def close(self) -> None:
        """Ends the connection; calls under way in other threads fail. Twice is harmless."""
        with self._lock:
            if not self._closed:
                self._closed = ConnectionLost("closed", "the client is closed")
                self._drop(self._closed)
            self._changed.notify_all()

    @property
    def closed(self) -> bool:
        """It was closed, or cannot come back."""
        return self._closed is not None

    @property
    def connected(self) -> bool:
        """False while a broken connection is being made again."""
        return self._closed is None and self._lost is None

    def fileno(self) -> int:
        """The socket, for an event loop: call process(0) when it is readable. It changes with a reconnect; -1: none now."""
        with self._lock:
            return self._socket.fileno() if self._socket else -1

    def process(self, timeout: Optional[float] = 0.0) -> None:
        """Takes what has arrived and runs callbacks; waits up to `timeout` seconds (None: without limit) for something to arrive.
        Also makes attempts to come back when they are due."""
        deadline = deadline_of(timeout)
        with self._lock:
            before = self._heard
            self._wait(lambda: self._heard != before, deadline, once=True)
        self._tell()

    # --- driving ---

    def _wait_until(self, done: Callable[[], bool], timeout: Timeout) -> None:
        """Returns when done(), which is asked with the lock. Raises TimedOut, or why the client is closed."""
        with self._lock:
            self._wait(done, deadline_of(self.timeout if isinstance(timeout, str) else timeout))

    def _take(self, watch: Watch) -> Optional[Followed]:
        """The oldest event of a subscription that waits to be read."""
        with self._lock:
            return watch.queue.take()

    def _run(self, steps: Steps[T], upload: bool = False, timeout: Timeout = "default") -> T:
        """Drives a generator of calls to its result."""
        deadline = deadline_of(self.timeout if isinstance(timeout, str) else timeout)
        try:
            if not upload:
                return _drive(steps, lambda calls: self._ask(calls, deadline))
            with self._one_upload:
                return _drive(steps, lambda calls: self._ask(calls, deadline))
        finally:
            self._tell()

    def _ask(self, calls: List[Call], deadline: float) -> List[Map]:
        """The results of calls that are sent together; raises the first error. After a broken connection, calls that only read
        are sent again."""
        with self._lock:
            while True:
                self._wait(lambda: self._lost is None, deadline)
                try:
                    return self._ask_once(calls, deadline)
                except ConnectionLost:
                    if self._closed or not self._reconnect or not all(call.again for call in calls):
                        raise

    def _ask_once(self, calls: List[Call], deadline: float) -> List[Map]:
        """With the lock."""
        answers = [_Answer() for _ in calls]
        numbers: List[int] = []
        try:
            for call, answer in zip(calls, answers):
                numbers.append(self._session.start(call))
                self._answers[numbers[-1]] = answer
            self._flush(deadline)
            self._wait(lambda: all(answer.response for answer in answers), deadline)
        except BaseException:
            self._cancel([number for number, answer in zip(numbers, answers) if not answer.response])
            raise
        finally:
            for number in numbers:
                self._answers.pop(number, None)
        return [answer.response.unwrap() for answer in answers if answer.response]

    def _cancel(self, numbers: List[int]) -> None:
        """With the lock. Nobody waits for these calls any more: what is sent for it is sent now, or with what comes next."""
        if self._lost or self._closed:
            return
        self._session.cancel(numbers)
        try:
            self._flush(0.0)
        except TimedOut:
            pass

    def _wait(self, done: Callable[[], bool], deadline: float, once: bool = False) -> None:
        """With the lock. Returns when done(), or after one step if `once`; raises TimedOut, or why the client is closed."""
        me = threading.get_ident()
        while not done():
            if self._closed:
                raise self._closed
            left = deadline - time.monotonic()
            if left <= 0 and not once:
                words = f"; the connection is lost: {self._lost}" if self._lost else ""
                raise TimedOut(f"{self.address}: no answer in time{words}")
            if self._leader not in (None, me):
                self._changed.wait(None if left == NEVER else max(left, 0.0))
            else:
                outer, self._leader = self._leader, me
                try:
                    self._step(deadline)
                finally:
                    self._leader = outer
                    self._changed.notify_all()
            if self._told and not self._telling and not self._coming_back:
                self._lock.release()
                try:
                    self._tell()
                finally:
                    self._lock.acquire()
            if once:
                return

    def _tell(self) -> None:
        """Without the lock. Runs callbacks, unless a thread does already (this one, from a callback, or another)."""
        while True:
            with self._lock:
                if self._telling or not self._told:
                    return
                self._telling = True
                listener = self._told.popleft()
            try:
                listener.call_back()
            except Exception:
                log.exception("a callback of a subscription failed")
            finally:
                with self._lock:
                    self._telling = False
                    self._changed.notify_all()

    # --- the socket; all with the lock, which is released while they wait ---

    def _step(self, deadline: float) -> None:
        """Waits for the socket once and takes what is there, or makes an attempt to come back."""
        now = time.monotonic()
        if self._lost and not self._coming_back:
            if now < self._next_try:
                self._changed.wait(max(0.0, min(self._next_try, deadline) - now))
            else:
                self._come_back(max(now + LEAST_ATTEMPT_S, min(deadline, now + ATTEMPT_S)))
            return
        silent = self._session.silent_s
        until = min(deadline, self._heard + silent if silent else NEVER)
        if self._more or self._poll(selectors.EVENT_READ, until):
            self._receive()
        elif silent and time.monotonic() >= self._heard + silent:
            self._give_up(ConnectionLost("timeout", f"{self.address}: nothing was heard for {silent:g} s"))

    def _poll(self, what: int, until: float) -> int:
        """What the socket is ready for. Waits without the lock."""
        sock = self._socket
        if sock is None:
            return what
        left = until - time.monotonic()
        self._lock.release()
        try:
            with selectors.DefaultSelector() as selector:
                selector.register(sock, what)
                ready = selector.select(None if left == NEVER else max(0.0, left))
            return ready[0][1] if ready else 0
        except (OSError, ValueError):  # it was closed meanwhile
            return what
        finally:
            self._lock.acquire()

    def _receive(self) -> None:
        sock = self._socket
        if sock is None:
            return
        self._more = False
        try:
            data = sock.recv(RECEIVE_BYTES)
        except (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError):
            return
        except OSError as error:
            self._give_up(_lost(error, self._address))
            return
        self._more = isinstance(sock, ssl.SSLSocket) and sock.pending() > 0
        self._heard = time.monotonic()
        self._hand_out(self._session.receive(data))
        if self._session.connection.closed:
            self._give_up(self._session.connection.closed)

    def _flush(self, deadline: float) -> None:
        """Sends what is to be sent. Takes in what arrives meanwhile, unless another thread does."""
        self._out += self._session.connection.send_buffer()
        me = threading.get_ident()
        while self._out and self._socket:
            wanted = selectors.EVENT_WRITE
            try:
                sent = self._socket.send(self._out[:RECEIVE_BYTES])
                del self._out[:sent]
                continue
            except (BlockingIOError, ssl.SSLWantWriteError):
                pass
            except ssl.SSLWantReadError:
                wanted = selectors.EVENT_READ
            except OSError as error:
                self._give_up(_lost(error, self._address))
                return
            if time.monotonic() >= deadline:
                raise TimedOut(f"{self.address}: the daemon takes no more bytes")
            if self._leader not in (None, me):
                self._poll(wanted, deadline)
                continue
            outer, self._leader = self._leader, me
            try:
                if self._poll(wanted | selectors.EVENT_READ, deadline) & selectors.EVENT_READ:
                    self._receive()
            finally:
                self._leader = outer
                self._changed.notify_all()

    def _hand_out(self, responses: List[Response]) -> None:
        for response in responses:
            answer = self._answers.get(response.id)
            if answer:
                answer.response = response

    # --- connecting ---

    def _open(self) -> None:
        """The first connection."""
        deadline = deadline_of(self.timeout)
        with self._lock:
            self._leader = threading.get_ident()
            self._coming_back = True
            try:
                self._attempt(deadline)
            finally:
                self._coming_back = False
                self._leader = None

    def _attempt(self, deadline: float) -> None:
        """Connects, logs in, and goes on with what there was. Raises NavdError."""
        self._out.clear()
        self._more = False
        self._session.connection = Connection()
        self._lock.release()  # nobody waits for it: this thread leads
        try:
            sock, peer = open_socket(self._address, self._session.access, deadline)
        finally:
            self._lock.acquire()
        if self._closed:
            sock.close()
            raise self._closed
        self._socket = sock
        self._heard = time.monotonic()
        _drive(self._session.login(self._address.kind, peer), lambda calls: self._ask_once(calls, deadline))
        _drive(self._session.resume(), lambda calls: self._ask_once(calls, deadline))
        if self._session.connection.closed:  # right after the last answer
            raise self._session.connection.closed

    def _come_back(self, deadline: float) -> None:
        self._coming_back = True
        try:
            self._attempt(deadline)
        except NavdError as error:
            self._drop(error)
            self._next_try = time.monotonic() + self._pause * random.uniform(0.5, 1.5)  # not all clients at once
            self._pause = min(2 * self._pause, LONGEST_PAUSE_S)
            self._lost = error
            if error.code in FINAL and not self._closed:
                self._closed = error
        else:
            self._lost = None
            self._pause = FIRST_PAUSE_S
        finally:
            self._coming_back = False
            self._changed.notify_all()

    def _drop(self, error: NavdError, tell: bool = False) -> None:
        sock, self._socket = self._socket, None
        if sock:
            try:
                sock.shutdown(socket.SHUT_RDWR)  # wakes a thread that waits for it
            except OSError:
                pass
            sock.close()
        self._hand_out(self._session.lose(error, tell))

    def _give_up(self, error: NavdError) -> None:
        """The connection is of no use any more."""
        if self._coming_back:
            self._drop(error)  # the attempt finds out
            return
        if not self._lost:
            self._lost = error
            self._next_try = time.monotonic() + self._session.retry_s
            self._session.retry_s = 0.0
            self._drop(error, tell=True)
        if not self._reconnect:
            self._closed = self._closed or error
        self._changed.notify_all()


def _drive(steps: Steps[T], ask: Callable[[List[Call]], List[Map]]) -> T:
    """Drives a generator of calls to its result."""
    try:
        asked = next(steps)
        while True:
            try:
                results = ask([asked] if isinstance(asked, Call) else asked)
            except NavdError as error:
                asked = steps.throw(error)
            else:
                asked = steps.send(results[0] if isinstance(asked, Call) else results)
    except StopIteration as end:
        value: T = end.value
        return value


def deadline_of(timeout: Optional[float]) -> float:
    return NEVER if timeout is None else time.monotonic() + timeout


def _lost(error: OSError, address: Address) -> ConnectionLost:
    return ConnectionLost("closed", f"{address.text}: {explain(error, address).message}")


def open_socket(address: Address, access: Access, deadline: float) -> Tuple[socket.socket, str]:
    """A connected socket that does not block, and the host that it is connected to. Raises NavdError."""
    sock: Optional[socket.socket] = None
    try:
        left = None if deadline == NEVER else max(0.001, deadline - time.monotonic())
        if address.kind == "unix":
            sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            sock.settimeout(left)
            sock.connect(address.path)
            peer = ""
        else:
            sock = socket.create_connection((address.host, address.port), left)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            peer = str(sock.getpeername()[0])
        if address.kind == "tls":
            sock = access.tls_context().wrap_socket(sock, server_hostname=address.host)
        sock.setblocking(False)
        return sock, peer
    except (OSError, NavdError) as error:
        if sock:
            sock.close()
        raise explain(error, address) from error
