// What the client needs from a socket of any kind.

import type { NavdError } from '../errors.js';

export interface Link {
  send(bytes: Uint8Array): void;
  /** Bytes given to send() that are not on their way yet. */
  readonly unsent: number;
  /** Stop and go on reading, where the transport can: navd then sends the newest state of each tile later. */
  pause?(): void;
  resume?(): void;
  /**
   * Who could read a token on the way. private: nobody. guessed: nobody, if the program at that port is the one that is meant.
   * open: whoever listens.
   */
  readonly way: 'private' | 'guessed' | 'open';
  close(): void;
}

export interface LinkEvents {
  bytes(bytes: Uint8Array): void;
  /** All that was given to send() is on its way. */
  drained(): void;
  /** The other side closed the connection, or it broke. Not called after Link.close(). */
  closed(error: NavdError): void;
}

/** Opens a connection. It rejects with a NavdError, also when the signal is aborted. */
export type Dial = (events: LinkEvents, signal: AbortSignal) => Promise<Link>;
