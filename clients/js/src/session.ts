// A connection that is kept: it says hello, numbers nothing itself, and when the link breaks it comes back: at once, then after a
// pause that doubles. Who uses it says in `restore` what has to be asked again before other calls go on.
//
//     connecting ──► open ──► lost ──► open ...        any ──► closed

import { Connection, type ConnectionEvent } from './connection.js';
import { ArgumentError, asNavdError, CancelledError, ClosedError, TimeoutError, UnauthenticatedError, type NavdError } from './errors.js';
import type { Hello, Method, Note, Params, Result } from './messages.js';
import type { Dial, Link } from './transports/transport.js';

const VERSION = 1;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5000;
const ATTEMPT_MS = 10_000; // for the connection and hello
const SILENT_PERIODS = 3;
const HIGH_WATER = 4 * 1024 * 1024;
const FINAL = new Set<string>(['unauthenticated', 'forbidden', 'version', 'argument', 'format']);

export interface SessionOptions {
  /** Name and version of the program, for the daemon's log. */
  client?: string;
  /** `navd_ID_SECRET`, or what gets one: it is asked for each connection. */
  token?: string | (() => string | Promise<string>);
  /** Sends the token over plain TCP to other machines, too, and to a daemon that has not asked for one: for a tunnel that encrypts. */
  insecure_token?: boolean;
  namespace?: string;
  priority?: 'normal' | 'low' | 'high';
  /** Come back when the connection breaks; default true. */
  reconnect?: boolean;
}

export interface CallOptions {
  /** Stops waiting. The call may have taken effect all the same; questions about paths and places end in the daemon, too. */
  signal?: AbortSignal;
}

export interface SessionHooks {
  note(note: Note): void;
  lost(error: NavdError): void;
  /** Asks again for what a new connection does not know. Calls with raw() alone. */
  restore(): Promise<void>;
  restored(): void;
  closed(error: NavdError | undefined): void;
}

interface Call {
  method: Method;
  params: Params[Method];
  resolve(result: unknown): void;
  reject(error: NavdError): void;
  /** Sees the result before anything that came after it. */
  seen: ((result: never) => void) | undefined;
}

type State = 'connecting' | 'open' | 'lost' | 'closed';

export class Session {
  state: State = 'connecting';
  hello!: Hello;
  private connection = new Connection();
  private link: Link | undefined;
  private readonly pending = new Map<number, Call>();
  private queued: Call[] = []; // until the connection is back
  private rooms: (() => void)[] = [];
  private heard = 0;
  private retry_ms = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private reading = true;
  private held = false;
  private reason: NavdError | undefined;
  private broke: NavdError | undefined; // of the attempt under way: why its connection is gone

  constructor(
    private readonly dial: Dial,
    private readonly options: SessionOptions,
    private readonly hooks: SessionHooks,
  ) {}

  /** The first connection. Rejects with the NavdError. */
  async open(): Promise<void> {
    try {
      await this.attempt();
    } catch (error) {
      this.end(asNavdError(error));
      throw error;
    }
    this.state = 'open';
  }

  /** Sends a call, once the connection is there. `seen` gets the result before the notifications that follow it. */
  call<M extends Method>(
    method: M,
    params: Params[M],
    options: CallOptions = {},
    seen?: (result: Result<M>) => void,
  ): Promise<Result<M>> {
    return this.start(method, params, options.signal, seen, this.state === 'open');
  }

  /** Sends a call in the state that the connection is in. */
  raw<M extends Method>(method: M, params: Params[M], seen?: (result: Result<M>) => void): Promise<Result<M>> {
    return this.start(method, params, undefined, seen, true);
  }

  /** Resolves when little of what was sent still waits here. */
  room(): Promise<void> {
    if (!this.link || this.link.unsent < HIGH_WATER) return Promise.resolve();
    return new Promise((resolve) => this.rooms.push(resolve));
  }

  /** Stops reading while nobody waits for an answer. */
  hold(held: boolean): void {
    this.held = held;
    this.steer();
  }

  close(): void {
    this.end(undefined);
  }

  private start<M extends Method>(
    method: M,
    params: Params[M],
    signal: AbortSignal | undefined,
    seen: ((result: Result<M>) => void) | undefined,
    now: boolean,
  ): Promise<Result<M>> {
    return new Promise((resolve, reject) => {
      if (this.state === 'closed') {
        return reject(new ClosedError(`${method}: the client is closed${this.reason ? `: ${this.reason.message}` : ''}`));
      }
      if (signal?.aborted) return reject(new CancelledError(`${method}: given up`, { cause: signal.reason }));
      const abort = (): void => {
        call.reject(new CancelledError(`${method}: given up`, { cause: signal?.reason }));
        this.cancel(call);
      };
      const done = (): void => signal?.removeEventListener('abort', abort);
      const call: Call = {
        method,
        params,
        resolve: (result) => (done(), resolve(result as Result<M>)),
        reject: (error) => (done(), reject(error)),
        seen: seen as Call['seen'],
      };
      signal?.addEventListener('abort', abort, { once: true });
      if (now) this.send(call);
      else this.queued.push(call);
    });
  }

  /** Nobody waits for it any more. */
  private cancel(call: Call): void {
    this.queued = this.queued.filter((queued) => queued !== call);
    const id = [...this.pending].find(([, pending]) => pending === call)?.[0];
    if (id === undefined || !call.method.startsWith('path.')) return;
    this.raw('path.cancel', { call: id }).catch(() => undefined); // an older daemon does not know it
  }

  private send(call: Call): void {
    if (!this.link) return call.reject(new ClosedError(`${call.method}: there is no connection`));
    try {
      this.pending.set(this.connection.call(call.method, call.params), call);
    } catch (error) {
      return call.reject(asNavdError(error));
    }
    this.link.send(this.connection.sendBuffer());
    this.steer();
  }

  private steer(): void {
    const read = !this.held || this.pending.size > 0;
    if (read === this.reading || !this.link?.pause || !this.link.resume) return;
    this.reading = read;
    this.heard = Date.now();
    if (read) this.link.resume();
    else this.link.pause();
  }

  private async attempt(): Promise<void> {
    const giveUp = new AbortController();
    const deadline = setTimeout(() => giveUp.abort(), ATTEMPT_MS);
    try {
      this.connection = new Connection();
      this.reading = true;
      this.broke = undefined;
      let link: Link | undefined;
      const mine = (): boolean => this.link === link && link !== undefined;
      link = await this.dial(
        {
          bytes: (bytes) => mine() && this.take(bytes),
          drained: () => mine() && this.drained(),
          closed: (error) => mine() && this.lose(error),
        },
        giveUp.signal,
      );
      if (this.state === 'closed') {
        link.close();
        throw new ClosedError('the client is closed');
      }
      this.link = link;
      giveUp.signal.addEventListener('abort', () => mine() && this.drop(new TimeoutError('navd did not answer hello in time')));
      this.hello = await this.sayHello(link);
      if (this.broke) throw this.broke; // right behind the answer
      this.connection.message_bytes = Number(this.hello.limits['message_bytes'] ?? this.connection.message_bytes);
      this.watch();
    } catch (thrown) {
      const error = cause(thrown);
      this.drop(error);
      throw error;
    } finally {
      clearTimeout(deadline);
    }
  }

  // Whoever listens on the way would read an unencrypted token. So none goes beyond this machine; and on it only to a daemon that has
  // asked for one, which whoever took the port of a daemon that is down has not, as a rule.
  private async sayHello(link: Link): Promise<Hello> {
    const { client, namespace, priority, insecure_token } = this.options;
    const token = typeof this.options.token === 'function' ? await this.options.token() : this.options.token;
    const params = { version: VERSION, client, namespace, priority, keepalive: true };
    const way = insecure_token ? 'private' : link.way;
    if (!token || way === 'private') return this.raw('hello', { ...params, token });
    if (way === 'open') {
      throw new ArgumentError('the token would cross the network unencrypted: use tls:// or wss://, or allow it with insecure_token');
    }
    try {
      return await this.raw('hello', params);
    } catch (error) {
      if (!(error instanceof UnauthenticatedError)) throw error;
      return this.raw('hello', { ...params, token });
    }
  }

  private take(bytes: Uint8Array): void {
    this.heard = Date.now();
    for (const event of this.connection.receive(bytes)) {
      try {
        this.handle(event);
      } catch (error) {
        return this.lose(asNavdError(error)); // a message that contradicts itself
      }
      if (!this.link) return;
    }
    this.steer();
  }

  private handle(event: ConnectionEvent): void {
    if (event.type === 'note') {
      if (event.note.name === 'bye') this.retry_ms = Number(event.note.params.retry_ms);
      return this.hooks.note(event.note);
    }
    if (event.type === 'farewell') return this.lose(event.error);
    if (event.type === 'broken') return this.lose(event.error);
    const call = this.pending.get(event.id);
    this.pending.delete(event.id);
    if (event.type === 'error') return call?.reject(event.error);
    call?.seen?.(event.result as never);
    call?.resolve(event.result);
  }

  private drained(): void {
    const rooms = this.rooms;
    this.rooms = [];
    for (const resolve of rooms) resolve();
  }

  // Nothing of this connection counts any more.
  private drop(error: NavdError): void {
    clearTimeout(this.timer);
    this.link?.close();
    this.link = undefined;
    const broken = [...this.pending.values()];
    this.pending.clear();
    for (const call of broken) {
      call.reject(new ClosedError(`${call.method}: the connection broke before the answer: ${error.message}`, { cause: error }));
    }
    this.drained();
  }

  private lose(error: NavdError): void {
    const wasOpen = this.state === 'open';
    this.drop(error);
    this.broke = error;
    if (!wasOpen) return; // an attempt: it ends by the calls that were just rejected, or sees what broke
    if (this.options.reconnect === false || error.code === 'format') return this.end(error);
    this.state = 'lost';
    this.hooks.lost(error);
    void this.comeBack();
  }

  private async comeBack(): Promise<void> {
    let pause = FIRST_PAUSE_MS;
    if (this.retry_ms > 0) await this.sleep(this.retry_ms);
    this.retry_ms = 0;
    while (this.state === 'lost') {
      try {
        await this.attempt();
        await this.hooks.restore();
        if (this.link) break;
      } catch (thrown) {
        const error = cause(thrown);
        this.drop(error);
        if (FINAL.has(error.code)) return this.end(error);
      }
      // Many clients of one daemon must not come back all at once.
      await this.sleep(pause * (0.5 + Math.random()));
      pause = Math.min(2 * pause, LONGEST_PAUSE_MS);
    }
    if (this.state !== 'lost') return this.drop(new ClosedError('the client is closed'));
    this.state = 'open';
    this.hooks.restored();
    const queued = this.queued;
    this.queued = [];
    for (const call of queued) this.send(call);
  }

  private sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.timer = setTimeout(resolve, ms);
      this.wake = resolve;
    });
  }
  private wake: () => void = () => {};

  // navd says something every keepalive_s, or it is gone.
  private watch(): void {
    clearTimeout(this.timer);
    const limit = this.hello.keepalive_s * 1000 * SILENT_PERIODS;
    if (limit === 0) return;
    const look = (): void => {
      const silent = this.reading ? Date.now() - this.heard : 0;
      if (silent >= limit) return this.lose(new TimeoutError(`nothing was heard of navd for ${Math.round(silent / 1000)} s`));
      this.timer = setTimeout(look, limit - silent);
    };
    this.timer = setTimeout(look, limit);
  }

  private end(error: NavdError | undefined): void {
    if (this.state === 'closed') return;
    this.state = 'closed';
    this.reason = error;
    this.drop(error ?? new ClosedError('the client was closed'));
    const queued = this.queued;
    this.queued = [];
    for (const call of queued) call.reject(new ClosedError(`${call.method}: ${error?.message ?? 'the client was closed'}`));
    this.wake();
    this.hooks.closed(error);
  }
}

// A call that ended with the connection says `closed`; what broke it is its cause.
function cause(thrown: unknown): NavdError {
  const error = asNavdError(thrown);
  return error.code === 'closed' && error.cause ? asNavdError(error.cause) : error;
}
