# A navd tile (docs/formats.md, "The navd tile") as a NavigationMesh with one polygon for each cell. Both tiles of a border have the same
# vertices there, so Godot's Navigation joins them. May run on any thread.
extends Reference

const MAGIC := 0x5456414E
const VERSION := 2
const HEADER := 152

# The result, after read() has returned "".
var mesh: NavigationMesh
var triangles := PoolVector3Array()  # three corners each, to draw the cells
var cells := 0


# "" or what is wrong with the bytes.
func read(bytes: PoolByteArray) -> String:
	if bytes.size() < HEADER:
		return "the tile has %d bytes, a header has %d" % [bytes.size(), HEADER]
	var data := StreamPeerBuffer.new()
	data.data_array = bytes
	if data.get_u32() != MAGIC:
		return "these are not the bytes of a navd tile"
	var version := data.get_u32()
	if version != VERSION:
		return "the tile has version %d, this plugin reads %d: update the plugin" % [version, VERSION]
	data.seek(24)
	if data.get_u32() != bytes.size():
		return "the tile was cut short"
	var wide: bool = data.get_u32() == 4
	data.seek(52)
	var tile_x := data.get_32()
	var tile_z := data.get_32()
	var tile_cells := data.get_u32()
	var origin := [data.get_double(), data.get_double(), data.get_double()]
	var cell_size := data.get_float()
	var cell_height := data.get_float()
	data.seek(116)
	var vertex_count := data.get_u32()
	data.seek(124)
	cells = data.get_u32()
	var corner_count := data.get_u32()
	var width := 4 if wide else 2
	var at := HEADER
	var at_x := at
	at = _after(at, vertex_count, 2)
	var at_z := at
	at = _after(at, vertex_count, 2)
	var at_y := at
	at = _after(at, vertex_count, 4)
	var at_first := at
	at = _after(at, cells + 1, width)
	at = _after(at, cells + 1, width)  # first triangles
	at = _after(at, cells, 1)  # areas
	at = _after(at, cells, 1)  # flags
	var at_corner := at
	if _after(at, corner_count, width) > bytes.size():
		return "the tile names more corners than it has bytes"

	# GDScript's floats are doubles, a Vector3 has singles: rounded once, as formats.md asks, so that borders are equal.
	var vertices := PoolVector3Array()
	vertices.resize(vertex_count)
	var xs := _numbers(data, at_x, vertex_count, 2)
	var zs := _numbers(data, at_z, vertex_count, 2)
	data.seek(at_y)
	for i in range(vertex_count):
		var y := data.get_32()
		vertices[i] = Vector3(
			origin[0] + (float(tile_x) * tile_cells + xs[i]) * cell_size,
			origin[1] + y * cell_height,
			origin[2] + (float(tile_z) * tile_cells + zs[i]) * cell_size
		)
	var first := _numbers(data, at_first, cells + 1, width)
	var corner := _numbers(data, at_corner, corner_count, width)
	mesh = NavigationMesh.new()
	mesh.set_vertices(vertices)
	for c in range(cells):
		if first[c] > first[c + 1] or first[c + 1] > corner_count:
			return "cell %d has corners that the tile does not have" % c
		var polygon := PoolIntArray()
		for i in range(first[c], first[c + 1]):
			if corner[i] >= vertex_count:
				return "cell %d has a vertex that the tile does not have" % c
			polygon.append(corner[i])
		mesh.add_polygon(polygon)
		for i in range(2, polygon.size()):
			triangles.append(vertices[polygon[0]])
			triangles.append(vertices[polygon[i]])
			triangles.append(vertices[polygon[i - 1]])
	return ""


static func _after(at: int, count: int, bytes: int) -> int:
	return at + (count * bytes + 3) / 4 * 4


static func _numbers(data: StreamPeerBuffer, at: int, count: int, bytes: int) -> PoolIntArray:
	var out := PoolIntArray()
	out.resize(count)
	data.seek(at)
	if bytes == 2:
		for i in range(count):
			out[i] = data.get_u16()
	else:
		for i in range(count):
			out[i] = data.get_u32()
	return out
