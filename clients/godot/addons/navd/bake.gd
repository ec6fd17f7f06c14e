# Copies a NavdWorld's tiles into its scene: a Navigation node beside it, with one NavigationMeshInstance for each tile. One step of undo.
extends Reference

const NAME := "NavdBaked"


# The new node; null where the scene's root is the NavdWorld itself, which has no room beside it.
static func bake(world: Navigation, undo_redo: UndoRedo) -> Navigation:
	var parent := world.get_parent()
	var scene: Node = world.owner
	if not scene:
		push_error("navd: a NavdWorld that is the scene's root cannot be baked; put it below another node")
		return null
	var baked := Navigation.new()
	baked.name = NAME
	for at in world.tiles:
		var mesh: NavigationMesh = world.tiles[at]["mesh"]
		if mesh:
			var tile := NavigationMeshInstance.new()
			tile.name = "Tile_%d_%d" % [at.x, at.y]
			tile.navmesh = mesh
			baked.add_child(tile)
	var before: Node = parent.get_node_or_null(NAME)
	undo_redo.create_action("Bake navd's tiles")
	if before:
		undo_redo.add_do_method(parent, "remove_child", before)
	undo_redo.add_do_method(parent, "add_child", baked)
	for node in [baked] + baked.get_children():
		undo_redo.add_do_property(node, "owner", scene)
	undo_redo.add_do_reference(baked)
	undo_redo.add_undo_method(parent, "remove_child", baked)
	if before:
		undo_redo.add_undo_method(parent, "add_child", before)
		for node in [before] + before.get_children():
			undo_redo.add_undo_property(node, "owner", scene)
		undo_redo.add_undo_reference(before)
	undo_redo.commit_action()
	return baked
