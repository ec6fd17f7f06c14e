// Conducts the demo: Blender moves a crate a step, the page shows the same revision, both are photographed, and so on.
// Blender says "demo: frame N revision R" when its picture is taken, and goes on at "next" on its standard input.
import { execFileSync, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const { NAVCTL, NAVD_ADDRESS, NAVD_DEMO, NAVD_NPM_EDITORS, NAVD_SOURCE, NAVD_WINDOW, NAVD_WINDOW_HEIGHT } = process.env;
const { chromium } = createRequire(join(NAVD_NPM_EDITORS, 'x.js'))('playwright-core');
const WORLD = 'courtyard';

const blender = spawn(
  join(NAVD_SOURCE, 'tests/editors/blender/run_blender.sh'),
  ['--window', join(NAVD_SOURCE, 'tests/editors/demo/blender.py'), NAVD_DEMO],
  { stdio: ['pipe', 'pipe', 'inherit'] },
);
const ended = new Promise((resolve) => blender.once('exit', resolve));
const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  headless: true,
  args: ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'],
});
const page = await browser.newPage({ viewport: { width: Number(NAVD_WINDOW), height: Number(NAVD_WINDOW_HEIGHT) }, colorScheme: 'dark' });
let open = false;

// Waits until the page has every tile as it is at a revision, and has drawn it.
async function shown(revision) {
  if (!open) {
    const made = JSON.parse(execFileSync(NAVCTL, ['view', '--world', WORLD, '--json'], { encoding: 'utf8' }));
    await page.goto(made.url);
    await page.waitForFunction(() => globalThis.navd?.view.stats.allDrawnAt > 0);
    await page.keyboard.press('o'); // the scene behind the mesh
    await page.getByRole('button', { name: 'Panel' }).click(); // room for the picture
    open = true;
  }
  await page.waitForFunction((wanted) => (globalThis.navd.model.synced?.value ?? -1) >= wanted, revision);
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

for await (const line of createInterface({ input: blender.stdout })) {
  const match = /^demo: frame (\S+) revision (\d+)$/.exec(line);
  if (!match) continue;
  await shown(Number(match[2]));
  await page.screenshot({ path: join(NAVD_DEMO, `view_${match[1]}.png`) });
  console.log(`${match[1]}: revision ${match[2]} in Blender and in Chromium`);
  blender.stdin.write('next\n');
}
await browser.close();
process.exit(await ended);
