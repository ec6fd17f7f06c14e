// The view over TLS, as from another machine: the page by https, its WebSocket by wss.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Daemon, drawn, launch, openPage } from './page.mjs';
import { plates } from './scene.mjs';

test('beyond loopback the page and its WebSocket are encrypted', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'navd-tls-'));
  const [certificate, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '1', '-keyout', key, '-out', certificate], { stdio: 'ignore' });
  const daemon = await Daemon.start('--view', '0.0.0.0:0', '--tls-certificate', certificate, '--tls-key', key);
  const browser = await launch('--ignore-certificate-errors'); // nobody has signed it
  try {
    daemon.push('plates', plates(40));
    const { page, seen, close } = await openPage(browser, daemon.address('plates'));
    await drawn(page);
    assert.equal(await page.textContent('#connection'), 'Live');
    assert.ok(seen.requests.every((url) => /^(https|wss|data):/.test(url)), seen.requests.join(' '));
    assert.deepEqual(seen.errors, []);
    // Changes come this way, too.
    const before = await page.evaluate(() => navd.model.synced.value);
    daemon.navctl('edit', '--world', 'plates', '--volume', '5=0,-1,2,4,4,4,6,6,6,6,4');
    await page.waitForFunction((n) => navd.model.synced.value > n, before);
    await close();
  } finally {
    await browser.close();
    await daemon.end();
    rmSync(folder, { recursive: true, force: true });
  }
});
