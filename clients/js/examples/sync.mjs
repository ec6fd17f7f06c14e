// An editor that keeps a scene of boxes and its world equal: node sync.mjs WORLD. Run again, it changes nothing.
import { connect, NavdError } from 'navd-client/node';

const [name] = process.argv.slice(2);
const navd = await connect();
const { world } = await navd.openWorld({ name, create: true, profiles: [{ name: 'walker', settings: { agent_radius_m: 0.4 } }] });

// Each mesh goes once, however often it stands somewhere; navd knows it again after a restart, too.
const ground = await navd.putMesh({
  vertices: new Float32Array([0, 0, 0, 0, 0, 40, 40, 0, 40, 40, 0, 0]),
  indices: new Uint32Array([0, 1, 2, 0, 2, 3]),
});
const roof = await navd.putMesh({
  vertices: new Float32Array([0, 1, 0, 0, 1, 2, 2, 1, 2, 2, 1, 0]),
  indices: new Uint32Array([0, 1, 2, 0, 2, 3]),
});
const at = (x, y, z) => [1, 0, 0, x, 0, 1, 0, y, 0, 0, 1, z];
const objects = [{ id: 1, mesh: ground, name: 'ground' }];
for (let i = 0; i < 20; i++) objects.push({ id: 100 + i, mesh: roof, transform: at(2 * (i % 5) * 3, 0, 3 + Math.floor(i / 5) * 9), area: 0, name: `crate ${i}` });

try {
  const { added, moved, unchanged, revision } = await navd.sync(world, 'boxes', objects);
  await navd.wait(world, { revision });
  console.log(`revision ${revision}: ${added} added, ${moved} moved, ${unchanged} unchanged`);
} catch (error) {
  if (!(error instanceof NavdError)) throw error;
  console.error(`${error.code}${error.key ? ` (${error.key})` : ''}: ${error.message}`);
  process.exitCode = 1;
}
navd.close();
