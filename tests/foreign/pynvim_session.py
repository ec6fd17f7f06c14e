"""Debian's pynvim against navd: hello, a mesh, an edit, tiles, a move. pynvim_session.py SOCKET"""
import hashlib
import struct
import sys

from pynvim.msgpack_rpc import ErrorResponse, socket_session

IDENTITY = [1.0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0]
MESH = struct.pack("<12f", 0, 0, 0, 0, 0, 20, 20, 0, 20, 20, 0, 0) + struct.pack("<6I", 0, 1, 2, 0, 2, 3)

session = socket_session(sys.argv[1])
session.error_wrapper = ErrorResponse  # whoever uses a session sets it
tiles = {}  # the newest, by place


def note_until(name):
    """Files tiles until a notification of that name comes; its params."""
    while True:
        kind, method, params = session.next_message()
        assert kind == "notification", kind
        if method == "tile":
            tiles[params["x"], params["z"]] = params
        if method == name:
            return params


def synced(revision):
    while note_until("synced")["revision"] < revision:
        pass


hello = session.request("hello", {"version": 1, "client": "pynvim"})
assert hello["version"] == 1
world = session.request(b"world.open", {b"name": b"scripted", "create": True, "profiles": [{"name": "walker"}]})["world"]

digest = hashlib.sha256(MESH).digest()
assert session.request("mesh.have", {"sha256": [digest]})["keys"] == [None]
sent = session.request("mesh.put", {"vertices": 4, "triangles": 2, "data": MESH})
assert sent["complete"] and len(sent["hash"]) == 16, sent
assert session.request("mesh.have", {"sha256": [digest]})["keys"] == [sent["hash"]]

subscribed = {"world": world, "profile": "walker", "compression": "none"}
session.request("tiles.subscribe", subscribed)
put = {"op": "put_instance", "id": 1, "mesh": sent["hash"], "transform": IDENTITY}
edited = session.request("world.edit", {"world": world, "ops": [put]})
synced(edited["revision"])
ground = tiles[0, 0]
assert ground["status"] == "ok" and ground["data"][:4] == b"NAVT" and len(ground["data"]) == ground["size"], ground

move = {"op": "move_instance", "id": 1, "transform": IDENTITY[:3] + [500.0] + IDENTITY[4:]}
moved = session.request("world.edit", {"world": world, "ops": [move]})
synced(moved["revision"])
assert tiles[0, 0]["status"] == "removed", tiles[0, 0]
assert any(t["status"] == "ok" and t["x"] > 5 for t in tiles.values())

try:
    session.request("world.edit", {"world": world, "ops": [dict(move, id=2)]})
    raise AssertionError("an edit of an object that is not there was taken")
except ErrorResponse as refused:
    assert "2" in str(refused), refused
session.close()
print("pynvim: hello, edit and subscribe, %d tiles" % len(tiles))
