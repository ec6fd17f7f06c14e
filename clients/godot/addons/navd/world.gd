# A Navigation node whose meshes navd builds: it sends the scene around it, follows its changes, and has one NavigationMesh for each tile, so
# that get_simple_path() finds ways through the scene as it is now. In the editor it is always live; in a game if `live_in_game` is set.
# Nothing of it is saved with the scene but its properties. docs/editors/godot.md has the first steps.
tool
extends Navigation

const Link = preload("link.gd")
const Follower = preload("follower.gd")

# A tile is new, changed or gone; its cells may now be asked for.
signal tile_changed(x, z)
# Everything up to this revision of the world is here.
signal synced(revision)
# `state` in words has changed.
signal state_changed(state)

const BUDGET_US := 1000  # of a frame
const TILE_US := 400  # what the next tile may take at most

export(String) var address := "127.0.0.1:7777" setget set_address
export(String, FILE, GLOBAL) var token_file := ""
# "": the scene's file.
export(String) var world_name := "" setget set_world_name
export(NodePath) var geometry := NodePath("..")
export(String) var profile := "walker" setget set_profile
export(float, 0, 10) var agent_radius := 0.6 setget set_agent_radius
export(float, 0.1, 20) var agent_height := 2.0 setget set_agent_height
export(float, 0, 10) var agent_climb := 0.9 setget set_agent_climb
export(float, 0, 90) var agent_slope := 45.0 setget set_agent_slope
export(float, 0.05, 5) var cell_size := 0.3 setget set_cell_size
export(float, 0.05, 5) var cell_height := 0.2 setget set_cell_height
# Where the mesh ends: at the columns of the grid, or at the walls themselves.
export(String, "voxel", "true") var outlines := "voxel" setget set_outlines
# What makes the mesh: voxels, or the walkable triangles as they are, within surface_error metres.
export(String, "voxel", "surface") var generator := "voxel" setget set_generator
export(float, 0, 10) var surface_error := 0.05 setget set_surface_error
# How "surface" keeps the radius around a corner: with an arc, with sides that go on until they meet, or with one straight edge between them.
export(String, "round", "mitre", "bevel") var corners := "round" setget set_corners
# How far a mitre reaches from its corner at most, in radii; the rest is cut off.
export(float, 1, 10) var mitre_limit := 2.0 setget set_mitre_limit
# How far a round corner may lie outside its arc, in metres; 0: 2 % of the radius.
export(float, 0, 10) var arc_error := 0.0 setget set_arc_error
export(bool) var show_navmesh := true setget set_show_navmesh
export(bool) var live_in_game := false

# For the panel and for scripts.
var state := "off" setget _not_settable
var revision := 0 setget _not_settable
var tiles := {} setget _not_settable  # of Vector2(x, z): {key, mesh, navmesh, drawn}
var failed := {} setget _not_settable  # of Vector2(x, z): the reason
var frame_us := 0 setget _not_settable  # what the last frame cost

var _link
var _follower := Follower.new()
var _events := []
var _world := 0
var _subscription := 0
var _settings_changed := false
var _material: SpatialMaterial


func _not_settable(_value) -> void:
	push_error("navd: this is read-only")


func _enter_tree() -> void:
	set_process(Engine.editor_hint or live_in_game)
	if is_processing():
		_connect_tree("connect")
		open()


func _exit_tree() -> void:
	if _link:
		_connect_tree("disconnect")
	close()


func _get_configuration_warning() -> String:
	if transform != Transform.IDENTITY:
		return "Tiles are in the world's coordinates: leave this node at the origin, without rotation or scale."
	if _follower.problem != "":
		return _follower.problem
	if failed.size() > 0:
		var at: Vector2 = failed.keys()[0]
		return "%d tiles failed. Tile (%d, %d): %s" % [failed.size(), at.x, at.y, failed[at]]
	return "" if state == "live" or state == "off" else state


# --- connecting ---

# Begins anew; what is the same is not sent again.
func open() -> void:
	close()
	var colon := address.find_last(":")
	var port := address.substr(colon + 1)
	if colon < 1 or not port.is_valid_integer():
		_set_state("address: \"%s\" is not HOST:PORT, such as 127.0.0.1:7777" % address)
		return
	_link = Link.new()
	_link.open(address.substr(0, colon), int(port), _read_token())
	_set_state("connecting to " + address)


func close() -> void:
	if _link:
		_link.close()
	_link = null
	_events = []
	_world = 0
	_subscription = 0
	_set_state("off")


func _read_token() -> String:
	var file := File.new()
	if token_file == "":
		return ""
	if file.open(token_file, File.READ) != OK:
		push_error("navd: the token file %s cannot be read" % token_file)
		return ""
	return file.get_as_text().strip_edges()


func _connect_tree(how: String) -> void:
	for pair in [["node_added", "_on_node"], ["node_removed", "_on_node"], ["node_renamed", "_on_node"]]:
		get_tree().call(how, pair[0], self, pair[1])


func _on_node(node: Node) -> void:
	var root := get_node_or_null(geometry)
	if root and root.is_a_parent_of(node) and not is_a_parent_of(node):
		_follower.stale = true


func _name_of_world() -> String:
	if world_name != "":
		return world_name
	var scene: Node = owner if owner else self
	return scene.filename.get_file() if scene.filename != "" else str(scene.name)


func _source() -> String:
	return "godot:" + _name_of_world()


func _settings() -> Dictionary:
	return {
		"agent_radius_m": agent_radius, "agent_height_m": agent_height, "agent_climb_m": agent_climb,
		"agent_slope_deg": agent_slope, "cell_size_m": cell_size, "cell_height_m": cell_height,
		"outlines": outlines, "generator": generator, "surface_error_m": surface_error,
		"corners": corners, "mitre_limit": mitre_limit, "arc_error_m": arc_error
	}


# --- each frame ---

func _process(_delta: float) -> void:
	var begin := OS.get_ticks_usec()
	if not _link:
		return
	_events += _link.take()
	var done := 0
	while done < _events.size() and OS.get_ticks_usec() < begin + BUDGET_US - TILE_US:
		var event: Dictionary = _events[done]
		done += 1
		_handle(event)
	_events = _events.slice(done, _events.size() - 1) if done < _events.size() else []
	if _subscription != 0:
		if _settings_changed:
			_send_settings()
		_follower.work(begin + BUDGET_US)
	frame_us = OS.get_ticks_usec() - begin
	if _link:  # a listener of a signal may have closed it
		_link.wake()


func _handle(event: Dictionary) -> void:
	match event["kind"]:
		"connected":
			_set_state("opening the world")
			_link.ask("world.open", {"name": _name_of_world(), "create": true}, "open")
		"broken":
			_subscription = 0
			_world = 0
			_set_state(event["why"])
		"note":
			_note(event["method"], event["params"])
		"hashed":
			_follower.handle(event)
		"answer":
			_answer(event)


func _answer(event: Dictionary) -> void:
	var tag = event["tag"]
	if typeof(tag) == TYPE_ARRAY:
		_follower.handle(event)
		update_configuration_warning()
	elif event["error"] != null:
		_set_state("navd: " + event["error"]["message"])
	elif tag == "open":
		_world = event["result"]["world"]
		_send_settings()
		var known := []
		for at in tiles:
			known.append([int(at.x), int(at.y), tiles[at]["key"]])
		_link.ask("tiles.subscribe", {"world": _world, "profile": profile, "sheets": ["up"], "known": known}, "subscribe")
	elif tag == "subscribe":
		_subscription = event["result"]["subscription"]
		_follower.begin(_link, _world, _source(), get_node(geometry), self)
		_set_state("live")


# Adds the profile, or changes it; nothing happens if it is so already.
func _send_settings() -> void:
	_settings_changed = false
	_link.ask("world.profile", {"world": _world, "name": profile, "settings": _settings()}, "profile")


func _note(method: String, params: Dictionary) -> void:
	if params.get("subscription", 0) != _subscription or _subscription == 0:
		return
	if method == "tile":
		_note_tile(params)
	elif method == "synced":
		revision = params["revision"]
		emit_signal("synced", revision)
	elif method == "ended":
		_subscription = 0
		_set_state("navd ended the subscription: %s" % params.get("reason", ""))


func _note_tile(params: Dictionary) -> void:
	var at := Vector2(params["x"], params["z"])
	if params.has("fault") or params["status"] == "failed":
		failed[at] = params.get("fault", params.get("reason", ""))
		update_configuration_warning()
		return  # the tile before stays valid
	if failed.erase(at):
		update_configuration_warning()
	_drop(at)
	if params["status"] == "ok" or params["status"] == "empty":
		var tile := {"key": params["key"], "mesh": params.get("mesh"), "navmesh": -1, "drawn": null}
		if params.has("mesh"):
			tile["navmesh"] = navmesh_add(params["mesh"], Transform.IDENTITY)
			tile["drawn"] = _draw(params["triangles"])
		tiles[at] = tile
	emit_signal("tile_changed", int(at.x), int(at.y))


func _drop(at: Vector2) -> void:
	var tile = tiles.get(at)
	if not tile:
		return
	if tile["navmesh"] >= 0:
		navmesh_remove(tile["navmesh"])
	if tile["drawn"]:
		tile["drawn"].queue_free()
	tiles.erase(at)


# --- drawing ---

# A child without an owner: it is neither saved nor shown in the scene's tree. A game shows it with Debug > Visible Navigation.
func _draw(triangles: PoolVector3Array) -> MeshInstance:
	if triangles.size() == 0 or not (Engine.editor_hint or get_tree().debug_navigation_hint):
		return null
	if not _material:
		_material = SpatialMaterial.new()
		_material.flags_unshaded = true
		_material.flags_transparent = true
		_material.params_cull_mode = SpatialMaterial.CULL_DISABLED
		_material.albedo_color = Color(0.2, 0.6, 1.0, 0.45)
	var arrays := []
	arrays.resize(Mesh.ARRAY_MAX)
	arrays[Mesh.ARRAY_VERTEX] = triangles
	var mesh := ArrayMesh.new()
	mesh.add_surface_from_arrays(Mesh.PRIMITIVE_TRIANGLES, arrays)
	mesh.surface_set_material(0, _material)
	var drawn := MeshInstance.new()
	drawn.mesh = mesh
	drawn.translation = Vector3(0, 0.05, 0)
	drawn.visible = show_navmesh
	add_child(drawn)
	return drawn


# --- properties ---

func _set_state(value: String) -> void:
	if value == state:
		return
	state = value
	emit_signal("state_changed", value)
	if is_inside_tree():
		update_configuration_warning()


# After a change of where or what: everything begins anew.
func _reopen() -> void:
	if not _link:
		return
	for at in tiles.keys():
		_drop(at)
	failed = {}
	open()


func set_address(value: String) -> void:
	address = value
	_reopen()


func set_world_name(value: String) -> void:
	world_name = value
	_reopen()


func set_profile(value: String) -> void:
	profile = value
	_reopen()


func set_agent_radius(value: float) -> void:
	agent_radius = value
	_settings_changed = true


func set_agent_height(value: float) -> void:
	agent_height = value
	_settings_changed = true


func set_agent_climb(value: float) -> void:
	agent_climb = value
	_settings_changed = true


func set_agent_slope(value: float) -> void:
	agent_slope = value
	_settings_changed = true


func set_cell_size(value: float) -> void:
	cell_size = value
	_settings_changed = true


func set_cell_height(value: float) -> void:
	cell_height = value
	_settings_changed = true


func set_outlines(value: String) -> void:
	outlines = value
	_settings_changed = true


func set_generator(value: String) -> void:
	generator = value
	_settings_changed = true


func set_surface_error(value: float) -> void:
	surface_error = value
	_settings_changed = true


func set_corners(value: String) -> void:
	corners = value
	_settings_changed = true


func set_mitre_limit(value: float) -> void:
	mitre_limit = value
	_settings_changed = true


func set_arc_error(value: float) -> void:
	arc_error = value
	_settings_changed = true


func set_show_navmesh(value: bool) -> void:
	show_navmesh = value
	for at in tiles:
		if tiles[at]["drawn"]:
			tiles[at]["drawn"].visible = value
