// A subscription to the tiles of a profile, over as many connections as it takes. Keep one tile for each (sheet, x, z): drop it with
// `removed`, keep it with `failed`, replace it otherwise. That stays right over broken connections and restarts of navd, since what
// navd has forgotten is told as `removed` here.

import type { Client } from './client.js';
import { ClosedError, NotFoundError, type NavdError } from './errors.js';
import { placeOf, type Area, type Bounds, type Compression, type Encoding, type Floats, type Note, type Params, type Result, type Tile } from './messages.js';
import type { Settings, Sheet } from './settings.js';
import { TileQueue } from './tile_queue.js';
import { unpackTile } from './unpack.js';
import type { U64 } from './wire/values.js';

export interface SubscribeOptions {
  world: U64;
  profile: string;
  /** Of the profile's sheets, those whose tiles shall come; by default all. */
  sheets?: 'all' | readonly Sheet[];
  encoding?: Encoding;
  /** How tiles travel; they are unpacked when you get them. "none" spares the unpacking on the same machine. */
  compression?: Compression;
  bounds?: Bounds;
  focus?: Floats;
  build?: 'all' | 'watched';
  margin_m?: number;
}

export type SubscriptionEvent =
  | ({ type: 'tile'; grid: U64 } & Tile)
  /** All tiles are as they are at this revision, or newer, and nothing of it can be lost. */
  | { type: 'synced'; revision: U64 }
  | { type: 'progress'; done: U64; total: U64 }
  /** Tiles that come from now on were built with these settings. Another `grid`: their places differ, too. */
  | { type: 'settings'; settings: Settings; origin_m: number[]; revision: U64; grid: U64 }
  | { type: 'areas'; areas: Area[]; revision: U64 }
  /** Nothing comes any more: the world was deleted, its profile removed, or the client closed. The last event. */
  | { type: 'ended'; reason: string };

export type TileEvent = Extract<SubscriptionEvent, { type: 'tile' }>;
export type SubscriptionListener = (event: SubscriptionEvent) => void;

type SubscriptionNote = Exclude<Note, { name: 'alive' | 'bye' | 'paths' }>;

const MOST_KNOWN = 1 << 17; // one request must be able to name them
const NO_KEY = new Uint8Array(16);
const UNKNOWN_KEY = new Uint8Array(16).fill(0xff); // no tile has it

interface Place {
  x: number;
  z: number;
  sheet: Sheet;
  key: Uint8Array;
}

export class Subscription implements AsyncIterable<SubscriptionEvent> {
  /** The grid that the tiles come in, see docs/protocol/profiles.md#grids. */
  grid: U64 = 0;
  /** What the last `synced` named. */
  revision: U64 | undefined;
  /** It ended, and why. */
  ended: string | undefined;
  private readonly places = new Map<string, Place>(); // of all tiles that the user has
  private readonly since = new Map<string, Place>(); // that came after `revision`
  private lostTrack = false; // so they must all come again
  private stale: Map<string, Place> | undefined; // had before, and not come again yet
  private wire: U64 | undefined; // its number in this connection
  private queue: TileQueue | undefined;

  /** Made by Client.subscribe(). */
  constructor(
    private readonly client: Client,
    readonly options: SubscribeOptions,
    private readonly listener: SubscriptionListener | undefined,
    hold: (held: boolean) => void,
  ) {
    if (!listener) this.queue = new TileQueue(hold);
  }

  /** The events in order, for one loop. While it is slow, older states of a tile are skipped. Leaving the loop unsubscribes. */
  [Symbol.asyncIterator](): AsyncIterator<SubscriptionEvent> {
    const queue = this.queue;
    if (!queue) throw new TypeError('a subscription with a listener cannot be iterated over');
    return {
      next: () => queue.next(),
      return: async () => {
        await this.unsubscribe();
        return { done: true, value: undefined };
      },
    };
  }

  /** Ends it. Safe to call again, and while the connection is broken. */
  async unsubscribe(): Promise<void> {
    if (this.ended !== undefined) return;
    const wire = this.wire;
    this.end('unsubscribed');
    this.client.forget(this);
    try {
      if (wire !== undefined) await this.client.call('tiles.unsubscribe', { subscription: wire });
    } catch (error) {
      // The connection that knew it is gone, and it with it.
      if (!(error instanceof ClosedError) && !(error instanceof NotFoundError)) throw error;
    }
  }

  /** Moves the focus or the bounds, for example because the camera moved. Remembered while the connection is broken. */
  async focus(to: { focus?: Floats; bounds?: Bounds; margin_m?: number }): Promise<void> {
    if (to.focus) this.options.focus = to.focus;
    if (to.margin_m !== undefined) this.options.margin_m = to.margin_m;
    if (to.bounds) {
      this.options.bounds = to.bounds;
      this.lostTrack = true; // until the next synced
    }
    if (this.wire !== undefined) await this.client.call('tiles.focus', { subscription: this.wire, ...to });
  }

  // --- what the client calls ---

  /** Its number in this connection. */
  get wireId(): U64 | undefined {
    return this.wire;
  }

  lost(): void {
    this.wire = undefined;
  }

  /** What to ask for, so that only what is missing comes. */
  request(): Params['tiles.subscribe'] {
    const resume = !this.lostTrack;
    return {
      ...this.options,
      since: resume ? this.revision : undefined,
      known: resume ? [...this.since.values()].map(asKnown) : undefined,
    };
  }

  /** The answer. */
  begin(answer: Result<'tiles.subscribe'>): void {
    const again = this.lostTrack || (this.revision !== undefined && !answer.resumed);
    this.wire = answer.subscription;
    this.grid = answer.grid;
    if (!again) return;
    this.stale = new Map(this.places);
    this.revision = undefined;
    this.since.clear();
    this.lostTrack = false;
  }

  note(note: SubscriptionNote): void {
    if (note.name === 'tile') return this.takeTile(unpackTile(note.params, this.options.compression ?? 'zstd'));
    if (note.name === 'synced') return this.takeSynced(note.params.revision);
    if (note.name === 'ended') return this.end(note.params.reason);
    const { name: type, params } = note;
    if (type === 'settings') this.grid = params.grid;
    this.tell({ ...params, type } as SubscriptionEvent);
  }

  end(reason: string): void {
    if (this.ended !== undefined) return;
    this.ended = reason;
    this.wire = undefined;
    this.tell({ type: 'ended', reason });
    this.queue?.finish();
  }

  fail(error: NavdError): void {
    this.end(error.message);
  }

  private takeTile(tile: Tile): void {
    const place = placeOf(tile);
    // The key of a tile that failed says nothing of the one before it, which is still here.
    const known = { x: tile.x, z: tile.z, sheet: tile.sheet, key: tile.status === 'failed' ? UNKNOWN_KEY : tile.key };
    this.stale?.delete(place);
    if (tile.status === 'removed') this.places.delete(place);
    else this.places.set(place, known);
    if (!this.lostTrack) this.since.set(place, known);
    if (this.since.size > MOST_KNOWN) {
      this.lostTrack = true;
      this.since.clear();
    }
    this.tell(Object.assign(tile, { type: 'tile', grid: this.grid } as const));
  }

  private takeSynced(revision: U64): void {
    for (const at of this.stale?.values() ?? []) this.takeTile(removed(at, revision, this.options.encoding ?? 'navd'));
    this.stale = undefined;
    this.revision = revision;
    this.since.clear();
    this.lostTrack = false;
    this.tell({ type: 'synced', revision });
  }

  private tell(event: SubscriptionEvent): void {
    if (this.queue) return this.queue.push(event);
    try {
      this.listener!(event);
    } catch (error) {
      queueMicrotask(() => {
        throw error; // a defect of the listener: not ours to hide, nor to let break the connection
      });
    }
  }
}

function asKnown({ x, z, sheet, key }: Place): readonly [number, number, Uint8Array, Sheet?] {
  return sheet === 'up' ? [x, z, key] : [x, z, key, sheet];
}

function removed({ x, z, sheet }: Place, revision: U64, encoding: Encoding): Tile {
  return { x, z, sheet, revision, encoding, status: 'removed', reason: '', key: NO_KEY, size: 0, queued_us: 0, made_us: 0, data: undefined };
}
