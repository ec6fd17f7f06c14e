"""The core: bytes in, events out. No socket is opened here."""

import random
import re

import msgpack
import pytest

from navd.core import (
    Alive, AreasChanged, Bye, Closed, Connection, Ended, Notification, Progress, Response, SettingsChanged, Synced, TileEvent,
)
from navd.errors import ConnectionLost, NavdError, TimedOut
from navd.session import Call, Session
from navd.stream import Stream

TILE = {"subscription": 3, "world": 7, "profile": "human", "x": -1, "z": 2, "status": "ok", "revision": 12,
        "key": bytes(range(16)), "size": 4, "data": b"tile"}
NOTES = [
    ("tile", TILE, TileEvent(3, 7, "human", -1, 2, "ok", "", 12, bytes(range(16)), 4, "navd", 0, 0, b"tile")),
    ("synced", {"subscription": 3, "world": 7, "revision": 12}, Synced(3, 7, 12)),
    ("progress", {"world": 7, "profile": "human", "done": 3, "total": 9}, Progress(7, "human", 3, 9)),
    ("settings", {"subscription": 3, "world": 7, "profile": "human", "settings": {}, "origin_m": [0, 1.5, 2], "revision": 4},
     SettingsChanged(3, 7, "human", {}, (0, 1.5, 2), 4, 0)),
    ("areas", {"subscription": 3, "world": 7, "revision": 5}, AreasChanged(3, 7, 5, [])),
    ("ended", {"subscription": 3, "world": 7, "reason": "deleted"}, Ended(3, 7, "deleted")),
    ("alive", {}, Alive()),
    ("bye", {"reason": "navd is stopping", "retry_ms": 1000}, Bye("navd is stopping", 1000)),
    ("later", {"a": 1}, Notification("later", {"a": 1})),
]


def note(method, params):
    return msgpack.packb([2, method, params])


def test_every_notification_is_an_event():
    connection = Connection()
    for method, params, event in NOTES:
        assert connection.receive(note(method, params)) == [event]


def test_every_cut_gives_the_same_events():
    data = b"".join(note(method, params) for method, params, _ in NOTES)
    wanted = [event for _, _, event in NOTES]
    for cut in range(1, len(data)):
        connection = Connection()
        assert connection.receive(data[:cut]) + connection.receive(data[cut:]) == wanted
    connection = Connection()
    assert [event for byte in data for event in connection.receive(bytes([byte]))] == wanted


def test_calls_and_responses():
    connection = Connection()
    first = connection.call("hello", {"version": 1})
    second = connection.call("ping")
    assert connection.open_calls == 2
    unpacker = msgpack.Unpacker()
    unpacker.feed(connection.send_buffer())
    assert list(unpacker) == [[0, first, "hello", {"version": 1}], [0, second, "ping", {}]]
    assert connection.send_buffer() == b""
    failed = {"code": "argument", "message": "ops[3].area: 64", "key": "ops[3].area", "op": 3}
    answers = msgpack.packb([1, second, failed, None]) + msgpack.packb([1, first, None, {"limits": {"message_bytes": 100}}])
    wrong, right = connection.receive(answers)
    assert (wrong.id, wrong.method, right.id, right.method) == (second, "ping", first, "hello")
    with pytest.raises(NavdError, match="ops.3..area: 64") as caught:
        wrong.unwrap()
    assert (caught.value.code, caught.value.key, caught.value.op) == ("argument", "ops[3].area", 3)
    assert right.unwrap() == {"limits": {"message_bytes": 100}}
    with pytest.raises(NavdError, match="message_bytes = 100"):  # the daemon's limit counts from now on
        connection.call("mesh.put", {"data": bytes(200)})
    assert connection.open_calls == 0 and connection.send_buffer() == b""


def test_an_id_in_use_is_not_given_again():
    connection = Connection()
    connection._last_id = 0xFFFFFFFF - 1
    assert [connection.call("ping") for _ in range(3)] == [0xFFFFFFFF, 1, 2]
    connection._last_id = 0xFFFFFFFF
    assert connection.call("ping") == 3


def test_params_that_cannot_be_sent_change_nothing():
    connection = Connection()
    for wrong in ({"a": object()}, {"a": 1 << 70}):
        with pytest.raises(NavdError, match="MessagePack cannot hold") as caught:
            connection.call("ping", wrong)
        assert caught.value.code == "argument"
    assert connection.open_calls == 0 and connection.send_buffer() == b""


def test_the_end_of_the_stream_ends_the_calls():
    connection = Connection()
    number = connection.call("ping")
    response, closed = connection.receive(b"")
    assert (response.id, response.method, response.error.code) == (number, "ping", "closed")
    assert isinstance(closed, Closed) and isinstance(closed.error, ConnectionLost)
    assert connection.receive(b"") == [] and connection.send_buffer() == b""
    with pytest.raises(ConnectionLost):
        connection.call("ping")


def test_the_last_words_of_the_daemon():
    connection = Connection()
    connection.call("ping")
    _, closed = connection.receive(msgpack.packb([1, 0, {"code": "limit", "message": "--max-sessions"}, None]))
    assert (closed.error.code, closed.error.message) == ("limit", "--max-sessions")


def test_a_timeout_of_the_daemon_is_a_timeout_error():
    connection = Connection()
    number = connection.call("ping")
    response, = connection.receive(msgpack.packb([1, number, {"code": "timeout", "message": "late"}, None]))
    assert isinstance(response.error, TimedOut) and isinstance(response.error, TimeoutError)


@pytest.mark.parametrize("data, code, words", [
    (b"\xc1", "format", "0xc1"),
    (b"\xdd\xff\xff\xff\xff", "limit", "container_elements"),
    (b"\xdf\x7f\xff\xff\xff", "limit", "container_elements"),
    (b"\xc6\xff\xff\xff\xff", "limit", "message_bytes"),
    (b"\xc9\xff\xff\xff\xff\x01", "limit", "message_bytes"),
    (b"\x91" * 17, "limit", "depth"),
    (b"\x93" + b"\xdd\x00\x04\x00\x00" + b"\xc0" * 0x40000 + b"\xdd\x00\x04\x00\x00" + b"\x92\x90\x90" * 0x40000, "limit", "elements"),
    (b"\x82\x01\x02", "format", ""),  # a map whose keys are no strings: is incomplete, then refused
    (b"\x2a", "format", "not one of the protocol"),
    (b"\x93\x03\xa1a\x80", "format", "protocol"),
    (b"\x94\x07\x01\xc0\xc0", "format", "kind 7"),
    (b"\x93\x02\xa4tile\x80", "format", "protocol"),
    (b"\x93\x02\xa4tile\x90", "format", "protocol"),
    (b"\x93\x02\xa6synced\x81\xa5world\xa1x", "format", "world"),
    (b"\x93\x02\x90\x80", "format", "protocol"),
])
def test_what_makes_no_sense_closes_the_connection(data, code, words):
    connection = Connection()
    events = connection.receive(data + b"\xc0" * 8)
    assert [type(event) for event in events] == [Closed]
    assert events[0].error.code == code
    assert re.search(words, events[0].error.message)
    assert connection.receive(note("alive", {})) == []


def test_limits_of_the_stream():
    stream = Stream(message_bytes=10, depth=2, elements=5, container_elements=3)
    for fits in (b"\xc4\x08" + bytes(8), b"\x92\x92\x00\x00\x00", b"\x93\x00\x00\x00"):
        stream.feed(fits)
        assert stream.next_message() is not None
    for wrong, name in ((b"\xc4\x09", "message_bytes"), (b"\x91\x91\x91", "depth"), (b"\x92\x92\x00\x00\x91\x01", "elements"),
                        (b"\x94", "container_elements")):
        stream = Stream(message_bytes=10, depth=2, elements=5, container_elements=3)
        stream.feed(wrong)
        with pytest.raises(NavdError, match=name):
            stream.next_message()
        with pytest.raises(NavdError, match=name):  # and it stays closed
            stream.next_message()


def value_of(rng, depth):
    kind = rng.randrange(12 if depth < 5 else 9)
    if kind < 9:
        return (None, True, rng.randrange(128), -rng.randrange(1 << 40), rng.randrange(1 << 64), rng.random(), "né" * rng.randrange(150),
                rng.randbytes(rng.randrange(700)), msgpack.ExtType(5, rng.randbytes(rng.randrange(40))))[kind]
    if kind < 11:
        return [value_of(rng, depth + 1) for _ in range(rng.randrange(20))]
    return {str(i): value_of(rng, depth + 1) for i in range(rng.randrange(20))}


@pytest.mark.parametrize("seed", range(20))
def test_random_messages_at_random_cuts(seed):
    rng = random.Random(seed)
    messages = [value_of(rng, 0) for _ in range(30)]
    data = b"".join(msgpack.packb(message) for message in messages)
    stream, got, at = Stream(), [], 0
    while at < len(data):
        size = rng.choice((1, 2, 5, 30, 1000, 20000))
        stream.feed(data[at : at + size])
        at += size
        while True:  # None is a message here, so ask the stream how much it has taken
            before = len(stream._buffer)
            message = stream.next_message()
            if message is None and len(stream._buffer) == before:
                break
            got.append(message)
    assert got == messages


@pytest.mark.parametrize("seed", range(300))
def test_garbage_never_raises(seed):
    """Valid messages with some bytes changed, or bytes by chance: the events stay events, and the end is told once."""
    rng = random.Random(seed)
    data = bytearray(b"".join(note(method, params) for method, params, _ in rng.choices(NOTES, k=12)))
    for _ in range(rng.randrange(1, 8)):
        data[rng.randrange(len(data))] = rng.randrange(256)
    if seed % 3 == 0:
        data = bytearray(rng.randbytes(300))
    connection = Connection()
    number = connection.call("ping")
    events, at = [], 0
    while at < len(data):
        size = rng.randrange(1, 100)
        events += connection.receive(bytes(data[at : at + size]))
        at += size
    events += connection.receive(b"")
    assert sum(isinstance(event, Closed) for event in events) == 1 and isinstance(events[-1], Closed)
    assert sum(isinstance(event, Response) and event.id == number for event in events) == 1
    for event in events:
        if isinstance(event, TileEvent):
            with pytest.raises(NavdError):
                event.tile()


def test_what_nobody_waits_for_is_given_up_where_the_daemon_can():
    session = Session(None, "test", False)
    numbers = [session.start(Call(method, {})) for method in ("path.find", "world.list", "path.audit", "path.reach")]
    session.connection.send_buffer()
    session.receive(msgpack.packb([1, numbers[0], None, {"paths": []}]))
    session.cancel(numbers)
    unpacker = msgpack.Unpacker()
    unpacker.feed(session.connection.send_buffer())
    assert [(method, params) for _, _, method, params in unpacker] == [
        ("path.cancel", {"call": number}) for number in numbers[2:]  # the first has been answered
    ]
