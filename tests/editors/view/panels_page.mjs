// The view of a courtyard, used as a person does: what the tests of the panels share.
import { join } from 'node:path';
import { Daemon, openPage } from './page.mjs';

export const COURTYARD = join(process.env.NAVD_SOURCE, 'docs/demo/courtyard.obj');

export class Page {
  static async start(t, browser, { role = 'admin', options = [], push = [], ...context } = {}) {
    const it = new Page();
    it.daemon = await Daemon.startAs(role, ...options);
    t.after(() => it.daemon.end());
    it.daemon.navctl('push', COURTYARD, '--world', 'yard', ...push);
    const { page, seen, close } = await openPage(browser, it.daemon.address('yard'), { viewport: { width: 1280, height: 900 }, ...context });
    t.after(close);
    it.page = page;
    it.seen = seen;
    await it.until(() => globalThis.navd?.model.synced.value > 0 && document.querySelector('#panel-export'));
    return it;
  }

  get folder() {
    return this.daemon.folder;
  }

  // Waits until that is true in the page.
  until(test, argument) {
    return this.page.waitForFunction(test, argument);
  }

  // Opens a panel.
  async open(id) {
    const panel = this.page.locator(`#panel-${id}`);
    if (!(await panel.evaluate((details) => details.open))) await panel.locator('summary').click();
    return panel;
  }

  select(x, z) {
    return this.page.evaluate(([px, pz]) => globalThis.navd.model.selection.set({ x: px, z: pz, cell: 0, point: [0, 0, 0] }), [x, z]);
  }

  // What a click downloads.
  async download(click) {
    const [download] = await Promise.all([this.page.waitForEvent('download'), click()]);
    const file = join(this.folder, download.suggestedFilename());
    await download.saveAs(file);
    return file;
  }

  // What the browser and its security policy complained of.
  async problems() {
    return [...this.seen.errors, ...(await this.page.evaluate(() => globalThis.violations))];
  }
}
