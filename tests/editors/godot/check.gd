# What both tests share: claims, the daemon's own list of a world's objects, and a scene's list as the plugin should have sent it.
extends Reference

const Geometry = preload("res://addons/navd/geometry.gd")
const Link = preload("res://addons/navd/link.gd")

const IDENTITY := PoolByteArray([
	0, 0, 128, 63, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 128, 63, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 128, 63, 0, 0, 0, 0
])  # which navd leaves out

var failures := 0


func claim(holds: bool, what: String) -> void:
	if not holds:
		failures += 1
		print("FAILED: ", what)


# The scene's objects by id: twelve numbers, the area, the name, the SHA-256 of the mesh.
static func list_scene(world: Navigation) -> Dictionary:
	var out := {}
	var root: Node = world.get_node(world.geometry)
	var stack := [root]
	while stack.size() > 0:
		var node: Node = stack.pop_back()
		if node == world or node.is_in_group("navd_ignore"):
			continue
		stack += node.get_children()
		var shape := Geometry.shape(node)
		var arrays: Array = Geometry.triangles(shape[0]) if shape.size() > 0 else [null, []]
		if arrays[1].size() == 0:
			continue
		var path := str(root.get_path_to(node))
		out[Geometry.id_of(world._source(), path)] = [Link.rows(shape[1]), Geometry.area(node), path, digest(arrays)]
	return out


static func digest(arrays: Array) -> PoolByteArray:
	var hashing := HashingContext.new()
	hashing.start(HashingContext.HASH_SHA256)
	for numbers in arrays:
		var bytes := var2bytes(numbers)
		hashing.update(bytes.subarray(8, bytes.size() - 1))
	return hashing.finish()


# The SHA-256 of all its meshes, for mesh.have.
static func digests(here: Dictionary) -> Array:
	var out := []
	for id in here:
		out.append(here[id][3])
	return out


# Puts navd's hashes, which mesh.have has answered, in the place of the SHA-256.
static func put_keys(here: Dictionary, keys: Array) -> void:
	var i := 0
	for id in here:
		here[id][3] = keys[i]
		i += 1


# The same of a page of world.objects, with navd's hash of the mesh.
static func list_daemon(objects: Array) -> Dictionary:
	var out := {}
	for object in objects:
		out[object["id"]] = [numbers(object.get("transform", IDENTITY)), object.get("area", 63), object.get("name", ""), object["mesh"]]
	return out


static func numbers(bytes: PoolByteArray) -> Array:
	var data := StreamPeerBuffer.new()
	data.data_array = bytes
	var out := []
	for _i in range(bytes.size() / 4):
		out.append(data.get_float())
	return out


# "" or the first difference.
static func difference(here: Dictionary, there: Dictionary) -> String:
	for id in here:
		if not there.has(id):
			return "the daemon lacks %s" % here[id][2]
		for i in [1, 2, 3]:
			if there[id][i] != here[id][i]:
				return "%s differs: %s here, %s in the daemon" % [here[id][2], here[id][i], there[id][i]]
		for i in range(12):
			if abs(here[id][0][i] - there[id][0][i]) > 1e-6 * max(1, abs(here[id][0][i])):
				return "%s stands at %s, in the daemon at %s" % [here[id][2], here[id][0], there[id][0]]
	for id in there:
		if not here.has(id):
			return "the daemon still has %s" % there[id][2]
	return ""
