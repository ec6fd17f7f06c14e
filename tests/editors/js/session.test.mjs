// hello, edits, subscriptions, and what a broken connection does to them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at, box, Daemon, IDENTITY, Mirror, navd, square } from './daemon.mjs';
import { Proxy } from './proxy.mjs';

async function openLevel(client, side = 20) {
  const { world } = await client.openWorld({ name: 'level', create: true, profiles: [{ name: 'walker' }] });
  const mesh = await client.putMesh(square(side));
  return { world, mesh };
}

test('an edit brings the tiles that it touches, and the next one only those', async (t) => {
  const daemon = await Daemon.start(t);
  for (const address of [daemon.address, `127.0.0.1:${daemon.port}`]) {
    const client = await navd.connect(address, { client: 'test 1' });
    assert.match(client.hello.server, /^navd /);
    const { world, mesh } = await openLevel(client, 60);
    const mirror = new Mirror();
    const subscription = await client.subscribe({ world, profile: 'walker' }, mirror.take);
    const { revision, dirty_tiles } = await client.edit(world, [{ op: 'put_instance', id: 1, mesh }]);
    assert(dirty_tiles >= 16);
    await mirror.synced(revision);
    assert.equal(subscription.revision, revision);
    const ground = mirror.tiles.get('0,0');
    assert.equal(ground.status, 'ok');
    assert.equal(navd.readNavdTile(ground.data).area[0], 63);

    mirror.events.length = 0;
    const crate = await client.putMesh(box(2, 2, 2));
    const edited = await client.edit(world, [{ op: 'put_instance', id: 2, mesh: crate, transform: at(5, 0, 5), area: 0 }]);
    await mirror.synced(edited.revision);
    const touched = mirror.events.filter((e) => e.type === 'tile');
    assert.deepEqual(touched.map((e) => `${e.x},${e.z}`), ['0,0']);
    assert.notDeepEqual(touched[0].key, ground.key);
    await client.deleteWorld(world);
    assert.equal(subscription.ended, 'deleted');
    client.close();
  }
});

test('a loop over a subscription sees every tile, and leaving it unsubscribes', async (t) => {
  const daemon = await Daemon.start(t);
  const client = await daemon.connect(t);
  const { world, mesh } = await openLevel(client);
  const { revision } = await client.edit(world, [{ op: 'put_instance', id: 1, mesh, transform: IDENTITY }]);
  const subscription = await client.subscribe({ world, profile: 'walker', compression: 'none' });
  const places = new Set();
  for await (const event of subscription) {
    if (event.type === 'tile') places.add(`${event.x},${event.z}`);
    if (event.type === 'synced' && event.revision >= revision) break;
  }
  assert(places.has('0,0') && places.has('1,1'));
  assert.equal(subscription.ended, 'unsubscribed');
  await client.edit(world, [{ op: 'remove_instance', id: 1 }]);
  await client.wait(world);
  assert.equal((await client.call('sessions.list', {})).sessions[0].subscriptions, 0);
});

// Waits for what a watch tells, in the order in which it does.
class Told {
  events = [];
  #waiting = new Set();
  take = (event) => {
    this.events.push(event);
    for (const look of [...this.#waiting]) look();
  };
  until(holds) {
    return new Promise((resolve) => {
      const look = () => {
        if (!holds()) return;
        this.#waiting.delete(look);
        resolve();
      };
      this.#waiting.add(look);
      look();
    });
  }
}

test('watched paths come again when an edit changes them, over a broken connection, too', async (t) => {
  const daemon = await Daemon.start(t);
  const editor = await daemon.connect(t);
  const proxy = await Proxy.start(t, daemon);
  const client = await navd.connect(proxy.address);
  t.after(() => client.close());
  const { world, mesh } = await openLevel(editor, 60);
  const wall = await editor.putMesh(box(1, 4, 30));
  const { revision } = await editor.edit(world, [{ op: 'put_instance', id: 1, mesh }]);
  const told = new Told();
  const ended = new Told();
  const queries = [{ from: new Float32Array([10, 0, 10]), to: [40, 0, 10] }, { from: [10, 0, 55], to: [20, 0, 55] }];
  const watch = await client.watchPaths({ world, profile: 'walker', queries }, told.take);
  const other = await client.watchPaths({ world, profile: 'walker', queries, exclude: [63] }, ended.take);
  await told.until(() => watch.revision >= revision);
  await ended.until(() => other.revision >= revision);
  assert.deepEqual(watch.paths.map((path) => path.query), [0, 1]);
  assert(Math.abs(watch.paths[0].length_m - 30) < 1e-3 && watch.paths[0].points.length === 6, `${watch.paths[0].length_m}`);
  assert.deepEqual(other.paths.map((path) => path.status), ['no_start', 'no_start']);

  told.events.length = 0;
  const walled = await editor.edit(world, [{ op: 'put_instance', id: 2, mesh: wall, transform: at(25, 0, 0), area: 0 }]);
  await told.until(() => watch.revision >= walled.revision);
  assert(watch.paths[0].length_m > 40, `${watch.paths[0].length_m}`);
  const changed = told.events.filter(({ type }) => type === 'paths').flatMap(({ paths }) => paths.map(({ query }) => query));
  assert(changed.length > 0 && changed.every((query) => query === 0), changed.join(' ')); // the other one is far away
  assert.deepEqual(await client.findPaths(world, 'walker', queries.slice(0, 1)).then(([path]) => [path.length_m, ...path.points]), [watch.paths[0].length_m, ...watch.paths[0].points]);

  const restored = new Promise((resolve) => client.on(({ type }) => type === 'restored' && resolve()));
  proxy.cut();
  const opened = await editor.edit(world, [{ op: 'remove_instance', id: 2 }]);
  proxy.mend();
  await restored;
  await told.until(() => watch.revision >= opened.revision);
  assert(Math.abs(watch.paths[0].length_m - 30) < 1e-3, `${watch.paths[0].length_m}`);

  await watch.unwatch();
  assert.equal(watch.ended, 'unwatched');
  const before = told.events.length;
  await editor.deleteWorld(world);
  await ended.until(() => other.ended !== undefined);
  assert.equal(other.ended, 'deleted');
  assert.equal(told.events.length, before);
  await assert.rejects(client.watchPaths({ world, profile: 'walker', queries }, told.take), (error) => error.code === 'not_found');
});

test('a watch that is given up while it comes back is none of navd either', async (t) => {
  const daemon = await Daemon.start(t, '--max-subscriptions', '1');
  const editor = await daemon.connect(t);
  const proxy = await Proxy.start(t, daemon);
  const client = await navd.connect(proxy.address);
  t.after(() => client.close());
  const { world } = await openLevel(editor, 60);
  const queries = [{ from: [10, 0, 10], to: [40, 0, 10] }];
  const watch = await client.watchPaths({ world, profile: 'walker', queries }, () => {});
  await assert.rejects(client.watchPaths({ world, profile: 'walker', queries }, () => {}), (error) => error.code === 'limit');
  const restored = new Promise((resolve) => client.on(({ type }) => type === 'restored' && resolve()));
  proxy.cut();
  const asked = proxy.hold('path.watch');
  proxy.mend();
  await asked; // navd makes the watch again, and its answer waits in the proxy
  await watch.unwatch();
  proxy.release();
  await restored;
  await client.watchPaths({ world, profile: 'walker', queries }, () => {}); // there is room for it
});

test('after kill -9 the client comes back, and has what a new client gets', async (t) => {
  const daemon = await Daemon.start(t);
  const client = await daemon.connect(t);
  const states = [];
  const restored = new Promise((resolve) =>
    client.on(({ type }) => {
      states.push(type);
      if (type === 'restored') resolve();
    }),
  );
  const { world, mesh } = await openLevel(client);
  const mirror = new Mirror();
  await client.subscribe({ world, profile: 'walker' }, mirror.take);
  const puts = [0, 1, 2].map((i) => ({ op: 'put_instance', id: i, mesh, transform: at(200 * i, 0, 0) }));
  await mirror.synced((await client.edit(world, puts)).revision);

  await daemon.stop('SIGKILL');
  await daemon.start();
  // May be there before the client is, which never learns in order what happened meanwhile.
  const other = await daemon.connect(t);
  const { revision } = await other.edit(world, [
    { op: 'remove_instance', id: 1 },
    { op: 'move_instance', id: 2, transform: at(0, 0, 300) },
  ]);
  await restored;
  await mirror.synced(revision);
  assert.deepEqual(states, ['lost', 'restored']);

  const fresh = new Mirror();
  await other.subscribe({ world, profile: 'walker' }, fresh.take);
  await fresh.synced(revision);
  const shown = ({ tiles }) => [...tiles].map(([place, tile]) => `${place} ${tile.status} ${navd.hex(tile.key)}`).sort();
  assert(fresh.ok().length >= 8);
  assert.deepEqual(shown(mirror), shown(fresh));
});

test('after a broken connection only what changed comes again', async (t) => {
  const daemon = await Daemon.start(t);
  const proxy = await Proxy.start(t, daemon);
  const client = await navd.connect(proxy.address);
  t.after(() => client.close());
  const { world, mesh } = await openLevel(client);
  const mirror = new Mirror();
  await client.subscribe({ world, profile: 'walker' }, mirror.take);
  const { revision } = await client.edit(world, [
    { op: 'put_instance', id: 1, mesh },
    { op: 'put_instance', id: 2, mesh, transform: at(100, 0, 0) },
  ]);
  await mirror.synced(revision);
  mirror.events.length = 0;

  proxy.cut();
  const other = await daemon.connect(t);
  const edited = await other.edit(world, [
    { op: 'remove_instance', id: 2 },
    { op: 'put_instance', id: 3, mesh, transform: at(200, 0, 0) },
  ]);
  await other.wait(world);
  proxy.mend();
  await mirror.synced(edited.revision);
  const tiles = mirror.events.filter((e) => e.type === 'tile');
  assert(tiles.some((tile) => tile.status === 'removed') && tiles.some((tile) => tile.status === 'ok'));
  assert.deepEqual(tiles.filter((tile) => tile.x < 5), [], 'tiles that the client has came again');
});

test('a subscription to a world that is gone ends, and the client goes on', async (t) => {
  const daemon = await Daemon.start(t, '--state', '');
  const client = await daemon.connect(t);
  const { world, mesh } = await openLevel(client);
  const mirror = new Mirror();
  const subscription = await client.subscribe({ world, profile: 'walker' }, mirror.take);
  const { revision } = await client.edit(world, [{ op: 'put_instance', id: 1, mesh }]);
  await mirror.synced(revision);
  await daemon.stop('SIGKILL');
  await daemon.start();
  // The world is gone with the daemon's memory: the subscription ends, the client goes on.
  if (subscription.ended === undefined) await mirror.next((e) => e.type === 'ended');
  assert.match(subscription.ended, /level/);
  assert.deepEqual(await client.listWorlds(), []);
});

test('a question about paths that is given up ends in the daemon', async (t) => {
  const daemon = await Daemon.start(t, '--max-calls', '1', '--max-path-ms', '3600000');
  const client = await daemon.connect(t);
  const { world, mesh } = await openLevel(client);
  const { revision } = await client.edit(world, [{ op: 'put_instance', id: 1, mesh }]);
  await client.wait(world, { revision });
  for (let i = 0; i < 5; i++) {
    const abort = new AbortController();
    const audit = client.call('path.audit', { world, profile: 'walker', pairs: 100000 }, { signal: abort.signal });
    abort.abort();
    await assert.rejects(audit, navd.CancelledError);
    const [path] = await client.findPaths(world, 'walker', [{ from: [2, 0, 2], to: [18, 0, 18] }]); // not one call too many
    assert.equal(path.status, 'found');
  }
});

test('calls wait for the connection, and those under way say that it broke', async (t) => {
  const daemon = await Daemon.start(t);
  const client = await daemon.connect(t);
  const { world } = await openLevel(client);
  const lost = new Promise((resolve) => client.on(({ type }) => type === 'lost' && resolve()));
  await daemon.stop('SIGKILL');
  await lost;
  assert.equal(client.state, 'lost');
  const later = client.edit(world, [{ op: 'dirty', min: [0, 0], max: [1, 1] }]);
  const given_up = client.call('ping', {}, { signal: AbortSignal.timeout(1) });
  await assert.rejects(given_up, navd.CancelledError);
  await daemon.start();
  assert((await later).revision > 0);
  client.close();
  await assert.rejects(client.ping(), navd.ClosedError);
});

test('paths, and how long the stages of a tile took', async (t) => {
  const daemon = await Daemon.start(t);
  const client = await daemon.connect(t);
  const { world, mesh } = await openLevel(client, 60);
  await client.edit(world, [{ op: 'put_instance', id: 1, mesh }]);
  await client.wait(world);
  const [straight, off] = await client.findPaths(world, 'walker', [
    { from: [5, 0, 5], to: [50, 0, 41] },
    { from: new Float32Array([5, 0, 5]), to: [500, 0, 500] },
  ]);
  assert.equal(straight.status, 'found');
  assert(Math.abs(straight.length_m - Math.hypot(45, 36)) < 1e-3, `${straight.length_m} m`);
  assert.equal(straight.points.length, 6);
  assert(straight.optimal && straight.cost === straight.length_m && straight.lower_bound === straight.cost);
  assert.deepEqual([straight.limit, straight.links], [undefined, []]);
  await client.setAreas(world, [{ id: 63, cost: 2 }]);
  const ends = [{ from: [5, 0, 5], to: [50, 0, 41] }];
  const [doubled] = await client.findPaths(world, 'walker', ends, { world_costs: true });
  assert(Math.abs(doubled.cost - 2 * straight.cost) < 1e-6, `${doubled.cost}`);
  const [tripled] = await client.findPaths(world, 'walker', ends, { world_costs: true, costs: [{ area: 63, cost: 3 }] });
  assert(Math.abs(tripled.cost - 3 * straight.cost) < 1e-6, `${tripled.cost}`);
  const [none] = await client.findPaths(world, 'walker', ends, { exclude: [63], near_m: 1 });
  assert.equal(none.status, 'no_start');
  assert.deepEqual([off.status, off.points.length], ['no_goal', 0]);
  const [near] = await client.nearest(world, 'walker', [[5, 0.1, 5]]);
  assert.equal(near.status, 'found');
  assert(Math.abs(near.place.at[0] - 5) < 1e-2 && Number.isInteger(near.place.cell), JSON.stringify(near));
  const [ray] = await client.raycast(world, 'walker', [{ from: [5, 0, 5], to: [500, 0, 5] }]);
  assert.equal(ray.status, 'wall');
  assert.deepEqual(Array.from(ray.wall.normal), [-1, 0, 0]);
  const [wall] = await client.walls(world, 'walker', [[5, 0, 5]]);
  assert(wall.status === 'found' && wall.distance_m < 6, JSON.stringify(wall));
  assert.deepEqual(await client.reaches(world, 'walker', [5, 0, 5], [[50, 0, 41], [500, 0, 500]]), ['found', 'no_goal']);
  const drawn = await client.random(world, 'walker', { count: 4, seed: 2, at: [5, 0, 5], radius_m: 3, reachable: true });
  assert.equal(drawn.length, 12);
  assert(Math.hypot(drawn[0] - 5, drawn[2] - 5) < 3 + 1e-4);
  const within = await client.within(world, 'walker', [5, 0, 5], 3, { outlines: true });
  assert(within.status === 'found' && within.cells[0].distance_m === 0 && within.cells.some(({ whole }) => !whole), JSON.stringify(within.cells));
  const corners = within.outlines.flatMap((outline) => Array.from({ length: outline.length / 3 }, (_, i) => outline.subarray(3 * i, 3 * i + 3)));
  assert(corners.length > 8 && corners.every(([x, , z]) => Math.hypot(x - 5, z - 5) < 3 + 1e-3), corners.join(' '));
  const without = { near_m: 1, exclude: [63] };
  assert.equal((await client.within(world, 'walker', [5, 0, 5], 3, without)).status, 'no_start');
  assert.deepEqual((await client.nearest(world, 'walker', [[5, 0, 5]], without)).map(({ status }) => status), ['none']);
  assert.deepEqual((await client.raycast(world, 'walker', ends, without)).map(({ status }) => status), ['no_start']);
  assert.deepEqual((await client.walls(world, 'walker', [[5, 0, 5]], without)).map(({ status }) => status), ['no_start']);
  assert.deepEqual(await client.reaches(world, 'walker', [5, 0, 5], [[50, 0, 41]], without), ['no_start']);
  assert.equal((await client.random(world, 'walker', { count: 4, ...without })).length, 0);
  const { stages } = await client.why(world, 'walker', 0, 0);
  assert(stages.rasterize >= 0 && stages.encode >= 0, JSON.stringify(stages));
});

test('a terrain is put in blocks, and a stroke makes each block what it is then', async (t) => {
  const daemon = await Daemon.start(t);
  const client = await daemon.connect(t);
  const { world } = await openLevel(client);
  const side = 130;
  const terrain = { columns: side, rows: side, spacing_m: 0.5, scale_m: 0.01, samples: new Uint16Array(side * side).fill(1000) };
  terrain.areas = new Uint8Array((side - 1) ** 2).fill(255);
  const put = async (blocks) => Promise.all(blocks.map((block) => client.putMesh(block)));
  const keys = await put(navd.terrainBlocks(terrain));
  assert.equal(keys.length, 9);
  await client.edit(world, keys.map((mesh, block) => ({ op: 'put_instance', id: 1000 + block, mesh, transform: at(1, 0, 2) })));

  const hill = Uint16Array.from({ length: 200 }, (_, i) => 1000 + 3 * ((i % 20) + Math.floor(i / 20)));
  const areas = new Uint8Array(19 * 9).fill(255);
  areas[0] = navd.HOLE;
  const stroke = navd.strokeOf(terrain, 1000, 50, 60, 20, hill, areas);
  assert.deepEqual(stroke.map((op) => [op.id, op.column, op.row, op.columns, op.rows]), [
    [1000, 50, 60, 15, 5], [1001, 0, 60, 6, 5], [1003, 50, 0, 15, 6], [1004, 0, 0, 6, 6],
  ]);
  assert((await client.edit(world, stroke)).dirty_tiles > 0);
  for (let i = 0; i < 200; i++) terrain.samples[(60 + Math.floor(i / 20)) * side + 50 + (i % 20)] = hill[i];
  terrain.areas[60 * (side - 1) + 50] = navd.HOLE;
  const blocks = navd.terrainBlocks(terrain);
  const expected = await put(blocks);
  const { objects } = await client.objects(world);
  for (const object of objects) assert.deepEqual(object.mesh, expected[object.id - 1000]);
  const back = await client.getHeights(expected[4]);
  assert.deepEqual(navd.heightsBytes(back), navd.heightsBytes(blocks[4]));
  await assert.rejects(client.getMesh(expected[4]), /height grid/);
  assert.throws(() => navd.strokeOf(terrain, 1000, 120, 60, 20, hill), /20 by 10 samples from column 120, row 60: not within 130 by 130/);
  assert.throws(() => navd.heightsBytes({ ...terrain, samples: hill }), /200 samples: expected 16900/);
  client.close();
});
