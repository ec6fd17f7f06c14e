// navd's client for Node: Unix, TCP and TLS sockets, and everything else.

import { readFileSync } from 'node:fs';
import { Client, type ClientOptions } from './client.js';
import { ArgumentError } from './errors.js';
import { defaultAddress, dialSocket, type TlsOptions } from './transports/socket.js';

export interface ConnectOptions extends ClientOptions, TlsOptions {
  /** File with the token; it is read again for each connection. */
  token_file?: string;
}

/** Connects to PATH, HOST:PORT or tls://HOST:PORT; without an address to where navctl connects. */
export function connect(address: string = defaultAddress(), options: ConnectOptions = {}): Promise<Client> {
  const { token_file, ca_file, cert_file, key_file, ...rest } = options;
  if (token_file !== undefined) rest.token = () => readToken(token_file);
  return Client.connect(dialSocket(address, { ca_file, cert_file, key_file }), rest);
}

function readToken(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new ArgumentError((error as Error).message, { cause: error });
  }
}

export * from './index.js';
export { defaultAddress, dialSocket, type TlsOptions } from './transports/socket.js';
