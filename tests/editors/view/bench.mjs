// The figures of the 3D view beside their bars: node bench.mjs [--boxes N]. Timings decide nothing here.
//
// Frames are measured with the work of the graphics card, by reading a pixel back. Chromium is warm: it has shown the page once.
import { gzipSync } from 'node:zlib';
import { Daemon, launch, openPage } from './page.mjs';
import { terrain } from './scene.mjs';

const boxes = Number(process.argv[process.argv.indexOf('--boxes') + 1]) || 5600;
const median = (list) => [...list].sort((a, b) => a - b)[list.length >> 1];
const say = (what, figure, bar) => console.log(`${what.padEnd(46)} ${figure.padStart(22)}   bar ${bar}`);

const daemon = await Daemon.start('--state', '');
const browser = await launch();
try {
  daemon.push('big', terrain(1020, boxes));

  // Time in the listener of the worker's messages: what a tile costs the main thread besides its chunk.
  const watch = () => {
    globalThis.handled = { ms: 0, longest: 0 };
    const add = Worker.prototype.addEventListener;
    Worker.prototype.addEventListener = function (type, listener, options) {
      const timed = (event) => {
        const from = performance.now();
        listener(event);
        const took = performance.now() - from;
        globalThis.handled.ms += took;
        globalThis.handled.longest = Math.max(globalThis.handled.longest, took);
      };
      add.call(this, type, type === 'message' ? timed : listener, options);
    };
    // When the picture with all tiles is finished, the graphics card's part too.
    const look = () => {
      if (!(globalThis.navd?.view.stats.allDrawnAt > 0)) return requestAnimationFrame(look);
      const { view } = globalThis.navd;
      const stop = view.afterFrame.on(() => {
        stop();
        globalThis.finish();
        globalThis.openedMs = performance.now();
      });
      view.invalidate();
    };
    globalThis.finish = () => {
      const gl = globalThis.navd.view.element.getContext('webgl2');
      gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
    };
    requestAnimationFrame(look);
  };
  const openBig = async () => {
    const opened = await openPage(browser, 'about:blank');
    await opened.page.addInitScript(watch);
    const sizes = [];
    opened.page.on('response', (response) => sizes.push(response));
    await opened.page.goto(daemon.address('big'));
    await opened.page.waitForFunction(() => globalThis.openedMs > 0);
    return { ...opened, sizes };
  };

  await (await openBig()).close();
  const times = [];
  let last;
  for (let i = 0; i < 3; i++) {
    await last?.close();
    last = await openBig();
    times.push(await last.page.evaluate(() => globalThis.openedMs));
  }
  const { page, seen } = last;
  const world = await page.evaluate(() => ({
    tiles: [...navd.model.shown.tiles.values()].filter((t) => t.cells > 0).length,
    triangles: [...navd.model.shown.tiles.values()].reduce((n, t) => n + (t.mesh?.triangles.length ?? 0) / 3, 0),
    longest: globalThis.handled.longest,
  }));
  console.log(`${world.tiles} tiles with ${world.triangles} triangles, SwiftShader, 1280x720`);
  say('opened to all tiles drawn, median of 3', `${(median(times) / 1000).toFixed(2)} s`, '2 s');
  say('longest message of tiles on the main thread', `${world.longest.toFixed(1)} ms`, '-');

  const frames = (near) =>
    page.evaluate(async (close) => {
      const { view } = navd;
      view.fitAll();
      if (close) {
        view.goTo(510, 510);
        view.camera.distance = 60;
      }
      const list = [];
      for (let i = 0; i < 25; i++) {
        await new Promise((resolve) => {
          const stop = view.afterFrame.on(() => {
            stop();
            const from = performance.now();
            globalThis.finish();
            list.push(view.stats.frameMs + performance.now() - from);
            resolve();
          });
          view.camera.yaw += 0.01;
          view.invalidate();
        });
      }
      return { ms: list.slice(5).sort((a, b) => a - b)[10], calls: view.stats.drawCalls };
    }, near);
  const far = await frames(false);
  const near = await frames(true);
  say('frame, far', `${far.ms.toFixed(1)} ms, ${far.calls} calls`, '60 ms, 100 calls');
  say('frame, near', `${near.ms.toFixed(1)} ms, ${near.calls} calls`, '33 ms, 100 calls');

  const costs = [];
  const touched = [];
  for (let i = 0; i < 9; i++) {
    const from = await page.evaluate(() => {
      globalThis.handled.ms = 0;
      return { synced: navd.model.synced.value, chunks: navd.view.ground.stats.chunksTouchedInAll };
    });
    daemon.navctl('edit', '--world', 'big', '--volume', `1=0,-20,40,${696 + i / 4},696,${698 + i / 4},696,${698 + i / 4},699`);
    await page.waitForFunction((n) => navd.model.synced.value > n && !navd.view.ground.busy, from.synced);
    const now = await page.evaluate(() => ({ ms: globalThis.handled.ms + navd.view.ground.stats.updateMs, chunks: navd.view.ground.stats.chunksTouchedInAll }));
    costs.push(now.ms);
    touched.push(now.chunks - from.chunks);
  }
  say('one tile changed, main thread, median and most', `${median(costs).toFixed(2)} / ${Math.max(...costs).toFixed(2)} ms`, '5 ms');
  say('chunks touched by it', `${Math.min(...touched)} to ${Math.max(...touched)}`, '1');

  let bytes = 0;
  for (const response of last.sizes) {
    const sent = Number(response.headers()['content-length']);
    bytes += sent || gzipSync(await response.body()).length;
  }
  say(`first load, ${last.sizes.length} files, compressed`, `${(bytes / 1000).toFixed(1)} kB`, '200 kB');
  const elsewhere = seen.requests.filter((url) => url !== 'about:blank' && !url.startsWith(daemon.origin) && !url.startsWith(daemon.origin.replace('http', 'ws')) && !url.startsWith('data:'));
  say('requests to other hosts', String(elsewhere.length), '0');
  await last.close();
} finally {
  await browser.close();
  await daemon.end();
}
