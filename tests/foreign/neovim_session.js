// The npm package neovim against navd: hello, a mesh, an edit, tiles, a move. neovim_session.js SOCKET. NODE_PATH names the
// folder of the package.
'use strict';
const assert = require('node:assert');
const { createHash } = require('node:crypto');
const { createConnection } = require('node:net');
const { Transport } = require('neovim/lib/utils/transport');

const IDENTITY = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0];
const mesh = Buffer.concat([
  Buffer.from(new Float32Array([0, 0, 0, 0, 0, 20, 20, 0, 20, 20, 0, 0]).buffer),
  Buffer.from(new Uint32Array([0, 1, 2, 0, 2, 3]).buffer),
]);

const socket = createConnection(process.argv[2]);
const transport = new Transport();
transport.attach(socket, socket, null);
const call = (method, params) =>
  new Promise((resolve, reject) =>
    transport.request(method, [params], (error, result) => (error ? reject(error) : resolve(result))));

const tiles = new Map(); // the newest, by place
let newest = -1; // revision that `synced` has named
let waiting = () => {};
transport.on('notification', (method, params) => {
  if (method === 'tile') tiles.set(`${params.x},${params.z}`, params);
  if (method === 'synced') newest = params.revision;
  waiting();
});
const synced = (revision) =>
  new Promise((resolve) => {
    waiting = () => newest >= revision && resolve();
    waiting();
  });

async function main() {
  assert.strictEqual((await call('hello', { version: 1, client: 'neovim' })).version, 1);
  const { world } = await call('world.open', { name: 'noded', create: true, profiles: [{ name: 'walker' }] });

  const sha256 = [createHash('sha256').update(mesh).digest()];
  assert.deepStrictEqual((await call('mesh.have', { sha256 })).keys, [null]);
  const sent = await call('mesh.put', { vertices: 4, triangles: 2, data: mesh });
  assert(sent.complete && sent.hash.length === 16);
  assert.deepStrictEqual((await call('mesh.have', { sha256 })).keys, [sent.hash]);

  await call('tiles.subscribe', { world, profile: 'walker', compression: 'none' });
  const put = { op: 'put_instance', id: 1, mesh: sent.hash, transform: IDENTITY };
  await synced((await call('world.edit', { world, ops: [put] })).revision);
  const ground = tiles.get('0,0');
  assert.strictEqual(ground.status, 'ok');
  assert.strictEqual(ground.data.length, ground.size);
  assert.strictEqual(Buffer.from(ground.data).toString('latin1', 0, 4), 'NAVT');

  const move = { op: 'move_instance', id: 1, transform: IDENTITY.map((v, i) => (i === 3 ? 500 : v)) };
  await synced((await call('world.edit', { world, ops: [move] })).revision);
  assert.strictEqual(tiles.get('0,0').status, 'removed');
  assert([...tiles.values()].some((t) => t.status === 'ok' && t.x > 5));

  await assert.rejects(call('world.edit', { world, ops: [{ ...move, id: 2 }] }), (e) => e.op === 0);
  console.log(`neovim: hello, edit and subscribe, ${tiles.size} tiles`);
}

main().then(() => process.exit(0), (e) => {
  console.error(e);
  process.exit(1);
});
