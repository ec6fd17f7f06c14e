# The connection to navd, on a thread of its own: it connects, connects again after a break, packs and unpacks messages, hashes meshes and
# reads tiles, so that none of that costs a frame. The owner calls the functions below on the main thread: once a frame take() for what has
# come, and wake() when it has done its own work, so that the thread does not run beside that. Nothing polls while no frames are drawn.
extends Reference

const MessagePack = preload("msgpack.gd")
const Tile = preload("tile.gd")

const VERSION := 1
const READ_BYTES := 1 << 20
const MAX_WAIT_MS := 8000

var _thread := Thread.new()
var _wake := Semaphore.new()
var _mutex := Mutex.new()
# Guarded by the mutex.
var _jobs := []  # from the owner
var _events := []  # for the owner
var _quit := false
# The thread's own.
var _tcp: StreamPeerTCP
var _reader
var _out := PoolByteArray()
var _host := ""
var _port := 0
var _token := ""
var _last_id := 0
var _waiting := {}  # call id: tag
var _greeted := false
var _hello_id := 0
var _retry_at := 0
var _wait_ms := 250


# token: "" where the daemon asks for none.
func open(host: String, port: int, token: String) -> void:
	_host = host
	_port = port
	_token = token
	if _thread.start(self, "_run", null) != OK:
		push_error("navd: no thread could be started; the scene is not followed")


func close() -> void:
	_mutex.lock()
	_quit = true
	_mutex.unlock()
	_wake.post()
	if _thread.is_active():
		_thread.wait_to_finish()


# The answer comes as an event {kind: "answer", tag, error, result}.
func ask(method: String, params: Dictionary, tag) -> void:
	_add({"kind": "call", "method": method, "params": params, "tag": tag})


# Hashes a mesh; its event is {kind: "hashed", tag, sha256, vertices, triangles, data}.
func digest(vertices: PoolVector3Array, indices: PoolIntArray, tag) -> void:
	_add({"kind": "digest", "vertices": vertices, "indices": indices, "tag": tag})


# The same of a block of a height grid.
func digest_block(block: Dictionary, tag) -> void:
	_add({"kind": "digest block", "block": block, "tag": tag})


# world.sync of a list of {id, mesh, transform, area, name}; its event is an answer.
func sync_source(world: int, source: String, objects: Array, tag) -> void:
	_add({"kind": "sync", "world": world, "source": source, "objects": objects, "tag": tag})


# What has come since the last call, the oldest first: answers, {kind: "connected"}, {kind: "broken", why}, and notifications as
# {kind: "note", method, params}. A tile with data has `mesh` (a NavigationMesh) and `triangles` in its params, or `fault`.
func take() -> Array:
	_mutex.lock()
	var events := _events
	_events = []
	_mutex.unlock()
	return events


# Lets the thread send what it was asked for, and read.
func wake() -> void:
	_wake.post()


func _add(job: Dictionary) -> void:
	_mutex.lock()
	_jobs.append(job)
	_mutex.unlock()


# --- the thread ---

func _run(_nothing) -> void:
	while true:
		_wake.wait()
		_mutex.lock()
		var quit := _quit
		var jobs := _jobs
		_jobs = []
		_mutex.unlock()
		if quit:
			break
		_connect_if_due()
		for job in jobs:
			_do(job)
		if _tcp:
			_exchange()
	if _tcp:
		_tcp.disconnect_from_host()


func _tell(event: Dictionary) -> void:
	_mutex.lock()
	_events.append(event)
	_mutex.unlock()


func _connect_if_due() -> void:
	if _tcp or OS.get_ticks_msec() < _retry_at:
		return
	_tcp = StreamPeerTCP.new()
	_reader = MessagePack.new()
	_out = PoolByteArray()
	_greeted = false
	if _tcp.connect_to_host(_host, _port) != OK:
		_break("no connection to %s:%d: is navd running, with --listen %s:%d?" % [_host, _port, _host, _port])


func _break(why: String) -> void:
	_tcp.disconnect_from_host()
	_tcp = null
	_waiting.clear()
	_retry_at = OS.get_ticks_msec() + _wait_ms
	_wait_ms = int(min(2 * _wait_ms, MAX_WAIT_MS))
	_tell({"kind": "broken", "why": why})


func _exchange() -> void:
	match _tcp.get_status():
		StreamPeerTCP.STATUS_CONNECTING:
			return
		StreamPeerTCP.STATUS_CONNECTED:
			pass
		_:
			_break("no connection to %s:%d: is navd running, with --listen %s:%d?" % [_host, _port, _host, _port])
			return
	if not _greeted:
		_greeted = true
		_tcp.set_no_delay(true)
		var hello := {"version": VERSION, "client": "navd for Godot 0.1.0"}
		if _token != "":
			hello["token"] = _token
		_hello_id = _call("hello", hello, null)
	_write()
	while _tcp and _read():
		pass


func _write() -> void:
	if _out.size() == 0:
		return
	var sent: Array = _tcp.put_partial_data(_out)
	if sent[0] != OK:
		_break("the connection to navd broke")
	elif sent[1] >= _out.size():
		_out = PoolByteArray()
	elif sent[1] > 0:
		_out = _out.subarray(sent[1], _out.size() - 1)


# True: there may be more.
func _read() -> bool:
	var got: Array = _tcp.get_partial_data(int(clamp(_tcp.get_available_bytes(), 1, READ_BYTES)))
	if got[0] != OK:
		_break("navd closed the connection")
		return false
	if got[1].size() == 0:
		return false
	_reader.feed(got[1])
	while _tcp:
		var message: Array = _reader.next()
		if _reader.error() != "":
			_break("navd sent bytes that cannot be read: " + _reader.error())
			return false
		if message.size() == 0:
			return true
		_handle(message[0])
	return false


func _handle(message) -> void:
	if typeof(message) != TYPE_ARRAY or message.size() < 3:
		_break("navd sent something that is no message")
	elif message[0] == 2:
		var params: Dictionary = message[2]
		if message[1] == "tile":
			_read_tile(params)
		_tell({"kind": "note", "method": message[1], "params": params})
	elif message[1] == _hello_id and _hello_id != 0:
		_hello_id = 0
		if message[2] == null:
			_wait_ms = 250
			_tell({"kind": "connected", "hello": message[3]})
		else:
			_break("navd refused the login: " + message[2]["message"])
	elif message[1] == 0:
		_break("navd ended the session: " + message[2]["message"])
	else:
		_answer(message[1], message[2], message[3])


func _call(method: String, params: Dictionary, tag) -> int:
	_last_id = _last_id % 0x7fffffff + 1
	if tag != null:
		_waiting[_last_id] = tag
	_out.append_array(MessagePack.pack([0, _last_id, method, [params]]))
	return _last_id


func _answer(id: int, error, result) -> void:
	var tag = _waiting.get(id)
	if not _waiting.erase(id):
		return
	_tell({"kind": "answer", "tag": tag, "error": error, "result": result})


func _do(job: Dictionary) -> void:
	if job["kind"] == "digest":
		_digest(job)
	elif job["kind"] == "digest block":
		_digest_block(job)
	elif not _tcp or not _greeted:
		pass  # the owner begins anew after "connected"
	elif job["kind"] == "sync":
		_sync(job)
	else:
		_call(job["method"], job["params"], job["tag"])


# The bytes of mesh.put: vertices, then triangles. var2bytes() writes eight bytes before the numbers themselves.
func _digest(job: Dictionary) -> void:
	var data := var2bytes(job["vertices"])
	data = data.subarray(8, data.size() - 1)
	var indices := var2bytes(job["indices"])
	data.append_array(indices.subarray(8, indices.size() - 1))
	var hashing := HashingContext.new()
	hashing.start(HashingContext.HASH_SHA256)
	hashing.update(data)
	_tell({
		"kind": "hashed", "tag": job["tag"], "sha256": hashing.finish(), "data": data,
		"vertices": job["vertices"].size(), "triangles": job["indices"].size() / 3
	})


func _digest_block(job: Dictionary) -> void:
	var hashing := HashingContext.new()
	hashing.start(HashingContext.HASH_SHA256)
	hashing.update(job["block"]["data"])
	var event: Dictionary = job["block"].duplicate()
	event["kind"] = "hashed"
	event["tag"] = job["tag"]
	event["sha256"] = hashing.finish()
	event["heights"] = 32
	_tell(event)


func _sync(job: Dictionary) -> void:
	var ids := StreamPeerBuffer.new()
	var transforms := StreamPeerBuffer.new()
	var meshes := PoolByteArray()
	var areas := PoolByteArray()
	var names := PoolByteArray()
	for object in job["objects"]:
		ids.put_u64(object["id"])
		meshes.append_array(object["mesh"])
		for number in rows(object["transform"]):
			transforms.put_float(number)
		areas.append(object["area"])
		var name: PoolByteArray = object["name"].to_utf8()
		if name.size() > 200:
			name = PoolByteArray()
		names.append(name.size())
		names.append_array(name)
	_call("world.sync", {
		"world": job["world"], "source": job["source"], "ids": ids.data_array, "meshes": meshes,
		"transforms": transforms.data_array, "areas": areas, "names": names
	}, job["tag"])


# navd's 12 numbers: three rows of four, the offset last.
static func rows(t: Transform) -> Array:
	var b := t.basis
	return [
		b.x.x, b.y.x, b.z.x, t.origin.x,
		b.x.y, b.y.y, b.z.y, t.origin.y,
		b.x.z, b.y.z, b.z.z, t.origin.z
	]


func _read_tile(params: Dictionary) -> void:
	var data = params.get("data")
	if typeof(data) != TYPE_RAW_ARRAY or data.size() == 0:
		return
	params.erase("data")
	var tile := Tile.new()
	var fault: String = tile.read(data.decompress(params["size"], File.COMPRESSION_ZSTD))
	if fault != "":
		params["fault"] = fault
		return
	params["mesh"] = tile.mesh
	params["triangles"] = tile.triangles
