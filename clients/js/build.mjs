// Builds the package navd-client into a folder that `npm pack` and `npm install` take, without a network: what it depends on goes
// along. node build.mjs --out DIR [--modules NODE_MODULES]
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const here = dirname(fileURLToPath(import.meta.url));
const { values } = parseArgs({
  options: { out: { type: 'string' }, modules: { type: 'string', default: join(here, '../../.cache/view/node_modules') } },
});
if (!values.out) {
  console.error('usage: node build.mjs --out DIR [--modules NODE_MODULES]');
  process.exit(2);
}
const out = resolve(values.out);
const modules = resolve(values.modules);
const require = createRequire(join(modules, 'x'));
const find = (name) => {
  try {
    return require.resolve(name);
  } catch {
    console.error(`build.mjs: ${name} is not in ${modules}: run scripts/setup view`);
    process.exit(1);
  }
};
const esbuild = require(find('esbuild'));

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
await esbuild.build({
  absWorkingDir: here,
  entryPoints: ['src/index.ts', 'src/node.ts'],
  outdir: join(out, 'dist'),
  bundle: true,
  splitting: true,
  packages: 'external',
  format: 'esm',
  target: 'es2022',
  platform: 'neutral',
  logLevel: 'warning',
});
const tsc = spawnSync(
  process.execPath,
  [find('typescript/bin/tsc'), '-p', here, '--emitDeclarationOnly', '--outDir', join(out, 'dist')],
  { stdio: 'inherit' },
);
if (tsc.status !== 0) process.exit(1);
for (const file of ['package.json', 'README.md']) cpSync(join(here, file), join(out, file));
cpSync(join(here, '../../LICENSE'), join(out, 'LICENSE'));
for (const name of Object.keys(JSON.parse(readFileSync(join(here, 'package.json'), 'utf8')).dependencies)) {
  cpSync(join(modules, name), join(out, 'node_modules', name), { recursive: true });
}
