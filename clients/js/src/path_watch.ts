// Paths that navd keeps: each comes again when an edit changes it. Over as many connections as it takes.

import type { Client } from './client.js';
import { ClosedError, NotFoundError, type NavdError } from './errors.js';
import type { Note, Params, PathOptions, Query, Result, WatchedPath } from './messages.js';
import type { U64 } from './wire/values.js';

export interface WatchPathsOptions extends PathOptions {
  world: U64;
  profile: string;
  queries: Query[];
}

export type PathWatchEvent =
  /** These are others now, or have come for the first time. */
  | { type: 'paths'; revision: U64; paths: WatchedPath[] }
  /** All paths are as they are at this revision, or newer. */
  | { type: 'synced'; revision: U64 }
  /** Nothing comes any more: the world was deleted, its profile removed, or the client closed. The last event. */
  | { type: 'ended'; reason: string };

export type PathWatchListener = (event: PathWatchEvent) => void;

export class PathWatch {
  /** The newest of each query, by its place; undefined: it has not come yet. */
  readonly paths: (WatchedPath | undefined)[];
  /** What the last `synced` named. */
  revision: U64 | undefined;
  /** It ended, and why. */
  ended: string | undefined;
  private wire: U64 | undefined; // its number in this connection

  /** Made by Client.watchPaths(). */
  constructor(
    private readonly client: Client,
    readonly options: WatchPathsOptions,
    private readonly listener: PathWatchListener,
  ) {
    this.paths = options.queries.map(() => undefined);
  }

  /** Ends it. Safe to call again, and while the connection is broken. No event comes after the call. */
  async unwatch(): Promise<void> {
    if (this.ended !== undefined) return;
    const wire = this.wire;
    this.ended = 'unwatched';
    this.client.forget(this);
    try {
      if (wire !== undefined) await this.client.call('path.unwatch', { subscription: wire });
    } catch (error) {
      // The connection that knew it is gone, and it with it.
      if (!(error instanceof ClosedError) && !(error instanceof NotFoundError)) throw error;
    }
  }

  // --- what the client calls ---

  lost(): void {
    this.wire = undefined;
  }

  /** What to ask for. A new connection tells all paths again. */
  request(): Params['path.watch'] {
    const queries = this.options.queries.map(({ from, to }) => ({ from: Array.from(from), to: Array.from(to) }));
    return { ...this.options, queries };
  }

  begin(answer: Result<'path.watch'>): void {
    this.wire = answer.subscription;
  }

  note({ name, params }: Note): void {
    if (this.ended !== undefined) return;
    if (name === 'paths') {
      for (const path of params.paths) this.paths[path.query] = path;
      this.tell({ type: 'paths', revision: params.revision, paths: params.paths });
    } else if (name === 'synced') {
      this.revision = params.revision;
      this.tell({ type: 'synced', revision: params.revision });
    } else if (name === 'ended') {
      this.end(params.reason);
    }
  }

  end(reason: string): void {
    if (this.ended !== undefined) return;
    this.ended = reason;
    this.wire = undefined;
    this.tell({ type: 'ended', reason });
  }

  fail(error: NavdError): void {
    this.end(error.message);
  }

  private tell(event: PathWatchEvent): void {
    try {
      this.listener(event);
    } catch (error) {
      queueMicrotask(() => {
        throw error; // a defect of the listener: not ours to hide, nor to let break the connection
      });
    }
  }
}
