// One connection without a socket: bytes in, events out. It numbers calls, checks what comes, and never throws at bytes: those that
// are no message of navd end it with the event `broken`.

import { errorOf, FormatError, LimitError, NavdError, asNavdError } from './errors.js';
import { NOTES, RESULTS, type Method, type Note, type NoteName, type Params, type Result } from './messages.js';
import { text, optional, orElse, table, u32 } from './wire/shapes.js';
import { DEFAULT_LIMITS, Splitter, type SplitterLimits } from './wire/splitter.js';
import { decodeValue, encodeValue } from './wire/values.js';

export type ConnectionEvent =
  | { type: 'result'; id: number; method: Method; result: Result<Method> }
  | { type: 'error'; id: number; method: Method; error: NavdError }
  | { type: 'note'; note: Note }
  /** navd says why it is about to close the connection. */
  | { type: 'farewell'; error: NavdError }
  /** These were no messages of navd: close the connection. Nothing comes after this. */
  | { type: 'broken'; error: NavdError };

const REQUEST = 0;
const RESPONSE = 1;
const NOTIFICATION = 2;
const BYTES_BEFORE_HELLO = 65536;

const refusal = table({
  code: text,
  message: orElse(text, () => ''),
  key: optional(text),
  op: optional(u32),
});

export class Connection {
  /** The longest message that navd takes; `hello` tells. */
  message_bytes = BYTES_BEFORE_HELLO;
  private readonly splitter: Splitter;
  private readonly open = new Map<number, Method>();
  private out: Uint8Array[] = [];
  private last = 0;
  private broken = false;

  constructor(limits: SplitterLimits = DEFAULT_LIMITS) {
    this.splitter = new Splitter(limits);
  }

  /** The number of calls that wait for their answer. */
  get waiting(): number {
    return this.open.size;
  }

  /** Adds a call to the bytes to send; its id. Throws ArgumentError or LimitError, and then nothing was added. */
  call<M extends Method>(method: M, params: Params[M]): number {
    const id = this.nextId();
    const bytes = encodeValue([REQUEST, id, method, params]);
    if (bytes.length > this.message_bytes) {
      throw new LimitError(
        `${method}: the call has ${bytes.length} bytes, navd takes at most ${this.message_bytes} (message_bytes): send less at once`,
      );
    }
    this.open.set(id, method);
    this.out.push(bytes);
    return id;
  }

  /** The bytes to send, each once. */
  sendBuffer(): Uint8Array {
    const pieces = this.out;
    this.out = [];
    if (pieces.length === 1) return pieces[0]!;
    const all = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
    let at = 0;
    for (const piece of pieces) {
      all.set(piece, at);
      at += piece.length;
    }
    return all;
  }

  /** What the bytes that arrived mean. */
  receive(bytes: Uint8Array): ConnectionEvent[] {
    const events: ConnectionEvent[] = [];
    if (this.broken) return events;
    try {
      for (const message of this.splitter.push(bytes)) {
        const event = this.read(message);
        if (event) events.push(event);
      }
    } catch (thrown) {
      this.broken = true;
      events.push({ type: 'broken', error: broken(thrown) });
    }
    return events;
  }

  private nextId(): number {
    do this.last = this.last === 0xffffffff ? 1 : this.last + 1;
    while (this.open.has(this.last));
    return this.last;
  }

  private read(bytes: Uint8Array): ConnectionEvent | undefined {
    const message = decodeValue(bytes);
    if (!Array.isArray(message)) throw new FormatError('navd sent something that is no array');
    if (message[0] === NOTIFICATION && message.length === 3) return this.readNote(message[1], message[2]);
    if (message[0] === RESPONSE && message.length === 4) return this.readResponse(message[1], message[2], message[3]);
    throw new FormatError('navd sent an array that is neither a response nor a notification');
  }

  private readNote(name: unknown, params: unknown): ConnectionEvent | undefined {
    if (typeof name !== 'string') throw new FormatError('navd sent a notification without a name');
    if (!Object.hasOwn(NOTES, name)) return undefined;
    const read = NOTES[name as NoteName];
    return { type: 'note', note: { name, params: read(params, name) } as Note };
  }

  private readResponse(id: unknown, error: unknown, result: unknown): ConnectionEvent | undefined {
    if (typeof id !== 'number') throw new FormatError('navd sent a response without a number');
    const method = this.open.get(id);
    this.open.delete(id);
    if (error !== null) {
      const { code, message, key, op } = refusal(error, 'error');
      const refused = errorOf(code, message, { key, op });
      if (method) return { type: 'error', id, method, error: refused };
      return id === 0 ? { type: 'farewell', error: refused } : undefined;
    }
    if (!method) throw new FormatError(`navd sent a response to call ${id}, which was not made`);
    // A method that this client does not know yet is taken as it comes.
    const read = Object.hasOwn(RESULTS, method) ? RESULTS[method] : table({});
    return { type: 'result', id, method, result: read(result, method) as Result<Method> };
  }
}

function broken(thrown: unknown): NavdError {
  if (thrown instanceof NavdError) return thrown;
  const cause = asNavdError(thrown);
  return new FormatError(`navd sent bytes that are not a message: ${cause.message}`, { cause: thrown });
}
