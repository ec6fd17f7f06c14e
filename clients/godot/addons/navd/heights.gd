# Terrain: the samples of a HeightMapShape, a metre apart around its middle, as navd takes height grids: in blocks of 64 by 64 cells, and as
# rectangles of samples where a brush has changed some. docs/protocol/heights.md has the rules. Any thread.
extends Reference

const BLOCK := 64
const FLOAT := 1
const BACKWARD := 1  # the physics engine cuts each cell from its corner at +x to that at +z


static func is_terrain(node: Node) -> bool:
	return node is CollisionShape and node.shape is HeightMapShape and not node.disabled


# From the node's place to that of the first sample.
static func offset(shape: HeightMapShape) -> Vector3:
	return Vector3(-0.5 * (shape.map_width - 1), 0, -0.5 * (shape.map_depth - 1))


# The samples as bytes, four each, row by row. var2bytes() writes eight before them.
static func bytes(shape: HeightMapShape) -> PoolByteArray:
	var data := var2bytes(shape.map_data)
	return data.subarray(8, data.size() - 1)


# The first column and row of each block: their ids follow each other in this order.
static func places(width: int, depth: int) -> Array:
	var out := []
	for z in range(0, depth - 1, BLOCK):
		for x in range(0, width - 1, BLOCK):
			out.append([x, z])
	return out


# A block as mesh.put takes it: {data, vertices, triangles}.
static func block(samples: PoolByteArray, width: int, depth: int, x: int, z: int) -> Dictionary:
	var columns := int(min(BLOCK + 1, width - x))
	var rows := int(min(BLOCK + 1, depth - z))
	var head := StreamPeerBuffer.new()
	head.put_u32(columns)
	head.put_u32(rows)
	head.put_32(x)
	head.put_32(z)
	head.put_double(1.0)
	head.put_double(1.0)
	head.put_double(0.0)
	for byte in [FLOAT, BACKWARD, 0, 0, 0, 0, 0, 0]:
		head.put_u8(byte)
	var data: PoolByteArray = head.data_array
	data.append_array(_rectangle(samples, width, x, z, columns, rows))
	return {"data": data, "vertices": columns * rows, "triangles": 2 * (columns - 1) * (rows - 1)}


# What patch_heights needs to make the second of two terrains of the same size from the first: an operation for each block that the
# rectangle around what differs touches, with its number as `block`. Empty: they are the same.
static func strokes(before: PoolByteArray, after: PoolByteArray, width: int, depth: int) -> Array:
	var first_row := -1
	var last_row := -1
	var first := width
	var last := -1
	for row in range(depth):
		var a := before.subarray(4 * row * width, 4 * (row + 1) * width - 1)
		var b := after.subarray(4 * row * width, 4 * (row + 1) * width - 1)
		if a == b:
			continue
		if first_row < 0:
			first_row = row
		last_row = row
		var byte := 0
		while byte < 4 * first and a[byte] == b[byte]:
			byte += 1
		first = int(min(first, byte / 4))
		byte = 4 * width - 1
		while byte > 4 * last + 3 and a[byte] == b[byte]:
			byte -= 1
		last = int(max(last, byte / 4))
	var out := []
	if first_row < 0:
		return out
	var number := 0
	for place in places(width, depth):
		var c0 := int(max(first, place[0]))
		var r0 := int(max(first_row, place[1]))
		var c1 := int(min(last, place[0] + BLOCK))
		var r1 := int(min(last_row, place[1] + BLOCK))
		if c0 <= c1 and r0 <= r1:
			out.append({
				"block": number, "column": c0 - place[0], "row": r0 - place[1], "columns": c1 - c0 + 1, "rows": r1 - r0 + 1,
				"samples": _rectangle(after, width, c0, r0, c1 - c0 + 1, r1 - r0 + 1)
			})
		number += 1
	return out


static func _rectangle(samples: PoolByteArray, width: int, x: int, z: int, columns: int, rows: int) -> PoolByteArray:
	var out := PoolByteArray()
	for row in range(z, z + rows):
		var begin := 4 * (row * width + x)
		out.append_array(samples.subarray(begin, begin + 4 * columns - 1))
	return out
