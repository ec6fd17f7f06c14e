"""What waits for a Blender that is busy, and whose turn it is. Without Blender."""
import os
import sys
import threading
from types import SimpleNamespace

sys.path[:0] = [os.path.join(os.environ["NAVD_SOURCE"], "clients/blender/navd_blender")]
import turn as turns  # noqa: E402
from mailbox import Mailbox  # noqa: E402
from turn import Turn  # noqa: E402

turns._PATIENCE_S = 60  # a machine under load may let a piece wait for longer than a person would


def tile(x, revision, status="ok", subscription="first"):
    return "tile", SimpleNamespace(x=x, z=0, status=status, revision=revision), revision, subscription


def synced(revision, subscription="first"):
    return "synced", revision, None, subscription


def taken(*items):
    """What comes out, shortened: (x or name, status or revision, ...)."""
    box = Mailbox()
    for item in items:
        box.put(item)
    found = []
    while (item := box.take()) is not None:
        if item[0] == "tile":
            found.append((item[1].x, item[1].status, item[1].revision))
        elif item[0] == "synced":
            found.append(("synced", item[1]))
        else:
            found.append(item[0])
    assert len(box) == 0 and not box.wait(0)
    return found


def an_hour_without_reading_keeps_one_of_each_tile():
    box = Mailbox()
    for revision in range(1000):
        for x in range(10):
            box.put(tile(x, revision))
        box.put(("progress", SimpleNamespace(profile="human", done=revision)))
        box.put(synced(revision))
    assert len(box) <= 10 + 2 + 1, len(box)  # the tiles, the progress, the last synced and at most the first


def what_is_synced_has_come_before():
    assert taken(tile(1, 5), synced(5), tile(2, 6), synced(6)) == [(1, "ok", 5), ("synced", 5), (2, "ok", 6), ("synced", 6)]
    assert taken(tile(1, 5), synced(5), tile(1, 6), synced(6)) == [(1, "ok", 6), ("synced", 6)]
    assert taken(synced(5), synced(5, "second"), synced(6)) == [("synced", 5), ("synced", 5), ("synced", 6)]


def a_failure_takes_no_ground_away():
    assert taken(tile(1, 5), tile(1, 6, "failed"), tile(1, 7, "failed")) == [(1, "ok", 5), (1, "failed", 7)]
    assert taken(tile(1, 5, "failed"), tile(1, 6)) == [(1, "ok", 6)]
    assert taken(tile(1, 4), tile(1, 5, "failed"), tile(1, 6)) == [(1, "ok", 6)]
    assert taken(tile(1, 4), tile(1, 5, "removed")) == [(1, "removed", 5)]


def another_subscription_or_grid_is_another_place():
    assert taken(tile(1, 5), tile(1, 6, subscription="second")) == [(1, "ok", 5), (1, "ok", 6)]
    assert taken(tile(1, 5), ("settings", None), tile(1, 6)) == [(1, "ok", 5), "settings", (1, "ok", 6)]
    assert taken(tile(1, 5), ("subscribed", {}), tile(1, 6)) == [(1, "ok", 5), "subscribed", (1, "ok", 6)]


def what_was_taken_is_not_replaced():
    box = Mailbox()
    box.put(tile(1, 5))
    assert box.take()[1].revision == 5
    box.put(tile(1, 6))
    assert box.take()[1].revision == 6
    assert box.take() is None


def a_put_wakes_who_waits():
    box, answers = Mailbox(), []
    thread = threading.Thread(target=lambda: answers.append(box.wait(60)))
    thread.start()
    box.put((print,))
    thread.join()
    assert answers == [True]


def the_thread_waits_for_the_end_of_a_turn():
    turn, ready, order = Turn(), threading.Event(), []

    def work():
        ready.set()
        with turn.piece:
            order.append("thread")
    thread = threading.Thread(target=work)
    with turn:
        with turn:
            thread.start()
            ready.wait()
        order.append("main")
    thread.join()
    assert order == ["main", "thread"]


def a_turn_waits_for_the_end_of_a_piece():
    turn, inside, order = Turn(), threading.Event(), []

    def work():
        with turn.piece:
            inside.set()
            order.append("thread")
    thread = threading.Thread(target=work)
    thread.start()
    inside.wait()
    with turn:
        order.append("main")
    thread.join()
    assert order == ["thread", "main"]


def nobody_waits_for_a_turn_of_a_closed_link():
    turn = Turn()
    with turn:
        turn.close()
        with turn.piece:
            pass


for test in (an_hour_without_reading_keeps_one_of_each_tile, what_is_synced_has_come_before, a_failure_takes_no_ground_away,
             another_subscription_or_grid_is_another_place, what_was_taken_is_not_replaced, a_put_wakes_who_waits,
             the_thread_waits_for_the_end_of_a_turn, a_turn_waits_for_the_end_of_a_piece, nobody_waits_for_a_turn_of_a_closed_link):
    test()
    print("ok:", test.__name__)
