// A navd with the view, and pages of a real Chromium that show it.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const { chromium } = createRequire(join(process.env.NAVD_NPM_EDITORS, 'x.js'))('playwright-core');

// A limit for what hangs; on a busy machine a page may take its time.
const PATIENCE_MS = 300_000;

// Limits that a slow machine does not run into; a test that wants others gives its own.
const PATIENT = '--hello-s 300 --message-s 300 --stall-s 0 --tile-ms 3600000 --stuck-ms 3600000 --max-path-ms 3600000'.split(' ');

// Chromium draws with SwiftShader: there is no graphics card where tests run.
export const launch = (...more) =>
  chromium.launch({
    executablePath: '/usr/bin/chromium',
    headless: true,
    timeout: PATIENCE_MS,
    args: ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', ...more],
  });

// Below those that the system gives to connections: nobody takes it by chance while the daemon is away.
const fixedPort = () => 20_000 + Math.floor(12_000 * Math.random());

export class Daemon {
  // A navd with the view and a reader's token that outlives a restart.
  static start(...options) {
    return Daemon.startAs('reader', ...options);
  }

  static async startAs(role, ...options) {
    const daemon = new Daemon();
    daemon.folder = mkdtempSync(join(tmpdir(), 'navd-view-'));
    daemon.options = options;
    const tokens = join(daemon.folder, 'tokens');
    const said = execFileSync(process.env.NAVD, ['token', 'new', 'view', '--role', role, '--file', tokens], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
    daemon.token = said.split('\n')[0].trim();
    for (;;) {
      daemon.port = fixedPort();
      try {
        await daemon.run();
        return daemon;
      } catch (error) {
        if (!/in use/.test(error.message)) throw error;
      }
    }
  }

  get socket() {
    return join(this.folder, 'navd.sock');
  }

  async run() {
    const { folder, options } = this;
    this.child = spawn(
      process.env.NAVD,
      ['--socket', this.socket, ...PATIENT, ...(options.includes('--state') ? [] : ['--state', join(folder, 'state')]), '--tokens', join(folder, 'tokens'), ...(options.includes('--view') ? [] : ['--view', `127.0.0.1:${this.port}`]), ...options],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    );
    this.gone = new Promise((resolve) => this.child.once('exit', resolve));
    const log = [];
    this.port = await new Promise((resolve, reject) => {
      createInterface({ input: this.child.stderr }).on('line', (line) => {
        log.push(line);
        const match = /event=view\.opened.*\bport=(\d+) files=yes/.exec(line);
        if (match) resolve(Number(match[1]));
      });
      this.child.once('close', () => reject(new Error(`navd ended:\n${log.join('\n')}`)));
    });
  }

  async stop() {
    this.child.kill('SIGTERM');
    await this.gone;
  }

  async end() {
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  // Runs navctl; its output.
  navctl(...args) {
    return execFileSync(process.env.NAVCTL, [...args, '--connect', this.socket], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  }

  // Sends a scene as a world.
  push(world, obj, ...more) {
    const file = join(this.folder, `${world}.obj`);
    writeFileSync(file, obj);
    return this.navctl('push', file, '--world', world, ...more);
  }

  get origin() {
    return `http${this.options.includes('--tls-certificate') ? 's' : ''}://127.0.0.1:${this.port}`;
  }

  address(world, token = this.token) {
    return `${this.origin}/#token=${token}${world ? `&world=${world}` : ''}`;
  }
}

// A page that writes down what must not happen: requests to elsewhere, errors, what the security policy has stopped.
export async function openPage(browser, address, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 720 }, colorScheme: 'dark', ...options });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const seen = { requests: [], errors: [], expected: /^$/ };
  const note = (text) => seen.expected.test(text) || seen.errors.push(text);
  context.on('request', (request) => seen.requests.push(request.url()));
  page.on('websocket', (socket) => seen.requests.push(socket.url()));
  page.on('console', (message) => message.type() === 'error' && note(message.text()));
  page.on('pageerror', (error) => note(String(error)));
  await page.addInitScript(() => {
    globalThis.violations = [];
    document.addEventListener('securitypolicyviolation', (event) => globalThis.violations.push(`${event.violatedDirective} ${event.blockedURI}`));
  });
  await page.goto(address);
  return { page, seen, close: () => context.close() };
}

// All tiles of the world are on the screen.
export const drawn = (page) => page.waitForFunction(() => globalThis.navd?.view.stats.allDrawnAt > 0);
