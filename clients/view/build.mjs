// Bundles the live 3D view: node clients/view/build.mjs --out DIR [--dev]
//
// DIR gets index.html, style.css, app.js (the page), worker.js (the connection and the tiles), the scene's chunks, which the page
// fetches with app.js and runs after the worker has started, and the chunks that it loads when they are asked for. Nothing in them refers to another host. Packages come from .cache/view/node_modules, which
// `scripts/setup view` fills. --dev leaves the code readable.
import { createRequire } from 'node:module';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const modules = resolve(here, '../../.cache/view/node_modules');
const { build } = createRequire(join(modules, 'x.js'))('esbuild');

const args = process.argv.slice(2);
const out = args[args.indexOf('--out') + 1];
if (!args.includes('--out') || !out) {
  console.error('usage: node build.mjs --out DIR [--dev]');
  process.exit(2);
}
const dev = args.includes('--dev');

// Of three's own shaders only those of the materials that the view uses: the rest would be a sixth of the first load. A material
// whose shader is missing here draws nothing, and the console says so.
const SHADERS = ['meshbasic', 'points']; // of MeshBasicMaterial and LineBasicMaterial, of PointsMaterial
const shaders = join(modules, 'three/src/renderers/shaders');
const kept = new Set();
async function keep(file) {
  if (kept.has(file)) return;
  kept.add(file);
  for (const [, name] of (await readFile(file, 'utf8')).matchAll(/#include <(\w+)>/g)) await keep(join(shaders, 'ShaderChunk', `${name}.glsl.js`));
}
for (const name of SHADERS) await keep(join(shaders, 'ShaderLib', `${name}.glsl.js`));
await keep(join(shaders, 'ShaderChunk', 'colorspace_pars_fragment.glsl.js')); // in front of each
const lean = {
  name: 'lean',
  setup(esbuild) {
    esbuild.onResolve({ filter: /^three$/ }, () => ({ path: join(modules, 'three/src/Three.js') }));
    esbuild.onLoad({ filter: /\.glsl\.js$/ }, ({ path }) => {
      if (kept.has(path)) return null;
      return { contents: path.includes('ShaderLib') ? "export const vertex = '', fragment = '';" : "export default '';" };
    });
  },
};

await rm(out, { recursive: true, force: true });
await mkdir(out, { recursive: true });
const common = {
  bundle: true,
  format: 'esm',
  target: 'es2022',
  minify: !dev,
  legalComments: 'none',
  nodePaths: [modules],
  logLevel: 'warning',
};
const { metafile } = await build({
  ...common,
  metafile: true,
  entryPoints: { app: join(here, 'src/main.ts') },
  outdir: out,
  splitting: true,
  plugins: [lean],
  chunkNames: '[name]-[hash]',
});
await build({ ...common, entryPoints: { worker: join(here, 'src/worker/worker.ts') }, outdir: out });
await build({ ...common, entryPoints: { style: join(here, 'style.css') }, outdir: out });

// index.html names what the scene needs, so that it is not asked for one after the other.
const outputs = Object.entries(metafile.outputs);
const scene = new Set();
function need(name) {
  if (scene.has(name)) return;
  scene.add(name);
  for (const { path, kind } of metafile.outputs[name].imports) if (kind === 'import-statement') need(path);
}
need(outputs.find(([, { entryPoint }]) => entryPoint?.endsWith('src/start.ts'))[0]);
const preload = [...scene].map((name) => `<link rel="modulepreload" href="${basename(name)}">\n`).join('');
const page = await readFile(join(here, 'index.html'), 'utf8');
await writeFile(join(out, 'index.html'), page.replace('<script', `${preload}<script`));
