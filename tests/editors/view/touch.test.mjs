// The view under fingers: what Chromium makes of touches reaches the camera.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Daemon, drawn, launch, openPage } from './page.mjs';
import { plates } from './scene.mjs';

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

// `moves`: for each moment, where each finger is on the canvas. Ends when the page has heard of all of it: Chromium answers before.
async function touch(page, ...moves) {
  const top = await page.evaluate(() => {
    globalThis.lifted = 0;
    globalThis.lift ??= () => globalThis.lifted++;
    addEventListener('pointerup', globalThis.lift);
    return navd.view.element.getBoundingClientRect().top;
  });
  const session = await page.context().newCDPSession(page);
  const send = (type, fingers) => session.send('Input.dispatchTouchEvent', { type, touchPoints: fingers.map(([x, y], id) => ({ x, y: top + y, id })) });
  await send('touchStart', moves[0]);
  for (const fingers of moves.slice(1)) await send('touchMove', fingers);
  await send('touchEnd', []);
  await page.waitForFunction((fingers) => globalThis.lifted === fingers, moves[0].length);
  await session.detach();
}

const camera = (page) =>
  page.evaluate(() => {
    const { yaw, tilt, distance, centre } = navd.view.camera;
    return { yaw, tilt, distance, centre: centre.toArray() };
  });

async function withFingers(run) {
  const { page, seen, close } = await openPage(browser, daemon.address('plates'), { hasTouch: true });
  await drawn(page);
  await run(page, await camera(page));
  assert.deepEqual(seen.errors, []);
  await close();
}

test('one finger turns', () =>
  withFingers(async (page, from) => {
    await touch(page, [[640, 360]], [[680, 360]], [[740, 400]]);
    const to = await camera(page);
    assert.ok(to.yaw < from.yaw - 0.3, `yaw ${from.yaw} to ${to.yaw}`);
    assert.ok(to.tilt > from.tilt + 0.1, `tilt ${from.tilt} to ${to.tilt}`);
    assert.equal(to.distance, from.distance);
    assert.deepEqual(to.centre, from.centre);
  }));

test('two fingers that part zoom in to the place between them', () =>
  withFingers(async (page, from) => {
    const between = () => page.evaluate(() => navd.view.camera.onPlane(640, 360, 0).toArray());
    const place = await between();
    await touch(page, [[590, 360], [690, 360]], [[565, 360], [715, 360]], [[540, 360], [740, 360]]);
    const to = await camera(page);
    assert.ok(Math.abs(to.distance - from.distance / 2) < from.distance * 0.05, `distance ${from.distance} to ${to.distance}`);
    assert.equal(to.yaw, from.yaw);
    assert.equal(to.tilt, from.tilt);
    const now = await between();
    assert.ok(Math.hypot(now[0] - place[0], now[2] - place[2]) < from.distance * 0.05, `${place} to ${now}`);
  }));

test('two fingers that go together move', () =>
  withFingers(async (page, from) => {
    const under = (x, y) => page.evaluate(([px, py]) => navd.view.camera.onPlane(px, py, 0).toArray(), [x, y]);
    const place = await under(640, 360);
    await touch(page, [[590, 360], [690, 360]], [[620, 380], [720, 380]], [[650, 400], [750, 400]]);
    const to = await camera(page);
    assert.ok(Math.abs(to.distance / from.distance - 1) < 0.02, `distance ${from.distance} to ${to.distance}`);
    assert.equal(to.yaw, from.yaw);
    const now = await under(700, 400);
    assert.ok(Math.hypot(now[0] - place[0], now[2] - place[2]) < from.distance * 0.05, `${place} to ${now}`);
  }));

test('a tap selects', () =>
  withFingers(async (page) => {
    await page.evaluate(() => navd.view.goTo(10, 10));
    await touch(page, [[640, 360]]);
    await page.waitForFunction(() => navd.model.selection.value !== null);
    assert.ok((await page.evaluate(() => navd.model.selection.value.cell)) >= 0);
  }));
