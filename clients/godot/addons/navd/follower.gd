# Brings the scene to the daemon and keeps it there. Moves go out as they happen. Whatever else may have changed (nodes that come, go, are
# renamed, hidden or get another mesh, an undo, a scene that is shown again) sets `stale`: then the scene is walked, a slice each frame, new
# meshes are sent once by their hash, and the whole list goes out with world.sync, of which navd applies what differs. Terrain is several
# objects, one for each block; what a brush changes goes out as patch_heights. Main thread only.
extends Reference

const Geometry = preload("geometry.gd")
const Heights = preload("heights.gd")
const Link = preload("link.gd")

const PART_BYTES := 1 << 20
const CHECK_EACH := 8

enum Phase { IDLE, WALK, MESHES, HAVE, PUT, SYNC }

var stale := true
var problem := ""  # why the scene is not in the world, or ""
var rounds := 0  # how often every node was looked at
# As the daemon has them: {node, mesh, part, id, transform, area, name}. part: of _meshes. The first block of a terrain also has `samples`,
# all of them as the daemon has them, and `size`.
var objects := []

var _link
var _world := 0
var _source := ""
var _root: Node
var _skip: Node
var _phase: int = Phase.IDLE
var _stack := []
var _found := []
var _waiting := 0  # answers that this phase waits for
var _meshes := {}  # of Mesh's instance id, or _part_of() a HeightMapShape: {sha256, key, data, vertices, triangles, heights}
var _samples := {}  # of HeightMapShape's instance id: [samples, width, depth], from which its blocks in _meshes were made
var _next := 0  # object that is looked at next for a move
var _others := []  # what is no geometry now and may become it, or hide some: [node, is ignored]
var _walked := []  # the others of the walk under way
var _unanswered := 0  # moves that were sent


# skip: a node whose children are not part of the scene.
func begin(link, world: int, source: String, root: Node, skip: Node) -> void:
	_link = link
	_world = world
	_source = source
	_root = root
	_skip = skip
	_phase = Phase.IDLE
	_waiting = 0
	_unanswered = 0
	objects = []
	stale = true


# Everything that was found is in the world.
func is_settled() -> bool:
	return _phase == Phase.IDLE and not stale and _unanswered == 0


# Some of the work, until the clock (OS.get_ticks_usec()) shows `until`.
func work(until: int) -> void:
	if _phase == Phase.IDLE and stale:
		stale = false
		_found = []
		_walked = []
		_stack = [_root]
		_phase = Phase.WALK
	if _phase == Phase.IDLE:
		_send_moves(until)
	while _phase == Phase.WALK and OS.get_ticks_usec() < until:
		_walk_one()
	while _phase == Phase.MESHES and _stack.size() > 0 and OS.get_ticks_usec() < until:
		_read_mesh(_stack.pop_back())
	if _phase == Phase.MESHES and _stack.size() == 0 and _waiting == 0:
		_ask_have()


# An event of the link that has a tag of this follower.
func handle(event: Dictionary) -> void:
	var tag: Array = event["tag"]
	if tag[0] == "moved" or tag[0] == "patched":
		_unanswered -= 1
	if event["kind"] == "hashed":
		_waiting -= 1
		_meshes[tag[1]] = event
	elif event["error"] != null and tag[0] == "patched":
		stale = true  # somebody has put another mesh there, or it is still being read: the list mends it
	elif event["error"] != null:
		_fail(event["error"])
	elif tag[0] == "have":
		_put_missing(tag[1], event["result"]["keys"])
	elif tag[0] == "put":
		_note_put(tag[1], event["result"])
	elif tag[0] == "sync":
		_note_sync(event["result"])


func _fail(error: Dictionary) -> void:
	problem = "navd refused the scene: " + error["message"]
	objects = []
	_waiting = 0
	_phase = Phase.IDLE  # the next change tries again


# --- the whole scene ---

func _walk_one() -> void:
	if _stack.size() == 0:
		_begin_meshes()
		return
	var node = _stack.pop_back()
	if not is_instance_valid(node) or node == _skip:
		return
	var ignored: bool = node.is_in_group(Geometry.IGNORE)
	var shape := Geometry.shape(node) if not ignored else []
	if shape.size() == 0:
		_walked.append([node, ignored])
	if ignored:
		return
	_stack += node.get_children()
	if shape.size() == 0:
		return
	var path := str(_root.get_path_to(node))
	var object := {
		"node": node, "mesh": shape[0], "part": shape[0].get_instance_id(), "transform": shape[1], "area": Geometry.area(node),
		"id": Geometry.id_of(_source, path), "name": path
	}
	if shape[0] is HeightMapShape:
		_find_blocks(object)
	else:
		_found.append(object)


static func _part_of(id: int, block: int) -> String:
	return "%d/%d" % [id, block]


func _find_blocks(object: Dictionary) -> void:
	var shape: HeightMapShape = object["mesh"]
	var id: int = object["part"]
	var known: Array = _samples.get(id, [null, 0, 0])
	if known[1] != shape.map_width or known[2] != shape.map_depth:
		for part in _meshes.keys():
			if typeof(part) == TYPE_STRING and part.begins_with("%d/" % id):
				_meshes.erase(part)
		known = [Heights.bytes(shape), shape.map_width, shape.map_depth]
		_samples[id] = known
	object["samples"] = known[0]
	object["size"] = [known[1], known[2]]
	var number := 0
	for place in Heights.places(known[1], known[2]):
		var block := object.duplicate() if number > 0 else object
		if number > 0:
			block.erase("samples")
		block["id"] = object["id"] + number
		block["part"] = _part_of(id, number)
		block["place"] = place
		_found.append(block)
		number += 1


func _begin_meshes() -> void:
	var used := {}
	for object in _found:
		var id = object["part"]
		if _meshes.has(id):
			used[id] = _meshes[id]
		elif not used.has(id):
			used[id] = null
			_stack.append(object)
	for id in used.keys():
		if used[id] == null:
			used.erase(id)
	_meshes = used  # what nobody shows any more is forgotten
	for id in _samples.keys():
		if not _is_shown(id):
			_samples.erase(id)
	_phase = Phase.MESHES


func _is_shown(id: int) -> bool:
	for object in _found:
		if object["mesh"].get_instance_id() == id:
			return true
	return false


func _read_mesh(object: Dictionary) -> void:
	var id = object["part"]
	var mesh: Resource = object["mesh"]
	if mesh is HeightMapShape:
		var known: Array = _samples[mesh.get_instance_id()]
		_waiting += 1
		_link.digest_block(Heights.block(known[0], known[1], known[2], object["place"][0], object["place"][1]), ["hashed", id])
		return
	if not mesh.is_connected("changed", self, "_on_mesh_changed"):
		mesh.connect("changed", self, "_on_mesh_changed", [id])
	var arrays := Geometry.triangles(mesh)
	if arrays[1].size() == 0:
		_meshes[id] = {"empty": true}
		return
	_waiting += 1
	_link.digest(arrays[0], arrays[1], ["hashed", id])


func _on_mesh_changed(id: int) -> void:
	_meshes.erase(id)
	stale = true


func _ask_have() -> void:
	var ids := []
	var hashes := []
	for id in _meshes:
		if not _meshes[id].has("key") and not _meshes[id].has("empty"):
			ids.append(id)
			hashes.append(_meshes[id]["sha256"])
	_phase = Phase.HAVE
	if ids.size() > 0:
		_link.ask("mesh.have", {"sha256": hashes}, ["have", ids])
	else:
		_send_list()


func _put_missing(ids: Array, keys: Array) -> void:
	_phase = Phase.PUT
	for i in range(ids.size()):
		var mesh: Dictionary = _meshes.get(ids[i], {})
		if mesh.size() == 0:
			continue  # it has changed meanwhile
		if keys[i] != null:
			mesh["key"] = keys[i]
			mesh.erase("data")
			continue
		var data: PoolByteArray = mesh["data"]
		for offset in range(0, data.size(), PART_BYTES):
			var last: int = int(min(offset + PART_BYTES, data.size())) - 1
			_waiting += 1
			var params := {
				"vertices": mesh["vertices"], "triangles": mesh["triangles"], "offset": offset,
				"data": data.subarray(offset, last)
			}
			if mesh.has("heights"):
				params["heights"] = mesh["heights"]
			_link.ask("mesh.put", params, ["put", ids[i]])
	if _waiting == 0:
		_send_list()


func _note_put(id, result: Dictionary) -> void:
	_waiting -= 1
	if result["complete"] and _meshes.has(id):
		_meshes[id]["key"] = result["hash"]
		_meshes[id].erase("data")
	if _waiting == 0 and _phase == Phase.PUT:
		_send_list()


func _send_list() -> void:
	var list := []
	for object in _found:
		var mesh: Dictionary = _meshes.get(object["part"], {})
		if mesh.has("key"):
			list.append({
				"id": object["id"], "mesh": mesh["key"], "transform": object["transform"], "area": object["area"],
				"name": object["name"]
			})
	_phase = Phase.SYNC
	_link.sync_source(_world, _source, list, ["sync"])


func _note_sync(result: Dictionary) -> void:
	_phase = Phase.IDLE
	if result.get("missing", []).size() > 0:
		_meshes = {}  # navd has dropped some: learn anew which
		stale = true
		return
	problem = ""
	objects = _found
	_others = _walked
	_next = 0


# --- moves ---

# Looks at every node once, or at as many as the time allows: the next call goes on there. A place is looked at each time, the rest,
# which costs more and changes seldom, each eighth time.
func _send_moves(until: int) -> void:
	var ops := []
	var count := objects.size() + _others.size()
	for _i in range(count):
		if stale or OS.get_ticks_usec() >= until:
			break
		if _next >= count:
			_next = 0
			rounds += 1
		var is_due := (_next + rounds) % CHECK_EACH == 0
		if _next < objects.size():
			_look_at(objects[_next], is_due, ops)
		elif is_due and _is_other_now(_others[_next - objects.size()]):
			stale = true
		_next += 1
	if ops.size() > 0:
		_unanswered += 1
		_link.ask("world.edit", {"world": _world, "ops": ops}, ["moved"])


func _look_at(object: Dictionary, is_due: bool, ops: Array) -> void:
	var node = object["node"]
	if not is_instance_valid(node) or not node.is_inside_tree():
		stale = true
		return
	if is_due:
		var shape := Geometry.shape(node)
		if (
			shape.size() == 0 or shape[0] != object["mesh"] or Geometry.area(node) != object["area"]
			or node.is_in_group(Geometry.IGNORE)
		):
			stale = true
			return
		if object.has("samples"):
			_send_strokes(object)
			if stale:
				return  # it has another size, and so other blocks
	var at: Transform = node.global_transform
	if object.has("size"):
		at = at.translated(Heights.offset(object["mesh"]))
	if at != object["transform"]:
		object["transform"] = at
		ops.append({"op": "move_instance", "id": object["id"], "transform": Link.rows(at)})


# What a brush has changed in a terrain since the daemon was told last.
func _send_strokes(object: Dictionary) -> void:
	var shape: HeightMapShape = object["mesh"]
	if shape.map_width != object["size"][0] or shape.map_depth != object["size"][1]:
		stale = true
		return
	var now := Heights.bytes(shape)
	if now == object["samples"]:
		return
	var ops := []
	for stroke in Heights.strokes(object["samples"], now, object["size"][0], object["size"][1]):
		_meshes.erase(_part_of(shape.get_instance_id(), stroke["block"]))
		stroke["op"] = "patch_heights"
		stroke["id"] = object["id"] + stroke["block"]
		stroke.erase("block")
		ops.append(stroke)
	object["samples"] = now
	_samples[shape.get_instance_id()] = [now, object["size"][0], object["size"][1]]
	_unanswered += 1
	_link.ask("world.edit", {"world": _world, "ops": ops}, ["patched"])


func _is_other_now(other: Array) -> bool:
	var node = other[0]
	if not is_instance_valid(node) or node.is_in_group(Geometry.IGNORE) != other[1]:
		return true
	return not other[1] and Geometry.shape(node).size() > 0
