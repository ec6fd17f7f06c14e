# A scene that changes at random, in Godot's own loop: after each burst of changes the daemon's world is the scene, and Godot's own path
# search finds its way over the tiles. godot3-server -s scene_test.gd [--bench] [--seed N] [--bursts N]
extends SceneTree

const Check = preload("check.gd")
const Geometry = preload("res://addons/navd/geometry.gd")
const Follower = preload("res://addons/navd/follower.gd")
const World = preload("res://addons/navd/world.gd")

const SIZE := 40.0
const OPERATIONS := ["add", "remove", "move", "turn", "rename", "hide", "show", "resize", "other mesh", "area", "ignore", "heed", "reparent", "csg", "reconnect"]

var check := Check.new()
var random := RandomNumberGenerator.new()
var scene := Spatial.new()
var world: Navigation
var crate: MeshInstance
var link
var meshes := []
var step := ""
var bursts_left := 70
var bursts := 0
var operations := 0
var settled_at := 2 * Follower.CHECK_EACH  # rounds
var listed := 0  # revision of the world whose objects were listed last
var ours := 0  # the daemon's id of the world
var expected := {}
var theirs := {}
var fresh := {}  # keys of tiles by place
var revision := -1  # of the fresh ones
var moved_at := 0
var waits := []  # of move to path, in ms
var frames := []  # own time, in us


func _init() -> void:
	var bench := false
	var arguments := OS.get_cmdline_args()
	random.seed = 1
	for i in range(arguments.size()):
		if arguments[i] == "--seed":
			random.seed = int(arguments[i + 1])
		elif arguments[i] == "--bursts":
			bursts_left = int(arguments[i + 1])
		elif arguments[i] == "--bench":
			bench = true
	scene.name = "Scene"
	get_root().add_child(scene)
	var ground := PlaneMesh.new()
	ground.size = Vector2(2 * SIZE, 2 * SIZE)
	add_mesh("Ground", ground, scene)
	for size in [Vector3(1, 1, 1), Vector3(3, 2, 1), Vector3(2, 4, 2)]:
		var cube := CubeMesh.new()
		cube.size = size
		meshes.append(cube)
	meshes.append(CylinderMesh.new())
	meshes.append(two_surfaces())
	crate = add_mesh("Crate", meshes[2], scene)
	crate.scale = Vector3(4, 1, 2 * SIZE)  # from wall to wall, once it stands in the middle
	crate.translation = Vector3(SIZE + 20, 0, 0)
	for i in range(200 if bench else 8):
		var box := add_mesh("Box%d" % i, meshes[i % 3], scene)
		box.translation = somewhere()
	world = World.new()
	world.name = "Navd"
	world.live_in_game = true
	world.address = OS.get_environment("NAVD_TCP")
	world.world_name = "random"
	world.connect("synced", self, "_on_synced", [], CONNECT_DEFERRED)  # its searches are not the plugin's time
	scene.add_child(world)
	link = Check.Link.new()
	var colon: int = world.address.find(":")
	link.open(world.address.substr(0, colon), int(world.address.substr(colon + 1)), "")
	step = "bench" if bench else "first"


func add_mesh(name: String, mesh: Mesh, parent: Node) -> MeshInstance:
	var node := MeshInstance.new()
	node.name = name
	node.mesh = mesh
	parent.add_child(node)
	return node


# An ArrayMesh: a triangle with indices, and one without.
func two_surfaces() -> ArrayMesh:
	var out := ArrayMesh.new()
	var arrays := []
	arrays.resize(Mesh.ARRAY_MAX)
	arrays[Mesh.ARRAY_VERTEX] = PoolVector3Array([Vector3(0, 1, 0), Vector3(4, 1, 0), Vector3(0, 1, 4)])
	out.add_surface_from_arrays(Mesh.PRIMITIVE_TRIANGLES, arrays)
	arrays[Mesh.ARRAY_VERTEX] = PoolVector3Array([Vector3(4, 1, 4), Vector3(0, 1, 4), Vector3(4, 1, 0), Vector3(9, 9, 9)])
	arrays[Mesh.ARRAY_INDEX] = PoolIntArray([0, 1, 2])
	out.add_surface_from_arrays(Mesh.PRIMITIVE_TRIANGLES, arrays)
	return out


func somewhere() -> Vector3:
	return Vector3(random.randf_range(-SIZE, SIZE), random.randf_range(-1, 2), random.randf_range(-SIZE, SIZE))


# Every frame.
func _idle(_delta: float) -> bool:
	frames.append(world.frame_us)
	for event in link.take():
		if event["kind"] == "connected":
			link.ask("world.open", {"name": "random", "create": true}, "open")
		elif event["kind"] == "answer" and event["tag"] == "open":
			ours = event["result"]["world"]
		elif event["kind"] == "answer" and event["tag"] == "objects":
			listed = event["result"]["revision"]
			if step == "listing":
				step = "first tiles"
				continue
			theirs = Check.list_daemon(event["result"]["objects"])
			expected = Check.list_scene(world)
			link.ask("mesh.have", {"sha256": Check.digests(expected)}, "have")
		elif event["kind"] == "note" and event["method"] == "tile" and event["params"]["status"] != "removed":
			fresh[Vector2(event["params"]["x"], event["params"]["z"])] = event["params"]["key"]
		elif event["kind"] == "note" and event["method"] == "synced":
			revision = event["params"]["revision"]
		elif event["kind"] == "answer" and event["tag"] == "have":
			Check.put_keys(expected, event["result"].get("keys", []))
			compare()
	if (step == "first" or step == "burst") and world._follower.is_settled() and world._follower.rounds >= settled_at and ours != 0:
		step = "listing" if step == "first" else "comparing"
		link.ask("world.objects", {"world": ours, "limit": 16384}, "objects")
	if step == "first tiles" and world.revision >= listed and world._events.size() == 0:
		check_crate()
	if step == "tiles" and revision >= listed and world.revision >= listed and world._events.size() == 0:
		compare_tiles()
	link.wake()
	return false


func _on_synced(_revision: int) -> void:
	if step == "blocked":
		var way: PoolVector3Array = path()
		if ends_at_goal(way):
			return  # a tile of the crate's old place came first
		step = "open again"
		crate.translation = Vector3(SIZE + 20, 0, 0)
	elif step == "open again" and ends_at_goal(path()):
		begin_burst()
	elif step == "bench" and world._follower.is_settled() and world.tiles.size() > 0:
		frames = []
		step = "bench moves"
		move_crate()
	elif step == "bench moves" and ends_at_goal(path()) != (crate.translation.x < SIZE):
		waits.append((OS.get_ticks_usec() - moved_at) / 1000.0)
		if waits.size() < 100:
			move_crate()
		else:
			report()


func path() -> PoolVector3Array:
	return world.get_simple_path(Vector3(-SIZE + 5, 0, 3), Vector3(SIZE - 5, 0, 3), true)


func ends_at_goal(way: PoolVector3Array) -> bool:
	return way.size() > 1 and way[way.size() - 1].distance_to(Vector3(SIZE - 5, 0, 3)) < 1.5


# --- moves ---

func move_crate() -> void:
	crate.translation.x = 0.0 if crate.translation.x > SIZE else SIZE + 20
	moved_at = OS.get_ticks_usec()


func check_crate() -> void:
	check.claim(ends_at_goal(path()), "Godot's own search crosses all tiles: %s" % path())
	check.claim(world.tiles.size() > 20, "there are many tiles: %d" % world.tiles.size())
	step = "blocked"
	crate.translation.x = 0


func report() -> void:
	waits.sort()
	frames.sort()
	print("godot: move to its own path changed, ms: p50 %.1f, p95 %.1f, max %.1f (100 moves, %d nodes, %d tiles)" % [
		waits[49], waits[94], waits[99], world._follower.objects.size(), world.tiles.size()])
	print("godot: own time a frame, ms: p50 %.2f, p99 %.2f, max %.2f (%d frames)" % [
		frames[frames.size() / 2] / 1000.0, frames[frames.size() * 99 / 100] / 1000.0, frames[-1] / 1000.0, frames.size()])
	end()


# --- bursts of random changes ---

func begin_burst() -> void:
	bursts += 1
	var count := 1
	if bursts < 3 * OPERATIONS.size():  # alone at first: no change hides behind another one
		change(OPERATIONS[bursts % OPERATIONS.size()])
	else:
		count = 1 + random.randi() % 40
		for _i in range(count):
			change(OPERATIONS[random.randi() % OPERATIONS.size()])
	operations += count
	step = "burst"
	settled_at = world._follower.rounds + 2 * Follower.CHECK_EACH


func compare() -> void:
	var different := Check.difference(expected, theirs)
	check.claim(different == "", "after %d changes: %s" % [operations, different])
	check.claim(world._follower.problem == "", world._follower.problem)
	bursts_left -= 1
	if bursts_left > 0 and different == "":
		begin_burst()
	else:
		step = "tiles"
		link.ask("tiles.subscribe", {"world": ours, "profile": world.profile}, "subscribe")


# All tiles as a new client gets them, once the world has those of the same revision.
func compare_tiles() -> void:
	step = "end"
	for at in fresh:
		check.claim(world.tiles.has(at) and world.tiles[at]["key"] == fresh[at], "tile %s is the one that a new client gets" % at)
	for at in world.tiles:
		check.claim(fresh.has(at), "tile %s still exists" % at)
	print("godot: %d random changes, %d objects and %d tiles at the end" % [operations, theirs.size(), fresh.size()])
	end()


# Any node of the scene that is geometry.
func any_node() -> Spatial:
	var all := []
	var stack := [scene]
	while stack.size() > 0:
		var node: Node = stack.pop_back()
		if node == world:
			continue
		stack += node.get_children()
		if Geometry.is_geometry(node) and node.name != "Ground":
			all.append(node)
	return all[random.randi() % all.size()] if all.size() > 0 else crate


func change(operation: String) -> void:
	var node := any_node()
	match operation:
		"add":
			var added := add_mesh("Added%d" % random.randi(), meshes[random.randi() % meshes.size()], any_node())
			added.translation = somewhere() / 4
		"remove":
			if node != crate and scene.get_child_count() > 5 and not node.is_a_parent_of(crate):
				node.get_parent().remove_child(node)
				node.free()
		"move":
			node.global_transform.origin = somewhere()
		"turn":
			node.rotate_y(random.randf_range(0, 3))
			node.scale = Vector3(1, random.randf_range(0.5, 2), 1)
		"rename":
			node.name = "Renamed%d" % random.randi()
		"hide":
			node.visible = false
		"show":
			node.visible = true
		"resize":
			meshes[random.randi() % 3].size = Vector3(random.randf_range(0.5, 4), 2, random.randf_range(0.5, 4))
		"other mesh":
			if node is MeshInstance:
				node.mesh = meshes[random.randi() % meshes.size()]
		"area":
			for group in node.get_groups():
				if group.begins_with("navd_area_"):
					node.remove_from_group(group)
			node.add_to_group("navd_area_%d" % (random.randi() % 64))
		"ignore":
			node.add_to_group("navd_ignore")
		"heed":
			if node.is_in_group("navd_ignore"):
				node.remove_from_group("navd_ignore")
		"reparent":
			var to := any_node()
			if node != to and not node.is_a_parent_of(to):
				node.get_parent().remove_child(node)
				to.add_child(node)
		"csg":
			var box := CSGBox.new()
			box.name = "Csg%d" % random.randi()
			scene.add_child(box)
			box.translation = somewhere()
		"reconnect":
			world.open()


func end() -> void:
	step = "end"
	link.close()
	world.close()
	quit(0 if check.failures == 0 else 1)
