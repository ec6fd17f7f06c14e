// The panels of the view, used as a person does.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { launch } from './page.mjs';
import { COURTYARD, Page } from './panels_page.mjs';

const browser = await launch();
after(() => browser.close());

const rows = (panel) => panel.locator('dl.facts').evaluateAll((lists) => Object.fromEntries(lists.flatMap((list) => [...list.querySelectorAll('dt')].map((dt) => [dt.textContent, dt.nextElementSibling.textContent]))));

test('inspector, failed tiles, changes, worlds', async (t) => {
  const it = await Page.start(t, browser);
  const { page } = it;

  await t.test('a tile that is selected is told in full', async () => {
    const panel = await it.open('inspector');
    assert.match(await panel.locator('.note').first().textContent(), /Click on the ground/);
    await it.select(1, 0);
    await it.until(() => /clean/.test(document.querySelector('#panel-inspector')?.textContent ?? ''));
    const told = await rows(panel);
    assert.equal(told.Status, 'ok');
    assert.match(told.Key, /^[0-9a-f]{32}$/);
    assert.match(told['Caused by'], /instance \d+, revision \d+/);
    assert.match(told.Cell, /area 63/);
    assert.match(told['· rasterize'], /^[\d.]+ (µs|ms)$/);
    assert.match(told['· encode'], /^[\d.]+ (µs|ms)$/);
    assert.match(await panel.locator('.command').textContent(), /navctl tile dump yard 1 0/);
  });

  await t.test('its input can be downloaded, and makes the same tile', async () => {
    const panel = await it.open('inspector');
    const file = await it.download(() => panel.getByRole('button', { name: 'Download input' }).click());
    assert.match(readFileSync(file, 'utf8'), /^# Input of tile 1,0 of world yard/);
    const cells = (from) => {
      const out = `${it.folder}/built.navd`;
      execFileSync(process.env.NAVCTL, ['build', from, '-o', out], { stdio: 'ignore' });
      return JSON.parse(execFileSync(process.env.NAVCTL, ['tile', out, '1', '0', '--json'], { encoding: 'utf8' })).mesh;
    };
    assert.deepEqual(cells(file), cells(COURTYARD));
  });

  await t.test('a change is listed, frozen and undone', async () => {
    const panel = await it.open('changes');
    assert.match(await panel.textContent(), /Nothing has changed/);
    const entries = panel.locator('ol .entry');
    const tiles = () => page.evaluate(() => [...globalThis.navd.model.shown.tiles.values()].map((tile) => `${tile.x},${tile.z} ${tile.content}`).sort());
    const before = await tiles();
    it.daemon.navctl('edit', '--world', 'yard', '--volume', '7=0,-1,3,12,20,12,26,20,26');
    await it.until(() => document.querySelectorAll('#panel-changes ol .entry').length >= 1);
    await it.until(() => globalThis.navd.model.synced.value === globalThis.navd.model.revision.value);
    const after = await tiles();
    assert.notDeepEqual(after, before);
    assert.match(await entries.first().textContent(), /Revision \d+/);
    await page.keyboard.press('Escape');
    await page.locator('#scene').focus();
    await page.keyboard.press('Comma'); // one revision back
    await it.until(() => globalThis.navd.model.history.position.value === globalThis.navd.model.history.entries.length - 1);
    for (let n = await entries.count(); n > 1; n--) await page.keyboard.press('Comma');
    assert.deepEqual(await tiles(), before);
    await entries.first().click();
    assert.deepEqual(await tiles(), after);
    await it.until(() => document.querySelector('#panel-changes .entry')?.getAttribute('aria-current') === 'true');
    await panel.getByRole('button', { name: 'Live again' }).click();
    assert.equal(await page.evaluate(() => globalThis.navd.model.history.frozen), false);
  });

  await t.test('worlds and agents are lists', async () => {
    const panel = await it.open('worlds');
    await panel.getByRole('list', { name: 'Worlds' }).getByRole('listitem').first().waitFor();
    assert.match(await panel.getByRole('list', { name: 'Worlds' }).textContent(), /yard\d+ objects, revision \d+/);
    assert.equal((await rows(panel))['agent radius'], '0.6 m');
  });

  assert.deepEqual(await it.problems(), []);
});

test('a tile that fails is listed with its reason, and found by it', async (t) => {
  // So little memory for one tile that those with much in them fail.
  const it = await Page.start(t, browser, { options: ['--tile-memory-bytes', '1M'], push: ['--no-wait', '--cell-size', '0.1', '--tile', '256'] });
  await it.until(() => globalThis.navd.model.failed.value.total > 0);
  const panel = await it.open('failed');
  const first = panel.getByRole('list', { name: 'Failed tiles' }).getByRole('button').first();
  // At once, for more tiles may fail and stand in front of it.
  const text = await first.evaluate((button) => {
    button.click();
    return button.textContent;
  });
  const [, x, z] = /^(-?\d+), (-?\d+)/.exec(text);
  assert.match(text, /limit|memory/);
  await it.until(([tx, tz]) => globalThis.navd.model.selection.value?.x === tx && globalThis.navd.model.selection.value.z === tz, [Number(x), Number(z)]);
  await it.until(() => /Failed: /.test(document.querySelector('#panel-inspector .error')?.textContent ?? ''));
  await it.until(() => /Tries/.test(document.querySelector('#panel-inspector')?.textContent ?? ''));
});

test('the path tool: handles, places, and Detour beside navd', async (t) => {
  const it = await Page.start(t, browser);
  const { page } = it;
  const { requests } = it.seen;
  requests.length = 0;
  const panel = await it.open('path');
  await panel.getByRole('textbox', { name: 'Start' }).fill('5 5');
  await panel.getByRole('textbox', { name: 'Start' }).press('Enter');
  assert.deepEqual(requests, [], 'Detour was loaded before anybody asked for it');
  await panel.getByRole('textbox', { name: 'Goal' }).fill('nowhere');
  await panel.getByRole('textbox', { name: 'Goal' }).press('Enter');
  assert.match(await panel.getByRole('alert').textContent(), /not a number/);
  await panel.getByRole('textbox', { name: 'Goal' }).fill('50 38');
  await panel.getByRole('textbox', { name: 'Goal' }).press('Enter');
  await it.until(() => /Detour/.test(document.querySelector('#panel-path table')?.textContent ?? ''));
  assert(requests.some((url) => /detour/.test(url)) && requests.every((url) => url.startsWith(`${it.daemon.origin}/`)), requests.join(' '));
  const table = () => panel.locator('table').evaluate((element) => [...element.rows].map((row) => [...row.cells].map((cell) => cell.textContent)));
  const [, status, length] = await table();
  assert.equal(status[2], 'found');
  const detour = parseFloat(length[2]);
  assert(detour >= Math.hypot(45, 33) - 0.01, length[2]);
  assert.equal(status[1], 'found');
  const navd = parseFloat(length[1]);
  // The true shortest way is never longer than one along the corners of polygons.
  assert(navd >= Math.hypot(45, 33) - 0.1 && navd <= detour + 0.01, `navd ${length[1]}, Detour ${length[2]}`);

  // A wall in between makes both ways longer. navd tells its own: nobody asks.
  await it.until(() => document.querySelector('#panel-path table')?.dataset.follows === 'true');
  await page.evaluate(() => {
    const { model } = globalThis.navd;
    const call = model.call.bind(model);
    globalThis.asked = [];
    model.call = (method, params) => (globalThis.asked.push(method), call(method, params));
  });
  const wall = `${it.folder}/wall.obj`;
  writeFileSync(wall, 'o wall\nv 25 0 0\nv 25 0 40\nv 25 6 40\nv 25 6 0\nv 26 0 0\nv 26 0 40\nv 26 6 40\nv 26 6 0\nf 1 2 3\nf 1 3 4\nf 8 7 6\nf 8 6 5\nf 4 3 7\nf 4 7 8\nf 2 6 7\nf 2 7 3\nf 1 4 8\nf 1 8 5\n');
  it.daemon.navctl('push', wall, '--world', 'yard');
  for (const [column, before] of [
    [2, navd],
    [3, detour],
  ]) {
    await it.until(
      ([nth, old]) => parseFloat(document.querySelector(`#panel-path tbody tr:nth-child(2) :nth-child(${nth})`)?.textContent ?? '0') > old + 0.5,
      [column, before],
    );
  }

  assert.deepEqual(await page.evaluate(() => globalThis.asked.filter((method) => method === 'path.find')), []);

  // The tool takes the pointer: a handle that is dragged is the start from then on.
  await panel.getByRole('button', { name: 'Clear' }).click();
  await panel.getByRole('button', { name: 'Place handles' }).click();
  const point = (x, z) => page.evaluate(([wx, wz]) => {
    const { view } = globalThis.navd;
    const v = view.camera.centre.clone().set(wx, 0.2, wz).project(view.camera.camera);
    const box = view.element.getBoundingClientRect();
    return [box.left + ((v.x + 1) / 2) * box.width, box.top + ((1 - v.y) / 2) * box.height];
  }, [x, z]);
  await page.locator('#scene').focus();
  await page.keyboard.press('KeyF');
  await page.keyboard.press('KeyT');
  await it.until(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(true)))));
  await page.mouse.click(...(await point(20, 30)));
  await page.mouse.click(...(await point(30, 25)));
  const near = (name, x, z) =>
    it.until(([label, wx, wz]) => {
      const [px, , pz] = document.querySelector(`#panel-path input[aria-label=${label}]`).value.split(' ').map(Number);
      return Math.hypot(px - wx, pz - wz) < 1.5;
    }, [name, x, z]);
  await near('Start', 20, 30);
  await near('Goal', 30, 25);
  await page.mouse.move(...(await point(30, 25)));
  await page.mouse.down();
  await page.mouse.move(...(await point(8, 25)), { steps: 4 });
  await page.mouse.up();
  await near('Goal', 8, 25);
  assert.deepEqual(await it.problems(), []);
});

test('charts run while they are looked at, and rest when they are not', async (t) => {
  const it = await Page.start(t, browser);
  // The page's own calls and timers of a second, counted.
  await it.page.evaluate(() => {
    const { model } = globalThis.navd;
    const { setTimeout: set, clearTimeout: clear } = globalThis;
    const call = model.call.bind(model);
    globalThis.asked = globalThis.answered = 0;
    globalThis.waiting = new Set();
    model.call = (method, params) => {
      const answer = call(method, params);
      if (method !== 'stats') return answer;
      globalThis.asked++;
      return answer.finally(() => globalThis.answered++);
    };
    globalThis.setTimeout = window.setTimeout = (run, ms, ...rest) => {
      const id = set(() => {
        globalThis.waiting.delete(id);
        run(...rest);
      }, ms);
      if (ms === 1000) globalThis.waiting.add(id);
      return id;
    };
    globalThis.clearTimeout = window.clearTimeout = (id) => {
      globalThis.waiting.delete(id);
      clear(id);
    };
  });
  assert.equal(await it.page.evaluate(() => globalThis.asked), 0);
  const panel = await it.open('figures');
  await it.until(() => globalThis.asked >= 3 && document.querySelectorAll('#panel-figures canvas').length === 3);
  assert.match(await panel.textContent(), /Queue: \d+ tiles waiting, \d+ tiles running/);
  assert.match(await panel.textContent(), /Of the whole daemon/);
  // Nothing is under way and no timer runs that could begin anything.
  const rests = () => it.until(() => globalThis.asked === globalThis.answered && globalThis.waiting.size === 0);
  await panel.locator('summary').click();
  await rests();
  const asked = await it.page.evaluate(() => globalThis.asked);
  await panel.locator('summary').click();
  await it.until((before) => globalThis.asked > before, asked);
  await it.page.locator('#panel-toggle').click(); // all panels are hidden
  await rests();
  assert.deepEqual(await it.problems(), []);
});

test('picture and glTF', async (t) => {
  const it = await Page.start(t, browser, { colorScheme: 'light', role: 'reader' });
  const panel = await it.open('export');
  const png = readFileSync(await it.download(() => panel.getByRole('button', { name: 'Picture (PNG)' }).click()));
  assert.equal(png.subarray(1, 4).toString(), 'PNG');
  assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], await it.page.evaluate(() => [navd.view.element.width, navd.view.element.height]));
  const file = await it.download(() => panel.getByRole('button', { name: 'Ground (glTF)' }).click());
  const glb = readFileSync(file);
  assert.equal(glb.toString('latin1', 0, 4), 'glTF');
  assert.equal(glb.readUInt32LE(8), glb.length);
  const gltf = JSON.parse(glb.toString('utf8', 20, 20 + glb.readUInt32LE(12)));
  assert.deepEqual(gltf.meshes.map(({ name }) => name), ['ground']);
  // A reader of others agrees: Assimp, through navctl, sees the ground where it is.
  const told = execFileSync(process.env.NAVCTL, ['build', file, '-o', `${it.folder}/again.navd`], { encoding: 'utf8' });
  const { min, max, count } = gltf.accessors[0];
  assert(count > 100 && min[0] > 0 && max[0] < 60 && max[2] < 44, JSON.stringify([min, max]));
  assert.match(told, /triangles/);
  assert.deepEqual(await it.problems(), []);
});
