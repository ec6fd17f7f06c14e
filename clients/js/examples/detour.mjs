// Detour in JavaScript follows a world: node detour.mjs WORLD X,Y,Z X,Y,Z [COUNT] prints the path between two places, and prints it
// again after each change. Needs the npm package recast-navigation.
import { connect, tileSize } from 'navd-client/node';
import { init, NavMesh, NavMeshParams, NavMeshQuery, statusFailed, UnsignedCharArray } from 'recast-navigation';

const [name, from, to, count = Infinity] = process.argv.slice(2);
const place = (text) => Object.fromEntries(text.split(',').map((n, i) => ['xyz'[i], Number(n)]));
await init();
const navd = await connect();
const { world, profiles, origin_m, revision } = await navd.openWorld({ name });
const size = tileSize(profiles[0].settings);

const mesh = new NavMesh();
const [x, y, z] = origin_m;
// Tile and polygon together have 22 bits of a reference.
mesh.initTiled(NavMeshParams.create({ orig: { x, y, z }, tileWidth: size, tileHeight: size, maxTiles: 1 << 10, maxPolys: 1 << 12 }));
const query = new NavMeshQuery(mesh);
const bytes = new Map(); // of the tiles in the mesh: they must stay where they are

function put(tile) {
  if (tile.status === 'failed') return; // the one before stays valid
  const key = `${tile.x},${tile.z}`;
  if (bytes.has(key)) {
    mesh.removeTile(mesh.getTileRefAt(tile.x, tile.z, 0));
    bytes.get(key).destroy();
    bytes.delete(key);
  }
  if (tile.status !== 'ok') return;
  const array = new UnsignedCharArray();
  array.copy(tile.data);
  if (statusFailed(mesh.addTile(array, 0, 0).status)) throw new Error(`Detour has no room for tile ${key}`);
  bytes.set(key, array);
}

let left = Number(count);
for await (const event of await navd.subscribe({ world, profile: profiles[0].name, encoding: 'detour' })) {
  if (event.type === 'tile') put(event);
  if (event.type !== 'synced' || event.revision < revision) continue; // in between, some tiles are newer than others
  const { path } = query.computePath(place(from), place(to));
  const length = path.reduce((sum, p, i) => (i === 0 ? 0 : sum + Math.hypot(p.x - path[i - 1].x, p.z - path[i - 1].z)), 0);
  console.log(`revision ${event.revision}: ${path.length} points, ${length.toFixed(1)} m`);
  if (--left === 0) break;
}
navd.close();
