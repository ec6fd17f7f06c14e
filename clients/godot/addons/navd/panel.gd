# What the selected NavdWorld does: its state, its tiles, those that failed and why, and Bake.
tool
extends VBoxContainer

const Bake = preload("bake.gd")

var undo_redo: UndoRedo
var _world: WeakRef = weakref(null)
var _label := Label.new()
var _failed := ItemList.new()
var _bake := Button.new()


func _init() -> void:
	rect_min_size = Vector2(0, 120)
	_bake.text = "Bake into the scene"
	_bake.hint_tooltip = "Adds a Navigation node with the tiles as they are now, for games that run without navd"
	var row := HBoxContainer.new()
	_label.size_flags_horizontal = SIZE_EXPAND_FILL
	row.add_child(_label)
	row.add_child(_bake)
	add_child(row)
	_failed.size_flags_vertical = SIZE_EXPAND_FILL
	add_child(_failed)
	_bake.connect("pressed", self, "_on_bake")


func show_world(world: Object) -> void:
	_world = weakref(world)
	_refresh()


func _process(_delta: float) -> void:
	if is_visible_in_tree():
		_refresh()


func _refresh() -> void:
	var world = _world.get_ref()
	_bake.disabled = world == null
	if not world:
		_label.text = "Select a NavdWorld node."
		_failed.clear()
		return
	_label.text = "%s  ·  revision %d  ·  %d tiles" % [world.state, world.revision, world.tiles.size()]
	if _failed.get_item_count() == world.failed.size():
		return
	_failed.clear()
	for at in world.failed:
		_failed.add_item("Tile (%d, %d): %s" % [at.x, at.y, world.failed[at]])


func _on_bake() -> void:
	var world = _world.get_ref()
	if world:
		Bake.bake(world, undo_redo)
