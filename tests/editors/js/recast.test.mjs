// recast-navigation, the Detour of others: it loads what navctl builds, follows a world live, and finds the paths that Debian's
// Detour finds.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { at, box, Daemon, Mirror, navd } from './daemon.mjs';

const recast = await import(join(process.env.NAVD_NPM_EDITORS, 'node_modules/recast-navigation/index.mjs'));
await recast.init();

const SCENE = join(process.env.NAVD_SOURCE, 'docs/demo/courtyard.obj');
const NATIVE = process.env.NAVD_NATIVE_PATHS;
const MOST = 2048;
const REACH = { x: 1, y: 2, z: 1 };

// 500 pairs of places all over the courtyard, on both of its floors; the same in each run.
function pairs() {
  let state = 12345;
  const chance = () => (state = (Math.imul(state, 1103515245) + 12345) >>> 0) / 2 ** 32;
  const place = () => [Math.fround(60 * chance()), Math.fround(chance() < 0.8 ? 0.2 : 3.2), Math.fround(44 * chance())];
  return Array.from({ length: 500 }, () => [...place(), ...place()]);
}

function native(file) {
  const input = pairs().map((pair) => pair.join(' ')).join('\n');
  return execFileSync(NATIVE, [file], { input, encoding: 'utf8' }).split('\n').slice(0, -1);
}

const bits = new DataView(new ArrayBuffer(4));
function hex(float) {
  bits.setFloat32(0, float);
  return bits.getUint32(0).toString(16).padStart(8, '0');
}

// The same search as native_paths.cpp.
function foreign(mesh) {
  const query = new recast.NavMeshQuery(mesh, { maxNodes: MOST });
  query.defaultFilter.includeFlags = 0xffff;
  const paths = pairs().map(([ax, ay, az, bx, by, bz]) => {
    const from = query.findNearestPoly({ x: ax, y: ay, z: az }, { halfExtents: REACH });
    const to = query.findNearestPoly({ x: bx, y: by, z: bz }, { halfExtents: REACH });
    if (!from.nearestRef || !to.nearestRef) return '';
    const { polys } = query.findPath(from.nearestRef, to.nearestRef, from.nearestPoint, to.nearestPoint, { maxPathPolys: MOST });
    const complete = polys.size > 0 && polys.get(polys.size - 1) === to.nearestRef;
    const found = complete && query.findStraightPath(from.nearestPoint, to.nearestPoint, polys, { maxStraightPathPoints: MOST });
    const text = found ? Array.from(found.straightPath.toTypedArray().subarray(0, 3 * found.straightPathCount), hex).join(' ') : '';
    polys.destroy();
    if (found) for (const array of [found.straightPath, found.straightPathFlags, found.straightPathRefs]) array.destroy();
    return text;
  });
  query.destroy();
  return paths;
}

// A mesh of recast-navigation that is what a subscription says.
class Follower {
  constructor({ origin_m: [x, y, z] }, tileSize) {
    this.mesh = new recast.NavMesh();
    const params = { orig: { x, y, z }, tileWidth: tileSize, tileHeight: tileSize, maxTiles: 64, maxPolys: 1 << 16 };
    assert(this.mesh.initTiled(recast.NavMeshParams.create(params)));
    this.arrays = new Map();
    this.added = this.removed = 0;
  }

  take(tile) {
    if (tile.status === 'failed') return;
    const place = `${tile.x},${tile.z}`;
    const old = this.arrays.get(place);
    if (old) {
      this.mesh.removeTile(this.mesh.getTileRefAt(tile.x, tile.z, 0));
      old.destroy();
      this.arrays.delete(place);
      this.removed++;
    }
    if (tile.status !== 'ok') return;
    const array = new recast.UnsignedCharArray();
    array.copy(tile.data);
    const { status } = this.mesh.addTile(array, 0, 0);
    assert(recast.statusSucceed(status), `tile ${place}: ${recast.statusToReadableString(status)}`);
    this.arrays.set(place, array);
    this.added++;
  }
}

const found = (paths) => paths.filter((path) => path !== '').length;

test('recast-navigation finds the 500 paths of native Detour, in a file and live', { skip: !NATIVE && 'librecast-dev is missing' }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'navd-js-recast-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const built = join(folder, 'built.bin');
  execFileSync(process.env.NAVCTL, ['build', SCENE, '-o', built], { stdio: 'ignore' });
  const judged = native(built);
  assert.equal(judged.length, 500);
  assert(found(judged) > 200, `only ${found(judged)} paths`);
  const { navMesh } = recast.importNavMesh(readFileSync(built));
  assert.deepEqual(foreign(navMesh), judged);
  navMesh.destroy();

  const daemon = await Daemon.start(t);
  execFileSync(process.env.NAVCTL, ['push', SCENE, '--world', 'yard', '--connect', daemon.address], { stdio: 'ignore' });
  const client = await daemon.connect(t);
  const opened = await client.openWorld({ name: 'yard' });
  const { world } = opened;
  const [{ name: profile, settings }] = opened.profiles;
  const tileSize = navd.tileSize(settings);
  const follower = new Follower(opened, tileSize);
  const mirror = new Mirror();
  await client.subscribe({ world, profile, encoding: 'detour' }, (event) => {
    if (event.type === 'tile') follower.take(event);
    mirror.take(event);
  });
  await mirror.synced(opened.revision);
  const live = join(folder, 'live.bin');
  // In the order of navctl's files; tiles may come in any other one.
  const inOrder = () => mirror.ok().sort((a, b) => a.z - b.z || a.x - b.x);
  const write = () => writeFileSync(live, navd.writeMset({ origin: opened.origin_m, tile_size: tileSize }, inOrder()));
  write();
  assert.deepEqual(readFileSync(live), readFileSync(built), 'the tiles of the world are not those that navctl builds');
  assert.deepEqual(foreign(follower.mesh), judged, 'before the edit');

  // A wall across the yard.
  const wall = await client.putMesh(box(1, 3, 30));
  const put = { op: 'put_instance', id: 77, mesh: wall, transform: at(20, 0, 5), area: 0 };
  const { revision } = await client.edit(world, [put]);
  await mirror.synced(revision);
  assert(follower.removed > 0, 'no tile was replaced');
  write();
  const after = native(live);
  assert.deepEqual(foreign(follower.mesh), after, 'after the edit');
  const changed = after.filter((path, i) => path !== judged[i]).length;
  assert(changed > 20, `the wall changed only ${changed} paths`);

  const removed = await client.edit(world, [{ op: 'remove_instance', id: 77 }]);
  await mirror.synced(removed.revision);
  assert.deepEqual(foreign(follower.mesh), judged, 'after the wall was taken away');
});
