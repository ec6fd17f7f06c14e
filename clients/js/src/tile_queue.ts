// Events of a subscription that nobody has taken yet. A newer state of a tile takes the place of an older one, as in the daemon, so
// the queue has at most as many events as there are tiles. When it holds too many bytes all the same, it asks to stop reading.

import { placeOf } from './messages.js';
import type { SubscriptionEvent } from './subscription.js';

const MOST_BYTES = 64 * 1024 * 1024;

type Entry = SubscriptionEvent | undefined; // undefined: another one has taken its place

export class TileQueue {
  private entries: Entry[] = [];
  private head = 0;
  private where = new Map<string, number>(); // in entries, by kind of event and place
  private bytes = 0;
  private held = false;
  private over = false;
  private takers: ((result: IteratorResult<SubscriptionEvent>) => void)[] = [];

  constructor(private readonly hold: (held: boolean) => void) {}

  push(event: SubscriptionEvent): void {
    const taker = this.takers.shift();
    if (taker) return taker({ done: false, value: event });
    if (event.type === 'settings') this.where.clear(); // tiles before and after it are of different grids
    const at = this.placeOf(event);
    if (at === undefined) this.entries.push(event);
    else this.entries[at] = event;
    const key = keyOf(event);
    if (key) this.where.set(key, at ?? this.entries.length - 1);
    this.bytes += sizeOf(event);
    this.steer();
  }

  next(): Promise<IteratorResult<SubscriptionEvent>> {
    while (this.head < this.entries.length) {
      const event = this.entries[this.head];
      this.entries[this.head++] = undefined;
      if (!event) continue;
      this.bytes -= sizeOf(event);
      const key = keyOf(event);
      if (key && this.where.get(key) === this.head - 1) this.where.delete(key);
      if (this.head === this.entries.length) this.empty();
      this.steer();
      return Promise.resolve({ done: false, value: event });
    }
    if (this.over) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve) => this.takers.push(resolve));
  }

  /** Nothing comes any more. */
  finish(): void {
    this.over = true;
    for (const taker of this.takers.splice(0)) taker({ done: true, value: undefined });
  }

  // The entry that this event replaces; others that it makes void go.
  private placeOf(event: SubscriptionEvent): number | undefined {
    const key = keyOf(event);
    if (!key) return undefined;
    const same = this.remove(key);
    if (event.type === 'synced' || event.type === 'areas') return undefined; // says that what came before it is out
    if (event.type !== 'tile' || event.status === 'failed') return same;
    const failed = this.remove(`failed ${placeOf(event)}`);
    return same ?? failed;
  }

  private remove(key: string): number | undefined {
    const at = this.where.get(key);
    const entry = at === undefined ? undefined : this.entries[at];
    if (at === undefined || !entry) return undefined;
    this.bytes -= sizeOf(entry);
    this.entries[at] = undefined;
    this.where.delete(key);
    return at;
  }

  private empty(): void {
    this.entries = [];
    this.head = 0;
    this.where.clear();
  }

  private steer(): void {
    const held = this.held ? this.bytes > MOST_BYTES / 2 : this.bytes > MOST_BYTES;
    if (held === this.held) return;
    this.held = held;
    this.hold(held);
  }
}

// A failed tile leaves the one before it valid, so it stands beside that one.
function keyOf(event: SubscriptionEvent): string | undefined {
  if (event.type === 'tile') return `${event.status === 'failed' ? 'failed ' : ''}${placeOf(event)}`;
  return event.type === 'settings' || event.type === 'ended' ? undefined : event.type;
}

function sizeOf(event: SubscriptionEvent): number {
  return 256 + (event.type === 'tile' && event.data ? event.data.length : 0);
}
