# What of a scene is geometry: MeshInstance and CSG nodes that are visible, and the height maps of collision shapes. A node in the group
# `navd_ignore`, and everything below it, is left out; one in the group `navd_area_N` is ground of area type N (0: an obstacle, nobody
# walks on it). Main thread only.
extends Reference

const Heights = preload("heights.gd")

const IGNORE := "navd_ignore"
const AREA := "navd_area_"
const DEFAULT_AREA := 63


static func is_geometry(node: Node) -> bool:
	return node is MeshInstance or node is CSGShape or Heights.is_terrain(node)


# The node's mesh, or HeightMapShape, and where it stands: [Resource, Transform], or [] where there is nothing to walk on or against.
static func shape(node: Node) -> Array:
	if not is_geometry(node) or not node.is_inside_tree() or not node.is_visible_in_tree():
		return []
	if node is MeshInstance:
		return [node.mesh, node.global_transform] if node.mesh else []
	if node is CollisionShape:
		var size: Array = [node.shape.map_width, node.shape.map_depth]
		var is_grid: bool = size.min() >= 2 and node.shape.map_data.size() == size[0] * size[1]
		return [node.shape, node.global_transform.translated(Heights.offset(node.shape))] if is_grid else []
	if not node.is_root_shape():
		return []  # its root has it
	var meshes: Array = node.get_meshes()
	return [meshes[1], node.global_transform] if meshes.size() == 2 and meshes[1] else []


static func area(node: Node) -> int:
	for group in node.get_groups():
		if group.begins_with(AREA):
			return int(clamp(int(group.substr(AREA.length())), 0, 63))
	return DEFAULT_AREA


# An instance's id: the same for the same node of the same scene, on any machine. 63 bits, as GDScript has no unsigned integers.
static func id_of(source: String, path: String) -> int:
	var hashing := HashingContext.new()
	hashing.start(HashingContext.HASH_SHA256)
	hashing.update((source + "\n" + path).to_utf8())
	var digest := hashing.finish()
	var id := 0
	for i in range(8):
		id = id << 8 | digest[i]
	return id & 0x7fffffffffffffff


# All triangles of a mesh: [vertices, indices]. Lines and points are left out.
static func triangles(mesh: Mesh) -> Array:
	var vertices := PoolVector3Array()
	var indices := PoolIntArray()
	for surface in range(mesh.get_surface_count()):
		if mesh is ArrayMesh and mesh.surface_get_primitive_type(surface) != Mesh.PRIMITIVE_TRIANGLES:
			continue
		var arrays: Array = mesh.get_mesh_arrays() if mesh is PrimitiveMesh else mesh.surface_get_arrays(surface)
		if arrays.size() == 0 or arrays[Mesh.ARRAY_VERTEX] == null:
			continue
		var begin := vertices.size()
		vertices.append_array(arrays[Mesh.ARRAY_VERTEX])
		var own = arrays[Mesh.ARRAY_INDEX]
		if own == null:
			own = PoolIntArray(range(arrays[Mesh.ARRAY_VERTEX].size()))
		if begin > 0:
			for i in range(own.size()):
				own[i] += begin
		# Godot's front faces run clockwise, navd's anticlockwise: read backwards.
		own.invert()
		indices.append_array(own)
	return [vertices, indices]
