// A WebSocket, in browsers and wherever else there is one. navd has it at ws://HOST:PORT/socket.

import { ArgumentError, ClosedError, IoError, TimeoutError } from '../errors.js';
import type { Dial, Link } from './transport.js';

const DRAIN_POLL_MS = 20; // a WebSocket does not say when it has sent everything

// A page may send its token to where it came from: whoever could read it could have read the page.
function wayTo({ protocol, host, hostname }: URL): Link['way'] {
  const page = (globalThis as { location?: Location }).location;
  if (protocol === 'wss:' || host === page?.host) return 'private';
  return /^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname) ? 'guessed' : 'open';
}

/** Dials ws:// or wss:// URLs. */
export function dialWebSocket(url: string | URL): Dial {
  const address = String(url);
  return (events, signal) =>
    new Promise((resolve, reject) => {
      if (signal.aborted) return reject(new TimeoutError(`${address}: no connection in time`));
      let socket: WebSocket;
      try {
        socket = new WebSocket(address, 'navd');
      } catch (error) {
        return reject(new ArgumentError(`${address}: not the URL of a WebSocket`, { cause: error }));
      }
      socket.binaryType = 'arraybuffer';
      let closed = false;
      let timer: ReturnType<typeof setTimeout> | undefined;

      const watchDrain = (): void => {
        timer = setTimeout(() => {
          timer = undefined;
          if (closed) return;
          if (socket.bufferedAmount > 0) watchDrain();
          else events.drained();
        }, DRAIN_POLL_MS);
      };
      const link: Link = {
        way: wayTo(new URL(socket.url)),
        send(bytes) {
          if (closed) return;
          socket.send(bytes as Uint8Array<ArrayBuffer>);
          if (timer === undefined) watchDrain();
        },
        get unsent() {
          return socket.bufferedAmount;
        },
        close() {
          closed = true;
          clearTimeout(timer);
          socket.close();
        },
      };
      const abort = (): void => {
        link.close();
        reject(new TimeoutError(`${address}: no connection in time`));
      };
      signal.addEventListener('abort', abort, { once: true });
      socket.onopen = () => {
        signal.removeEventListener('abort', abort);
        resolve(link);
      };
      socket.onmessage = ({ data }: MessageEvent) => {
        if (!closed && data instanceof ArrayBuffer) events.bytes(new Uint8Array(data));
      };
      socket.onclose = ({ code, reason }: CloseEvent) => {
        signal.removeEventListener('abort', abort);
        reject(new IoError(`${address}: navd does not answer there, or refuses this page (code ${code})`)); // if it was not open
        if (closed) return;
        closed = true;
        clearTimeout(timer);
        events.closed(new ClosedError(`${address}: the connection was closed (code ${code}${reason ? `, ${reason}` : ''})`));
      };
    });
}
