"""Connections that break, daemons that are killed and come back, and many threads at once."""

import queue
import socket
import threading

import msgpack
import pytest

import navd
from both import PATIENCE_S
from daemon import Navd
from navd.address import Access
from navd.session import Session
from scenes import CRATE, FLOOR, HUMAN


@pytest.fixture
def durable(tmp_path):
    """A daemon that keeps its worlds."""
    made = Navd(str(tmp_path), state=True)
    yield made
    made.stop()


def build(client, name="level", **options):
    world = client.open_world(name, create=True, profiles=HUMAN, **options)
    world.apply(navd.Edit().put("floor", FLOOR).put("crate", CRATE, at=(5, 0, 5)))
    return world


def keys_of(subscription):
    return {(tile.x, tile.z): tile.key for tile in subscription.tiles}


def read_until(subscription, kind):
    events = []
    while not events or not isinstance(events[-1], kind):
        events.append(subscription.get(60))
    return events


def test_a_subscription_goes_on_after_kill_and_restart(nav, durable):
    with nav.connect(durable.path) as client:
        world = build(client)
        subscription = world.subscribe()
        subscription.wait_synced(world.wait())
        before = keys_of(subscription)
        durable.kill()
        lost = read_until(subscription, navd.Lost)[-1]
        assert isinstance(lost.error, navd.ConnectionLost)
        durable.start()
        read_until(subscription, navd.Restored)
        moved = world.move("crate", at=(-6, 0, -6))  # the same objects go on
        subscription.wait_synced(moved.revision)
        with nav.connect(durable.path) as other, other.open_world("level").subscribe() as fresh:
            fresh.wait_synced(moved.revision)
            assert keys_of(subscription) == keys_of(fresh) != before


def test_after_a_broken_connection_only_what_changed_comes(nav, durable):
    with nav.connect(durable.path) as client, nav.connect(durable.path) as other:
        world = build(client)
        subscription = world.subscribe(encoding="detour")
        subscription.wait_synced(world.wait())
        before = keys_of(subscription)
        nav.cut(client)
        again = other.open_world("level")
        removed = again.apply(navd.Edit().remove("crate").put("small", CRATE, at=(-10, 0, 8)))
        again.wait(removed.revision)
        came = read_until(subscription, navd.Restored)
        assert any(isinstance(event, navd.Lost) for event in came)
        while subscription.tiles.revision < removed.revision:
            came.append(subscription.get(60))
        assert not any(isinstance(event, navd.Reset) for event in came)
        changed = [event for event in came if isinstance(event, navd.TileEvent)]
        assert 0 < len(changed) < len(before)
        fresh = again.subscribe(encoding="detour")
        fresh.wait_synced(removed.revision)
        assert keys_of(subscription) == keys_of(fresh) != before


def test_what_is_gone_after_a_restart_leaves_the_map(nav, durable):
    """While the client is away, ground goes, and the daemon that comes back knows nothing of what went."""
    with nav.connect(durable.path) as client:
        world = build(client)
        subscription = world.subscribe()
        subscription.wait_synced(world.wait())
        before = keys_of(subscription)
        durable.kill()
        read_until(subscription, navd.Lost)
        path, durable.path = durable.path, durable.path + ".other"  # where the first client does not look
        durable.start()
        with nav.connect(durable.path) as other:
            again = other.open_world("level")
            gone = again.apply(navd.Edit().remove("floor").put("crate", CRATE, at=(100, 0, 100)))
            again.wait(gone.revision)
        assert durable.stop() == 0
        durable.path = path
        durable.start()
        came = read_until(subscription, navd.Restored)
        subscription.wait_synced(gone.revision)
        assert any(isinstance(event, navd.Reset) for event in came)
        assert not set(keys_of(subscription)) & set(before)


def test_a_daemon_without_a_state_folder_forgets(nav, tmp_path):
    """The world is another one after the restart: the subscription ends and says why, the client lives on."""
    volatile = Navd(str(tmp_path))
    try:
        with nav.connect(volatile.path) as client:
            world = build(client)
            subscription = world.subscribe()
            subscription.wait_synced(world.wait())
            volatile.kill()
            read_until(subscription, navd.Lost)
            volatile.start()
            ended = read_until(subscription, navd.Ended)[-1]
            assert "level" in ended.reason and subscription.ended == ended.reason
            assert subscription.get(60) is None
            client.ping()
            build(client)
    finally:
        volatile.stop()


@pytest.mark.parametrize("begun, ended", [("path.watch", "path.unwatch"), ("tiles.subscribe", "tiles.unsubscribe")])
def test_what_is_given_up_while_it_comes_back_is_let_go(begun, ended):
    """By the calls alone: the answer comes after the watch was given up."""
    session = Session(Access(), "test", keepalive=False)
    made = []
    steps = session.subscribe(7, "human", {}, None, made.append, begun)
    next(steps).take({"subscription": 3, "revision": 1})
    with pytest.raises(StopIteration):
        steps.send({})
    session.lose(navd.ConnectionLost("lost", "gone"), tell=True)
    steps = session.resume()
    again = next(steps)
    assert again.method == begun
    assert list(session.unsubscribe(made[0])) == []  # this connection does not know it yet
    again.take({"subscription": 4, "revision": 1})
    last = steps.send({"subscription": 4, "revision": 1})
    assert (last.method, last.params) == (ended, {"subscription": 4})
    assert list(steps) == [] and not session.watches


def test_axes_are_asked_for_again(nav, durable):
    with nav.connect(durable.path) as client:
        build(client).wait()
        turned = client.open_world("level", up="z", unit_m=0.01)
        crate = [entry for entry in turned.objects() if entry.name == "crate"][0]
        durable.kill()
        durable.start()
        assert [entry for entry in turned.objects() if entry.name == "crate"][0] == crate


def test_calls_that_read_are_asked_again_and_others_are_not(nav, durable):
    """jobs.wait outlives the daemon; an edit that was under way is the caller's to decide."""
    with nav.connect(durable.path, timeout=60) as client:
        world = build(client)
        world.wait()
        durable.kill()
        durable.start()
        assert world.wait() >= 1
        durable.kill()
        with pytest.raises(navd.ConnectionLost):
            world.move("crate", at=(1, 0, 1))
        durable.start()
        assert world.move("crate", at=(1, 0, 1)).revision > 1


def test_without_reconnect_the_client_is_closed(nav, durable):
    with nav.connect(durable.path, reconnect=False) as client:
        client.ping()
        durable.kill()
        with pytest.raises(navd.ConnectionLost):
            client.ping()
        with pytest.raises(navd.ConnectionLost):
            client.ping()
        assert client.closed


def test_a_daemon_that_stays_away(nav, durable):
    with nav.connect(durable.path) as client:
        durable.kill()
        client.timeout = 0.3
        words = ""
        while "the connection is lost: no navd at" not in words:  # the first may still have met the old connection
            with pytest.raises(navd.NavdError) as caught:
                client.stats()
            words = str(caught.value)
        assert isinstance(caught.value, navd.TimedOut)


def test_a_stop_says_when_to_come_back(nav, durable):
    with nav.connect(durable.path) as client:
        world = build(client)
        subscription = world.subscribe()
        subscription.wait_synced(world.wait())
        assert durable.stop() == 0
        read_until(subscription, navd.Lost)
        durable.start()
        read_until(subscription, navd.Restored)


class Silent:
    """Accepts connections, answers hello and nothing else. after: bytes that come with the answer, of each connection in turn;
    None: the connection ends with it."""

    def __init__(self, path, hello, after=()):
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(path)
        self.listener.listen()
        self.hello, self.after = hello, list(after)
        self.connections = queue.Queue()
        self.open = []
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            self.open.append(connection)
            try:
                self._answer(connection)
            except OSError:
                pass  # the client has given it up

    def _answer(self, connection):
        unpacker, requests = msgpack.Unpacker(), []
        while not requests:
            data = connection.recv(65536)
            if not data:
                return
            unpacker.feed(data)
            requests = list(unpacker)
        self.connections.put(requests[0])
        after = self.after.pop(0) if self.after else b""
        connection.sendall(msgpack.packb([1, requests[0][1], None, self.hello]) + (after or b""))
        if after is None:
            connection.shutdown(socket.SHUT_RDWR)

    def close(self):
        self.listener.shutdown(socket.SHUT_RDWR)  # ends its thread
        self.listener.close()
        for connection in self.open:
            connection.close()


def test_a_daemon_that_falls_silent_counts_as_gone(nav, tmp_path, monkeypatch):
    monkeypatch.setattr(navd.session, "SILENT_PERIODS", 0.3)  # time enough for hello to be answered
    silent = Silent(str(tmp_path / "sock"), {"server": "x", "version": 1, "limits": {}, "keepalive_s": 1})
    try:
        with nav.connect(str(tmp_path / "sock")) as client:
            assert silent.connections.get(timeout=60)[3]["keepalive"] is True
            nav.idle(client, lambda: not silent.connections.empty())  # it came again
            assert silent.connections.get(timeout=60)[2] == "hello"
    finally:
        silent.close()


def test_an_answer_that_does_not_come(nav, tmp_path):
    silent = Silent(str(tmp_path / "sock"), {"server": "x", "version": 1, "limits": {}})
    try:
        with nav.connect(str(tmp_path / "sock")) as client:
            client.timeout = 0.1
            with pytest.raises(navd.TimedOut, match="no answer in time"):
                client.ping()
    finally:
        silent.close()


def test_garbage_from_the_daemon_breaks_the_connection(nav, tmp_path):
    silent = Silent(str(tmp_path / "sock"), {"server": "x", "version": 1, "limits": {}})
    try:
        with nav.connect(str(tmp_path / "sock"), reconnect=False) as client:
            silent.connections.get(timeout=60)
            silent.open[0].sendall(b"\xc1")
            with pytest.raises(navd.ConnectionLost, match="MessagePack") as caught:
                client.ping()
            assert caught.value.code == "format"
    finally:
        silent.close()


def test_garbage_right_after_the_login_breaks_the_connection(nav, tmp_path):
    silent = Silent(str(tmp_path / "sock"), {"server": "x", "version": 1, "limits": {}}, [b"\xc1"])
    try:
        with pytest.raises(navd.ConnectionLost, match="MessagePack"):  # perhaps only by the first call
            with nav.connect(str(tmp_path / "sock")) as client:
                client.ping()
    finally:
        silent.close()


def test_it_tries_again_after_connections_that_end_with_the_login(nav, tmp_path):
    silent = Silent(str(tmp_path / "sock"), {"server": "x", "version": 1, "limits": {}}, [b"", None, None])
    try:
        with nav.connect(str(tmp_path / "sock")) as client:
            silent.open[0].shutdown(socket.SHUT_RDWR)
            client.timeout = 0.1
            while silent.connections.qsize() < 4:
                with pytest.raises(navd.TimedOut):  # the fourth one stays, and answers nothing
                    client.ping()
    finally:
        silent.close()


def test_many_threads_share_one_client(durable):
    """The blocking client: some threads edit, others read, one follows; nothing is lost or mixed up."""
    with navd.connect(durable.path, timeout=PATIENCE_S) as client:
        world = build(client)
        subscription = world.subscribe()
        failed = []

        def edit(number):
            try:
                for step in range(20):
                    world.put(1000 + number, navd.pack([(0, 0, 0), (1, 0, 0), (0, number + step, 1)], [(0, 1, 2)]), at=(number, 0, step))
                    assert client.call("ping") == {}
                    assert any(entry.id == 1000 + number for entry in world.objects())
            except BaseException as error:
                failed.append(error)

        threads = [threading.Thread(target=edit, args=(number,)) for number in range(6)]
        for thread in threads:
            thread.start()
        subscription.wait_synced(1 + 6 * 20)
        for thread in threads:
            thread.join()
        assert failed == []
        assert sorted(entry.id for entry in world.objects() if entry.id < 2000) == [1000 + number for number in range(6)]


def test_threads_survive_a_restart(durable):
    """A thread follows while another edits; the daemon is killed in between."""
    with navd.connect(durable.path, timeout=PATIENCE_S) as client:
        world = build(client)
        subscription = world.subscribe()
        done, go_on, failed, moved = threading.Event(), threading.Event(), [], []

        def edit():
            try:
                world.move("crate", at=(1, 0, 1))
                done.set()
                go_on.wait(60)
                world.wait(timeout=60)
                moved.append(world.move("crate", at=(2, 0, 2)).revision)
            except BaseException as error:
                failed.append(error)

        thread = threading.Thread(target=edit)
        thread.start()
        assert done.wait(60)
        durable.kill()
        durable.start()
        go_on.set()
        read_until(subscription, navd.Restored)
        thread.join()
        assert failed == []
        subscription.wait_synced(moved[0], timeout=60)


def test_a_callback_that_fails_is_logged(nav, durable, caplog):
    with nav.connect(durable.path) as client:
        world = build(client)

        def fail(event):
            raise ValueError("on purpose")

        subscription = world.subscribe(on_event=fail)
        subscription.wait_synced(world.wait())
        client.ping()
        assert {record.name for record in caplog.records} == {"navd"} and "on purpose" in caplog.text


def test_a_subscription_that_nobody_reads_stays_small(nav, durable):
    with nav.connect(durable.path) as client:
        world = build(client)
        subscription = world.subscribe()
        subscription.wait_synced(world.wait())
        for step in range(30):
            world.wait(world.move("crate", at=(step % 7, 0, step % 5)).revision)
        events = subscription.waiting()
        places = [(event.x, event.z) for event in events if isinstance(event, navd.TileEvent)]
        assert len(places) == len(set(places)) and len(events) < 40
        assert keys_of(subscription) == {(t.x, t.z): t.key for t in world.tiles(sorted(keys_of(subscription)))}
