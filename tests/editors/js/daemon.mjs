// A navd of a test's own, which it can kill and start again at the same socket. Its port is another one then, which nobody can have taken meanwhile.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export const navd = await import(join(process.env.NAVD_JS, 'dist/node.js'));
export const { IDENTITY } = navd;

// Limits that a slow machine does not run into; a test that wants others gives its own.
const PATIENT = '--hello-s 300 --message-s 300 --stall-s 0 --tile-ms 3600000 --stuck-ms 3600000 --max-path-ms 3600000'.split(' ');

/** A square of ground, side metres long. */
export function square(side) {
  return {
    vertices: new Float32Array([0, 0, 0, 0, 0, side, side, 0, side, side, 0, 0]),
    indices: new Uint32Array([0, 1, 2, 0, 2, 3]),
  };
}

/** A box with the corners (0, 0, 0) and (w, h, d). */
export function box(w, h, d) {
  const vertices = [];
  for (const x of [0, w]) for (const y of [0, h]) for (const z of [0, d]) vertices.push(x, y, z);
  const faces = [
    [2, 3, 7, 6], // top
    [0, 4, 5, 1],
    [0, 1, 3, 2],
    [4, 6, 7, 5],
    [0, 2, 6, 4],
    [1, 5, 7, 3],
  ];
  const indices = faces.flatMap(([a, b, c, d2]) => [a, b, c, a, c, d2]);
  return { vertices: new Float32Array(vertices), indices: new Uint32Array(indices) };
}

export const at = (x, y, z) => [1, 0, 0, x, 0, 1, 0, y, 0, 0, 1, z];

export class Daemon {
  /** Starts one for a test, which ends it. */
  static async start(t, ...options) {
    const daemon = new Daemon();
    daemon.folder = mkdtempSync(join(tmpdir(), 'navd-js-'));
    daemon.options = options;
    t.after(async () => {
      await daemon.stop('SIGTERM');
      rmSync(daemon.folder, { recursive: true, force: true });
    });
    await daemon.start();
    return daemon;
  }

  get address() {
    return join(this.folder, 'navd.sock');
  }

  async start() {
    const state = this.options.includes('--state') ? [] : ['--state', join(this.folder, 'state')];
    this.child = spawn(
      process.env.NAVD,
      ['--socket', this.address, '--listen', '127.0.0.1:0', ...state, ...PATIENT, ...this.options],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    );
    this.gone = new Promise((resolve) => this.child.once('exit', resolve));
    const log = [];
    const lines = createInterface({ input: this.child.stderr });
    this.port = await new Promise((resolve, reject) => {
      lines.on('line', (line) => {
        log.push(line);
        const match = /listener\.opened.*\bport=(\d+)/.exec(line);
        if (match) resolve(Number(match[1]));
      });
      this.child.once('close', () => reject(new Error(`navd ended:\n${log.join('\n')}`)));
    });
  }

  async stop(signal) {
    this.child.kill(signal);
    await this.gone;
  }

  /** A client, closed when the test ends. */
  async connect(t, options = {}) {
    const client = await navd.connect(this.address, options);
    t.after(() => client.close());
    return client;
  }
}

/** Keeps the newest tile of each place, as a user of a subscription does. */
export class Mirror {
  tiles = new Map();
  events = [];
  revision = -1;
  waiting = [];

  take = (event) => {
    this.events.push(event);
    if (event.type === 'tile') {
      const place = navd.placeOf(event);
      if (event.status === 'removed') this.tiles.delete(place);
      else if (event.status !== 'failed') this.tiles.set(place, event);
    }
    if (event.type === 'synced') this.revision = event.revision;
    this.waiting = this.waiting.filter(({ test, resolve }) => !test(event) || resolve(event));
  };

  /** The next event for which that is true. */
  next(test) {
    return new Promise((resolve) => this.waiting.push({ test, resolve }));
  }

  async synced(revision) {
    if (this.revision < revision) await this.next((e) => e.type === 'synced' && e.revision >= revision);
  }

  ok() {
    return [...this.tiles.values()].filter((tile) => tile.status === 'ok');
  }
}
