// What a person sees and does in the 3D view.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Daemon, drawn, launch, openPage } from './page.mjs';
import { plates, terrain } from './scene.mjs';

let browser;
let daemon;
before(async () => {
  browser = await launch();
  daemon = await Daemon.start();
  daemon.push('plates', plates(40));
});
after(async () => {
  await browser?.close();
  await daemon?.end();
});

// Opens a page and ends it with what must hold for each: nothing from elsewhere, no errors, nothing stopped by the policy.
async function withPage(address, run, options) {
  const opened = await openPage(browser, address, options);
  try {
    await run(opened.page, opened.seen);
    const elsewhere = opened.seen.requests.filter((url) => !url.startsWith(daemon.origin) && !url.startsWith(daemon.origin.replace('http', 'ws')) && !/^(data|blob):/.test(url));
    assert.deepEqual(elsewhere, [], 'requests to other hosts');
    assert.deepEqual(opened.seen.errors, []);
    assert.deepEqual(await opened.page.evaluate(() => globalThis.violations), []);
  } finally {
    await opened.close();
  }
}

// Waits until the page shows that text; `match` is a regular expression. A page that is loaded anew lacks the element at first.
const says = (page, selector, match) => page.waitForFunction(([where, what, flags]) => new RegExp(what, flags).test(document.querySelector(where)?.textContent ?? ''), [selector, match.source, match.flags]);

// Edits the world, and waits until the page has drawn what became of it.
async function edit(page, ...change) {
  const at = await page.evaluate(() => navd.model.synced.value);
  daemon.navctl('edit', '--world', 'plates', ...change);
  await page.waitForFunction((n) => navd.model.synced.value > n && !navd.view.ground.busy, at);
}

// Colour of the picture at a place of the ground.
const colourAt = (page, x, z) =>
  page.evaluate(
    async ([px, pz]) => {
      const { view } = globalThis.navd;
      view.camera.fromAbove();
      view.goTo(px, pz);
      view.camera.distance = 30;
      const picture = await createImageBitmap(await view.screenshot());
      const canvas = new OffscreenCanvas(picture.width, picture.height);
      const context = canvas.getContext('2d');
      context.drawImage(picture, 0, 0);
      // Beside the middle, where the outline of a cell might be.
      return [...context.getImageData(picture.width / 2 + 9, picture.height / 2 + 7, 1, 1).data.slice(0, 3)];
    },
    [x, z],
  );

test('a world is drawn, and its token leaves the address bar', () =>
  withPage(daemon.address('plates'), async (page, seen) => {
    await drawn(page);
    const tiles = await page.evaluate(() => [...navd.model.shown.tiles.values()].filter((t) => t.cells > 0).length);
    assert.equal(tiles, 18);
    await says(page, '#tiles', /^\d+ tiles · revision 1$/);
    assert.equal(await page.textContent('#connection'), 'Live');
    assert.equal(await page.title(), 'plates – navd');
    assert.ok(!page.url().includes('token'), page.url());
    assert.ok(seen.requests.every((url) => !url.includes(daemon.token)));
    const [r, g, b] = await colourAt(page, 10, 10);
    assert.ok(Math.max(r, g, b) > 60, `ground has the colour ${[r, g, b]}`);
    await page.reload();
    await drawn(page);
  }));

test('the first load has at most 200 kB', async () => {
  const { page, close } = await openPage(browser, 'about:blank');
  const sizes = new Map();
  page.on('response', (response) => sizes.set(new URL(response.url()).pathname, Number(response.headers()['content-length'])));
  await page.goto(daemon.address('plates'));
  await drawn(page);
  await page.waitForSelector('#panels > *');
  await close();
  const bytes = [...sizes.values()].reduce((sum, n) => sum + n, 0);
  for (const name of ['/', '/app.js', '/worker.js', '/style.css']) assert.ok(sizes.get(name) > 1000, `${name} has ${sizes.get(name)} bytes`);
  assert.ok(bytes <= 200_000, `${bytes} bytes: ${JSON.stringify([...sizes])}`);
});

test('nothing is drawn while nothing changes', () =>
  withPage(daemon.address('plates'), async (page) => {
    await drawn(page);
    // The camera rests half a second after its last move, and draws once more.
    await page.waitForFunction(() => globalThis.navd.model.componentCount.value === 2 && !globalThis.navd.view.camera.active.value);
    // Ten turns of the browser's own frames, during which the view draws none.
    const idle = () =>
      page.evaluate(async () => {
        const { stats } = globalThis.navd.view;
        const from = stats.frames;
        for (let i = 0; i < 10; i++) await new Promise((resolve) => requestAnimationFrame(resolve));
        return stats.frames - from;
      });
    for (let calm = 0; calm < 2; ) calm = (await idle()) > 0 ? 0 : calm + 1;
  }));

test('an edit touches one chunk, and an undo brings the tile back', () =>
  withPage(daemon.address('plates'), async (page) => {
    await drawn(page);
    // What is said to a screen reader is soon replaced by something else.
    await page.evaluate(() => {
      globalThis.heard = [];
      const said = document.querySelector('#said');
      new MutationObserver(() => globalThis.heard.push(said.textContent)).observe(said, { childList: true, characterData: true, subtree: true });
    });
    const before = await page.evaluate(() => ({ chunks: navd.view.ground.stats.chunksTouchedInAll, revision: navd.model.synced.value, content: navd.model.shown.get(0, 0).content }));
    await edit(page, '--volume', '5=0,-1,2,4,4,4,6,6,6,6,4');
    const after = await page.evaluate(() => ({ chunks: navd.view.ground.stats.chunksTouchedInAll, content: navd.model.shown.get(0, 0).content }));
    assert.equal(after.chunks - before.chunks, 1);
    assert.notEqual(after.content, before.content);
    await page.waitForFunction((n) => document.querySelector('#tiles').textContent.endsWith(`revision ${n}`), before.revision + 1);
    await page.waitForFunction(() => globalThis.heard.some((text) => /1 tile changed, revision/.test(text)));
    await edit(page, '--remove-volume', '5');
    assert.equal(await page.evaluate(() => navd.model.shown.get(0, 0).content), before.content);
  }));

test('a frozen picture stays, and steps through revisions', () =>
  withPage(daemon.address('plates'), async (page) => {
    await drawn(page);
    const content = () => page.evaluate(() => navd.model.shown.get(0, 0).content);
    const before = await content();
    await page.keyboard.press('Space');
    await says(page, '#freeze', /^Live$/);
    daemon.navctl('edit', '--world', 'plates', '--volume', '6=0,-1,2,2,2,2,5,5,5,5,2');
    await page.waitForFunction(() => navd.model.history.entries.length === 1);
    assert.equal(await content(), before);
    await says(page, '#freeze', /Live \(\+1\)/);
    await page.keyboard.press('Period');
    await says(page, '#freeze', /^Live$/);
    const newer = await content();
    assert.notEqual(newer, before);
    await page.keyboard.press('Comma');
    await says(page, '#freeze', /Live \(\+1\)/);
    assert.equal(await content(), before);
    await page.keyboard.press('Space');
    await says(page, '#freeze', /^Freeze$/);
    assert.equal(await content(), newer);
    await edit(page, '--remove-volume', '6');
  }));

test('colours say height, area, part, age, build time and status', () =>
  withPage(daemon.address('plates'), async (page) => {
    await drawn(page);
    await page.waitForFunction(() => navd.model.componentCount.value === 2);
    const both = async () => [await colourAt(page, 6, 6), await colourAt(page, 60, 10)];
    await page.keyboard.press('Digit3');
    await says(page, '#legend', /2 parts/);
    const [left, right] = await both();
    assert.notDeepEqual(left, right, 'two parts that nothing connects');
    await page.keyboard.press('Digit2');
    await page.waitForFunction(() => navd.view.mode.value === 'area');
    const plain = await both();
    assert.deepEqual(plain[0], plain[1]);
    daemon.navctl('world', 'areas', 'plates', '--set', '9,name=mud,color=ff0000');
    await edit(page, '--volume', '7=9,-1,2,0,0,0,14,14,14,14,0');
    await says(page, '#legend', /mud/);
    const [mud] = await both();
    assert.ok(mud[0] > 120 && mud[1] < 30 && mud[2] < 30, `mud is ${mud}`);
    for (const [key, mode, words] of [
      ['Digit1', 'height', / m/],
      ['Digit4', 'age', /1 h/],
      ['Digit5', 'time', /cache/],
      ['Digit6', 'status', /failed/],
    ]) {
      await page.keyboard.press(key);
      await page.waitForFunction((name) => document.querySelector('#mode').value === name && navd.view.mode.value === name, mode);
      await says(page, '#legend', words);
      assert.ok(Math.max(...(await colourAt(page, 60, 10))) > 40);
    }
    await edit(page, '--remove-volume', '7');
  }));

test('a link connects parts, and its removal parts them', () =>
  withPage(daemon.address('plates'), async (page) => {
    await drawn(page);
    await page.waitForFunction(() => navd.model.componentCount.value === 2);
    daemon.navctl('edit', '--world', 'plates', '--link', '3=38,0,10,46,0,10,1');
    await page.waitForFunction(() => navd.model.componentCount.value === 1);
    daemon.navctl('edit', '--world', 'plates', '--remove-link', '3');
    await page.waitForFunction(() => navd.model.componentCount.value === 2);
  }));

test('camera: keys, wheel to the cursor, find, walk', () =>
  withPage(daemon.address('plates'), async (page) => {
    await drawn(page);
    const camera = () => page.evaluate(() => ({ ...navd.view.camera.centre, yaw: navd.view.camera.yaw, distance: navd.view.camera.distance, mode: navd.view.camera.mode.value }));
    const changes = async (key) => {
      const from = await camera();
      await page.keyboard.down(key);
      await page.waitForFunction((was) => JSON.stringify({ ...navd.view.camera.centre, yaw: navd.view.camera.yaw, distance: navd.view.camera.distance, mode: navd.view.camera.mode.value }) !== was, JSON.stringify(from));
      await page.keyboard.up(key);
    };
    for (const key of ['ArrowUp', 'KeyD', 'KeyQ', 'Equal']) await changes(key);
    await page.keyboard.press('KeyF');
    // The place under the cursor stays there.
    const under = (px, py) => page.evaluate(([x, y]) => navd.view.select(x, y)?.point, [px, py]);
    const [spot, top] = await page.evaluate(() => {
      const bar = navd.view.element.getBoundingClientRect().top;
      for (let x = 300; x < 1000; x += 20) for (let y = 200; y < 600; y += 20) if (navd.view.select(x, y)?.point.every((v, i) => i === 1 || (v > 8 && v < 16))) return [[x, y], bar];
      return null;
    });
    const at = await under(...spot);
    await page.mouse.move(spot[0], top + spot[1]);
    const far = (await camera()).distance;
    await page.mouse.wheel(0, -400);
    await page.waitForFunction((d) => navd.view.camera.distance < d, far);
    const still = await under(...spot);
    assert.ok(Math.hypot(...still.map((v, i) => v - at[i])) < 0.05, `${at} became ${still}`);
    // Find, by keyboard alone.
    await page.focus('#scene');
    await page.keyboard.press('Slash');
    await page.keyboard.type('one 2');
    await page.keyboard.press('Enter');
    await says(page, '#find-error', /"one" is not a number/);
    await page.fill('#find-text', '60 10');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => navd.view.camera.centre.x === 60 && navd.view.camera.centre.z === 10 && navd.model.selection.value?.x === 4);
    // Walking: the ground carries the eyes.
    await page.keyboard.press('KeyG');
    await page.waitForFunction(() => navd.view.camera.mode.value === 'walk');
    const eyes = await camera();
    assert.ok(Math.abs(eyes.y - 1.8) < 0.5, `eyes at ${eyes.y}`);
    await changes('KeyW');
    await page.keyboard.press('Escape');
    await page.waitForFunction(() => navd.view.camera.mode.value === 'orbit');
  }));

test('what is under the cursor is told, and a click selects it', () =>
  withPage(daemon.address('plates'), async (page) => {
    await drawn(page);
    const middle = await page.evaluate(() => {
      navd.view.camera.fromAbove();
      navd.view.goTo(6, 6);
      const { left, top, width, height } = navd.view.element.getBoundingClientRect();
      return [left + width / 2, top + height / 2];
    });
    await page.mouse.move(...middle);
    await says(page, '#tip', /6\.00, .*, 6\.00\ntile 0, 0 · cell \d+ · revision \d+/);
    assert.ok(await page.isVisible('#tip'));
    await page.mouse.click(...middle);
    await page.waitForFunction(() => navd.model.selection.value?.x === 0 && navd.model.selection.value.z === 0);
    await page.keyboard.press('Escape');
    await page.waitForFunction(() => navd.model.selection.value === null);
  }));

test("the scene's own triangles come when they are asked for", () =>
  withPage(daemon.address('plates'), async (page) => {
    await drawn(page);
    const calls = await page.evaluate(() => navd.view.stats.drawCalls);
    await page.check('#objects');
    await page.waitForFunction(() => navd.model.scene.value?.triangles === 14);
    await page.waitForFunction((n) => navd.view.stats.drawCalls > n, calls);
    await page.uncheck('#objects');
    await page.waitForFunction((n) => navd.view.stats.drawCalls === n, calls);
  }));

test('without a world there is a list, and an unknown world says so', () => {
  daemon.push('second', terrain(30, 2));
  return withPage(daemon.address(''), async (page) => {
    await page.getByRole('button', { name: /second/ }).click();
    await drawn(page);
    assert.match(page.url(), /#world=second&profile=default$/);
    await page.evaluate(() => (location.hash = '#world=none'));
    await says(page, '#message', /none/);
    await page.waitForFunction(() => document.querySelectorAll('.worlds button').length === 2);
    daemon.navctl('world', 'delete', 'second', '--yes');
  });
});

test('a world without geometry says how to fill it', () =>
  withPage(daemon.address('hollow'), async (page) => {
    await page.waitForFunction(() => /hollow/.test(document.querySelector('#message')?.textContent ?? ''));
    daemon.push('hollow', 'o floor\nv 0 0 0\nv 0 0 9\nv 9 0 0\nf 1 2 3\n');
    await drawn(page);
    await page.waitForFunction(() => document.querySelector('#message').hidden);
    daemon.navctl('edit', '--world', 'hollow', '--remove', 'floor');
    await page.waitForFunction(() => /hollow is empty/.test(document.querySelector('#message')?.textContent ?? ''));
    daemon.navctl('world', 'delete', 'hollow', '--yes');
    await page.waitForFunction(() => /was deleted/.test(document.querySelector('#message')?.textContent ?? ''));
  }));

test('a wrong token is refused in words', () =>
  withPage(daemon.address('plates', `${daemon.token.slice(0, -4)}0000`), async (page) => {
    await page.waitForFunction(() => /navctl view/.test(document.querySelector('#message')?.textContent ?? ''));
    await says(page, '#message', /does not let this page in/);
    await says(page, '#connection', /^Not connected$/);
    // A new address in the same tab lets it in.
    await page.evaluate((address) => (location.href = address), daemon.address('plates'));
    await drawn(page);
    assert.ok(!page.url().includes('token'), page.url());
  }));

test('the page comes back by itself after a restart of navd, and goes on where it was', () =>
  withPage(daemon.address('plates'), async (page, seen) => {
    seen.expected = /WebSocket connection to .* failed/;
    await drawn(page);
    const tile = await page.evaluate(() => {
      globalThis.kept = navd.model.shown.get(3, 0);
      return navd.model.synced.value;
    });
    await daemon.stop();
    await page.waitForFunction(() => navd.model.connection.value.state === 'waiting');
    await says(page, '#connection', /trying again/);
    await daemon.run();
    daemon.navctl('edit', '--world', 'plates', '--volume', '8=0,-1,2,4,4,4,6,6,6,6,4');
    await page.waitForFunction((n) => navd.model.connection.value.state === 'open' && navd.model.synced.value > n, tile);
    // Only what has changed came: another tile is still the same object.
    assert.ok(await page.evaluate(() => navd.model.shown.get(3, 0) === globalThis.kept));
    daemon.navctl('edit', '--world', 'plates', '--remove-volume', '8');
  }));

test('a tile that cannot be built is marked, with the reason', async () => {
  const small = await Daemon.start('--tile-memory-bytes', '1M');
  try {
    try {
      small.push('steep', terrain(70, 0), '--tile', '400', '--cell-size', '0.1');
    } catch {
      // navctl ends with 5: tiles failed.
    }
    const { page, close } = await openPage(browser, small.address('steep'));
    await page.waitForFunction(() => globalThis.navd?.model.failed.value.total > 0);
    await page.waitForFunction(() => /\d+ tiles? failed/.test(document.querySelector('#failed')?.textContent ?? ''));
    await page.click('#failed');
    await says(page, '#toast', /Tile -?\d+, -?\d+ failed: ./);
    await close();
  } finally {
    await small.end();
  }
});

test('light and dark, by the system and by the switch', () =>
  withPage(daemon.address('plates'), async (page) => {
    await drawn(page);
    const back = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await back();
    await page.click('#theme');
    await page.waitForFunction((was) => getComputedStyle(document.body).backgroundColor !== was, light);
    const dark = await back();
    await page.reload();
    await drawn(page);
    assert.equal(await back(), dark);
  }, { colorScheme: 'light' }));

test('another grid replaces the ground when its first tile is there, not before', () =>
  withPage(daemon.address('plates'), async (page) => {
    await drawn(page);
    // Between two turns of the page there is always ground.
    await page.evaluate(() => {
      globalThis.empty = 0;
      navd.model.shown.changed.on(() => queueMicrotask(() => (globalThis.empty += navd.model.shown.tiles.size === 0)));
    });
    for (const size of [0.25, 0.3]) {
      daemon.navctl('world', 'profile', 'plates', 'default', '--cell-size', String(size));
      await page.waitForFunction((side) => Math.abs(navd.model.tileSize - side) < 1e-6 && navd.view.stats.allDrawnAt > 0, size * 48);
      const bounds = await page.evaluate(() => navd.view.ground.bounds());
      assert.ok(bounds.max.x > 80 && bounds.max.x < 100, `the ground of cells of ${size} m reaches x = ${bounds.max.x}`);
    }
    assert.equal(await page.evaluate(() => globalThis.empty), 0);
  }));
