// The package as a user installs it: without a network, with types, and with examples that run.
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { before, after, test } from 'node:test';
import { box, Daemon } from './daemon.mjs';

const SCENE = join(process.env.NAVD_SOURCE, 'docs/demo/courtyard.obj');
const folder = mkdtempSync(join(tmpdir(), 'navd-js-package-'));
const run = (program, args, env = {}) => execFileSync(program, args, { cwd: folder, encoding: 'utf8', env: { ...process.env, ...env } });

before(() => {
  const home = { HOME: folder, npm_config_cache: join(folder, 'cache'), npm_config_update_notifier: 'false' };
  run('npm', ['pack', '--silent', process.env.NAVD_JS], home);
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  run('npm', ['install', '--offline', '--no-audit', '--no-fund', '--silent', './navd-client-0.1.0.tgz'], home);
  for (const name of ['recast-navigation', '@recast-navigation']) {
    symlinkSync(join(process.env.NAVD_NPM_EDITORS, 'node_modules', name), join(folder, 'node_modules', name));
  }
  cpSync(join(process.env.NAVD_SOURCE, 'clients/js/examples'), folder, { recursive: true });
});
after(() => rmSync(folder, { recursive: true, force: true }));

test('a strict program of a user is checked by its types', () => {
  const program = (more = '') => `
    import { connect, type Client, type SubscriptionEvent, type U64, NavdError, readNavdTile } from 'navd-client/node';
    import { connectWebSocket } from 'navd-client';
    export async function follow(address: string, id: bigint): Promise<number> {
      const navd: Client = await connect(address, { token_file: 'token', priority: 'low' });
      const { world, profiles } = await navd.openWorld({ name: 'level', create: true });
      const revision: U64 = (await navd.edit(world, [{ op: 'remove_instance', id }])).revision;
      let cells = 0;
      const listen = (event: SubscriptionEvent): void => {
        if (event.type === 'tile' && event.data) cells += readNavdTile(event.data).cell_count;
        if (event.type === 'ended') console.log(event.reason);
      };
      await navd.subscribe({ world, profile: profiles[0]!.name, bounds: [0, 0, 10, 10] }, listen);
      try {
        await navd.wait(world, { revision, signal: AbortSignal.timeout(1000) });
      } catch (error) {
        if (!(error instanceof NavdError) || error.code !== 'cancelled') throw error;
      }
      ${more}
      return cells;
    }
    export const browser = () => connectWebSocket('ws://localhost:1/socket');
  `;
  const mistakes = `
    await navd.edit(world, [{ op: 'move_instance', id }]);
    await navd.subscribe({ world, profile: 'x', encoding: 'packed' });
    const text: string = (await navd.why(world, 'x', 0, 0)).made_us;
  `;
  writeFileSync(join(folder, 'right.ts'), program());
  writeFileSync(join(folder, 'wrong.ts'), program(mistakes));
  const compilerOptions = { noEmit: true, strict: true, target: 'es2022', module: 'nodenext', lib: ['es2022', 'dom'], types: [] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['right.ts', 'wrong.ts'] }));
  const tsc = spawnSync(process.execPath, [join(process.env.NAVD_NPM_VIEW, 'node_modules/typescript/bin/tsc'), '-p', folder], { encoding: 'utf8' });
  const errors = tsc.stdout.split('\n').filter((line) => /: error TS/.test(line));
  assert.equal(errors.length, 3, tsc.stdout);
  for (const [i, words] of [/not assignable to type 'Operation'/, /"packed"/, /not assignable to type 'string'/].entries()) {
    assert.match(errors[i], /wrong\.ts/);
    assert.match(errors[i], words);
  }
});

test('the examples do what they say', async (t) => {
  const daemon = await Daemon.start(t);
  const env = { NAVD_ADDRESS: daemon.address };
  assert.match(run('node', ['sync.mjs', 'boxes'], env), /21 added/);
  assert.match(run('node', ['sync.mjs', 'boxes'], env), /21 unchanged/);
  assert.match(run('node', ['follow.mjs', 'boxes', '1'], env), /tile 0,0 ok \d+ cells[^]*is here/);

  execFileSync(process.env.NAVCTL, ['push', SCENE, '--world', 'yard', '--connect', daemon.address], { stdio: 'ignore' });
  const detour = spawn('node', ['detour.mjs', 'yard', '14,0.3,13', '14,0.3,22', '2'], { cwd: folder, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = createInterface({ input: detour.stdout })[Symbol.asyncIterator]();
  const length = async () => Number(/points, ([\d.]+) m/.exec((await lines.next()).value)[1]);
  const before = await length();
  const client = await daemon.connect(t);
  const { world } = await client.openWorld({ name: 'yard' });
  const wall = await client.putMesh(box(6, 3, 1));
  // In front of the door that the path goes through.
  await client.edit(world, [{ op: 'put_instance', id: 5, mesh: wall, transform: [1, 0, 0, 11, 0, 1, 0, 0, 0, 0, 1, 17], area: 0 }]);
  const after = await length();
  assert(before > 8 && after > before + 1, `${before} m before the wall, ${after} m after it`);
  assert.equal(await new Promise((resolve) => detour.once('exit', resolve)), 0);
});
