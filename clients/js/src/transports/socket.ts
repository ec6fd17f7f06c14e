// Unix, TCP and TLS sockets, for Node. Addresses are those of navctl: PATH, HOST:PORT or tls://HOST:PORT.

import { existsSync, readFileSync } from 'node:fs';
import { createConnection, isIP, type Socket } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { ArgumentError, ClosedError, IoError, NavdError, NotFoundError, TimeoutError, UntrustedError } from '../errors.js';
import type { Dial, Link } from './transport.js';

export interface TlsOptions {
  /** File with the certificates to trust (PEM); by default those of the system. */
  ca_file?: string;
  /** Files with the client's own certificate and its key (PEM). */
  cert_file?: string;
  key_file?: string;
}

type Address = { kind: 'unix'; path: string } | { kind: 'tcp' | 'tls'; host: string; port: number };

/** Where navctl looks, too: $NAVD_ADDRESS, or the first socket that exists. */
export function defaultAddress(): string {
  const named = process.env['NAVD_ADDRESS'];
  if (named) return named;
  const runtime = process.env['XDG_RUNTIME_DIR'];
  const places = ['/run/navd/navd.sock', join(homedir(), '.local/state/navd/navd.sock')];
  if (runtime) places.unshift(join(runtime, 'navd.sock'));
  const found = places.find((place) => existsSync(place));
  if (found) return found;
  throw new NotFoundError(`no navd: none of ${places.join(', ')} exists; start navd, or name its address`);
}

function parse(address: string): Address {
  const kind = address.startsWith('tls://') ? 'tls' : 'tcp';
  const rest = kind === 'tls' ? address.slice('tls://'.length) : address;
  const match = /^(?:\[([^\]]+)\]|([^/:[\]]+)):(\d{1,5})$/.exec(rest);
  if (match) return { kind, host: match[1] ?? match[2]!, port: Number(match[3]) };
  if (kind === 'tls' || rest === '') throw new ArgumentError(`${address}: expected PATH, HOST:PORT or tls://HOST:PORT`);
  return { kind: 'unix', path: address };
}

function read(file: string | undefined): Buffer | undefined {
  if (file === undefined) return undefined;
  try {
    return readFileSync(file);
  } catch (error) {
    throw new ArgumentError((error as Error).message, { cause: error });
  }
}

function open(to: Address, options: TlsOptions): Socket {
  if (to.kind === 'unix') return createConnection(to.path);
  if (to.port > 65535) throw new ArgumentError(`port ${to.port}: expected at most 65535`);
  if (to.kind === 'tcp') return createConnection({ host: to.host, port: to.port, noDelay: true });
  return connectTls({
    host: to.host,
    port: to.port,
    minVersion: 'TLSv1.3',
    ca: read(options.ca_file),
    cert: read(options.cert_file),
    key: read(options.key_file),
    ...(isIP(to.host) ? {} : { servername: to.host }),
  });
}

function isLoopback(ip: string): boolean {
  return ip === '::1' || /^(::ffff:)?127\./.test(ip);
}

function explain(address: string, kind: Address['kind'], error: NodeJS.ErrnoException): NavdError {
  const untrusted = kind === 'tls' && /CERT|ISSUER|ALTNAME|SIGNED|SSL_/.test(error.code ?? '');
  const message = `${address}: ${error.message}`;
  return untrusted ? new UntrustedError(message, { cause: error }) : new IoError(message, { cause: error });
}

/** Dials a Unix socket, TCP or TLS. Throws ArgumentError for an address that is none. */
export function dialSocket(address: string, options: TlsOptions = {}): Dial {
  const to = parse(address);
  return (events, signal) =>
    new Promise((resolve, reject) => {
      if (signal.aborted) return reject(new TimeoutError(`${address}: no connection in time`));
      const socket = open(to, options);
      let closed = false;
      let failed: NavdError | undefined;
      const link: Link = {
        get way() {
          if (to.kind !== 'tcp') return 'private';
          return isLoopback(socket.remoteAddress ?? '') ? 'guessed' : 'open';
        },
        send(bytes) {
          if (!closed) socket.write(bytes);
        },
        get unsent() {
          return socket.writableLength;
        },
        pause: () => void socket.pause(),
        resume: () => void socket.resume(),
        close() {
          closed = true;
          socket.destroy();
        },
      };
      const abort = (): void => {
        link.close();
        reject(new TimeoutError(`${address}: no connection in time`));
      };
      signal.addEventListener('abort', abort, { once: true });
      socket.once(to.kind === 'tls' ? 'secureConnect' : 'connect', () => {
        signal.removeEventListener('abort', abort);
        if (!closed) resolve(link);
      });
      socket.on('data', (bytes) => {
        if (!closed) events.bytes(bytes);
      });
      socket.on('drain', () => events.drained());
      socket.on('error', (error) => (failed = explain(address, to.kind, error)));
      socket.on('close', () => {
        signal.removeEventListener('abort', abort);
        const error = failed ?? new ClosedError(`${address}: navd closed the connection`);
        reject(error); // if it was not open yet
        if (closed) return;
        closed = true;
        events.closed(error);
      });
    });
}
