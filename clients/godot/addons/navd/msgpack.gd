# MessagePack, as far as navd's protocol uses it: nil, booleans, integers, floats, strings, bytes, arrays and maps. Integers are 64 bits,
# and an unsigned one above 2^63 - 1 shows as negative; floats are written as float64; bytes are PoolByteArray.
extends Reference

# Where the bytes of a message may come in pieces, feed() takes them and next() gives whole messages.
const MAX_DEPTH := 32

var _in := StreamPeerBuffer.new()
var _size := 0
var _short := false
var _bad := ""


func _init() -> void:
	_in.big_endian = true


# --- writing ---

static func pack(value) -> PoolByteArray:
	var out := StreamPeerBuffer.new()
	out.big_endian = true
	_write(out, value)
	return out.data_array


static func _write(out: StreamPeerBuffer, value) -> void:
	match typeof(value):
		TYPE_NIL:
			out.put_u8(0xc0)
		TYPE_BOOL:
			out.put_u8(0xc3 if value else 0xc2)
		TYPE_INT:
			_put_int(out, value)
		TYPE_REAL:
			out.put_u8(0xcb)
			out.put_double(value)
		TYPE_STRING:
			var text: PoolByteArray = value.to_utf8()
			_put_head(out, text.size(), 0xa0, 32, 0xd9, 0xda, 0xdb)
			out.put_data(text)
		TYPE_RAW_ARRAY:
			_put_head(out, value.size(), -1, 0, 0xc4, 0xc5, 0xc6)
			out.put_data(value)
		TYPE_ARRAY:
			_put_head(out, value.size(), 0x90, 16, -1, 0xdc, 0xdd)
			for item in value:
				_write(out, item)
		TYPE_DICTIONARY:
			_put_head(out, value.size(), 0x80, 16, -1, 0xde, 0xdf)
			for key in value:
				_write(out, key)
				_write(out, value[key])
		_:
			push_error("navd: a value of type %d cannot be sent" % typeof(value))
			out.put_u8(0xc0)


# Integers above 127 and below -32 take nine bytes: few are sent.
static func _put_int(out: StreamPeerBuffer, value: int) -> void:
	if value >= 0 and value < 128:
		out.put_u8(value)
	elif value < 0 and value >= -32:
		out.put_8(value)
	elif value >= 0:
		out.put_u8(0xcf)
		out.put_u64(value)
	else:
		out.put_u8(0xd3)
		out.put_64(value)


# The type and the count, in the shortest form that there is (-1: none).
static func _put_head(out: StreamPeerBuffer, count: int, fix: int, fix_end: int, one: int, two: int, four: int) -> void:
	if fix >= 0 and count < fix_end:
		out.put_u8(fix | count)
	elif one >= 0 and count < 0x100:
		out.put_u8(one)
		out.put_u8(count)
	elif count < 0x10000:
		out.put_u8(two)
		out.put_u16(count)
	else:
		out.put_u8(four)
		out.put_u32(count)


# --- reading ---

func feed(bytes: PoolByteArray) -> void:
	var at := _in.get_position()
	var rest: PoolByteArray = _in.data_array
	if at > 0:
		rest = rest.subarray(at, _size - 1) if at < _size else PoolByteArray()
	rest.append_array(bytes)
	_in.data_array = rest
	_in.seek(0)
	_size = rest.size()


# The next whole message in an array of one, or an empty array: it has not come yet, or error() says what is wrong.
func next() -> Array:
	var at := _in.get_position()
	if at >= _size or _bad != "":
		return []
	_short = false
	var value = _read(0)
	if _bad != "":
		return []
	if _short:
		_in.seek(at)
		return []
	return [value]


# "" or what is wrong with the bytes; nothing after them can be read.
func error() -> String:
	return _bad


func _has(count: int) -> bool:
	if _short or _bad != "" or _size - _in.get_position() < count:
		_short = true
		return false
	return true


func _read(depth: int):
	if depth > MAX_DEPTH:
		_bad = "a message is nested more than %d deep" % MAX_DEPTH
	if not _has(1):
		return null
	var type := _in.get_u8()
	if type < 0x80:
		return type
	if type >= 0xe0:
		return type - 0x100
	if type < 0x90:
		return _get_map(type & 15, depth)
	if type < 0xa0:
		return _get_array(type & 15, depth)
	if type < 0xc0:
		return _get_text(type & 31)
	return _get_long(type, depth)


func _get_long(type: int, depth: int):
	match type:
		0xc0:
			return null
		0xc2:
			return false
		0xc3:
			return true
		0xc4:
			return _get_bytes(_count(1))
		0xc5:
			return _get_bytes(_count(2))
		0xc6:
			return _get_bytes(_count(4))
		0xca:
			return _in.get_float() if _has(4) else null
		0xcb:
			return _in.get_double() if _has(8) else null
		0xcc, 0xcd, 0xce:
			return _count(1 << (type - 0xcc))
		0xcf:
			return _in.get_u64() if _has(8) else null
		0xd0:
			return _in.get_8() if _has(1) else null
		0xd1:
			return _in.get_16() if _has(2) else null
		0xd2:
			return _in.get_32() if _has(4) else null
		0xd3:
			return _in.get_64() if _has(8) else null
		0xd9, 0xda, 0xdb:
			return _get_text(_count(1 << (type - 0xd9)))
		0xdc, 0xdd:
			return _get_array(_count(2 << (type - 0xdc)), depth)
		0xde, 0xdf:
			return _get_map(_count(2 << (type - 0xde)), depth)
	_bad = "a byte 0x%x begins no value" % type
	return null


func _count(bytes: int) -> int:
	if not _has(bytes):
		return 0
	match bytes:
		1:
			return _in.get_u8()
		2:
			return _in.get_u16()
	return _in.get_u32()


func _get_bytes(count: int):
	if count == 0 or not _has(count):
		return PoolByteArray()
	return _in.get_data(count)[1]


func _get_text(count: int):
	return _get_bytes(count).get_string_from_utf8()


# A count is trusted no further than the bytes that have come: each value takes at least one.
func _get_array(count: int, depth: int):
	var out := []
	if not _has(count):
		return out
	for _i in range(count):
		out.append(_read(depth + 1))
		if _short or _bad != "":
			break
	return out


func _get_map(count: int, depth: int):
	var out := {}
	if not _has(2 * count):
		return out
	for _i in range(count):
		var key = _read(depth + 1)
		out[key] = _read(depth + 1)
		if _short or _bad != "":
			break
	return out
