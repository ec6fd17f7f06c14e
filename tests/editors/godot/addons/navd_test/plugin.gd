# Godot's editor with two scenes, driven as a person drives it: moves, undo and redo, undo while the other scene is shown, Bake, a node
# deleted and brought back. After each step the daemon's world is the scene. Ends the editor with the result.
tool
extends EditorPlugin

const Check = preload("res://check.gd")
const World = preload("res://addons/navd/world.gd")
const Bake = preload("res://addons/navd/bake.gd")

var check := Check.new()
var link
var answers := {}
var revision := 0  # of the world that was compared last


func _enter_tree() -> void:
	call_deferred("_run")


func _process(_delta: float) -> void:
	if not link:
		return
	for event in link.take():
		if event["kind"] == "answer":
			answers[event["tag"]] = event
	link.wake()


func _run() -> void:
	var address := OS.get_environment("NAVD_TCP")
	link = Check.Link.new()
	link.open(address.substr(0, address.find(":")), int(address.substr(address.find(":") + 1)), "")
	make_scene("res://one.tscn", address, 4.0)
	make_scene("res://two.tscn", address, -4.0)
	var editor := get_editor_interface()
	yield(get_tree(), "idle_frame")

	editor.open_scene_from_path("res://one.tscn")
	yield(same("one is opened"), "completed")
	var crate: Spatial = root().get_node("Crate")
	move(crate, Vector3(0, 0, 9))
	yield(same("one's crate is moved"), "completed")
	get_undo_redo().undo()
	yield(same("the move is undone"), "completed")
	check.claim(crate.translation.z == 0, "the crate is back: %s" % crate.translation)
	get_undo_redo().redo()
	yield(same("the move is done again"), "completed")

	editor.open_scene_from_path("res://two.tscn")
	yield(same("two is opened"), "completed")
	var before: int = revision
	move(root().get_node("Crate"), Vector3(0, 0, -5))
	yield(same("two's crate is moved"), "completed")
	check.claim(revision == before + 1, "by one edit: revision %d, before %d" % [revision, before])
	get_undo_redo().undo()
	yield(same("two's move is undone"), "completed")
	get_undo_redo().undo()  # Godot counts the change of scenes as a step
	yield(same("one is shown again by undo"), "completed")
	check.claim(world()._name_of_world() == "one.tscn", "this is one: %s" % world()._name_of_world())
	crate = root().get_node("Crate")
	get_undo_redo().undo()
	yield(same("one's move is undone"), "completed")
	check.claim(crate.translation.z == 0, "the crate is back: %s" % crate.translation)
	editor.open_scene_from_path("res://two.tscn")
	yield(same("two is as it was"), "completed")
	editor.open_scene_from_path("res://one.tscn")
	yield(same("one is as it was"), "completed")
	crate = root().get_node("Crate")

	Bake.bake(world(), get_undo_redo())
	var baked: Navigation = root().get_node_or_null(Bake.NAME)
	check.claim(baked != null and baked.owner == root(), "Bake added a node to the scene")
	check.claim(baked.get_child_count() > 0, "with tiles: %d" % baked.get_child_count())
	var way := baked.get_simple_path(Vector3(-20, 0, -20), Vector3(20, 0, 20), true)
	check.claim(way.size() > 1, "the baked tiles have a path: %s" % way)
	var again := Bake.bake(world(), get_undo_redo())
	check.claim(root().get_node_or_null(Bake.NAME) == again and not baked.is_inside_tree(), "a second bake replaces the first")
	get_undo_redo().undo()
	check.claim(root().get_node_or_null(Bake.NAME) == baked and baked.owner == root(), "it is undone")
	get_undo_redo().undo()
	check.claim(root().get_node_or_null(Bake.NAME) == null, "and so is the first")

	var ours := world()
	ours.geometry = NodePath("../Nowhere")
	yield(get_tree(), "idle_frame")
	ours.geometry = NodePath("..")
	root().remove_child(ours)
	yield(get_tree(), "idle_frame")
	crate.translation.x = 1
	root().add_child(ours)
	ours.owner = root()
	yield(same("the node comes back after a change"), "completed")
	for _i in range(3):
		editor.reload_scene_from_path("res://one.tscn")
		yield(same("one is loaded anew"), "completed")
	end()


func root() -> Node:
	return get_editor_interface().get_edited_scene_root()


func world() -> Navigation:
	return root().get_node("Navd") as Navigation


# As the inspector does it.
func move(node: Spatial, by: Vector3) -> void:
	get_undo_redo().create_action("Move")
	get_undo_redo().add_do_property(node, "translation", node.translation + by)
	get_undo_redo().add_undo_property(node, "translation", node.translation)
	get_undo_redo().commit_action()


func ask(method: String, params: Dictionary):
	answers.erase(method)
	link.ask(method, params, method)
	while not answers.has(method):
		yield(get_tree(), "idle_frame")
	check.claim(answers[method]["error"] == null, "%s: %s" % [method, answers[method]["error"]])


# Waits until the plugin says that it is done, and compares.
func same(what: String):
	yield(get_tree(), "idle_frame")
	while root() == null or world().state != "live":
		yield(get_tree(), "idle_frame")
	var follower = world()._follower
	var until: int = follower.rounds + 2 * follower.CHECK_EACH
	while not follower.is_settled() or follower.rounds < until:
		yield(get_tree(), "idle_frame")
	yield(ask("world.open", {"name": world()._name_of_world()}), "completed")
	var id: int = answers["world.open"]["result"]["world"]
	yield(ask("world.objects", {"world": id}), "completed")
	revision = answers["world.objects"]["result"]["revision"]
	var here := Check.list_scene(world())
	yield(ask("mesh.have", {"sha256": Check.digests(here)}), "completed")
	Check.put_keys(here, answers["mesh.have"]["result"]["keys"])
	var different := Check.difference(here, Check.list_daemon(answers["world.objects"]["result"]["objects"]))
	check.claim(different == "", "%s: %s" % [what, different])
	check.claim(here.size() == 2, "%s: the scene has two objects: %d" % [what, here.size()])
	while world().revision < revision:  # its tiles are here
		yield(get_tree(), "idle_frame")
	print("godot editor: ", what)


func make_scene(path: String, address: String, x: float) -> void:
	var scene := Spatial.new()
	scene.name = "Scene"
	var ground := PlaneMesh.new()
	ground.size = Vector2(60, 60)
	for pair in [["Ground", ground, Vector3()], ["Crate", CubeMesh.new(), Vector3(x, 1, 0)]]:
		var node := MeshInstance.new()
		node.name = pair[0]
		node.mesh = pair[1]
		node.translation = pair[2]
		scene.add_child(node)
		node.owner = scene
	var navd := Navigation.new()
	navd.set_script(World)
	navd.name = "Navd"
	navd.address = address
	scene.add_child(navd)
	navd.owner = scene
	var packed := PackedScene.new()
	packed.pack(scene)
	ResourceSaver.save(path, packed)
	scene.free()


func end() -> void:
	link.close()
	link = null
	print("godot editor: %d failures" % check.failures)
	OS.exit_code = 0 if check.failures == 0 else 1
	get_tree().quit(OS.exit_code)
