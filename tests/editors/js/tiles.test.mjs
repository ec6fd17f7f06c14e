// Tiles: byte for byte what navctl writes, and what the readers see in them.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { box, Daemon, Mirror, navd, square } from './daemon.mjs';
import { Proxy } from './proxy.mjs';

const SCENE = join(process.env.NAVD_SOURCE, 'docs/demo/courtyard.obj');
const navctl = (...args) => execFileSync(process.env.NAVCTL, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });

async function courtyard(t) {
  const folder = mkdtempSync(join(tmpdir(), 'navd-js-tiles-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = (name) => join(folder, name);
  const build = ['build', SCENE, '--area-type', '7,name=water,cost=10,color=3366cc', '-o'];
  navctl(...build, file('yard.navd'));
  navctl(...build, file('yard.bin'));
  return { file, tiles: navd.readNavdFile(readFileSync(file('yard.navd'))), mset: navd.readMset(readFileSync(file('yard.bin'))) };
}

async function live(t, options) {
  const daemon = await Daemon.start(t);
  navctl('push', SCENE, '--world', 'yard', '--connect', daemon.address);
  const client = await daemon.connect(t);
  const { world, revision, profiles } = await client.openWorld({ name: 'yard' });
  const mirror = new Mirror();
  await client.subscribe({ world, profile: profiles[0].name, ...options }, mirror.take);
  await mirror.synced(revision);
  const places = mirror.ok().map(({ x, z }) => [x, z]);
  return { mirror, got: await client.getTiles(world, profiles[0].name, places, options) };
}

test('live tiles are those of navctl, in both encodings, compressed or not', async (t) => {
  const { tiles: file, mset } = await courtyard(t);
  assert.deepEqual(file.areas, [{ id: 7, name: 'water', cost: 10, flags: undefined, color: 0x3366cc, walkable: true }]);
  assert.equal(file.tiles.length >= 15, true);
  for (const compression of ['zstd', 'none']) {
    const { mirror, got } = await live(t, { compression });
    for (const tile of file.tiles.filter(({ data }) => navd.readNavdTile(data).cell_count > 0)) {
      const other = mirror.tiles.get(`${tile.x},${tile.z}`);
      assert.deepEqual(Buffer.from(other.key), Buffer.from(tile.key));
      // The world's revision is stamped into the bytes from 8 to 16.
      assert.deepEqual(Buffer.from(other.data.subarray(16)), Buffer.from(tile.data.subarray(16)));
    }
    assert.equal(got.length, mset.tiles.length);
    for (const tile of got) assert.deepEqual(tile.data, mirror.tiles.get(`${tile.x},${tile.z}`).data);
    const detour = await live(t, { compression, encoding: 'detour' });
    assert.equal(detour.mirror.ok().length, mset.tiles.length);
    for (const { data } of mset.tiles) {
      const { x, z } = navd.readDetourTile(data);
      assert.deepEqual(Buffer.from(detour.mirror.tiles.get(`${x},${z}`).data), Buffer.from(data));
    }
  }
});

test('the readers see what navctl sees', async (t) => {
  const { file, tiles, mset } = await courtyard(t);
  for (const { x, z, data } of tiles.tiles) {
    const tile = navd.readNavdTile(data);
    const told = JSON.parse(navctl('tile', file('yard.navd'), `${x}`, `${z}`, '--json'));
    assert.equal(tile.cell_count, told.polygons);
    const positions = navd.navdPositions(tile);
    for (let c = 0; c < tile.cell_count; c++) {
      const corners = Array.from(tile.corner_vertex.subarray(tile.first_corner[c], tile.first_corner[c + 1]));
      const polygon = told.mesh.cells[c];
      assert.equal(tile.area[c], polygon.area);
      const places = corners.map((v) => Array.from(positions.subarray(3 * v, 3 * v + 3)));
      assert.deepEqual(places, polygon.vertices.map((v) => told.mesh.vertices_m[v].map(Math.fround)), `cell ${c} of ${x},${z}`);
    }
  }
  for (const { data } of mset.tiles) {
    const tile = navd.readDetourTile(data);
    const told = JSON.parse(navctl('tile', file('yard.bin'), `${tile.x}`, `${tile.z}`, '--json'));
    assert.equal(tile.off_mesh_base, told.polygons);
    const { positions, indices, polygons } = navd.detourTriangles(tile);
    for (let p = 0; p < tile.off_mesh_base; p++) {
      const corners = Array.from(tile.poly_vertices.subarray(6 * p, 6 * p + tile.poly_corners[p]));
      const places = corners.map((v) => Array.from(positions.subarray(3 * v, 3 * v + 3)));
      assert.deepEqual(places, told.mesh.polygons[p].vertices.map((v) => told.mesh.vertices_m[v].map(Math.fround)));
    }
    assert.equal(indices.length, 3 * polygons.length);
    assert(indices.every((i) => 3 * i < positions.length));
  }
});

test('bytes that are no tile are refused', async () => {
  const bytes = readFileSync(process.argv[1]); // any bytes that are no tile
  for (const read of [navd.readNavdTile, navd.readDetourTile, navd.readNavdFile, navd.readMset]) {
    assert.throws(() => read(bytes), navd.FormatError);
    assert.throws(() => read(bytes.subarray(0, 10)), navd.TruncatedError);
  }
});

test('each beginning of a tile is refused, and garbled ones are read or refused', async (t) => {
  const { tiles, mset, file } = await courtyard(t);
  const samples = [
    [navd.readNavdTile, Uint8Array.from(tiles.tiles.find(({ data }) => navd.readNavdTile(data).detail_x.length > 0).data)],
    [navd.readDetourTile, Uint8Array.from(mset.tiles.find(({ data }) => navd.readDetourTile(data).detail_vertices.length > 0).data)],
  ];
  for (const [read, data] of samples) {
    for (let end = 0; end < data.length; end++) {
      const prefix = data.slice(0, end);
      assert.throws(() => read(prefix), navd.NavdError, `${end} bytes`);
    }
    // The same from any place in memory.
    const moved = new Uint8Array(data.length + 3);
    moved.set(data, 3);
    assert.deepEqual(read(moved.subarray(3)), read(data));
    let refused = 0;
    for (let at = 0; at < data.length; at++) {
      const garbled = data.slice();
      garbled[at] ^= 0xff;
      try {
        read(garbled);
      } catch (error) {
        assert(error instanceof navd.NavdError, error.stack);
        refused++;
      }
    }
    assert(refused > 30, `only ${refused} were refused`);
  }
  for (const [read, name] of [
    [navd.readNavdFile, 'yard.navd'],
    [navd.readMset, 'yard.bin'],
  ]) {
    const whole = readFileSync(file(name));
    for (let end = 0; end < whole.length; end += 13) assert.throws(() => read(whole.subarray(0, end)), navd.NavdError);
  }
});

test('tiles from geometry of your own, without a world', async (t) => {
  const daemon = await Daemon.start(t);
  const client = await daemon.connect(t);
  for (const encoding of ['navd', 'detour']) {
    const tiles = await client.buildTiles({ ...square(40), first: [0, 0], last: [1, 1], encoding });
    assert.deepEqual(tiles.map(({ x, z, status }) => [x, z, status]), [[0, 0, 'ok'], [1, 0, 'ok'], [0, 1, 'ok'], [1, 1, 'ok']]);
    for (const { x, z, data } of tiles) {
      const tile = encoding === 'navd' ? navd.readNavdTile(data) : navd.readDetourTile(data);
      assert.deepEqual([tile.x, tile.z], [x, z]);
    }
  }
});

// Where the sides of a box of 6 m lie, by the sheet that they are: axis of the world, and place on it.
const SIDES = { up: [1, 6], down: [1, 0], 'x+': [0, 6], 'x-': [0, 0], 'z+': [2, 6], 'z-': [2, 0] };
const CLIMBER = { tile_cells: 16, agent_radius_m: 0.3, agent_height_m: 1, sheets: 'all' };

test('tiles of walls and ceilings, of all sheets or of some, and again after the connection broke', async (t) => {
  const daemon = await Daemon.start(t);
  const proxy = await Proxy.start(t, daemon);
  const client = await navd.connect(proxy.address);
  t.after(() => client.close());
  const { world, profiles } = await client.openWorld({ name: 'hull', create: true, profiles: [{ name: 'spider', settings: CLIMBER }] });
  assert.deepEqual([profiles[0].settings.sheets, profiles[0].settings.generator], [navd.SHEETS, 'surface']);
  const all = new Mirror();
  const some = new Mirror();
  await client.subscribe({ world, profile: 'spider' }, all.take);
  await client.subscribe({ world, profile: 'spider', sheets: ['down', 'z+'] }, some.take);
  const mesh = await client.putMesh(box(6, 6, 6));
  const { revision } = await client.edit(world, [{ op: 'put_instance', id: 1, mesh }]);
  await all.synced(revision);
  await some.synced(revision);
  assert.deepEqual(new Set(all.ok().map(({ sheet }) => sheet)), new Set(navd.SHEETS));
  assert.deepEqual(new Set(some.ok().map(({ sheet }) => sheet)), new Set(['down', 'z+']));
  for (const { data, sheet, x, z } of all.ok()) {
    const tile = navd.readNavdTile(data);
    assert.deepEqual([tile.sheet, tile.x, tile.z], [sheet, x, z]);
    const places = navd.navdPositions(tile);
    const [axis, side] = SIDES[sheet];
    for (let i = axis; i < places.length; i += 3) assert(Math.abs(places[i] - side) < 0.01, `${sheet}: ${places[i]}`);
  }
  const places = all.ok().map(({ x, z, sheet }) => [x, z, sheet]);
  const got = await client.getTiles(world, 'spider', places);
  assert.deepEqual(got.map(({ key }) => key), all.ok().map(({ key }) => key));
  assert.equal((await client.why(world, 'spider', ...places[0].slice(0, 2), { sheet: places[0][2] })).status, 'ok');
  const [first] = all.ok().filter(({ sheet }) => sheet === 'x-');
  const at = [first.x, first.z];
  const [built] = await client.buildTiles({ ...box(6, 6, 6), settings: CLIMBER, sheet: 'x-', first: at, last: at });
  assert.deepEqual([built.sheet, built.key], ['x-', first.key]);
  const [way] = await client.findPaths(world, 'spider', [{ from: [3, 6, 5], to: [3, 0, 5] }]); // down the side z+
  assert.equal(way.status, 'found');
  assert(Math.abs(way.length_m - 8) < 0.01, `${way.length_m}`);
  assert.deepEqual([way.sheets.length, way.normals.length], [way.points.length / 3, way.points.length]);
  assert.deepEqual([navd.SHEETS[way.sheets[0]], navd.SHEETS[way.sheets.at(-1)]], ['up', 'down']);
  assert.deepEqual(Array.from(way.normals.slice(0, 3)), [0, 1, 0]);

  all.events.length = 0;
  proxy.cut();
  proxy.mend();
  const other = await daemon.connect(t);
  const edited = await other.edit(world, [{ op: 'move_instance', id: 1, transform: [1, 0, 0, 0.25, 0, 1, 0, 0, 0, 0, 1, 0] }]);
  await all.synced(edited.revision);
  const moved = all.events.filter((e) => e.type === 'tile');
  assert.deepEqual(new Set(moved.map(({ sheet }) => sheet)), new Set(navd.SHEETS));
  const fresh = new Mirror();
  await other.subscribe({ world, profile: 'spider' }, fresh.take);
  await fresh.synced(edited.revision);
  const shown = (mirror) => new Map(mirror.ok().map((tile) => [navd.placeOf(tile), navd.hex(tile.key)]).sort());
  assert.deepEqual(shown(all), shown(fresh));
});
