// How fast tiles reach a program: 10,000 tiles of one world, received, unpacked, read and turned into metres. Beside a navd of its own:
// with_daemon.sh -- node bench.mjs
import { join } from 'node:path';

const { connect, navdPositions, readNavdTile } = await import(join(process.env.NAVD_JS, 'dist/node.js'));
const SIDE = 100; // tiles
const TILE_M = 14.4;

const navd = await connect();
const { world } = await navd.openWorld({ name: 'bench', create: true, profiles: [{ name: 'walker' }] });
// Hills, so that tiles have something in them.
const steps = 3 * SIDE;
const vertices = new Float32Array(3 * (steps + 1) ** 2);
const indices = new Uint32Array(6 * steps ** 2);
for (let j = 0, v = 0; j <= steps; j++) {
  for (let i = 0; i <= steps; i++, v += 3) {
    const [x, z] = [(i * SIDE * TILE_M) / steps, (j * SIDE * TILE_M) / steps];
    vertices.set([x, 6 * Math.sin(x / 40) * Math.cos(z / 31), z], v);
  }
}
for (let j = 0, t = 0; j < steps; j++) {
  for (let i = 0; i < steps; i++, t += 6) {
    const a = j * (steps + 1) + i;
    indices.set([a, a + steps + 1, a + steps + 2, a, a + steps + 2, a + 1], t);
  }
}
const mesh = await navd.putMesh({ vertices, indices });
await navd.edit(world, [{ op: 'put_instance', id: 1, mesh }]);
await navd.wait(world);

for (const compression of ['zstd', 'none']) {
  for (const parse of [false, true]) {
    const before = performance.now();
    const cpu = process.cpuUsage();
    let tiles = 0;
    let bytes = 0;
    await new Promise((resolve) => {
      void navd.subscribe({ world, profile: 'walker', compression }, (event) => {
        if (event.type === 'synced') resolve();
        if (event.type !== 'tile' || !event.data) return;
        tiles++;
        bytes += event.data.length;
        if (parse) navdPositions(readNavdTile(event.data));
      });
    });
    const { user } = process.cpuUsage(cpu);
    console.log(`${tiles} tiles, ${(bytes / 1e6).toFixed(1)} MB, compression ${compression}, ${parse ? 'read' : 'unpacked only'}: ${((performance.now() - before) / 1000).toFixed(2)} s (${(user / 1e6).toFixed(2)} s of CPU)`);
  }
}
navd.close();
