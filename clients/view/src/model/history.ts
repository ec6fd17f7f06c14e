// What changed, revision by revision, so that the picture can be frozen and stepped through.
//
// An entry holds the tiles before and after; they are immutable and shared with the tile stores, so an entry costs only what was
// replaced. The oldest entries go when there are too many.
import { Event, Signal } from './signal.ts';
import type { TileChange, TileStore } from './tiles.ts';
import type { TileKey } from './types.ts';

const MAX_ENTRIES = 500;
const MAX_CHANGES = 100_000;

export interface HistoryEntry {
  revision: number;
  // Milliseconds of performance.now().
  time: number;
  changes: TileChange[];
}

export class History {
  readonly entries: HistoryEntry[] = [];
  readonly grown = new Event<void>();
  // Null: live. Otherwise how many of the entries are shown, 0 to entries.length.
  readonly position = new Signal<number | null>(null);
  #shown: TileStore;
  #changes = 0;
  #lastKeys = new Set<TileKey>(); // of the newest entry

  constructor(shown: TileStore) {
    this.#shown = shown;
  }

  get frozen(): boolean {
    return this.position.value !== null;
  }

  // Notes what has arrived and shows it, unless the picture is frozen.
  add(revision: number, changes: readonly TileChange[]): void {
    const last = this.entries[this.entries.length - 1];
    const position = this.position.value;
    // The tiles of a revision come one after the other; but what is shown frozen is no longer added to.
    if (last && last.revision === revision && position === null && !changes.some((c) => this.#lastKeys.has(c.key))) {
      last.changes.push(...changes);
    } else {
      this.entries.push({ revision, time: performance.now(), changes: [...changes] });
      this.#lastKeys.clear();
    }
    for (const change of changes) this.#lastKeys.add(change.key);
    this.#changes += changes.length;
    this.#forget();
    if (position === null) this.#shown.apply(changes);
    this.grown.emit();
  }

  freeze(): void {
    if (!this.frozen) this.position.set(this.entries.length);
  }

  // Back to what is live.
  thaw(): void {
    this.goTo(this.entries.length);
    this.position.set(null);
  }

  // Shows the tiles as they were after the first `position` entries.
  goTo(position: number): void {
    this.freeze();
    const to = Math.max(0, Math.min(this.entries.length, position));
    let at = this.position.value ?? this.entries.length;
    for (; at > to; at--) {
      const entry = this.entries[at - 1]!;
      this.#shown.apply(entry.changes.map((c) => ({ ...c, before: c.after, after: c.before })));
    }
    for (; at < to; at++) this.#shown.apply(this.entries[at]!.changes);
    this.position.set(to);
  }

  // One revision back (-1) or on (1).
  step(by: number): void {
    this.goTo((this.position.value ?? this.entries.length) + by);
  }

  clear(): void {
    this.entries.length = 0;
    this.#changes = 0;
    this.position.set(null);
    this.grown.emit();
  }

  #forget(): void {
    const position = this.position.value;
    while (this.entries.length > 1 && (this.entries.length > MAX_ENTRIES || this.#changes > MAX_CHANGES)) {
      // What is frozen stays: only entries that are shown already can go.
      if (position !== null && position <= 1) return;
      this.#changes -= this.entries.shift()!.changes.length;
      if (position !== null) this.position.set(this.position.value! - 1);
    }
  }
}
