// Makes the picture of docs/editors/view.md: node screenshot.mjs OUT.png
import { spawnSync } from 'node:child_process';
import { renameSync } from 'node:fs';
import { Daemon, drawn, launch, openPage } from './page.mjs';
import { terrain } from './scene.mjs';

const out = process.argv[2];
const daemon = await Daemon.start('--state', '');
const browser = await launch();
try {
  daemon.push('hills', terrain(1020, 1600));
  const { page } = await openPage(browser, daemon.address('hills'));
  await drawn(page);
  await page.waitForFunction(() => navd.model.componentCount.value > 0);
  await page.waitForSelector('#panels > *');
  await page.evaluate(() => {
    const { view, model } = navd;
    view.camera.tilt = 0.6;
    view.goTo(300, 300);
    view.camera.distance = 95;
    view.camera.place();
    model.selection.set(view.select(640, 400));
  });
  await page.waitForFunction(() => /clean/.test(document.querySelector('#panel-inspector')?.textContent ?? ''));
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  await page.screenshot({ path: out });
} finally {
  await browser.close();
  await daemon.end();
}
// Fewer colours: the picture is in the repository.
spawnSync('ffmpeg', ['-v', 'error', '-y', '-i', out, '-vf', 'split[a][b];[a]palettegen=max_colors=128[p];[b][p]paletteuse=dither=none', `${out}.small.png`], { stdio: 'inherit' });
renameSync(`${out}.small.png`, out);
