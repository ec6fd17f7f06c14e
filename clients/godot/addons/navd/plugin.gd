# The editor's side: the node type NavdWorld, and a panel below the viewport for the one that is selected.
tool
extends EditorPlugin

const World = preload("world.gd")
const Panel_ = preload("panel.gd")

var _panel: Control


func _enter_tree() -> void:
	add_custom_type("NavdWorld", "Navigation", World, get_editor_interface().get_base_control().get_icon("Navigation", "EditorIcons"))
	_panel = Panel_.new()
	_panel.undo_redo = get_undo_redo()
	add_control_to_bottom_panel(_panel, "navd")


func _exit_tree() -> void:
	remove_control_from_bottom_panel(_panel)
	_panel.queue_free()
	remove_custom_type("NavdWorld")


func handles(object: Object) -> bool:
	return object is World


func edit(object: Object) -> void:
	_panel.show_world(object)


func make_visible(visible: bool) -> void:
	if visible:
		make_bottom_panel_item_visible(_panel)
	elif _panel.visible:
		hide_bottom_panel()
