// navd's client for Node: Unix, TCP and TLS sockets, and everything else.

import { readFileSync, statSync } from 'node:fs';
import { Client, type ClientOptions } from './client.js';
import { ArgumentError } from './errors.js';
import { defaultAddress, dialSocket, type TlsOptions } from './transports/socket.js';

export interface ConnectOptions extends ClientOptions, TlsOptions {
  /** File with the token; it is read again for each connection. */
  token_file?: string;
}

/**
 * Connects to PATH, HOST:PORT or tls://HOST:PORT; without an address to where navctl connects. Options that are not given come from the
 * environment, as navctl's do: NAVD_TOKEN_FILE, NAVD_TOKEN, NAVD_NAMESPACE, NAVD_CA_FILE, NAVD_CERT_FILE, NAVD_KEY_FILE.
 */
export async function connect(address: string = defaultAddress(), options: ConnectOptions = {}): Promise<Client> {
  const { env } = process;
  const {
    token_file = options.token === undefined ? env['NAVD_TOKEN_FILE'] : undefined,
    ca_file = env['NAVD_CA_FILE'],
    cert_file = env['NAVD_CERT_FILE'],
    key_file = env['NAVD_KEY_FILE'],
    ...rest
  } = options;
  if (token_file) rest.token = () => readToken(token_file);
  rest.token ??= env['NAVD_TOKEN'];
  rest.namespace ??= env['NAVD_NAMESPACE'];
  return Client.connect(dialSocket(address, { ca_file, cert_file, key_file }), rest);
}

function readToken(file: string): string {
  let everybody: boolean;
  let text: string;
  try {
    const { mode } = statSync(file);
    everybody = (mode & 0o170000) === 0o100000 && (mode & 0o007) !== 0; // a regular file
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new ArgumentError(`the token file ${(error as Error).message}`, { cause: error });
  }
  if (everybody && process.platform !== 'win32') throw new ArgumentError(`the token file ${file}: every user can read it; run chmod 0600`);
  return text.trim();
}

export * from './index.js';
export { defaultAddress, dialSocket, type TlsOptions } from './transports/socket.js';
