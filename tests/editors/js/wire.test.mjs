// The core without sockets: the daemon's own bytes, cut anywhere and garbled anywhere; u64; errors.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Daemon, navd, square } from './daemon.mjs';

const { Encoder } = await import(join(process.env.NAVD_JS, 'node_modules/@msgpack/msgpack/dist.esm/index.mjs'));
const encoder = new Encoder({ useBigInt64: true });

// What a session of the core with a real navd is: its calls, and all bytes that came.
async function record(t) {
  const daemon = await Daemon.start(t);
  const connection = new navd.Connection();
  const socket = createConnection(daemon.address);
  t.after(() => socket.destroy());
  const calls = [];
  const pieces = [];
  const events = [];
  let look = () => {};
  socket.on('data', (bytes) => {
    pieces.push(bytes);
    events.push(...connection.receive(bytes));
    look();
  });
  const until = (test) =>
    new Promise((resolve) => {
      look = () => {
        const found = events.find(test);
        if (found) resolve(found);
      };
      look();
    });
  const call = async (method, params) => {
    calls.push([method, params]);
    const id = connection.call(method, params);
    socket.write(connection.sendBuffer());
    return (await until((e) => e.id === id)).result;
  };
  const mesh = square(20);
  await call('hello', { version: 1, client: 'recorder' });
  const { world } = await call('world.open', { name: 'level', create: true, profiles: [{ name: 'walker' }] });
  const data = navd.meshBytes(mesh);
  const { hash } = await call('mesh.put', { vertices: 4, triangles: 2, data });
  await call('tiles.subscribe', { world, profile: 'walker' });
  await call('world.areas', { world, areas: [{ id: 7, name: 'water', cost: 10 }] });
  const { revision } = await call('world.edit', { world, ops: [{ op: 'put_instance', id: 2n ** 63n + 1n, mesh: hash }] });
  await until((e) => e.type === 'note' && e.note.name === 'synced' && e.note.params.revision >= revision);
  await call('world.objects', { world });
  await call('tiles.why', { world, profile: 'none', x: 0, z: 0 }); // an error
  return { calls, bytes: Buffer.concat(pieces), events };
}

function replay({ calls }, ...pieces) {
  const connection = new navd.Connection();
  for (const [method, params] of calls) {
    connection.call(method, params);
    connection.message_bytes = 1 << 26;
  }
  return pieces.flatMap((piece) => connection.receive(piece));
}

test('the same events, wherever the bytes are cut', async (t) => {
  const session = await record(t);
  const { bytes, events } = session;
  assert(events.length > 12 && events.every((e) => e.type !== 'broken'));
  assert.deepEqual(replay(session, bytes), events);
  for (let cut = 0; cut <= bytes.length; cut++) {
    assert.deepEqual(replay(session, bytes.subarray(0, cut), bytes.subarray(cut)), events, `cut at ${cut}`);
  }
  const single = Array.from(bytes, (_, i) => bytes.subarray(i, i + 1));
  assert.deepEqual(replay(session, ...single), events);
});

test('a beginning of the stream gives the first events, and no error', async (t) => {
  const session = await record(t);
  for (let end = 0; end < session.bytes.length; end++) {
    const events = replay(session, session.bytes.subarray(0, end));
    assert.deepEqual(events, session.events.slice(0, events.length), `${end} bytes`);
  }
});

test('garbled bytes end the connection with a sentence, or are harmless; they never throw', async (t) => {
  const session = await record(t);
  let broken = 0;
  for (let at = 0; at < session.bytes.length; at++) {
    for (const mask of [0xff, 0x01, 0x80, 0x40]) {
      const garbled = Buffer.from(session.bytes);
      garbled[at] ^= mask;
      const events = replay(session, garbled);
      const end = events.findIndex((e) => e.type === 'broken');
      if (end < 0) continue;
      broken++;
      assert.equal(end, events.length - 1, 'something came after the end');
      assert(events[end].error instanceof navd.NavdError && events[end].error.message.length > 10);
    }
  }
  assert(broken > session.bytes.length, `only ${broken}`);
});

test('what promises too much is refused before it is there', () => {
  const refuse = (bytes, words) => {
    const connection = new navd.Connection();
    const events = connection.receive(Uint8Array.from(bytes));
    assert.equal(events.length, 1);
    assert.equal(events[0].type, 'broken');
    assert.match(events[0].error.message, words);
    assert.deepEqual(connection.receive(Uint8Array.of(0x93, 2)), [], 'it went on');
  };
  refuse([0xc1], /0xc1/);
  refuse([0x01], /no array/);
  refuse([0x92, 0x01, 0x02], /neither/);
  refuse([0xdd, 0xff, 0xff, 0xff, 0xff], /more than/); // an array of four thousand million
  refuse([0xdf, 0xff, 0xff, 0xff, 0xff], /more than/);
  refuse([0xc6, 0xff, 0xff, 0xff, 0xff], /more than/);
  refuse(Array(40).fill(0x91), /deep/);
  refuse([0x94, 1, 9, 0xc0, 0x80], /call 9/);
  refuse(encoder.encode([2, 'tile', { x: 1 }]), /tile\.subscription/);
  refuse(encoder.encode([2, 'synced', { subscription: 1, world: 1, revision: -1 }]), /revision/);
});

test('notifications and keys that are not known are ignored', () => {
  const connection = new navd.Connection();
  assert.deepEqual(connection.receive(encoder.encode([2, 'weather', { rain: true }])), []);
  const [{ note }] = connection.receive(encoder.encode([2, 'bye', { reason: 'stop', retry_ms: 5, mood: 'sad' }]));
  assert.deepEqual(note, { name: 'bye', params: { reason: 'stop', retry_ms: 5, mood: 'sad' } });
});

test('a u64 is a number up to 2^53 - 1 and a bigint above, in both directions', async (t) => {
  const revisionOf = (value) => {
    const [event] = new navd.Connection().receive(encoder.encode([2, 'synced', { subscription: 1, world: 1, revision: value }]));
    return event.note.params.revision;
  };
  for (const [wire, js] of [
    [0n, 0],
    [2n ** 32n, 2 ** 32],
    [2n ** 53n - 1n, 2 ** 53 - 1],
    [2n ** 53n, 2n ** 53n],
    [2n ** 64n - 1n, 2n ** 64n - 1n],
  ]) {
    assert.equal(revisionOf(wire), js);
    assert.equal(navd.u64(wire), js);
  }
  assert.throws(() => navd.u64(2 ** 53), navd.ArgumentError);
  assert.throws(() => navd.u64(-1), navd.ArgumentError);

  const daemon = await Daemon.start(t);
  const client = await daemon.connect(t);
  const { world } = await client.openWorld({ name: 'ids', create: true, profiles: [{ name: 'walker' }] });
  const mesh = await client.putMesh(square(4));
  const ids = [0, 1, 2 ** 32, 2 ** 53 - 1, 2n ** 53n, 2n ** 53n + 1n, 2n ** 64n - 1n];
  await client.edit(world, ids.map((id) => ({ op: 'put_instance', id, mesh })));
  const { objects } = await client.objects(world);
  const order = (a, b) => (BigInt(a) < BigInt(b) ? -1 : 1);
  assert.deepEqual(objects.map(({ id }) => id).sort(order), ids);
  await client.wait(world);
  await client.edit(world, [{ op: 'move_instance', id: 2n ** 53n + 1n, transform: navd.IDENTITY.map((v, i) => (i === 7 ? 1 : v)) }]);
  await client.wait(world);
  assert.equal((await client.why(world, 'walker', 0, 0)).object, 2n ** 53n + 1n);
  await assert.rejects(client.edit(world, [{ op: 'remove_instance', id: 2n ** 64n }]), navd.ArgumentError);
  await assert.rejects(client.edit(world, [{ op: 'remove_instance', id: -1n }]), navd.ArgumentError);
});

const CLASSES = {
  argument: 'ArgumentError',
  memory: 'MemoryError',
  limit: 'LimitError',
  format: 'FormatError',
  truncated: 'TruncatedError',
  version: 'VersionError',
  not_found: 'NotFoundError',
  exists: 'ExistsError',
  state: 'StateError',
  cancelled: 'CancelledError',
  again: 'AgainError',
  closed: 'ClosedError',
  io: 'IoError',
  timeout: 'TimeoutError',
  internal: 'InternalError',
  unauthenticated: 'UnauthenticatedError',
  forbidden: 'ForbiddenError',
  untrusted: 'UntrustedError',
  crashed: 'CrashedError',
};

test('each code of the protocol has a class of its own', () => {
  for (const [code, name] of Object.entries(CLASSES)) {
    const connection = new navd.Connection();
    const id = connection.call('ping', {});
    const [event] = connection.receive(encoder.encode([1, id, { code, message: 'words', key: 'ops[1].id', op: 1 }, null]));
    assert(event.error instanceof navd[name] && event.error instanceof navd.NavdError, code);
    assert.deepEqual(
      [event.error.name, event.error.code, event.error.message, event.error.key, event.error.op],
      [name, code, 'words', 'ops[1].id', 1],
    );
  }
  const connection = new navd.Connection();
  const id = connection.call('ping', {});
  const [event] = connection.receive(encoder.encode([1, id, { code: 'tired', message: 'words' }, null]));
  assert(event.error instanceof navd.InternalError);
  assert.match(event.error.message, /tired/);
});

test('the defaults of settings are those of a real navd', async (t) => {
  const daemon = await Daemon.start(t);
  const client = await daemon.connect(t);
  const { world, profiles } = await client.openWorld({ name: 'level', create: true, profiles: [{ name: 'walker' }] });
  const { revision } = await client.edit(world, [{ op: 'put_instance', id: 1, mesh: await client.putMesh(square(4)) }]);
  const { settings } = profiles[0]; // all of them, filled in here
  const same = await client.call('world.profile', { world, name: 'walker', settings });
  assert.deepEqual([Number(same.revision), same.dirty_tiles], [Number(revision), 0]); // nothing differs
  const voxel = await client.openWorld({ name: 'voxel', create: true, profiles: [{ name: 'walker', settings: { outlines: 'voxel' } }] });
  assert.equal(voxel.profiles[0].settings.outlines, 'voxel');
  const wrong = client.openWorld({ name: 'wrong', create: true, profiles: [{ name: 'walker', settings: { outlines: 'exact' } }] });
  await assert.rejects(wrong, (e) => e instanceof navd.ArgumentError && e.key === 'profiles[0].settings.outlines');
});

test('a real navd answers with them', async (t) => {
  const daemon = await Daemon.start(t, '--max-worlds', '1', '--socket-role', 'admin');
  const client = await daemon.connect(t);
  const profiles = [{ name: 'walker' }];
  const { world } = await client.openWorld({ name: 'level', create: true, profiles });
  const mesh = await client.putMesh(square(4));
  const put = { op: 'put_instance', id: 1, mesh };
  const refused = async (call, type, key, op) => {
    const error = await call.then(() => assert.fail('it was taken'), (e) => e);
    assert(error instanceof type, `${error.stack}`);
    if (key) assert.equal(error.key, key);
    assert.equal(error.op, op);
  };
  await refused(client.edit(world, [put, { ...put, id: 2, area: 64 }]), navd.ArgumentError, 'ops[1].area', 1);
  await refused(client.edit(world, [{ op: 'remove_instance', id: 9 }]), navd.NotFoundError, undefined, 0);
  await refused(client.openWorld({ name: 'other', create: true }), navd.LimitError);
  const other = [{ name: 'walker', settings: { agent_radius_m: 2 } }];
  await refused(client.openWorld({ name: 'level', profiles: other }), navd.ExistsError);
  await refused(client.edit(world, [put], { base_revision: 99 }), navd.StateError);
  await refused(client.findPaths(999, 'walker', []), navd.NotFoundError);
  await refused(client.call('hello', { version: 1 }), navd.StateError);
  const ops = [{ ...put, transform: [100, 0, 0, 0, 0, 1, 0, 0, 0, 0, 100, 0] }];
  await client.edit(world, ops);
  const waits = client.wait(world);
  await client.cancel({ world });
  await waits.catch((e) => assert(e instanceof navd.CancelledError)); // unless navd was faster
  const tooLong = { op: 'put_instance', id: 3, mesh, name: 'x'.repeat(2 ** 27) };
  await refused(client.edit(world, [tooLong]), navd.LimitError);
  await client.ping();
});

test('roles and tokens', async (t) => {
  const daemon = await Daemon.start(t, '--listen-role', 'reader', '--socket-role', 'editor');
  const reader = await navd.connect(`127.0.0.1:${daemon.port}`);
  t.after(() => reader.close());
  assert.equal(reader.hello.role, 'reader');
  await assert.rejects(reader.openWorld({ name: 'mine', create: true }), navd.ForbiddenError);
  await assert.rejects(navd.connect(daemon.address, { token: 'navd_0_0' }), navd.UnauthenticatedError);
  await assert.rejects(navd.connect(join(daemon.folder, 'nobody')), navd.IoError);
  await assert.rejects(navd.connect(`tls://127.0.0.1:${daemon.port}`), navd.NavdError);
  const old = new navd.Connection();
  old.call('hello', { version: 2 });
  const socket = createConnection(daemon.address);
  t.after(() => socket.destroy());
  socket.write(old.sendBuffer());
  const event = await new Promise((resolve) => {
    socket.on('data', (bytes) => old.receive(bytes).forEach(resolve)); // the answer may come in pieces
  });
  assert(event.error instanceof navd.VersionError);
});

test('a token goes to a daemon that asks for it, and encrypted', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'navd-js-tokens-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = (name) => join(folder, name);
  const token = execFileSync(process.env.NAVD, ['token', 'new', 'mia', '--role', 'editor', '--file', file('tokens')], { encoding: 'utf8' }).split('\n')[0].trim();
  writeFileSync(file('token'), `${token}\n`, { mode: 0o600 });
  const plain = await Daemon.start(t, '--tokens', file('tokens'));
  const tcp = (daemon) => `127.0.0.1:${daemon.port}`;
  await assert.rejects(navd.connect(tcp(plain)), navd.UnauthenticatedError);
  await assert.rejects(navd.connect(tcp(plain), { token: token.slice(0, -4) + '0000' }), navd.UnauthenticatedError);
  for (const options of [{ token }, { token: async () => token }, { token_file: file('token') }, { token, insecure_token: true }]) {
    const client = await navd.connect(tcp(plain), options);
    assert.equal(client.hello.role, 'editor');
    client.close();
  }
  await assert.rejects(navd.connect(tcp(plain), { token_file: file('nothing') }), navd.ArgumentError);
  process.env.NAVD_TOKEN_FILE = file('token');
  (await navd.connect(tcp(plain))).close();
  delete process.env.NAVD_TOKEN_FILE;
  chmodSync(file('token'), 0o644);
  await assert.rejects(navd.connect(tcp(plain), { token_file: file('token') }), /chmod 0600/);

  // One that asks for none is given none: with this one, hello would be refused.
  const open = await Daemon.start(t);
  const client = await navd.connect(tcp(open), { token: 'navd_0_0' });
  client.close();

  const [key, certificate] = [file('key.pem'), file('certificate.pem')];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2', '-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1', '-keyout', key, '-out', certificate], { stdio: 'ignore' });
  const tls = await Daemon.start(t, '--tokens', file('tokens'), '--tls-certificate', certificate, '--tls-key', key);
  for (const host of ['127.0.0.1', 'localhost']) {
    const encrypted = await navd.connect(`tls://${host}:${tls.port}`, { token, ca_file: certificate });
    assert.equal(encrypted.hello.role, 'editor');
    await encrypted.ping();
    encrypted.close();
  }
  await assert.rejects(navd.connect(`tls://127.0.0.1:${tls.port}`, { token }), navd.UntrustedError);
});

test('no token crosses a network in the clear', async () => {
  let sent = 0;
  const dial = (way) => (events) =>
    Promise.resolve({
      way,
      unsent: 0,
      send: () => sent++,
      close() {},
    });
  await assert.rejects(navd.Client.connect(dial('open'), { token: 'navd_1_2' }), navd.ArgumentError);
  assert.equal(sent, 0);
});
