// Fast daemons and slow users, over a transport of the test's own that shows what is read and what is kept.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { navd } from './daemon.mjs';

const { Decoder, Encoder } = await import(join(process.env.NAVD_JS, 'node_modules/@msgpack/msgpack/dist.esm/index.mjs'));
const encoder = new Encoder({ useBigInt64: true });
const LIMITS = { message_bytes: 1 << 26, mesh_part_bytes: 1 << 20 };

// A daemon made of answers: what it was asked, and whether it is read.
class Script {
  asked = [];
  reading = true;
  links = 0;
  answers = {
    hello: () => ({ server: 'script 1', version: 1, limits: LIMITS }),
    'tiles.subscribe': () => ({ subscription: 1, revision: 1, grid: 1 }),
    'tiles.unsubscribe': () => ({}),
    ping: () => ({}),
  };

  dial = async (events) => {
    this.links++;
    this.events = events;
    return {
      way: 'private',
      unsent: 0,
      send: (bytes) => {
        const [, id, method, params] = new Decoder().decode(bytes);
        this.asked.push([method, params]);
        const answer = this.answers[method];
        // As a socket would: later, and never while the client does not read.
        if (answer) queueMicrotask(() => this.say([1, id, null, answer(params)]));
      },
      pause: () => (this.reading = false),
      resume: () => (this.reading = true),
      close: () => {},
    };
  };

  say(message) {
    assert(this.reading, 'bytes came while the client does not read');
    this.events.bytes(encoder.encode(message));
  }

  tile(x, revision, more = {}) {
    const data = new Uint8Array(more.bytes ?? 4).fill(revision);
    const { bytes, ...rest } = more;
    this.say([2, 'tile', { subscription: 1, world: 1, profile: 'walker', x, z: 0, status: 'ok', revision, size: data.length, data, ...rest }]);
  }

  synced(revision) {
    this.say([2, 'synced', { subscription: 1, world: 1, revision }]);
  }
}

const options = { world: 1, profile: 'walker', compression: 'none' };
const shown = (event) => (event.type === 'tile' ? `${event.x} ${event.status} ${event.revision}` : `${event.type} ${event.revision ?? event.grid ?? event.reason ?? ''}`.trim());

async function connect(t, script) {
  const client = await navd.Client.connect(script.dial);
  t.after(() => client.close());
  return client;
}

async function drain(subscription, count) {
  const iterator = subscription[Symbol.asyncIterator]();
  const events = [];
  for (let i = 0; i < count; i++) events.push(shown((await iterator.next()).value));
  return events;
}

test('a slow loop gets the newest state of each tile, once', async (t) => {
  const script = new Script();
  const client = await connect(t, script);
  const subscription = await client.subscribe(options);
  for (let revision = 1; revision <= 1000; revision++) {
    script.tile(0, revision);
    script.tile(1, revision);
  }
  script.synced(1000);
  assert.deepEqual(await drain(subscription, 3), ['0 ok 1000', '1 ok 1000', 'synced 1000']);
});

test('what a tile becomes keeps its meaning while it waits', async (t) => {
  const script = new Script();
  const client = await connect(t, script);
  const subscription = await client.subscribe(options);
  script.tile(0, 1); // then it fails: the tile before it stays valid, and must be seen
  script.tile(0, 2, { status: 'failed', data: undefined });
  script.tile(1, 1);
  script.tile(1, 2, { status: 'failed', data: undefined });
  script.tile(1, 3); // it works again: the failure is over
  script.synced(3);
  script.tile(2, 3);
  script.tile(2, 4, { status: 'removed', data: undefined });
  script.say([2, 'settings', { subscription: 1, world: 1, profile: 'walker', settings: {}, origin_m: [0, 0, 0], revision: 5, grid: 5 }]);
  script.tile(0, 6); // of another grid: it replaces nothing
  script.synced(6);
  script.say([2, 'ended', { subscription: 1, world: 1, reason: 'deleted' }]);
  assert.deepEqual(await drain(subscription, 9), ['0 ok 1', '0 failed 2', '1 ok 3', 'synced 3', '2 removed 4', 'settings 5', '0 ok 6', 'synced 6', 'ended deleted']);
  const iterator = subscription[Symbol.asyncIterator]();
  assert.equal((await iterator.next()).done, true);
});

test('with too much waiting it reads no more, but for the answer to a call', async (t) => {
  const script = new Script();
  const client = await connect(t, script);
  const subscription = await client.subscribe(options);
  const size = 4 << 20;
  let x = 0;
  while (script.reading) script.tile(x++, 1, { bytes: size });
  assert(x > 10 && x < 20, `${x} tiles of 4 MiB are kept`);
  const answer = client.ping();
  assert(script.reading, 'a call waits, and nothing is read');
  await answer;
  assert(!script.reading, 'it went on reading');
  const half = Math.ceil(x / 2) + 1;
  await drain(subscription, half);
  assert(script.reading, 'more than half of it was taken, and nothing is read');
  await drain(subscription, x - half);
});

test('tiles with data that is none end the connection, in words', async (t) => {
  for (const [more, words] of [
    [{ size: 9 }, /has 4 bytes|with 4 bytes/],
    [{ compression: 'zstd' }, /zstd/],
  ]) {
    const script = new Script();
    const client = await connect(t, script);
    const closed = new Promise((resolve) => client.on((event) => event.type === 'closed' && resolve(event.error)));
    const { compression, ...tile } = more;
    const events = [];
    const subscription = await client.subscribe({ ...options, ...(compression ? { compression } : {}) }, (event) => events.push(event));
    script.tile(0, 1, tile);
    const error = await closed;
    assert(error instanceof navd.FormatError);
    assert.match(error.message, words);
    assert.equal(client.state, 'closed');
    assert.match(subscription.ended, words);
    assert.deepEqual(events.map((event) => event.type), ['ended']);
    await assert.rejects(client.ping(), navd.ClosedError);
    assert.equal(script.links, 1, 'it came back to a daemon that makes no sense');
  }
});

test('what resumes is asked for exactly: since, and what came after it', async (t) => {
  const script = new Script();
  const client = await connect(t, script);
  const events = [];
  await client.subscribe(options, (event) => events.push(event));
  const key = (n) => new Uint8Array(16).fill(n);
  script.tile(0, 1, { key: key(1) });
  script.tile(1, 1, { key: key(2) });
  script.synced(1);
  script.tile(1, 2, { key: key(3) });
  script.tile(2, 2, { status: 'failed', data: undefined });
  script.tile(0, 2, { status: 'removed', data: undefined });
  const again = async (answer) => {
    script.answers['tiles.subscribe'] = () => answer;
    const restored = new Promise((resolve) => {
      const stop = client.on((event) => {
        if (event.type !== 'restored') return;
        stop();
        resolve();
      });
    });
    script.events.closed(new navd.ClosedError('cut'));
    await restored;
    return script.asked.filter(([method]) => method === 'tiles.subscribe').at(-1)[1];
  };
  const { since, known } = await again({ subscription: 1, revision: 2, resumed: true });
  assert.equal(since, 1);
  assert.deepEqual(known.map(([x, z, k]) => [x, z, k[0]]), [[1, 0, 3], [2, 0, 255], [0, 0, 0]]);

  // navd has forgotten: everything comes again, and what does not come is gone.
  script.synced(2);
  events.length = 0;
  const second = await again({ subscription: 1, revision: 9, resumed: false });
  assert.deepEqual([second.since, second.known], [2, []]);
  script.tile(5, 9);
  script.synced(9);
  assert.deepEqual(events.map(shown).sort(), ['1 removed 9', '2 removed 9', '5 ok 9', 'synced 9'].sort());
  assert.equal(shown(events.at(-1)), 'synced 9');
});

test('a connection that breaks right behind the answer to hello is none', async () => {
  const script = new Script();
  const farewell = encoder.encode([1, 0, { code: 'again', message: 'navd is stopping' }, null]);
  script.say = (message) => script.events.bytes(Uint8Array.from([...encoder.encode(message), ...farewell]));
  await assert.rejects(navd.Client.connect(script.dial), navd.AgainError);
});

test('it comes back however often it breaks, and gives up where that is of no use', async (t) => {
  const script = new Script();
  const client = await connect(t, script);
  for (let i = 0; i < 3; i++) {
    script.events.closed(new navd.ClosedError('cut'));
    await client.ping();
  }
  assert.equal(script.links, 4);
  const closed = new Promise((resolve) => client.on((event) => event.type === 'closed' && resolve(event.error)));
  script.answers.hello = () => ({ server: 'script 2', version: 'two', limits: {} }); // no hello of navd
  script.events.closed(new navd.ClosedError('cut'));
  assert((await closed) instanceof navd.FormatError);
});
