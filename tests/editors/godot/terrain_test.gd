# A HeightMapShape in Godot's own loop: its blocks are in the world, a brush sends what it has changed, and the daemon's samples are the
# scene's. godot3-server -s terrain_test.gd
extends SceneTree

const Check = preload("check.gd")
const Heights = preload("res://addons/navd/heights.gd")
const Geometry = preload("res://addons/navd/geometry.gd")
const Follower = preload("res://addons/navd/follower.gd")
const World = preload("res://addons/navd/world.gd")

const WIDTH := 131
const DEPTH := 100
const BLOCKS := 6

var check := Check.new()
var scene := Spatial.new()
var body := StaticBody.new()
var node := CollisionShape.new()
var shape := HeightMapShape.new()
var world: Navigation
var link
var ours := 0
var step := "first"
var next_round := 2 * Follower.CHECK_EACH
var asked := {}  # hash of a block: its number
var answers := 0
var first := 0
var walked := []  # the follower's list after the walk: strokes keep it
var changes := 0


func _init() -> void:
	check_strokes()
	scene.name = "Scene"
	get_root().add_child(scene)
	shape.map_width = WIDTH
	shape.map_depth = DEPTH
	var data := PoolRealArray()
	for z in range(DEPTH):
		for x in range(WIDTH):
			data.append(2 * sin(x / 7.0) * cos(z / 9.0))
	shape.map_data = data
	body.name = "Terrain"
	node.name = "Shape"
	node.shape = shape
	body.add_child(node)
	body.translation = Vector3(12, 3, -7)
	scene.add_child(body)
	world = World.new()
	world.name = "Navd"
	world.live_in_game = true
	world.address = OS.get_environment("NAVD_TCP")
	world.world_name = "terrain"
	world.surface_error = 0.25
	world.corners = "mitre"
	world.mitre_limit = 1.5
	world.arc_error = 0.125
	scene.add_child(world)
	link = Check.Link.new()
	var colon: int = world.address.find(":")
	link.open(world.address.substr(0, colon), int(world.address.substr(colon + 1)), "")


# Random terrains and rectangles: what strokes() makes of the one is the other.
func check_strokes() -> void:
	var random := RandomNumberGenerator.new()
	random.seed = 7
	for _i in range(30):
		var width := random.randi_range(2, 150)
		var depth := random.randi_range(2, 140)
		var before := PoolByteArray()
		before.resize(4 * width * depth)
		for i in range(before.size()):
			before[i] = 0
		var after := before
		var count := 0
		for _k in range(random.randi_range(0, 3)):
			after[4 * random.randi_range(0, width * depth - 1) + 2] = 65
			count += 1
		var strokes := Heights.strokes(before, after, width, depth)
		check.claim((strokes.size() == 0) == (count == 0), "strokes of %d changes: %d" % [count, strokes.size()])
		var places := Heights.places(width, depth)
		for stroke in strokes:
			check.claim(stroke["columns"] > 0 and stroke["rows"] > 0 and stroke["column"] + stroke["columns"] <= Heights.BLOCK + 1, "a rectangle within its block")
		for number in range(places.size()):
			var x: int = places[number][0]
			var z: int = places[number][1]
			var here: PoolByteArray = Heights.block(before, width, depth, x, z)["data"]
			var there: PoolByteArray = Heights.block(after, width, depth, x, z)["data"]
			var columns := int(min(Heights.BLOCK + 1, width - x))
			for stroke in strokes:
				if stroke["block"] == number:
					for row in range(stroke["rows"]):
						for i in range(4 * stroke["columns"]):
							here[48 + 4 * ((stroke["row"] + row) * columns + stroke["column"]) + i] = stroke["samples"][4 * row * stroke["columns"] + i]
			check.claim(here == there, "block %d of %d by %d samples, after %d changes" % [number, width, depth, count])


func _idle(_delta: float) -> bool:
	for event in link.take():
		if event["kind"] == "connected":
			link.ask("world.open", {"name": "terrain", "create": true}, ["open"])
		elif event["kind"] == "answer" and event["tag"][0] == "open":
			ours = event["result"]["world"]
		elif event["kind"] == "answer" and event["error"] != null:
			check.claim(false, "%s: %s" % [event["tag"], event["error"]["message"]])
			end()
		elif event["kind"] == "answer" and event["tag"][0] == "objects":
			look_at(event["result"]["objects"])
		elif event["kind"] == "answer" and event["tag"][0] == "profiles":
			check_settings(event["result"]["profiles"])
			end()
		elif event["kind"] == "answer" and event["tag"][0] == "mesh":
			compare_block(event["tag"][1], event["result"])
	var follower = world._follower
	if ours != 0 and step != "listing" and step != "end" and follower.is_settled() and follower.rounds >= next_round:
		step = "listing"
		link.ask("world.objects", {"world": ours, "limit": 16384}, ["objects"])
	link.wake()
	return false


func look_at(objects: Array) -> void:
	check.claim(objects.size() == BLOCKS, "%d objects, expected %d" % [objects.size(), BLOCKS])
	first = Geometry.id_of(world._source(), "Terrain/Shape")
	answers = 0
	for object in objects:
		check.claim(object["id"] - first >= 0 and object["id"] - first < BLOCKS, "ids follow each other")
		var numbers := Check.numbers(object["transform"])
		check.claim(numbers[3] == body.translation.x - 65 and numbers[7] == body.translation.y and numbers[11] == body.translation.z - 49.5,
			"a block begins where the terrain does: %s" % [numbers])
		link.ask("mesh.get", {"hash": object["mesh"]}, ["mesh", object["id"] - first])


func compare_block(number: int, result: Dictionary) -> void:
	var place: Array = Heights.places(WIDTH, DEPTH)[number]
	var wanted: Dictionary = Heights.block(Heights.bytes(shape), WIDTH, DEPTH, place[0], place[1])
	check.claim(result["heights"] == 32 and result["data"] == wanted["data"], "block %d has the scene's samples after %d changes" % [number, changes])
	answers += 1
	if answers < BLOCKS:
		return
	check.claim(world._follower.problem == "", world._follower.problem)
	if changes > 0 and changes < 4:
		check.claim(world._follower.objects == walked, "a stroke needs no walk over the scene")
	walked = world._follower.objects
	go_on()


func go_on() -> void:
	changes += 1
	var data := shape.map_data
	match changes:
		1:  # in one block
			data[20 * WIDTH + 30] += 1.5
		2:  # over a corner where four meet
			for z in range(60, 70):
				for x in range(58, 71):
					data[z * WIDTH + x] -= 0.75
		3:
			body.translation.y += 1
		4:  # a walk with blocks that strokes have made
			var mesh := MeshInstance.new()
			mesh.name = "Empty"
			scene.add_child(mesh)
			data[0] = 9
		5:
			print("godot: %d changes of a terrain in %d blocks" % [changes - 1, BLOCKS])
			check_resized()
			step = "end"
			link.ask("world.open", {"name": "terrain"}, ["profiles"])
			return
	shape.map_data = data
	step = "change"
	next_round = world._follower.rounds + 2 * Follower.CHECK_EACH


# Another size is found by a walk: the block that the daemon has is not moved to where the new first one begins.
func check_resized() -> void:
	var follower = world._follower
	shape.map_width = WIDTH + 2
	for object in follower.objects:
		if object.has("samples"):
			var ops := []
			follower._look_at(object, true, ops)
			check.claim(ops.size() == 0 and follower.stale, "a terrain of another size: %s" % [ops])


func check_settings(profiles: Array) -> void:
	for profile in profiles:
		if profile["name"] == world.profile:
			var found: Dictionary = profile["settings"]
			check.claim(found.get("surface_error_m") == 0.25 and found.get("corners") == "mitre" and found.get("mitre_limit") == 1.5
				and found.get("arc_error_m") == 0.125, "the profile has the node's settings: %s" % [found])
			return
	check.claim(false, "the world has the profile %s" % world.profile)


func end() -> void:
	step = "end"
	link.close()
	world.close()
	quit(0 if check.failures == 0 else 1)
